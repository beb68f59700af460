/* One device's part of a chain on its way: its three stages, each with a thread and a queue of its own. Who uses it:
 * stages_run.c. */
#ifndef YK_SHIM_QUEUE_STAGES_FLOW_H
#define YK_SHIM_QUEUE_STAGES_FLOW_H

#include <pthread.h>
#include "base/lock.h"
#include "shim/queue/stages_plan.h"

struct yk_stages_flow {
    const struct yk_chain *chain;
    const struct yk_stages_plan *plan;
    const struct yk_stages_side *side;
    const struct yk_facts_kernel *facts;
    cl_kernel kernel;
    cl_command_queue queue[2]; /* of the kernels, by turns */
    bool asks;                 /* device/ask.h; else threads wait in the driver, or sleep */
    struct yk_lock lock;       /* guards the rest; what others look at without it is changed atomically */
    pthread_cond_t changed;
    unsigned arrived, run; /* the bytes of parts below are in; parts below have run */
    bool stop;             /* a stage has failed on which others wait */
    unsigned begun;        /* parts that the driver was given */
    cl_int in_err, run_err, out_err;
    bool in_over, run_over, out_over;
    bool beside_in, beside_run, beside_out; /* by threads of their own */
    uint64_t busy;                          /* ns that parts took */
    uint64_t *at;                           /* times of each part; NULL: no trace */
};

/** SIDE of PLAN, by KERNEL, which has the launch's arguments but the hidden ones that FACTS tell of. False: no queue.
 * Finish it in either case. */
bool yk_stages_flow_open(struct yk_stages_flow *f, const struct yk_chain *chain, const struct yk_stages_plan *plan,
                         const struct yk_stages_side *side, const struct yk_facts_kernel *facts, cl_kernel kernel);

/** Begin: its parts, and what comes out, by threads, where there are any. IN: what goes in as well. */
void yk_stages_flow_start(struct yk_stages_flow *f, bool in);

/** Return when all bytes are in, all parts have run, all bytes are out; what no thread does is done now. In this
 * order. Errors: the driver's; CL_OUT_OF_RESOURCES where an earlier stage has failed. */
cl_int yk_stages_flow_in(struct yk_stages_flow *f);
cl_int yk_stages_flow_ran(struct yk_stages_flow *f);
cl_int yk_stages_flow_out(struct yk_stages_flow *f);

/** Show its parts in the trace. */
void yk_stages_flow_trace(struct yk_stages_flow *f, uint64_t start);

/** All its stages are over. */
void yk_stages_flow_finish(struct yk_stages_flow *f);

#endif
