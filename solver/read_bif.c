/* Bayesian networks in BIF. Variables are numbered in the order of their declaration; factor i is the i-th probability
 * block, its child the last variable of the scope. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "base/array.h"
#include "solver/read.h"
#include "solver/scan.h"

/* Cells that "default" rows may fill in one file: they are not bounded by its length. */
static const size_t MAX_DEFAULT_CELLS = (size_t)1 << 24;

struct variable {
    char *name;
    uint32_t index, domain;
    const char **state;
    bool has_factor;
    UT_hash_handle hh;
};

struct bif {
    struct yk_scan s;
    struct yk_network *net;
    struct variable *by_name;
    YK_ARRAY(struct variable *) vars;
    YK_ARRAY(struct yk_factor) factors;
    size_t default_cells;
};

static yk_status no_memory(struct bif *b)
{
    yk_scan_fail(&b->s, "not enough memory");
    return YK_ENOMEM;
}

static yk_status expect(struct bif *b, const char *mark)
{
    yk_scan_next(&b->s);
    return yk_scan_is(&b->s, mark) ? YK_OK : yk_scan_expected(&b->s, "'%s'", mark);
}

/* The comma before another element: older files have none. */
static yk_status separator(struct bif *b)
{
    struct yk_scan before = b->s;
    yk_scan_next(&b->s);
    if (yk_scan_is(&b->s, ","))
        return YK_OK;
    if (!b->s.word || (!b->s.quoted && b->s.len == 1 && strchr("{}()[]|;", b->s.word[0])))
        return yk_scan_expected(&b->s, "','");
    b->s = before;
    return YK_OK;
}

static bool is_name(const struct bif *b)
{
    return b->s.quoted || (b->s.word && !(b->s.len == 1 && strchr("{}()[]|,;", b->s.word[0])));
}

/* A property: anything up to the semicolon. */
static yk_status skip_property(struct bif *b)
{
    while (yk_scan_next(&b->s))
        if (yk_scan_is(&b->s, ";"))
            return YK_OK;
    return yk_scan_expected(&b->s, "';' at the end of a property");
}

static yk_status read_header(struct bif *b)
{
    yk_scan_next(&b->s);
    if (!yk_scan_is(&b->s, "network"))
        return yk_scan_expected(&b->s, "'network'");
    do {
        if (!yk_scan_next(&b->s))
            return yk_scan_expected(&b->s, "'{' after the name of the network");
    } while (!yk_scan_is(&b->s, "{"));
    for (;;) {
        yk_scan_next(&b->s);
        if (yk_scan_is(&b->s, "}"))
            return YK_OK;
        if (!yk_scan_is(&b->s, "property"))
            return yk_scan_expected(&b->s, "'property' or '}'");
        yk_status st = skip_property(b);
        if (st != YK_OK)
            return st;
    }
}

static yk_status read_type(struct bif *b, struct variable *v)
{
    uint64_t n;
    yk_status st;
    yk_scan_next(&b->s);
    if (!yk_scan_is(&b->s, "discrete"))
        return yk_scan_expected(&b->s, "'discrete' (other types are not supported)");
    if ((st = expect(b, "[")) != YK_OK ||
        (st = yk_scan_whole(&b->s, "the number of states", 1, UINT32_MAX - 1, &n)) != YK_OK)
        return st;
    if (n > yk_scan_left(&b->s))
        return yk_scan_expected(&b->s, "a number of states that the file has room for");
    if ((st = expect(b, "]")) != YK_OK || (st = expect(b, "{")) != YK_OK)
        return st;
    v->domain = (uint32_t)n;
    if (!(v->state = yk_arena_array(&b->net->arena, const char *, n)))
        return no_memory(b);
    for (uint32_t i = 0; i < n; i++) {
        if (i && (st = separator(b)) != YK_OK)
            return st;
        yk_scan_next(&b->s);
        if (!is_name(b))
            return yk_scan_expected(&b->s, "the name of a state");
        if (!(v->state[i] = yk_arena_strndup(&b->net->arena, b->s.word, b->s.len)))
            return no_memory(b);
    }
    if ((st = expect(b, "}")) != YK_OK)
        return st;
    return expect(b, ";");
}

