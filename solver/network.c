#include "solver/network.h"
#include <stdlib.h>

void yk_network_finish(struct yk_network *net)
{
    yk_arena_finish(&net->arena);
    *net = (struct yk_network){0};
}

void yk_evidence_finish(struct yk_evidence *ev)
{
    free(ev->var);
    free(ev->state);
    *ev = (struct yk_evidence){0};
}
