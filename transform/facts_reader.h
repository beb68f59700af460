/* A record on its way into facts, for the files that read it: facts.c (the record) and facts_kernel.c (a kernel of it).
 */
#ifndef YK_TRANSFORM_FACTS_READER_H
#define YK_TRANSFORM_FACTS_READER_H

#include "base/array.h"
#include "transform/facts.h"
#include "transform/facts_line.h"

struct yk_facts_reader {
    struct yk_line t;
    struct yk_facts *f;
    YK_ARRAY(struct yk_facts_kernel) kernels;
    YK_ARRAY(struct yk_facts_arg) args;
    YK_ARRAY(struct yk_facts_hidden) hidden;
    YK_ARRAY(struct yk_facts_file) files;
    YK_ARRAY(uint64_t) targets;
    YK_ARRAY(struct yk_facts_node) nodes;
    YK_ARRAY(struct yk_facts_access) accesses;
    YK_ARRAY(struct yk_facts_guard) guards;
    bool memory; /* the error is lack of it */
};

/** What is left of the line, copied; false: nothing, or no memory. */
bool yk_facts_rest(struct yk_facts_reader *r, const char **s);

/** An array could not grow: remembered. Always false. */
bool yk_facts_push_failed(struct yk_facts_reader *r);

/** N values of SIZE bytes from V in the arena: arrays grow, what is handed out lies there. NULL: no memory. */
void *yk_facts_keep(struct yk_facts_reader *r, const void *v, size_t n, size_t size);

/** The lines of a kernel, from what follows the word `kernel` to `done`. False: malformed, or no memory. */
bool yk_facts_read_kernel(struct yk_facts_reader *r);

#endif