static yk_status read_variable(struct bif *b)
{
    yk_scan_next(&b->s);
    if (!is_name(b))
        return yk_scan_expected(&b->s, "the name of a variable");
    struct variable *v = NULL;
    HASH_FIND(hh, b->by_name, b->s.word, b->s.len, v);
    if (v)
        return yk_scan_expected(&b->s, "each variable once");
    v = yk_arena_new(&b->net->arena, struct variable);
    if (!v || !(v->name = yk_arena_strndup(&b->net->arena, b->s.word, b->s.len)) || !yk_array_push(&b->vars, v))
        return no_memory(b);
    v->index = (uint32_t)b->vars.n - 1;
    HASH_ADD_KEYPTR(hh, b->by_name, v->name, b->s.len, v);
    yk_status st = expect(b, "{");
    while (st == YK_OK) {
        yk_scan_next(&b->s);
        if (yk_scan_is(&b->s, "}"))
            break;
        if (yk_scan_is(&b->s, "property"))
            st = skip_property(b);
        else if (yk_scan_is(&b->s, "type") && !v->domain)
            st = read_type(b, v);
        else
            st = yk_scan_expected(&b->s, "'type', 'property' or '}'");
    }
    if (st == YK_OK && !v->domain)
        return yk_scan_fail(&b->s, "expected a type of variable %s before '}'", v->name);
    return st;
}

/* The last word as a variable. */
static yk_status find_variable(struct bif *b, struct variable **v)
{
    *v = NULL;
    if (is_name(b))
        HASH_FIND(hh, b->by_name, b->s.word, b->s.len, *v);
    return *v ? YK_OK : yk_scan_expected(&b->s, "the name of a declared variable");
}

/* "( child | parent, parent )", in older files without marks between them: the scope, parents first. */
static yk_status read_scope(struct bif *b, struct yk_factor *f)
{
    YK_ARRAY(uint32_t) scope = {0};
    struct variable *child, *v;
    yk_status st = expect(b, "(");
    if (st != YK_OK)
        return st;
    yk_scan_next(&b->s);
    if ((st = find_variable(b, &child)) != YK_OK)
        return st;
    if (child->has_factor)
        return yk_scan_expected(&b->s, "one probability block per variable");
    child->has_factor = true;
    yk_scan_next(&b->s);
    bool more = yk_scan_is(&b->s, "|") || is_name(b);
    f->cells = child->domain;
    while (more) {
        if (!is_name(b))
            yk_scan_next(&b->s);
        st = find_variable(b, &v);
        for (size_t i = 0; st == YK_OK && i < scope.n; i++)
            if (scope.v[i] == v->index)
                st = yk_scan_expected(&b->s, "each parent once");
        if (st == YK_OK && v == child)
            st = yk_scan_expected(&b->s, "a parent other than the variable itself");
        if (st == YK_OK && f->cells > (SIZE_MAX >> 4) / v->domain)
            st = yk_scan_fail(&b->s, "expected a table of fewer cells: the domains of %s overflow", child->name);
        if (st == YK_OK && !yk_array_push(&scope, v->index))
            st = no_memory(b);
        if (st != YK_OK)
            goto out;
        f->cells *= v->domain;
        yk_scan_next(&b->s);
        more = yk_scan_is(&b->s, ",") || is_name(b);
    }
    st = YK_ENOMEM;
    f->n = (uint32_t)scope.n + 1;
    if (!(f->scope = yk_arena_array(&b->net->arena, uint32_t, f->n))) {
        no_memory(b);
        goto out;
    }
    if (scope.n)
        memcpy(f->scope, scope.v, scope.n * sizeof *scope.v);
    f->scope[scope.n] = child->index;
    st = yk_scan_is(&b->s, ")") ? YK_OK : yk_scan_expected(&b->s, scope.n ? "',' or ')'" : "'|' or ')'");
out:
    yk_array_finish(&scope);
    return st;
}

