#include "cli/solve.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/env.h"
#include "cli/command.h"
#include "cli/solve_work.h"
#include "solver/read.h"

static bool check_task(const char *value, char *msg)
{
    if (strcasecmp(value, "PR") == 0 || strcasecmp(value, "MAR") == 0)
        return true;
    snprintf(msg, YK_CLI_MSG, "PR or MAR");
    return false;
}

static bool check_precision(const char *value, char *msg)
{
    if (strcmp(value, "double") == 0 || strcmp(value, "float") == 0)
        return true;
    snprintf(msg, YK_CLI_MSG, "double or float");
    return false;
}

static bool check_bytes(const char *value, char *msg)
{
    uint64_t bytes;
    if (yk_parse_bytes(value, &bytes) == YK_OK && bytes > 0)
        return true;
    snprintf(msg, YK_CLI_MSG, "a number of bytes, as 800M or 12G");
    return false;
}

static bool check_threads(const char *value, char *msg)
{
    char *rest;
    long n = strtol(value, &rest, 10);
    if (*value && *rest == 0 && n >= 1 && n <= 4096)
        return true;
    snprintf(msg, YK_CLI_MSG, "a number of threads, 1 to 4096");
    return false;
}

static bool check_seconds(const char *value, char *msg)
{
    char *rest;
    double s = strtod(value, &rest);
    if (*value && *rest == 0 && s >= 0 && isfinite(s))
        return true;
    snprintf(msg, YK_CLI_MSG, "seconds, 0 or more");
    return false;
}

static bool check_theta(const char *value, char *msg)
{
    double *values;
    size_t n;
    bool ok = solve_parse_thetas(value, &values, &n);
    free(values);
    if (!ok)
        snprintf(msg, YK_CLI_MSG, "numbers from 0 to 0.5, separated by commas");
    return ok;
}

static bool check_devices(const char *value, char *msg)
{
    if (yk_solver_device_text(value))
        return true;
    snprintf(msg, YK_CLI_MSG, "cpu, opencl, opencl:N, cuda, cuda:N or all");
    return false;
}

static const struct yk_cli_option options[] = {
    {"evid", 'e', "FILE", NULL, "Observed variables, in any of the three UAI forms.", NULL},
    {"task", 't', "TASK", NULL,
     "PR: log10 of the probability of the evidence, or of the partition function (default). MAR: also the marginals of "
     "all variables.",
     check_task},
    {"pedigree", 0, "FILE", NULL,
     "Families, in LINKAGE's format, before or after makeped; with --loci. The answer is a table of likelihoods and "
     "LOD "
     "scores.",
     NULL},
    {"loci", 0, "FILE", NULL, "The locus file (datafile) of --pedigree.", NULL},
    {"theta", 0, "LIST", NULL,
     "Recombination fractions of the varied interval (the locus file's, or the last one), as 0,0.05,0.1. Default: "
     "those "
     "that the locus file asks MLINK for.",
     check_theta},
    {"memory", 'm', "BYTES", NULL,
     "Bound on the memory of tables, as 12G. Default: nine tenths of what the system has available. A plan beyond it "
     "is "
     "sliced (computed in parts that are added).",
     check_bytes},
    {"threads", 'j', "N", NULL, "Threads; default: one per processor.", check_threads},
    {"search-time", 's', "SECONDS", NULL,
     "Time for the search of a plan, of all parts together. Default: until more search costs more than it is predicted "
     "to save.",
     check_seconds},
    {"plan", 'p', "FILE", NULL,
     "Take the plan from FILE; where there is none yet, write it there. Further parts of a disconnected network are in "
     "FILE.1, FILE.2 ...",
     NULL},
    {"precision", 0, "TYPE", NULL, "double (default) or float.", check_precision},
    {"log", 'l', NULL, NULL, "Compute with base-2 logarithms: slower, nothing underflows.", NULL},
    {"devices", 'd', "LIST", NULL,
     "Where to compute: cpu (default), opencl (the fastest device), opencl:N (as `yoke devices` counts), cuda, cuda:N, "
     "or "
     "all (the fastest device there is). Beside a device the CPU computes what it is predicted to do sooner; "
     "opencl:only "
     "and the like leave it nothing that the device can do.",
     check_devices},
    {"explain", 'x', NULL, NULL, "Show plan and forecast, then run.", NULL},
    {"json", 0, "FILE", NULL, "Write answer, forecast, plan cost, times and peak memory as JSON; - is standard output.",
     NULL},
    {"quiet", 'q', NULL, NULL, "No progress and no summary on standard error.", NULL},
    {0}};

