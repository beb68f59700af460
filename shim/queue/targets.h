/* The devices of a machine as the transformer is told of them. Who calls it: analyse.c, yoke-warm; both must say the
 * same, since the facts are kept by it. */
#ifndef YK_SHIM_QUEUE_TARGETS_H
#define YK_SHIM_QUEUE_TARGETS_H

#include "base/arena.h"
#include "device/device.h"
#include "transform/client.h"

/** Number of device DEV among the targets: the primary is 0, the others follow in their order. */
unsigned yk_targets_index(const struct yk_machine *m, unsigned dev);

/** The targets of M's devices into OUT[m->n]. Owns: ARENA. Asks the drivers. */
void yk_targets(const struct yk_machine *m, struct yk_arena *arena, struct yk_transform_target *out);

#endif
