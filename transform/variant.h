/* Partition-ready variants: the preprocessed source in which every use of a group id or of a size or offset of the
 * whole range is right although only a box of it is launched. Called by program.c. */
#ifndef YK_TRANSFORM_VARIANT_H
#define YK_TRANSFORM_VARIANT_H

#include "transform/facts.h"
#include "transform/front.h"

/**
 * WINDOWS: make variants for launches of which only parts of buffers are on the device (windows.h), and nothing else.
 * Fill FACTS' hidden arguments and variant source. A kernel that needs a variant which cannot be made becomes whole,
 * with the reason. Owns: all in FACTS' arena. Errors: YK_ENOMEM.  Cost: nothing where no kernel needs one; else two
 * parses.
 */
yk_status yk_variant_make(const struct yk_front *f, bool windows, struct yk_facts *facts);

#endif