static int run_solve(const struct yk_cli_command *self, int argc, char **argv);

static const struct yk_cli_command command = {
    .name = "solve",
    .usage = "yoke solve NETWORK [options]\n       yoke solve --pedigree FILE --loci FILE [options]",
    .summary = "probability of evidence and marginals of a probabilistic network",
    .about =
        "Computes exactly, by sum-products along a tree that is searched for first. NETWORK is a UAI model (MARKOV or "
        "BAYES) or, if its name ends with .bif, a Bayesian network in BIF. The answer is printed in UAI format: 'PR' "
        "and "
        "the base-10 logarithm, or 'MAR' and for each variable its domain size and probabilities. The summary on "
        "standard error shows the plan's cost, the memory forecast beside the measured peak, and the times.",
    .more = "Exit status: 0 answered; 1 not answered (a malformed file, named with its line;\n"
            "evidence of probability 0 under --task MAR; more memory needed than allowed);\n"
            "2 a wrong option; 130 ended by Ctrl-C.\n"
            "\n"
            "Examples:\n"
            "  yoke solve net.uai --evid net.uai.evid\n"
            "  yoke solve net.uai --task MAR --memory 8G --json answer.json\n"
            "  yoke solve alarm.bif --task MAR\n"
            "  yoke solve net.uai --plan net.plan --search-time 60\n"
            "  yoke solve --pedigree pedfile.dat --loci datafile.dat --theta 0,0.1,0.2",
    .options = options,
    .run = run_solve};

/* Options may stand before and after the network. Returns -1, or the status to end with. */
static int parse(int argc, char **argv, const char **values, const char **network)
{
    const char *more[YK_CLI_MAX_OPTIONS];
    *network = NULL;
    for (int i = 0; i < YK_CLI_MAX_OPTIONS; i++)
        values[i] = NULL;
    for (;;) {
        int first = yk_cli_parse(&command, argc, argv, more);
        if (first < 0)
            return -1 - first;
        for (int i = 0; options[i].name; i++)
            values[i] = more[i] ? more[i] : values[i];
        if (first == argc)
            return -1;
        if (*network)
            return yk_cli_usage_error(&command, "one network at a time: %s or %s?", *network, argv[first]);
        *network = argv[first];
        argc -= first;
        argv += first;
    }
}

static void settle(struct solve_settings *set, const char **values)
{
    struct yk_solve_options *o = &set->options;
    uint64_t bytes = 0;
    const char *v;
    set->evidence = yk_cli_value(&command, values, "evid");
    set->pedigree = yk_cli_value(&command, values, "pedigree");
    set->loci = yk_cli_value(&command, values, "loci");
    set->theta = yk_cli_value(&command, values, "theta");
    set->devices = yk_cli_value(&command, values, "devices");
    set->json = yk_cli_value(&command, values, "json");
    set->quiet = yk_cli_value(&command, values, "quiet") != NULL;
    o->marginals = (v = yk_cli_value(&command, values, "task")) && strcasecmp(v, "MAR") == 0;
    o->plan_path = yk_cli_value(&command, values, "plan");
    o->threads = (v = yk_cli_value(&command, values, "threads")) ? (int)strtol(v, NULL, 10) : 0;
    o->search_seconds = (v = yk_cli_value(&command, values, "search-time")) ? strtod(v, NULL) : -1;
    if ((v = yk_cli_value(&command, values, "memory")) && yk_parse_bytes(v, &bytes) == YK_OK)
        o->memory_bytes = (double)bytes;
    v = yk_cli_value(&command, values, "precision");
    o->arithmetic = v && strcmp(v, "float") == 0 ? YK_ARITH_FLOAT : YK_ARITH_DOUBLE;
    if (yk_cli_value(&command, values, "log"))
        o->arithmetic = YK_ARITH_LOG;
    /* The plan goes to standard output, unless the answer as JSON is expected there. */
    if (yk_cli_value(&command, values, "explain"))
        o->explain = set->json && strcmp(set->json, "-") == 0 ? stderr : stdout;
}

