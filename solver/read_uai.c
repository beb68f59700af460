/* UAI models and evidence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "solver/read.h"
#include "solver/scan.h"

enum { MAX_DOMAIN = 1 << 24 };

static yk_status no_memory(struct yk_scan *s)
{
    yk_scan_fail(s, "not enough memory");
    return YK_ENOMEM;
}

static yk_status read_domains(struct yk_scan *s, struct yk_network *net)
{
    uint64_t n, d;
    yk_status st = yk_scan_whole(s, "the number of variables", 0, UINT32_MAX - 1, &n);
    if (st != YK_OK)
        return st;
    if (n > yk_scan_left(s))
        return yk_scan_expected(s, "a number of variables that the file has room for");
    net->nvars = (uint32_t)n;
    net->domain = yk_arena_array(&net->arena, uint32_t, n);
    if (!net->domain)
        return no_memory(s);
    for (uint32_t i = 0; i < n; i++) {
        if ((st = yk_scan_whole(s, "the domain size of a variable", 1, MAX_DOMAIN, &d)) != YK_OK)
            return st;
        net->domain[i] = (uint32_t)d;
    }
    return YK_OK;
}

/* SEEN[v] is the last factor (from 1) that had variable v. */
static yk_status read_scope(struct yk_scan *s, struct yk_network *net, size_t index, size_t *seen)
{
    struct yk_factor *f = &net->factor[index];
    uint64_t n, v;
    yk_status st = yk_scan_whole(s, "the number of variables of a factor", 0, net->nvars, &n);
    if (st != YK_OK)
        return st;
    if (n > yk_scan_left(s))
        return yk_scan_expected(s, "a number of variables that the file has room for");
    f->n = (uint32_t)n;
    if (!(f->scope = yk_arena_array(&net->arena, uint32_t, n)))
        return no_memory(s);
    f->cells = 1;
    for (uint32_t i = 0; i < n; i++) {
        if ((st = yk_scan_whole(s, "a variable of a factor", 0, (uint64_t)net->nvars - 1, &v)) != YK_OK)
            return st;
        if (seen[v] == index + 1)
            return yk_scan_expected(s, "each variable of a factor once");
        seen[v] = index + 1;
        f->scope[i] = (uint32_t)v;
        if (f->cells > (SIZE_MAX >> 4) / net->domain[v])
            return yk_scan_fail(s, "expected a factor of fewer cells: the domains of factor %zu overflow", index);
        f->cells *= net->domain[v];
    }
    return YK_OK;
}

static yk_status read_table(struct yk_scan *s, struct yk_network *net, size_t index)
{
    struct yk_factor *f = &net->factor[index];
    uint64_t n;
    char what[96];
    snprintf(what, sizeof what, "the number of values of factor %zu", index);
    yk_status st = yk_scan_whole(s, what, 0, UINT64_MAX >> 1, &n);
    if (st != YK_OK)
        return st;
    if (n != f->cells)
        return yk_scan_expected(s, "%zu values of factor %zu (the product of its domains)", f->cells, index);
    if (n > yk_scan_left(s))
        return yk_scan_fail(s, "expected %zu values of factor %zu, found a file too short for them", f->cells, index);
    if (!(f->value = yk_arena_array(&net->arena, double, f->cells)))
        return no_memory(s);
    snprintf(what, sizeof what, "a non-negative value of factor %zu", index);
    for (size_t i = 0; i < f->cells; i++)
        if ((st = yk_scan_real(s, what, 0, &f->value[i])) != YK_OK)
            return st;
    return YK_OK;
}

static yk_status read_model(struct yk_scan *s, struct yk_network *net)
{
    yk_scan_next(s);
    if (!yk_scan_is(s, "MARKOV") && !yk_scan_is(s, "BAYES"))
        return yk_scan_expected(s, "MARKOV or BAYES");
    net->bayes = yk_scan_is(s, "BAYES");
    yk_status st = read_domains(s, net);
    if (st != YK_OK)
        return st;
    uint64_t n;
    if ((st = yk_scan_whole(s, "the number of factors", 0, UINT32_MAX - 1, &n)) != YK_OK)
        return st;
    if (n > yk_scan_left(s))
        return yk_scan_expected(s, "a number of factors that the file has room for");
    net->nfactors = n;
    net->factor = yk_arena_array(&net->arena, struct yk_factor, n);
    size_t *seen = calloc((size_t)net->nvars + 1, sizeof *seen);
    st = net->factor && seen ? YK_OK : no_memory(s);
    for (size_t i = 0; i < n && st == YK_OK; i++)
        st = read_scope(s, net, i, seen);
    free(seen);
    for (size_t i = 0; i < n && st == YK_OK; i++)
        st = read_table(s, net, i);
    if (st == YK_OK && yk_scan_next(s))
        st = yk_scan_expected(s, "the end of the file after the last factor");
    return st;
}

