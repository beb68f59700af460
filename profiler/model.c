#include "profiler/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDS = 4, DEPTH = 5, LEAST = 3 };

struct code {
    char kernel[33];
    double count[YK_MODEL_COUNTS];
    unsigned number;
};

struct launch {
    char kernel[33], device[YK_DATABASE_TEXT];
    double items, local, ms;
};

struct yk_model_data {
    struct code *code;
    struct launch *launch;
    size_t ncodes, nlaunches, code_room, launch_room, most;
};

/* The binary logarithm and its inverse, here because libyoke.so needs libc alone. X above 0 and finite; to 1e-9. */
static double log2_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    double exponent = (double)(bits >> 52) - 1023, m, sum = 0;
    bits = (bits & (~0ull >> 12)) | 1023ull << 52;
    memcpy(&m, &bits, sizeof m);
    double z = (m - 1) / (m + 1), power = z;
    for (int i = 1; i < 20; i += 2, power *= z * z)
        sum += power / i;
    return exponent + 2 * sum * 1.4426950408889634;
}

static double exp2_of(double y)
{
    y = y < -1000 ? -1000 : y > 1000 ? 1000 : y;
    double whole = (double)(int64_t)y, rest = (y - whole) * 0.6931471805599453, sum = 1, term = 1, scale;
    for (int i = 1; i < 16; i++)
        sum += term *= rest / i;
    uint64_t bits = (uint64_t)(1023 + (int64_t)whole) << 52;
    memcpy(&scale, &bits, sizeof scale);
    return sum * scale;
}

void yk_model_code(const uint32_t *count, struct yk_series *out)
{
    out->n = 0;
    for (unsigned i = 0; i < YK_MODEL_COUNTS && out->n < YK_SERIES_SAMPLES; i++)
        if (count[i])
            out->at[out->n++] = (struct yk_sample){i + 1, count[i], 1};
}

struct yk_model_data *yk_model_data_new(size_t most)
{
    struct yk_model_data *d = calloc(1, sizeof *d);
    if (d)
        d->most = most;
    return d;
}

void yk_model_data_free(struct yk_model_data *d)
{
    if (!d)
        return;
    free(d->code);
    free(d->launch);
    free(d);
}

/* Room for one more of SIZE bytes in *AT. */
static bool room(void **at, size_t *room, size_t n, size_t size)
{
    if (n < *room)
        return true;
    size_t more = *room ? 2 * *room : 64;
    void *p = realloc(*at, more * size);
    if (!p)
        return false;
    *at = p;
    *room = more;
    return true;
}

static bool add_code(struct yk_model_data *d, const struct yk_database_key *k, const struct yk_series *s)
{
    if (!room((void **)&d->code, &d->code_room, d->ncodes, sizeof *d->code))
        return false;
    struct code *c = &d->code[d->ncodes++];
    *c = (struct code){.number = 0};
    snprintf(c->kernel, sizeof c->kernel, "%s", k->kernel);
    for (unsigned i = 0; i < s->n; i++)
        if (s->at[i].groups <= YK_MODEL_COUNTS)
            c->count[(unsigned)s->at[i].groups - 1] = s->at[i].ms;
    return true;
}

/* Series of one problem each: those of all together mix them. */
static bool add_launches(struct yk_model_data *d, const struct yk_database_key *k, const struct yk_series *s)
{
    double side[3] = {0}, local = 1;
    sscanf(k->local, "%lfx%lfx%lf", &side[0], &side[1], &side[2]);
    for (int i = 0; i < 3; i++)
        local *= side[i] >= 1 ? side[i] : 1;
    for (unsigned i = 0; i < s->n && d->nlaunches < d->most; i++) {
        if (!room((void **)&d->launch, &d->launch_room, d->nlaunches, sizeof *d->launch))
            return false;
        struct launch *l = &d->launch[d->nlaunches++];
        *l = (struct launch){.items = s->at[i].groups * local, .local = local, .ms = s->at[i].ms};
        snprintf(l->kernel, sizeof l->kernel, "%s", k->kernel);
        snprintf(l->device, sizeof l->device, "%s", k->device);
    }
    return true;
}

