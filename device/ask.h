/* Waiting for a command by asking for its status. A driver may keep others out while a thread waits in it: on an H200
 * blocking transfers from pinned memory, one thread each way, take turns (55 GB/s in all, 55 each alone), and kernels
 * of microseconds are seen over 0.2 ms late beside a thread that waits for copies. Who uses it: what has several
 * threads at work on one GPU (link/flight.c, the stages of the shim). Not for PoCL's basic device, which may run a
 * command on the thread that waits for it. */
#ifndef YK_DEVICE_ASK_H
#define YK_DEVICE_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include "device/opencl/cl.h"

/** Has E come to its end? Also where the driver does not say: then it is better waited for. */
bool yk_ask_over(const struct yk_cl *cl, cl_event e);

/** A moment between two questions: some hundred cycles. */
static inline void yk_ask_pause(void)
{
#ifdef __x86_64__
    for (int i = 0; i < 8; i++)
        __builtin_ia32_pause();
#endif
}

/** Return when E is over, as far as asking tells; to be sure, and for its error, wait for it then. Spins for a
 * millisecond, then looks every 20 us, a second at most. Thread: any; no lock held. */
void yk_ask_until_over(const struct yk_cl *cl, cl_event e);

/**
 * Sleep while E is under way, NS at most, and hardly beyond its end: a twentieth of the time that it took, or 0.2 ms.
 * However wrong a prediction is, to sleep by it costs no more. For long waits, before one that spins; E's queue has
 * been flushed. Thread: any; no lock held.
 */
void yk_ask_asleep(const struct yk_cl *cl, cl_event e, uint64_t ns);

#endif
