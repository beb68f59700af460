/* The flags of the record by name, for its reader and its writer. Not for others: use the fields of facts.h. */
#ifndef YK_TRANSFORM_FACTS_NAMES_H
#define YK_TRANSFORM_FACTS_NAMES_H

#include "transform/facts.h"

struct yk_facts_flag {
    const char *name;
    size_t offset; /* of a bool */
};

extern const struct yk_facts_flag yk_facts_arg_flags[], yk_facts_kernel_flags[]; /* ended by a NULL name */

#endif
