#include "shim/core/unasked.h"
#include <stdio.h>
#include <unistd.h>
#include "base/env.h"
#include "base/thread.h"
#include "shim/core/background.h"
#include "shim/core/helper.h"
#include "shim/core/runtime.h"

bool yk_unasked_may_be(void)
{
    return !yk_env_str("YOKE_NUMERICS", NULL) && !yk_env_str("YOKE_STRATEGY", NULL) &&
           !yk_env_bool("YOKE_FORCE_SPLIT", false) && yk_helper_able();
}

static void *ask(void *arg)
{
    char argument[48];
    (void)arg;
    snprintf(argument, sizeof argument, "%s=%d", YK_HELPER_DEVICES, (int)getpid());
    (void)yk_helper_start(argument); /* if not, the next process asks itself */
    yk_background_leave();
    return NULL;
}

void yk_unasked_ask(void)
{
    static bool asked;
    if (!yk_rt.machine->unasked || __atomic_exchange_n(&asked, true, __ATOMIC_RELAXED) || !yk_background_enter())
        return;
    if (yk_thread_start(ask, NULL))
        yk_background_leave();
}