bool yk_model_data_add(struct yk_model_data *d, const struct yk_database_key *k, const struct yk_series *s)
{
    if (k->kind == YK_SAMPLE_CODE)
        return add_code(d, k, s);
    return k->kind != YK_SAMPLE_ALONE || !k->problem[0] || add_launches(d, k, s);
}

static int by_kernel(const void *a, const void *b)
{
    return strcmp(((const struct code *)a)->kernel, ((const struct code *)b)->kernel);
}

static void features(const double *count, double items, double local, double *to)
{
    memset(to, 0, YK_REGRESS_FEATURES * sizeof *to);
    memcpy(to, count, YK_MODEL_COUNTS * sizeof *to);
    to[YK_MODEL_COUNTS] = log2_of(items);
    to[YK_MODEL_COUNTS + 1] = local;
}

static int compare(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

/* ROW[N], of kernel OF[N] each: how far predictions are off for kernels that were left out, by the logarithm. */
static double left_out(struct yk_regress *t, const struct yk_regress_row *row, const unsigned *of, size_t n,
                       struct yk_regress_row *others, double *off)
{
    size_t scored = 0;
    for (unsigned fold = 0; fold < FOLDS; fold++) {
        size_t k = 0;
        for (size_t i = 0; i < n; i++)
            if (of[i] % FOLDS != fold)
                others[k++] = row[i];
        if (!k || yk_regress_train(t, others, k, DEPTH, LEAST) != YK_OK)
            continue;
        for (size_t i = 0; i < n; i++)
            if (of[i] % FOLDS == fold)
                off[scored++] = __builtin_fabs(yk_regress_value(t, row[i].feature) - row[i].target);
    }
    qsort(off, scored, sizeof *off, compare);
    return scored ? off[scored / 2] : 1000;
}

yk_status yk_model_train(struct yk_model_data *d, const char *device, struct yk_model *m)
{
    size_t n = 0, most = d->nlaunches ? d->nlaunches : 1;
    struct yk_regress_row *row = malloc(2 * most * sizeof *row);
    unsigned *of = malloc(most * sizeof *of);
    double *off = malloc(most * sizeof *off);
    yk_status s = row && of && off ? YK_EINVAL : YK_ENOMEM;
    if (d->ncodes)
        qsort(d->code, d->ncodes, sizeof *d->code, by_kernel);
    for (size_t i = 0; i < d->ncodes; i++)
        d->code[i].number = 0;
    m->kernels = 0;
    for (size_t i = 0; i < d->nlaunches && s == YK_EINVAL; i++) {
        const struct launch *l = &d->launch[i];
        struct code key;
        memcpy(key.kernel, l->kernel, sizeof key.kernel);
        struct code *c = strcmp(l->device, device) || !d->ncodes
                             ? NULL
                             : bsearch(&key, d->code, d->ncodes, sizeof *d->code, by_kernel);
        if (!c)
            continue;
        c->number = c->number ? c->number : (unsigned)++m->kernels;
        features(c->count, l->items, l->local, row[n].feature);
        row[n].target = log2_of(l->ms / l->items);
        of[n++] = c->number;
    }
    m->samples = n;
    if (s == YK_EINVAL && m->kernels >= YK_MODEL_KERNELS) {
        m->factor = exp2_of(left_out(&m->tree, row, of, n, row + most, off));
        s = yk_regress_train(&m->tree, row, n, DEPTH, LEAST);
    }
    free(row);
    free(of);
    free(off);
    return s;
}

double yk_model_ms(const struct yk_model *m, const uint32_t *count, double items, double local)
{
    double feature[YK_REGRESS_FEATURES], c[YK_MODEL_COUNTS];
    for (unsigned i = 0; i < YK_MODEL_COUNTS; i++)
        c[i] = count[i];
    features(c, items, local, feature);
    return exp2_of(yk_regress_value(&m->tree, feature)) * items;
}
