#include "bench/figure.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };
static struct {
    const char *name, *unit;
    double value;
} kept[MOST];
static int n;

void figure(const char *name, double value, const char *unit)
{
    printf("figure %s %.6g %s\n", name, value, unit);
    fflush(stdout);
    if (n == MOST)
        abort();
    kept[n].name = name;
    kept[n].unit = unit;
    kept[n++].value = value;
}

int figure_finish(const char *path)
{
    if (!path)
        return 0;
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    fputc('{', f);
    for (int i = 0; i < n; i++) {
        fprintf(f, "%s\n  \"%s\": {\"value\": ", i ? "," : "", kept[i].name);
        if (isfinite(kept[i].value))
            fprintf(f, "%.17g", kept[i].value);
        else
            fputs("null", f);
        fprintf(f, ", \"unit\": \"%s\"}", kept[i].unit);
    }
    fputs("\n}\n", f);
    if (fclose(f) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    return 0;
}
