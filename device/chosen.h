/* What the user says of the devices that were found: which of them, which first, and with how much memory. What names
 * none of them is said in the log. Who calls it: machine.c. */
#ifndef YK_DEVICE_CHOSEN_H
#define YK_DEVICE_CHOSEN_H

#include "device/device.h"

/** D takes no part, for the reason WHY unless it has one already. */
void yk_chosen_leave_out(struct yk_device *d, const char *why);

/** Leave out what LIST (YOKE_DEVICES) does not name; such devices are `unnamed`. */
void yk_chosen_devices(struct yk_machine *m, const char *list);

/** M's primary: WANTED (YOKE_PRIMARY; NULL: nobody asks), if it is usable, else the fastest. One device is usable. */
void yk_chosen_primary(struct yk_machine *m, const char *wanted);

/** DEV=BYTES of LIST (YOKE_MEMORY_LIMIT; NULL: none): such devices have no more memory. */
void yk_chosen_memory(struct yk_machine *m, const char *list);

#endif
