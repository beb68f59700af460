/* Programs of bench/apps on two devices that run side by side, under yoke, beside each device alone on the bare driver
 * in the same run. Ideal: 1 / (1/T0 + 1/T1), T from the first enqueue to the last finish. Cold: nothing remembered of
 * yoke's (new cache and data folders; the driver's own cache as the bare runs have left it). Warm: after some runs and
 * what they have left to be compiled beside them. End to end: from the start of the process to the last finish.
 * Cold, reachable: what a first run could reach if the second device joined as soon as its driver has compiled, which
 * takes as long as it has taken bare. Reachable: the ideal of T with both devices running the whole program at once,
 * bare: what they share besides yoke (memory, caches) is in it. What is said of a run against others is the median over
 * the rounds, each compared with its own. Linear: warm, divided by the devices' speeds alone (YOKE_STRATEGY=linear).
 *
 *     bench/coexec [--pairs equal,slow4] [--apps A,B] [--sizes table2,table2x16] [--rounds N]
 *                  [--keep FILE [--seconds N]] [--svg FILE] [--json FILE]
 *     bench/coexec --from FILE [--svg FILE] [--json FILE]
 *
 * --keep appends a line per program that FILE lacks, --from makes the figures from such lines, so that a long run can
 * be cut in pieces: with --seconds no program is begun after so many. A program whose bare runs had to share the
 * processors with others is said to be disturbed, and counts as lacking: of several lines the least disturbed counts.
 *
 * Devices that a fault script makes slower have no bare driver that is: alone they are measured under yoke with that
 * one device and nothing divided, in the same run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench/coexec.h"
#include "bench/figure.h"

enum { MOST = 400 };
static const char all_apps[] =
    "aes_encrypt,aes_decrypt,binomial_option,black_scholes,histogram,matrix_multiply,"
    "matrix_transpose,quasi_random,reduction,scan,vector_add,stencil2d,nbody,bfs,spmv,kmeans,"
    "convolution";
/* 16 times Table II's size is run too where Table II's takes less. */
static const double short_ms = 1000;

static struct coexec_pair pairs[] = {
    {"equal", "two of PoCL's basic devices", NULL, false},
    {"slow2", "the second one's kernels twice as long", "slow@1=2", false},
    {"slow4", "four times as long", "slow@1=4", false},
    {"slow10", "ten times as long", "slow@1=10", false},
    {"link1g", "the second with memory of its own behind a link of 1 GB/s", "own@1;link@1=1G", false},
    {"intel", "PoCL's basic device and Intel's runtime on one core, numerics any", NULL, true},
    {"fault", "as --fault says", NULL, false},
};
enum { PAIRS = sizeof pairs / sizeof *pairs, FAULT = PAIRS - 1 };

/* Others that take more than this of a processor make a measurement one of themselves. */
static const double disturbed = 0.1;

static struct coexec_row row[MOST];
static int rows;

static const struct coexec_pair *find_pair(const char *name)
{
    for (int i = 0; i < PAIRS; i++)
        if (!strcmp(pairs[i].name, name) && (i < FAULT || pairs[i].fault))
            return &pairs[i];
    return NULL;
}

static double ideal(const struct coexec_row *r)
{
    return coexec_together(r->bare);
}

/* Of the ideal, what a first run can reach whose second device's driver has to compile the program first, as long as
 * that has taken bare, while the first device is at work from the beginning. */
static double first_run_reaches(const struct coexec_row *r)
{
    double compiles = fmax(r->fresh.total - r->bare[1].total, 0);
    return fmax(1 / (1 + compiles / r->bare[1].ms), ideal(r) / r->bare[0].ms);
}

static void print(const struct coexec_row *r)
{
    printf("%-7s%-17s%-10s %9.2f %9.2f %9.2f %9.2f | %9.2f %5.3f %5.3f | %9.2f %5.3f %5.3f |", r->pair, r->app, r->size,
           r->bare[0].ms, r->bare[1].ms, ideal(r), coexec_together(r->beside), r->cold.ms, r->cold_against.ideal,
           r->cold_against.fastest, r->warm.ms, r->warm_against.ideal, r->warm_against.fastest);
    if (r->work.share[0] >= 0)
        printf(" %3.0f:%-3.0f", 100 * r->work.share[0], 100 * r->work.share[1]);
    if (r->others > disturbed)
        printf(" disturbed: others had %.2f processors", r->others);
    putchar('\n');
    fflush(stdout);
}

/* Where the row of the same program is among the first ROWS; ROWS: there is none. */
static int find(const struct coexec_row *r)
{
    int i = 0;
    while (i < rows && (strcmp(row[i].pair, r->pair) || strcmp(row[i].app, r->app) || strcmp(row[i].size, r->size)))
        i++;
    return i;
}

/* R, in place of a row that was more disturbed. */
static void take(const struct coexec_row *r)
{
    int at = find(r);
    if (at < rows ? r->others <= row[at].others : rows < MOST) {
        row[at] = *r;
        rows += at == rows;
    }
}

