/* Text of a model file, cut into words, with the line of each: what all readers of solver/ share. Readers call it; it
 * never knows a format. An error is one sentence, "file:line: expected ..., found ...", in the reader's MSG. */
#ifndef YK_SOLVER_SCAN_H
#define YK_SOLVER_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

struct yk_scan {
    const char *name;       /* of the file, for messages */
    const char *p, *end;    /* what is not read yet */
    unsigned long line;     /* of the last word, from 1 */
    const char *word;       /* last word, not terminated; NULL at the end of the text */
    size_t len;             /* its bytes */
    const char *marks;      /* characters that are words of their own; "" for none */
    bool comments;          /* skip C comments */
    bool quotes;            /* what stands between quotes on one line is one word, whatever is in it */
    bool quoted;            /* the last word was such a one */
    unsigned long position; /* line at p */
    char *msg;              /* [nmsg] */
    size_t nmsg;
};

/** Whole file PATH into *TEXT (LEN bytes, ends with free; a NUL follows it). Errors: YK_EIO, YK_ENOMEM with a sentence
 * in MSG. */
yk_status yk_scan_load(const char *path, char **text, size_t *len, char *msg, size_t nmsg);

/** Begin at the start of TEXT (after a byte order mark). Borrows all pointers. */
void yk_scan_init(struct yk_scan *s, const char *name, const char *text, size_t len, char *msg, size_t nmsg);

/** Next word into s->word; false at the end. */
bool yk_scan_next(struct yk_scan *s);
/** The same, but only if it is on the current line (that of s->position). */
bool yk_scan_next_on_line(struct yk_scan *s);
/** Skip the rest of the current line. */
void yk_scan_skip_line(struct yk_scan *s);
/** Is the last word TEXT (letters of any case), and not quoted? */
bool yk_scan_is(const struct yk_scan *s, const char *text);

/** "file:line: expected <fmt>, found 'word'" in MSG. Always YK_EFORMAT. */
yk_status yk_scan_expected(struct yk_scan *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** "file:line: <fmt>" in MSG. Always YK_EFORMAT. */
yk_status yk_scan_fail(struct yk_scan *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Next word as a whole number in [MIN, MAX] that is WHAT ("the number of variables"). Errors: YK_EFORMAT. */
yk_status yk_scan_whole(struct yk_scan *s, const char *what, uint64_t min, uint64_t max, uint64_t *value);
/** Next word as a finite number, at least MIN. Errors: YK_EFORMAT. */
yk_status yk_scan_real(struct yk_scan *s, const char *what, double min, double *value);
/** The last word as a finite number; false if it is none. */
bool yk_scan_as_real(const struct yk_scan *s, double *value);
/** The last word as a whole number; false if it is none or beyond 2^63. */
bool yk_scan_as_whole(const struct yk_scan *s, uint64_t *value);

/** Bytes that are left: an upper bound on how many words can follow. */
size_t yk_scan_left(const struct yk_scan *s);

#endif
