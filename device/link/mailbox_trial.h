/* Do mailboxes work between two devices? Nothing says so but trying, and what a driver makes of
 * foreign memory may be a crash: so yoke-warm tries, a process of its own, and leaves what it found in yoke's cache
 * folder ("mailbox"), under drivers, devices and bytes. Who asks: shim/memory. */
#ifndef YK_DEVICE_LINK_MAILBOX_TRIAL_H
#define YK_DEVICE_LINK_MAILBOX_TRIAL_H

#include "device/link/mailbox.h"

/* The argument that yoke-warm is started with to try them; with "=" and the number of the process that asks, whose end
 * it awaits for a while. */
#define YK_MAILBOX_TRY "--mailboxes"

enum yk_mailbox_word {
    YK_MAILBOX_UNTRIED, /* or being tried */
    YK_MAILBOX_WORKS,
    YK_MAILBOX_FAILS /* also: a trial began and never came to an end */
};

/** What is on record for mailboxes of BYTES from FROM to TO. Thread: any; no lock held. Cost: a file. */
enum yk_mailbox_word yk_mailbox_recall(const struct yk_mailbox_maker *maker, const struct yk_device *from,
                                       const struct yk_device *to, size_t bytes);

/** Try all pairs of M's usable devices that MAKER fits and that are not on record; one caller on a machine at a time.
 * May crash. Returns how many were tried. Cost: a context for each device (0.2 s), then 0.2 s a pair. */
unsigned yk_mailbox_try_all(const struct yk_mailbox_maker *maker, const struct yk_machine *m, size_t bytes);

#endif
