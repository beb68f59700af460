/* Devices that their driver has not been asked for yet. A CPU's driver takes 10 to 30 ms to make its devices ready and
 * as long to end with them, which a program of half a second on a GPU would pay for though no launch of it is worth a
 * CPU. They answer what is asked at the start of every process from what an earlier one was told; the first call that
 * needs one of them, a context as a rule, has the driver make them ready. Then all answers are compared, and what its
 * memory is is tried again: if anything is not as kept, none of them can be had in this process (the call fails as for
 * a device that is not available), and what was kept goes.
 *
 * Where nothing is kept, a process does without them altogether, once: yoke-warm asks them behind it, for those to
 * come.
 *
 * One platform per process sleeps. Who calls it: machine.c. */
#ifndef YK_DEVICE_ASLEEP_H
#define YK_DEVICE_ASLEEP_H

#include "device/device.h"

/* yk_device.in_host and host_align, which cost a trial; not made of devices that the user had left out. */
struct yk_asleep_host {
    bool in_host, tried;
    size_t align;
};

/** The devices of PLATFORM as an earlier process has kept them for the same driver, environment and processors: *N
 * handles into ID and what is known of their memory into HOST (YK_MAX_DEVICES each), good for calls of the table
 * returned, which is BELOW otherwise. NULL: nothing is kept, or another platform sleeps. Thread: discovery only. Cost:
 * a small file. */
const struct yk_cl *yk_asleep(const struct yk_cl *below, cl_platform_id platform, cl_device_id *id,
                              struct yk_asleep_host *host, unsigned *n);

/** Keep what the devices of the first of M's platforms that has nothing but CPUs are and answer, where yk_asleep has
 * looked for them. Thread: discovery only. */
void yk_asleep_keep(const struct yk_cl *below, const struct yk_machine *m);

/** Has yk_asleep found nothing of PLATFORM, which by its name is a CPU's driver, and has no process done without it for
 * that reason? Thread: discovery only. Cost: a small file. */
bool yk_asleep_unknown(const struct yk_cl *below, cl_platform_id platform);

/** This process does without PLATFORM, which is unknown; later ones will not. False: that cannot be kept, so that it
 * must be asked now. Thread: discovery only. Cost: a small file. */
bool yk_asleep_do_without(cl_platform_id platform);

#endif
