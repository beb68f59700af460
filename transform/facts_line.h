/* Lines and words of the record. Words are parted by one space. Called by the record's reader. */
#ifndef YK_TRANSFORM_FACTS_LINE_H
#define YK_TRANSFORM_FACTS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct yk_line {
    const char *at, *end;    /* what is left of the record */
    const char *line, *lend; /* what is left of the current line, without its end */
};

/** Go to the next line; false at the end or where it is not text. */
bool yk_line_next(struct yk_line *r);
/** Take the next word of the line; false where there is none. */
bool yk_line_word(struct yk_line *r, const char **w, size_t *n);
/** Is the word W of N bytes S? */
bool yk_line_is(const char *w, size_t n, const char *s);
bool yk_line_done(const struct yk_line *r);
/** Is the line's first word K? Then it is taken. */
bool yk_line_key(struct yk_line *r, const char *k);
/** Take a decimal number of at most MAX, without leading zeros. */
bool yk_line_number(struct yk_line *r, uint64_t max, uint64_t *v);
bool yk_line_number32(struct yk_line *r, uint32_t *v);
/** One that may be negative; -2^63 is none. */
bool yk_line_signed(struct yk_line *r, int64_t *v);
/** Take 16 hexadecimal digits. */
bool yk_line_hex64(struct yk_line *r, uint64_t *v);

#endif