/* The rows of FILE. False: it cannot be read. */
static bool read_rows(const char *file)
{
    char line[1024];
    struct coexec_row r;
    FILE *f = fopen(file, "r");
    while (f && fgets(line, sizeof line, f))
        if (coexec_parse(line, &r))
            take(&r);
    if (f)
        fclose(f);
    return f != NULL;
}

static const char *name_of(const char *pair, const char *figure_name)
{
    static char text[16 * PAIRS][64];
    static int n;
    if (!strcmp(pair, "equal"))
        snprintf(text[n], sizeof *text, "coexec.%s", figure_name);
    else
        snprintf(text[n], sizeof *text, "coexec.%s.%s", pair, figure_name);
    return text[n++];
}

static void figures_of_size(const char *pair, const char *size)
{
    double warm = 0, cold = 0, n = 0;
    char text[64];
    for (int i = 0; i < rows; i++)
        if (!strcmp(row[i].pair, pair) && !strcmp(row[i].size, size)) {
            n++;
            warm += log(row[i].warm_against.ideal);
            cold += log(row[i].cold_against.ideal);
        }
    if (!n)
        return;
    snprintf(text, sizeof text, "warm_%s", size);
    figure(name_of(pair, text), exp(warm / n), "of_ideal");
    snprintf(text, sizeof text, "cold_%s", size);
    figure(name_of(pair, text), exp(cold / n), "of_ideal");
}

static void figures_of(const char *pair)
{
    static const char *const sizes[] = {"table2", "table2x16"};
    double warm = 0, cold = 0, reachable = 0, gain = 0, linear = 0, n = 0, linears = 0, worst_cold = 1e9,
           worst_warm = 1e9, first = 0, firsts = 0;
    for (int i = 0; i < rows; i++) {
        const struct coexec_row *r = &row[i];
        if (strcmp(r->pair, pair) != 0)
            continue;
        n++;
        warm += log(r->warm_against.ideal);
        cold += log(r->cold_against.ideal);
        first += r->fresh.total > 0 ? log(first_run_reaches(r)) : 0;
        firsts += r->fresh.total > 0;
        reachable += log(ideal(r) / coexec_together(r->beside));
        gain += log(fmin(r->bare[0].ms, r->bare[1].ms) / r->warm.ms);
        linear += r->linear.ms > 0 ? log(ideal(r) / r->linear.ms) : 0;
        linears += r->linear.ms > 0;
        worst_cold = fmin(worst_cold, r->cold_against.fastest);
        worst_warm = fmin(worst_warm, r->warm_against.fastest);
    }
    if (!n)
        return;
    figure(name_of(pair, "warm_geomean"), exp(warm / n), "of_ideal");
    figure(name_of(pair, "cold_geomean"), exp(cold / n), "of_ideal");
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
        figures_of_size(pair, sizes[k]);
    figure(name_of(pair, "reachable_geomean"), exp(reachable / n), "of_ideal");
    if (firsts > 0)
        figure(name_of(pair, "cold_reachable_geomean"), exp(first / firsts), "of_ideal");
    if (linears > 0)
        figure(name_of(pair, "linear_geomean"), exp(linear / linears), "of_ideal");
    figure(name_of(pair, "warm_over_fastest"), exp(gain / n), "times");
    figure(name_of(pair, "worst_vs_fastest"), fmin(worst_cold, worst_warm), "ratio");
    figure(name_of(pair, "worst_vs_fastest_cold"), worst_cold, "ratio");
    figure(name_of(pair, "worst_vs_fastest_warm"), worst_warm, "ratio");
}

static int finish(const char *svg, const char *json)
{
    for (int i = 0; i < PAIRS; i++)
        figures_of(pairs[i].name);
    if (svg && !coexec_chart(svg, row, rows)) {
        perror(svg);
        return 1;
    }
    return figure_finish(json) || !rows;
}

static int usage(FILE *to)
{
    fputs(
        "usage: coexec [--pairs A,B|all] [--fault SCRIPT] [--apps A,B] [--sizes table2,table2x16] [--rounds N]\n"
        "              [--keep FILE [--seconds N]] [--svg FILE] [--json FILE]\n"
        "       coexec --from FILE [--svg FILE] [--json FILE]\n"
        "Programs of bench/apps on two devices under yoke, beside each device alone on the bare driver, cold and "
        "warm.\n"
        "--keep appends a line to FILE for each program that it lacks, --seconds begins none after so many, --from\n"
        "makes the figures from such lines. --svg: Fig. 9 and 10 of the SKMD paper for these devices.\n"
        "POCL_DEVICES: \"basic basic\" where it is not set. table2x16 is measured where table2 takes under a second.\n"
        "Takes half an hour a pair on a quiet machine. Pairs "
        "(equal\n"
        "where none is named; the others at table2 where no size is):\n",
        to);
    for (int i = 0; i < FAULT; i++)
        fprintf(to, "  %-8s %s\n", pairs[i].name, pairs[i].what);
    fputs("  fault    two of PoCL's basic devices under the script of --fault (YOKE_FAULT)\n", to);
    return to == stdout ? 0 : 2;
}

