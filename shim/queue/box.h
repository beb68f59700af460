/* One box of a launch's work-groups as one launch of a real kernel. Who uses it: share.c, merger.c. */
#ifndef YK_SHIM_QUEUE_BOX_H
#define YK_SHIM_QUEUE_BOX_H

#include "shim/queue/decide.h"

/**
 * Enqueue BOX of L on queue Q of device DEV. KERNEL has all its arguments but the hidden ones, which follow the app's
 * where F says that its launches need them; they are set here. Errors: the driver's.
 */
cl_int yk_box_enqueue(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                      unsigned dev, cl_command_queue q, cl_kernel kernel, const struct yk_box *box, cl_event *event);

#endif