/* COUNT values separated by commas, then a semicolon. */
static yk_status read_values(struct bif *b, double *value, size_t count, size_t stride)
{
    yk_status st = YK_OK;
    for (size_t i = 0; i < count && st == YK_OK; i++) {
        if (i && (st = separator(b)) != YK_OK)
            return st;
        st = yk_scan_real(&b->s, "a probability", 0, &value[i * stride]);
    }
    return st == YK_OK ? expect(b, ";") : st;
}

/* "state, state)" of the parents: which row. */
static yk_status read_row(struct bif *b, const struct yk_factor *f, size_t *row)
{
    *row = 0;
    for (uint32_t i = 0; i + 1 < f->n; i++) {
        const struct variable *v = b->vars.v[f->scope[i]];
        yk_status st = i ? separator(b) : YK_OK;
        if (st != YK_OK)
            return st;
        yk_scan_next(&b->s);
        uint32_t x = 0;
        while (x < v->domain &&
               !(b->s.word && strlen(v->state[x]) == b->s.len && memcmp(v->state[x], b->s.word, b->s.len) == 0))
            x++;
        if (x == v->domain)
            return yk_scan_expected(&b->s, "a state of %s", v->name);
        *row = *row * v->domain + x;
    }
    return expect(b, ")");
}

/* Memory of F's table, when its first row is met. */
static yk_status take_table(struct bif *b, struct yk_factor *f, bool by_default, unsigned char **given, size_t rows)
{
    if (f->value)
        return YK_OK;
    if (by_default) {
        b->default_cells += f->cells < MAX_DEFAULT_CELLS ? f->cells : MAX_DEFAULT_CELLS;
        if (b->default_cells >= MAX_DEFAULT_CELLS)
            return yk_scan_fail(&b->s, "expected tables of fewer than %zu cells behind 'default'", MAX_DEFAULT_CELLS);
    } else if (f->cells > yk_scan_left(&b->s)) {
        return yk_scan_fail(&b->s, "expected %zu values, found a file too short for them", f->cells);
    }
    f->value = yk_arena_array(&b->net->arena, double, f->cells);
    *given = calloc(rows + 1, 1);
    return f->value && *given ? YK_OK : no_memory(b);
}

static yk_status read_rows(struct bif *b, struct yk_factor *f)
{
    const struct variable *child = b->vars.v[f->scope[f->n - 1]];
    size_t rows = f->cells / child->domain, known = 0, row;
    unsigned char *given = NULL;
    double *deflt = NULL;
    yk_status st = expect(b, "{");
    while (st == YK_OK) {
        yk_scan_next(&b->s);
        if (yk_scan_is(&b->s, "}"))
            break;
        if (yk_scan_is(&b->s, "property")) {
            st = skip_property(b);
        } else if (yk_scan_is(&b->s, "table") && known == 0 && !deflt) {
            /* The child is slowest in a table, and the last parent fastest. */
            st = take_table(b, f, false, &given, rows);
            for (uint32_t x = 0; x < child->domain && st == YK_OK; x++)
                for (size_t r = 0; r < rows && st == YK_OK; r++) {
                    if (x + r)
                        st = separator(b);
                    if (st == YK_OK)
                        st = yk_scan_real(&b->s, "a probability", 0, &f->value[r * child->domain + x]);
                }
            if (st == YK_OK)
                st = expect(b, ";");
            known = rows;
        } else if (yk_scan_is(&b->s, "default") && !deflt) {
            st = take_table(b, f, true, &given, rows);
            if (st == YK_OK && !(deflt = yk_arena_array(&b->net->arena, double, child->domain)))
                st = no_memory(b);
            if (st == YK_OK)
                st = read_values(b, deflt, child->domain, 1);
        } else if (yk_scan_is(&b->s, "(") && f->n > 1) {
            st = take_table(b, f, false, &given, rows);
            if (st == YK_OK)
                st = read_row(b, f, &row);
            if (st == YK_OK && given[row])
                st = yk_scan_fail(&b->s, "expected each row of %s once", child->name);
            if (st == YK_OK)
                st = read_values(b, f->value + row * child->domain, child->domain, 1);
            if (st == YK_OK)
                given[row] = 1, known++;
        } else {
            st = yk_scan_expected(&b->s, f->n > 1 ? "'table', 'default', '(' or '}'" : "'table' or '}'");
        }
    }
    if (st == YK_OK && known < rows && !deflt)
        st = yk_scan_fail(&b->s, "expected %zu rows of %s, found %zu", rows, child->name, known);
    for (size_t r = 0; st == YK_OK && deflt && known < rows && r < rows; r++)
        if (!given[r])
            memcpy(f->value + r * child->domain, deflt, child->domain * sizeof *deflt);
    free(given);
    return st;
}

