/* Which queues use a buffer or image, for those launches that must be alone with it while they are divided. Who uses
 * it: store.h, image.h; queue/users.c keeps it. */
#ifndef YK_SHIM_MEMORY_USED_H
#define YK_SHIM_MEMORY_USED_H

#include <stdbool.h>
#include <stdint.h>

/* All atomic. */
struct yk_used {
    uint32_t owner; /* the number of the queue that uses it, as long as it is one at a time; 0: none yet */
    uint32_t last;  /* the owner's last command on it */
    bool wrote;     /* the owner writes it */
    bool several;   /* queues use it, without the program waiting for one before it uses the other */
    bool mixed;     /* and some of them write it */
    int dividing;   /* launches under way that are divided and must be alone with it */
};

#endif
