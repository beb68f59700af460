/* Which queues use a buffer or image, for those launches that must be alone with it while they are divided. Who uses
 * it: store.h, image.h; queue/users.c keeps it. */
#ifndef YK_SHIM_MEMORY_USED_H
#define YK_SHIM_MEMORY_USED_H

#include <stdbool.h>
#include <stdint.h>

/* All atomic. */
struct yk_used {
    uint32_t first; /* the number of the first queue; 0: none */
    bool several;   /* others do too */
    int dividing;   /* launches under way that are divided and must be alone with it */
};

#endif
