/* A kernel launch: everything clEnqueueNDRangeKernel was given, captured, so that nothing later looks at the app's
 * objects. The launch goes whole to the primary from the caller's thread, or to the worker, which decides (decide.h)
 * and runs it whole or as shares (share.h). Who uses it: api/clEnqueueNDRangeKernel, clEnqueueTask. */
#ifndef YK_SHIM_QUEUE_LAUNCH_H
#define YK_SHIM_QUEUE_LAUNCH_H

#include "shim/queue/code.h"
#include "shim/queue/command.h"
#include "shim/queue/exec_info.h"
#include "shim/queue/fast.h"

struct yk_launch {
    struct yk_command c;
    struct yk_code *code;
    struct yk_fast *fast; /* the kernel's; NULL once captured */
    unsigned nvalues;
    struct yk_value *value;    /* the kernel's until captured, then its own */
    struct yk_exec_info *exec; /* NULL: none; the kernel's until captured, then held */
    bool captured;
    cl_uint dims;
    bool has_offset, has_local;
    size_t offset[3], global[3], local[3];
    uint64_t brought_ns; /* how long what it reads was brought to the primary, by bring.h */
};

/** Has L one work-group, of the size that the program gave? */
static inline bool yk_launch_is_one_group(const struct yk_launch *l)
{
    for (cl_uint i = 0; l->has_local && i < l->dims; i++)
        if (l->local[i] != l->global[i])
            return false;
    return l->has_local;
}

/** Is every byte of L's buffers newest at the primary? */
bool yk_launch_at_primary(const struct yk_launch *l);

extern const struct yk_command_kind yk_launch_kind, yk_task_kind;

/** Set all arguments of L on the real kernel K of device DEV. Errors: the driver's, or
 * CL_MEM_OBJECT_ALLOCATION_FAILURE. */
cl_int yk_launch_set_args(struct yk_launch *l, cl_kernel k, unsigned dev);

/** L has been ordered on the primary: every buffer argument that it may write (all, where F is NULL) is newest there
 * alone, but for what other queues have meanwhile written to the same buffer elsewhere. */
void yk_launch_primary_writes(struct yk_launch *l, const struct yk_facts_kernel *f);

/** The same of values that were all there. False: no more, and of a launch more is to be said (yk_bring_wrote). */
bool yk_values_primary_writes(const struct yk_value *v, unsigned n, const struct yk_facts_kernel *f);

struct yk_decision;
/** D, what was decided of L and why, on the trace's track of decisions, ASKED for at (ns); numbers the launch. */
void yk_launch_trace(const struct yk_launch *l, struct yk_decision *d, uint64_t asked);

/** L took the primary alone SECONDS: noted, here (the best of all, since first launches also compile) and for later
 * processes. Thread: the worker's. */
void yk_launch_measured(struct yk_launch *l, double seconds);

/** L, divided by D, is over, and so is what was given to its devices before, since BEFORE (0: nothing was): counted. */
void yk_launch_divided(struct yk_launch *l, const struct yk_decision *d, uint64_t before);

/** Whole on the primary's real queue with the worker's own kernel; bytes are brought first. */
cl_int yk_launch_whole(struct yk_launch *l, cl_event *real);
/** The same on real queue ON, after events WAIT. */
cl_int yk_launch_whole_on(struct yk_launch *l, cl_command_queue on, cl_uint nwait, const cl_event *wait,
                          cl_event *real);

#endif
