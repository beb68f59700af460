#include "device/ask.h"
#include <time.h>
#include "base/clock.h"

static const uint64_t spin_ns = 1000000, most_ns = 1000000000;

bool yk_ask_over(const struct yk_cl *cl, cl_event e)
{
    cl_int status = CL_COMPLETE;
    return cl->GetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) != CL_SUCCESS ||
           status <= CL_COMPLETE;
}

void yk_ask_until_over(const struct yk_cl *cl, cl_event e)
{
    uint64_t from = yk_now_ns(), now = from;
    while (!yk_ask_over(cl, e) && now - from < most_ns) {
        if (now - from < spin_ns)
            yk_ask_pause();
        else
            nanosleep(&(struct timespec){0, 20000}, NULL);
        now = yk_now_ns();
    }
}

void yk_ask_asleep(const struct yk_cl *cl, cl_event e, uint64_t ns)
{
    const uint64_t least_ns = 200000, most_part = 20, second = 1000000000;
    uint64_t from = yk_now_ns(), gone = 0;
    while (gone < ns && !yk_ask_over(cl, e)) {
        uint64_t step = gone / most_part > least_ns ? gone / most_part : least_ns;
        step = step > ns - gone ? ns - gone : step;
        nanosleep(&(struct timespec){(time_t)(step / second), (long)(step % second)}, NULL);
        gone = yk_now_ns() - from;
    }
}