static yk_status read_blocks(struct bif *b)
{
    yk_status st = read_header(b);
    while (st == YK_OK && yk_scan_next(&b->s)) {
        if (yk_scan_is(&b->s, "variable")) {
            st = read_variable(b);
        } else if (yk_scan_is(&b->s, "probability")) {
            struct yk_factor f = {0};
            if ((st = read_scope(b, &f)) == YK_OK)
                st = read_rows(b, &f);
            if (st == YK_OK && !yk_array_push(&b->factors, f))
                st = no_memory(b);
        } else {
            st = yk_scan_expected(&b->s, "'variable' or 'probability'");
        }
    }
    for (size_t i = 0; i < b->vars.n && st == YK_OK; i++)
        if (!b->vars.v[i]->has_factor)
            st = yk_scan_fail(&b->s, "expected a probability block of variable %s", b->vars.v[i]->name);
    return st;
}

static yk_status take_over(struct bif *b)
{
    struct yk_network *net = b->net;
    net->bayes = true;
    net->nvars = (uint32_t)b->vars.n;
    net->nfactors = b->factors.n;
    net->domain = yk_arena_array(&net->arena, uint32_t, b->vars.n);
    net->name = yk_arena_array(&net->arena, const char *, b->vars.n);
    net->state_name = yk_arena_array(&net->arena, const char **, b->vars.n);
    net->factor = yk_arena_array(&net->arena, struct yk_factor, b->factors.n);
    if (!net->domain || !net->name || !net->state_name || !net->factor)
        return no_memory(b);
    for (size_t i = 0; i < b->vars.n; i++) {
        net->domain[i] = b->vars.v[i]->domain;
        net->name[i] = b->vars.v[i]->name;
        net->state_name[i] = b->vars.v[i]->state;
    }
    if (b->factors.n)
        memcpy(net->factor, b->factors.v, b->factors.n * sizeof *b->factors.v);
    return YK_OK;
}

yk_status yk_read_bif_text(const char *name, const char *text, size_t len, struct yk_network *net, char *msg, size_t n)
{
    *net = (struct yk_network){0};
    struct bif b = {.net = net};
    yk_scan_init(&b.s, name, text, len, msg, n);
    b.s.marks = "{}()[]|,;";
    b.s.comments = true;
    b.s.quotes = true;
    yk_status st = read_blocks(&b);
    if (st == YK_OK)
        st = take_over(&b);
    HASH_CLEAR(hh, b.by_name);
    yk_array_finish(&b.vars);
    yk_array_finish(&b.factors);
    if (st != YK_OK)
        yk_network_finish(net);
    return st;
}
