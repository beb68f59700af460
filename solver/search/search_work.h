/* What the driver (search.c) and its trials (trial.c) share. Only they include it. */
#ifndef YK_SOLVER_SEARCH_WORK_H
#define YK_SOLVER_SEARCH_WORK_H

#include <pthread.h>
#include <stdatomic.h>
#include "base/array.h"
#include "solver/search/deadline.h"
#include "solver/search/search.h"
#include "solver/search/tree.h"

struct search_event {
    double at, seconds; /* a best plan of SECONDS was found AT seconds */
};

struct search {
    const struct problem *p; /* what is searched: the core */
    struct yk_search_options o;
    uint64_t start_ns;
    uint64_t last_ns;                  /* when all must be over; UINT64_MAX: no limit */
    uint64_t end_ns;                   /* when trials must be: earlier by what is still to be done then */
    struct deadline deadline, to_last; /* of end_ns and of last_ns; both pass when the user asks to end */
    atomic_bool stop;
    atomic_uint_fast64_t trials;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t done;
    struct tree best;
    bool have; /* best is a tree */
    struct yk_search_progress shown;
    YK_ARRAY(struct search_event) history;
    unsigned in_vain; /* trials since the last one that saved half a percent */
    bool over;
};

/* Seconds since the search began. */
double search_elapsed(const struct search *s);
/* What running T is predicted to take, without the parts that no search changes. */
double search_predicted(const struct search *s, const struct tree *t);
/* The best tree of S->p into S->best: from scratch, then trials by all threads until the time is over or more search
 * does not pay. Errors: YK_ENOMEM. */
yk_status search_best_tree(struct search *s);

#endif
