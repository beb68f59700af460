/* Merged variants: the preprocessed source in which a kernel runs the work-groups of many launches, as facts_merged.h
 * describes. Called by program.c. */
#ifndef YK_TRANSFORM_MERGING_H
#define YK_TRANSFORM_MERGING_H

#include "transform/facts.h"
#include "transform/front.h"

/**
 * Fill FACTS' variant source with the merged kernels, each by its own name; kernels that have one get needs_variant.
 * Where none can be made there is no variant source. Owns: all in FACTS' arena. Errors: YK_ENOMEM. Cost: two parses.
 */
yk_status yk_merging_make(const struct yk_front *f, struct yk_facts *facts);

#endif
