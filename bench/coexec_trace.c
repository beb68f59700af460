/* What a trace of yoke's says of who computed how much, for the charts of bench/coexec. A line is an event. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/coexec.h"

enum { LAUNCHES = 4096 }; /* those beyond are not looked at */

/* The number behind "KEY": in LINE; 0: there is none. */
static double number(const char *line, const char *key)
{
    char name[32];
    snprintf(name, sizeof name, "\"%s\":", key);
    const char *at = strstr(line, name);
    return at ? strtod(at + strlen(name), NULL) : 0;
}

/* What a trace says; a program all of whose launches passed the decisions by ran on the primary. */
struct coexec_work coexec_work_of(const char *trace)
{
    static double items[LAUNCHES], groups[LAUNCHES];
    static char line[8192];
    struct coexec_work w = {.share = {-1, -1}};
    double done[2] = {0, 0};
    unsigned primary = 0;
    FILE *f = fopen(trace, "r");
    while (f && fgets(line, sizeof line, f)) {
        unsigned launch = (unsigned)number(line, "launch"), track = (unsigned)number(line, "tid");
        double ms = number(line, "dur") / 1e3;
        bool link = track % 2;
        if (strstr(line, "\"name\":\"yoke\"") && number(line, "primary") > 0)
            primary = 1;
        if (launch >= LAUNCHES)
            continue;
        if (strstr(line, "\"cat\":\"decision\"")) {
            items[launch] = number(line, "items");
            groups[launch] = number(line, "groups");
        } else if (strstr(line, "\"cat\":\"merge\"")) {
            w.merge_ms += ms;
        } else if (track >= 10 && track < 14 && strstr(line, "\"cat\":\"copy\"")) {
            w.in_ms[(track - 10) / 2] += ms;
        } else if (track >= 10 && track < 14 && !link && strstr(line, "\"cat\":\"run\"")) {
            unsigned d = (track - 10) / 2;
            double of = number(line, "to") - number(line, "from");
            of = strstr(line, "\"ahead\":true") ? number(line, "groups") : of;
            w.run_ms[d] += ms;
            done[d] += strstr(line, "\"whole\":true") || !(groups[launch] > 0) ? items[launch]
                                                                               : items[launch] * of / groups[launch];
        }
    }
    if (f)
        fclose(f);
    if (f && !(done[0] + done[1] > 0))
        done[primary] = 1;
    for (int d = 0; f && d < 2; d++)
        w.share[d] = done[d] / (done[0] + done[1]);
    return w;
}
