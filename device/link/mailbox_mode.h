/* What YOKE_MAILBOX asks for, as both the shim and yoke-warm read it. */
#ifndef YK_DEVICE_LINK_MAILBOX_MODE_H
#define YK_DEVICE_LINK_MAILBOX_MODE_H

#include "device/link/mailbox.h"
#include "device/machine.h"

struct yk_mailbox_mode {
    const struct yk_mailbox_maker *maker; /* NULL: no mailboxes */
    bool tried;                           /* only where a trial has shown that they work */
    size_t bytes;                         /* of one */
    size_t least;                         /* smaller copies go another way */
    size_t pays;                          /* bytes that are copied another way before they are made */
};

/** For the devices of M. Measured on two H200: mailboxes of 16 MiB reach 323 of the 344 GB/s that 32 MiB reach; copies
 * take 25 us at least, the driver's over ordinary memory 20 us for 4 KiB, 38 for 64. Thread: any; parses the
 * environment. */
struct yk_mailbox_mode yk_mailbox_mode(const struct yk_machine *m);

#endif
