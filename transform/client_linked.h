/* The source of a program that was linked from parts compiled by themselves (clCompileProgram, clLinkProgram): one text
 * that has each part's strings, options and headers. It is what a request's source may be; the transformer makes one
 * program of it (joined.h). No compiler takes it. Who uses it: shim/object/part.c writes; front.c reads. */
#ifndef YK_TRANSFORM_CLIENT_LINKED_H
#define YK_TRANSFORM_CLIENT_LINKED_H

#include "transform/client.h"

struct yk_linked_part {
    const char *source, *options; /* as given to clCompileProgram; OPTIONS may be NULL */
    const struct yk_transform_header *header;
    unsigned nheaders;
};

/** Is SOURCE such a text? */
bool yk_linked_is(const char *source);

/** The text of a program that PART alone is linked to. Owns: the caller frees it. NULL: no memory. Thread: any. */
char *yk_linked_write(const struct yk_linked_part *part);

/** The text of a program that those of N texts are linked to, in their order. Owns: the caller's. NULL: no memory. */
char *yk_linked_join(const char *const *text, unsigned n);

#endif
