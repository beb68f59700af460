/* yoke-transform: reads a request on stdin and prints the record of facts; or explains a file to a person. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/log.h"
#include "transform/explain.h"
#include "transform/facts_write.h"
#include "transform/program.h"
#include "transform/request.h"

enum { EXIT_REFUSED = 1, EXIT_REQUEST = 2, EXIT_TOOL = 3 };

static const char help[] =
    "usage: yoke-transform < REQUEST > FACTS\n"
    "       yoke-transform --explain [--json] FILE.cl [-- BUILD OPTIONS]\n"
    "\n"
    "Says how the kernels of an OpenCL C program may be split over devices, and makes the source of\n"
    "variants that can be. libyoke.so runs it; the first form is for that.\n"
    "\n"
    "  --explain FILE.cl  print verdict, facts and generated source for people (--json: for programs);\n"
    "                     the options after -- are those the program is built with: -D, -I, ...\n"
    "  --version          print the version\n"
    "  --help             print this\n"
    "\n"
    "Exit status: 0 done (also when a program is not understood: the record says why);\n"
    "1 --explain: it does not compile; 2 wrong usage or a request that is no request; 3 clang or memory failed.\n";

static yk_status read_all(FILE *f, char **text, size_t *n)
{
    YK_ARRAY(char) a = {0};
    size_t r;
    do {
        if (!yk_array_reserve(&a, a.n + 65536)) {
            yk_array_finish(&a);
            return YK_ENOMEM;
        }
        r = fread(a.v + a.n, 1, 65535, f);
        a.n += r;
    } while (r);
    a.v[a.n] = 0;
    *text = a.v;
    *n = a.n;
    return ferror(f) ? YK_EIO : YK_OK;
}

static int fail(int status, const char *what)
{
    fprintf(stderr, "yoke-transform: %s\n", what);
    return status;
}

static int serve(void)
{
    char *text, *record;
    size_t n, size;
    struct yk_arena a = {0};
    struct yk_transform_request req;
    struct yk_facts facts;
    if (read_all(stdin, &text, &n) != YK_OK)
        return fail(EXIT_TOOL, "cannot read stdin");
    yk_status s = yk_request_parse(text, n, &a, &req);
    free(text);
    if (s != YK_OK) {
        yk_arena_finish(&a);
        return fail(s == YK_EFORMAT ? EXIT_REQUEST : EXIT_TOOL, "stdin holds no request (see --help)");
    }
    s = yk_program_facts(&req, &facts);
    if (s == YK_OK)
        s = yk_facts_write(&facts, &record, &size);
    if (s == YK_OK) {
        bool written = fwrite(record, 1, size, stdout) == size && !fflush(stdout);
        free(record);
        yk_facts_finish(&facts);
        if (!written)
            s = YK_EIO;
    }
    yk_arena_finish(&a);
    return s == YK_OK ? 0 : fail(EXIT_TOOL, yk_status_text(s));
}

/* The words after "--" as one line of build options; in quotes, so that spaces stay. */
static char *join(int n, char **words)
{
    size_t size = 1;
    for (int i = 0; i < n; i++)
        size += 2 * strlen(words[i]) + 3;
    char *line = malloc(size), *p = line;
    for (int i = 0; p && i < n; i++) {
        if (i)
            *p++ = ' ';
        for (const char *w = words[i]; *w; w++) {
            if (strchr(" \t\\\"'", *w))
                *p++ = '\\';
            *p++ = *w;
        }
    }
    if (p)
        *p = 0;
    return line;
}

static int explain(int argc, char **argv)
{
    bool json = argc > 0 && !strcmp(argv[0], "--json");
    argc -= json;
    argv += json;
    if (argc < 1 || (argc > 1 && strcmp(argv[1], "--")))
        return fail(EXIT_REQUEST, "--explain wants FILE.cl, then maybe -- and build options");
    FILE *f = fopen(argv[0], "re");
    char *text = NULL, *options = join(argc > 2 ? argc - 2 : 0, argv + 2);
    size_t n;
    if (!f) {
        fprintf(stderr, "yoke-transform: %s: %s\n", argv[0], strerror(errno));
        free(options);
        return EXIT_REQUEST;
    }
    errno = 0;
    yk_status s = read_all(f, &text, &n);
    if (s == YK_EIO) { /* a folder can be opened, too */
        fprintf(stderr, "yoke-transform: %s: %s\n", argv[0], strerror(errno));
        fclose(f);
        free(text);
        free(options);
        return EXIT_REQUEST;
    }
    fclose(f);
    if (s == YK_OK && !options)
        s = YK_ENOMEM;
    if (s == YK_OK)
        s = yk_explain_source(text, n, options, json, stdout);
    free(text);
    free(options);
    if (s == YK_EBUILD) /* said above, in the file's own words */
        return EXIT_REFUSED;
    return s == YK_OK ? 0 : fail(EXIT_TOOL, yk_status_text(s));
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return serve();
    if (!strcmp(argv[1], "--explain"))
        return explain(argc - 2, argv + 2);
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return fputs(help, stdout) < 0;
    if (argc == 2 && !strcmp(argv[1], "--version"))
        return puts("yoke-transform " YOKE_VERSION) < 0;
    fputs(help, stderr);
    return EXIT_REQUEST;
}
