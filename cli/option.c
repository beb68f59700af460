#include "cli/command.h"

#include <assert.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { HELP_CODE = 256, FIRST_CODE = 257, WIDTH = 80, INDENT = 26 };

int yk_cli_usage_error(const struct yk_cli_command *c, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "yoke %s: %s\nTry 'yoke %s --help'.\n", c->name, text, c->name);
    return YK_EXIT_USAGE;
}

unsigned yk_cli_distance(const char *a, const char *b)
{
    enum { MAX = 40 };
    size_t na = strlen(a), nb = strlen(b);
    if (na > MAX || nb > MAX)
        return MAX;
    unsigned d[MAX + 1][MAX + 1];
    for (size_t i = 0; i <= na; i++)
        for (size_t j = 0; j <= nb; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[na][nb];
}

const char *yk_cli_value(const struct yk_cli_command *c, const char **values, const char *name)
{
    for (unsigned i = 0; c->options[i].name; i++)
        if (strcmp(c->options[i].name, name) == 0)
            return values[i];
    assert(!"an option of this command");
    return NULL;
}

/* The option nearest to a mistyped one, for the error; NULL where nothing is near. */
static const char *nearest(const struct yk_cli_command *c, const char *word)
{
    const char *best = NULL;
    unsigned least = 3;
    for (unsigned i = 0; c->options[i].name; i++) {
        unsigned d = yk_cli_distance(word, c->options[i].name);
        if (d < least)
            least = d, best = c->options[i].name;
    }
    return best;
}

static int unknown_option(const struct yk_cli_command *c, const char *arg)
{
    char word[64];
    const char *start = arg + strspn(arg, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
    const char *near = arg[1] == '-' ? nearest(c, word) : NULL;
    return near ? yk_cli_usage_error(c, "unknown option %s (do you mean --%s?)", arg, near)
                : yk_cli_usage_error(c, "unknown option %s", arg);
}

int yk_cli_parse(const struct yk_cli_command *c, int argc, char **argv, const char **values)
{
    struct option longs[YK_CLI_MAX_OPTIONS + 2] = {{"help", no_argument, NULL, HELP_CODE}};
    char shorts[2 * YK_CLI_MAX_OPTIONS + 4] = "+:h";
    unsigned n = 0;
    for (; c->options[n].name; n++) {
        const struct yk_cli_option *o = &c->options[n];
        assert(n < YK_CLI_MAX_OPTIONS);
        longs[n + 1] = (struct option){o->name, o->value ? required_argument : no_argument, NULL, FIRST_CODE + (int)n};
        size_t used = strlen(shorts);
        if (o->letter)
            snprintf(shorts + used, sizeof shorts - used, "%c%s", o->letter, o->value ? ":" : "");
        values[n] = NULL;
    }
    opterr = 0;
    optind = 1;
    for (;;) {
        const char *arg = optind < argc ? argv[optind] : "";
        int code = getopt_long(argc, argv, shorts, longs, NULL);
        if (code == -1)
            return optind;
        if (code == 'h' || code == HELP_CODE) {
            yk_cli_help(c);
            return -1;
        }
        if (code == ':')
            return -1 - yk_cli_usage_error(c, "%s needs a value", arg);
        if (code == '?')
            return -1 - unknown_option(c, arg);
        unsigned i = 0;
        while (i < n && code != FIRST_CODE + (int)i && code != c->options[i].letter)
            i++;
        assert(i < n);
        char msg[YK_CLI_MSG] = "";
        if (c->options[i].check && !c->options[i].check(optarg, msg))
            return -1 - yk_cli_usage_error(c, "--%s %s: %s", c->options[i].name, optarg, msg);
        values[i] = c->options[i].value ? optarg : "1";
    }
}

/* TEXT in lines of at most WIDTH columns, each after the first indented by INDENT; COLUMN is where the first one
 * begins. A newline in TEXT begins a new paragraph. */
static void print_wrapped(const char *text, int column, int indent)
{
    while (*text) {
        size_t word = strcspn(text, " \n");
        if (column > indent && column + 1 + (int)word > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)word, text);
        column += (int)word;
        text += word;
        if (*text == '\n') {
            printf("\n\n%*s", indent, "");
            column = indent;
        }
        text += strspn(text, " \n");
    }
    putchar('\n');
}

static void print_option(const char *name, char letter, const char *value, const char *help)
{
    char left[64];
    char shorted[8] = "    ";
    if (letter)
        snprintf(shorted, sizeof shorted, "-%c, ", letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", shorted, name, value ? " " : "", value ? value : "");
    int used = printf("%-*s", INDENT, left);
    if (used > INDENT)
        printf("\n%*s", INDENT, "");
    print_wrapped(help, INDENT, INDENT);
}

void yk_cli_help(const struct yk_cli_command *c)
{
    printf("yoke %s: %s\n\nUsage: %s\n\n", c->name, c->summary, c->usage);
    print_wrapped(c->about, 0, 0);
    printf("\nOptions:\n");
    for (unsigned i = 0; c->options[i].name; i++) {
        const struct yk_cli_option *o = &c->options[i];
        char help[1024];
        snprintf(help, sizeof help, "%s%s%s%s", o->help, o->env ? " [" : "", o->env ? o->env : "", o->env ? "]" : "");
        print_option(o->name, o->letter, o->value, help);
    }
    print_option("help", 'h', NULL, "Print this and end.");
    if (c->more)
        printf("\n%s\n", c->more);
}