/* The I-th name of a LIST of at most 1,023 characters, with commas; NULL: it has fewer. */
static const char *item(const char *list, int i)
{
    static char text[3][1024];
    static int turn;
    char *rest = text[turn = (turn + 1) % 3], *name = NULL;
    snprintf(rest, sizeof *text, "%s", list);
    for (; i >= 0; i--)
        name = strsep(&rest, ",");
    return name;
}

struct wanted {
    const char *pairs, *apps, *sizes, *keep;
    int rounds;
    double seconds;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What R's app takes on one device at Table II's size. */
static double table2_ms(const struct coexec_pair *pair, const struct coexec_row *r)
{
    struct coexec_row small = *r;
    snprintf(small.size, sizeof small.size, "table2");
    int at = find(&small);
    return at < rows ? fmin(row[at].bare[0].ms, row[at].bare[1].ms) : coexec_once(pair, &small);
}

/* False: the time is over. */
static bool measure(const struct wanted *w, const struct coexec_pair *pair, const char *app, const char *size,
                    double until)
{
    struct coexec_row r = {.linear = {0}};
    snprintf(r.pair, sizeof r.pair, "%s", pair->name);
    snprintf(r.app, sizeof r.app, "%s", app);
    snprintf(r.size, sizeof r.size, "%s", size);
    int at = find(&r);
    if (at < rows && row[at].others <= disturbed)
        return true;
    if (now() > until)
        return false;
    double ms = table2_ms(pair, &r);
    if (strcmp(size, "table2") != 0 && ms > short_ms) {
        printf("%-7s%-17s%-10s not asked for: table2 takes %.2f ms\n", pair->name, app, size, ms);
        return true;
    }
    coexec_measure(pair, &r, w->rounds);
    print(&r);
    take(&r);
    if (w->keep)
        coexec_keep(w->keep, &r);
    return true;
}

static bool measure_all(const struct wanted *w)
{
    double until = w->seconds > 0 ? now() + w->seconds : INFINITY;
    const char *name, *app, *size;
    for (int p = 0; (name = item(w->pairs, p)); p++) {
        const struct coexec_pair *pair = find_pair(name);
        const char *sizes = w->sizes ? w->sizes : !strcmp(name, "equal") ? "table2,table2x16" : "table2";
        for (int a = 0; (app = item(w->apps, a)); a++)
            for (int s = 0; (size = item(sizes, s)); s++)
                if (!measure(w, pair, app, size, until))
                    return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct wanted w = {.pairs = "equal", .apps = all_apps, .rounds = 3};
    const char *json = NULL, *old = NULL, *svg = NULL, *name;
    for (int i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "--help"))
            return usage(stdout);
        const char *v = i + 1 < argc ? argv[i + 1] : NULL;
        if (!v)
            return usage(stderr);
        if (!strcmp(argv[i], "--pairs"))
            w.pairs = !strcmp(v, "all") ? "equal,slow2,slow4,slow10,link1g,intel" : v;
        else if (!strcmp(argv[i], "--fault"))
            w.pairs = "fault", pairs[FAULT].fault = v;
        else if (!strcmp(argv[i], "--apps"))
            w.apps = v;
        else if (!strcmp(argv[i], "--sizes"))
            w.sizes = v;
        else if (!strcmp(argv[i], "--rounds"))
            w.rounds = atoi(v) < 1 ? 1 : atoi(v) > COEXEC_ROUNDS ? COEXEC_ROUNDS : atoi(v);
        else if (!strcmp(argv[i], "--keep"))
            w.keep = v;
        else if (!strcmp(argv[i], "--seconds"))
            w.seconds = atof(v);
        else if (!strcmp(argv[i], "--svg"))
            svg = v;
        else if (!strcmp(argv[i], "--json"))
            json = v;
        else if (!strcmp(argv[i], "--from"))
            old = v;
        else
            return usage(stderr);
    }
    for (int i = 0; (name = item(w.pairs, i)); i++)
        if (!find_pair(name))
            return usage(stderr);
    printf("%-34s %9s %9s %9s %9s | cold ms, of ideal, end to end over the fastest device | warm | work\n", "", "T0 ms",
           "T1 ms", "ideal", "reachable");
    if (old && !read_rows(old)) {
        perror(old);
        return 1;
    }
    if (!old && w.keep)
        read_rows(w.keep); /* the first time there is none */
    for (int i = 0; i < rows; i++)
        print(&row[i]);
    if (!old) {
        coexec_open();
        bool all = measure_all(&w);
        coexec_close();
        if (!all)
            puts("the time is over before all was measured: call it again");
    }
    return finish(svg, json);
}
