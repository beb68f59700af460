/* Rows kept in a file, a line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/coexec.h"

enum { NUMBERS = 35 };

/* The numbers of a row in the order of a kept line. */
static int numbers_of(struct coexec_row *r, double *to[NUMBERS])
{
    int n = 0;
    struct coexec_times *t[] = {&r->bare[0], &r->bare[1], &r->beside[0], &r->beside[1], &r->cold, &r->warm, &r->linear};
    for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
        to[n++] = &t[i]->ms;
        to[n++] = &t[i]->total;
    }
    for (int i = 0; i < 2; i++) {
        struct coexec_work *w = i ? &r->linear_work : &r->work;
        for (int d = 0; d < 2; d++) {
            to[n++] = &w->share[d];
            to[n++] = &w->in_ms[d];
            to[n++] = &w->run_ms[d];
        }
        to[n++] = &w->merge_ms;
    }
    to[n++] = &r->others;
    for (int i = 0; i < 2; i++) {
        struct coexec_against *a = i ? &r->warm_against : &r->cold_against;
        to[n++] = &a->ideal;
        to[n++] = &a->fastest;
    }
    to[n++] = &r->fresh.ms;
    to[n++] = &r->fresh.total;
    return n;
}

void coexec_keep(const char *file, struct coexec_row *r)
{
    double *v[NUMBERS];
    int n = numbers_of(r, v);
    FILE *f = fopen(file, "a");
    if (f) {
        fprintf(f, "%s %s %s", r->pair, r->app, r->size);
        for (int i = 0; i < n; i++)
            fprintf(f, " %.4f", *v[i]);
        fputc('\n', f);
    }
    if (!f || fclose(f)) {
        perror(file);
        exit(1);
    }
}

/* What T had against the devices alone, of medians. */
static struct coexec_against against(const struct coexec_row *r, const struct coexec_times *t)
{
    return (struct coexec_against){coexec_together(r->bare) / t->ms, r->bare[coexec_fastest(r)].total / t->total};
}

/* Lines of before there were pairs and work: "APP SIZE" and the first twelve numbers; of before rounds were compared by
 * themselves: without what only those say, which comes from the medians then. */
bool coexec_parse(const char *line, struct coexec_row *r)
{
    enum { OLD = 12, WITHOUT_FRESH = NUMBERS - 2, WITHOUT_ROUNDS = WITHOUT_FRESH - 4 };
    double *v[NUMBERS];
    int n = numbers_of(r, v), at = 0, more, got = 0;
    *r = (struct coexec_row){.pair = "equal", .work.share = {-1, -1}, .linear_work.share = {-1, -1}, .others = -1};
    if (sscanf(line, "%31s %63s %31[a-z0-9]%n", r->pair, r->app, r->size, &at) != 3 || (line[at] && line[at] != ' '))
        if (strcpy(r->pair, "equal"), sscanf(line, "%63s %31s%n", r->app, r->size, &at) != 2)
            return false;
    while (got < n && sscanf(line + at, " %lf%n", v[got], &more) == 1) {
        at += more;
        got++;
    }
    if (!(r->cold_against.ideal > 0) || !(r->warm_against.ideal > 0)) {
        r->cold_against = against(r, &r->cold);
        r->warm_against = against(r, &r->warm);
    }
    return got == n || got == WITHOUT_FRESH || got == WITHOUT_ROUNDS || got == WITHOUT_ROUNDS - 1 || got == OLD;
}