int solve_failed(const char *msg)
{
    solve_progress_end();
    fprintf(stderr, "yoke solve: %s\n", msg);
    return solve_interrupted() ? 130 : YK_EXIT_FAILED;
}

static int answer(const struct solve_settings *set, const struct yk_network *net, const struct yk_solve_result *r)
{
    const char *why = NULL;
    if (!set->quiet)
        solve_print_summary(set, net, r);
    if (set->options.marginals && !r->marginal)
        return solve_failed("the evidence has probability 0, so there are no marginals");
    if (set->json)
        why = solve_print_json(set->json, set, net, r);
    if (why) {
        fprintf(stderr, "yoke solve: %s: %s\n", set->json, why);
        return YK_EXIT_FAILED;
    }
    if (!set->json || strcmp(set->json, "-") != 0)
        solve_print_uai(r, set->options.marginals);
    return 0;
}

static int run_network(struct solve_settings *set)
{
    char msg[1024] = "";
    struct yk_network net;
    struct yk_evidence ev = {0};
    struct yk_solve_result result;
    if (yk_read_network(set->network, &net, msg, sizeof msg) != YK_OK)
        return solve_failed(msg);
    if (set->evidence && yk_read_evidence(set->evidence, &net, &ev, msg, sizeof msg) != YK_OK) {
        yk_network_finish(&net);
        return solve_failed(msg);
    }
    if (set->devices && yk_solver_device_open(set->devices, &set->options.device, msg, sizeof msg) != YK_OK) {
        yk_evidence_finish(&ev);
        yk_network_finish(&net);
        return solve_failed(msg);
    }
    solve_progress_begin(set);
    yk_status st = yk_solve(&net, &ev, &set->options, &result, msg, sizeof msg);
    solve_progress_end();
    int status = st == YK_OK ? answer(set, &net, &result) : solve_failed(msg);
    yk_solve_result_finish(&result);
    yk_solver_device_close(set->options.device);
    yk_evidence_finish(&ev);
    yk_network_finish(&net);
    return status;
}

/* What does not go together. Returns a sentence, or NULL. */
static const char *contradiction(const struct solve_settings *set, const char **values)
{
    const char *precision = yk_cli_value(&command, values, "precision");
    if (set->options.arithmetic == YK_ARITH_LOG && precision && strcmp(precision, "float") == 0)
        return "--log computes in double; there is no --precision float of it";
    if (!set->pedigree != !set->loci)
        return "--pedigree and --loci go together";
    if (!set->pedigree)
        return set->theta             ? "--theta needs --pedigree and --loci"
               : set->network == NULL ? "which network? (yoke solve FILE.uai)"
                                      : NULL;
    if (set->network || set->evidence)
        return "a pedigree makes its own networks and evidence: no other network, no --evid";
    if (set->options.marginals)
        return "--task MAR is not for pedigrees: their answer is likelihoods";
    if (set->options.plan_path)
        return "--plan is not for pedigrees: each family and fraction has a plan of its own";
    return NULL;
}

static int run_solve(const struct yk_cli_command *self, int argc, char **argv)
{
    const char *values[YK_CLI_MAX_OPTIONS];
    struct solve_settings set = {0};
    int status = parse(argc, argv, values, &set.network);
    if (status >= 0)
        return status;
    settle(&set, values);
    const char *why = contradiction(&set, values);
    if (why)
        return yk_cli_usage_error(self, "%s", why);
    return set.pedigree ? solve_run_pedigree(&set) : run_network(&set);
}

int yk_cli_solve(int argc, char **argv)
{
    return run_solve(&command, argc, argv);
}