yk_status yk_read_uai_text(const char *name, const char *text, size_t len, struct yk_network *net, char *msg, size_t n)
{
    *net = (struct yk_network){0};
    struct yk_scan s;
    yk_scan_init(&s, name, text, len, msg, n);
    yk_status st = read_model(&s, net);
    if (st != YK_OK)
        yk_network_finish(net);
    return st;
}

yk_status yk_read_network(const char *path, struct yk_network *net, char *msg, size_t n)
{
    char *text;
    size_t len, l = strlen(path);
    *net = (struct yk_network){0};
    yk_status st = yk_scan_load(path, &text, &len, msg, n);
    if (st != YK_OK)
        return st;
    struct yk_scan first;
    yk_scan_init(&first, path, text, len, msg, n);
    yk_scan_next(&first);
    if ((l >= 4 && strcasecmp(path + l - 4, ".bif") == 0) || yk_scan_is(&first, "network"))
        st = yk_read_bif_text(path, text, len, net, msg, n);
    else
        st = yk_read_uai_text(path, text, len, net, msg, n);
    free(text);
    return st;
}

static bool word_is_name(const struct yk_scan *s, const char *name)
{
    return strlen(name) == s->len && memcmp(name, s->word, s->len) == 0;
}

static yk_status read_observation(struct yk_scan *s, const struct yk_network *net, uint32_t *var, uint32_t *state)
{
    uint64_t v = net->nvars, x;
    if (!yk_scan_next(s))
        return yk_scan_expected(s, "an observed variable");
    for (uint32_t i = 0; net->name && i < net->nvars && v == net->nvars; i++)
        if (word_is_name(s, net->name[i]))
            v = i;
    if (v == net->nvars && (!yk_scan_as_whole(s, &v) || v >= net->nvars))
        return yk_scan_expected(s, "an observed variable of the network's %u", net->nvars);
    if (!yk_scan_next(s))
        return yk_scan_expected(s, "the state of an observed variable");
    x = net->domain[v];
    for (uint32_t i = 0; net->state_name && net->state_name[v] && i < net->domain[v] && x == net->domain[v]; i++)
        if (word_is_name(s, net->state_name[v][i]))
            x = i;
    if (x == net->domain[v] && (!yk_scan_as_whole(s, &x) || x >= net->domain[v]))
        return yk_scan_expected(s, "a state of variable %u, below %u", (unsigned)v, net->domain[v]);
    *var = (uint32_t)v;
    *state = (uint32_t)x;
    return YK_OK;
}

yk_status yk_read_evidence_text(const char *name, const char *text, size_t len, const struct yk_network *net,
                                struct yk_evidence *ev, char *msg, size_t n)
{
    *ev = (struct yk_evidence){0};
    struct yk_scan s;
    yk_scan_init(&s, name, text, len, msg, n);
    size_t words = 0;
    while (yk_scan_next(&s))
        words++;
    yk_scan_init(&s, name, text, len, msg, n);
    uint64_t k;
    yk_status st = yk_scan_whole(&s, "the number of observed variables", 0, UINT32_MAX - 1, &k);
    if (st != YK_OK)
        return st;
    /* "1" alone on the first line is the number of evidence sets: the counts of words tell the forms apart. */
    if (k == 1 && words != 3) {
        if ((st = yk_scan_whole(&s, "the number of observed variables", 0, UINT32_MAX - 1, &k)) != YK_OK)
            return st;
        words--;
    }
    if (k > words / 2)
        return yk_scan_fail(&s, "expected %llu pairs of variable and state, found %zu words", (unsigned long long)k,
                            words - 1);
    ev->var = calloc(k + 1, sizeof *ev->var);
    ev->state = calloc(k + 1, sizeof *ev->state);
    uint32_t *seen = calloc((size_t)net->nvars + 1, sizeof *seen); /* state + 1 */
    st = ev->var && ev->state && seen ? YK_OK : no_memory(&s);
    for (uint64_t i = 0; i < k && st == YK_OK; i++) {
        uint32_t v = 0, x = 0;
        st = read_observation(&s, net, &v, &x);
        if (st == YK_OK && seen[v] && seen[v] != x + 1)
            st = yk_scan_fail(&s, "expected one state of variable %u, found states %u and %u", v, seen[v] - 1, x);
        if (st == YK_OK && !seen[v]) {
            seen[v] = x + 1;
            ev->var[ev->n] = v;
            ev->state[ev->n++] = x;
        }
    }
    free(seen);
    if (st == YK_OK && yk_scan_next(&s))
        st = yk_scan_expected(&s, "the end of the file after %llu observations", (unsigned long long)k);
    if (st != YK_OK)
        yk_evidence_finish(ev);
    return st;
}

yk_status yk_read_evidence(const char *path, const struct yk_network *net, struct yk_evidence *ev, char *msg, size_t n)
{
    char *text;
    size_t len;
    *ev = (struct yk_evidence){0};
    yk_status st = yk_scan_load(path, &text, &len, msg, n);
    if (st != YK_OK)
        return st;
    st = yk_read_evidence_text(path, text, len, net, ev, msg, n);
    free(text);
    return st;
}
