/* Which device is the fastest, roughly: it becomes the primary where the user names none. */
#include "device/machine.h"
#include <strings.h>
#include <string.h>

/* Implementations whose speed their numbers do not tell. PART is looked for in platform and device name. */
static const struct {
    const char *part;
    double factor;
    const char *reason;
} known[] = {
    {"oclgrind", 1e-4, "interprets each instruction to check it: some 10,000 times slower than the CPU it runs on"},
    {"portable computing language", 0.5, "Intel's runtime ran the same simple kernels 10 times faster (PoCL 3.1)"},
    {"llvmpipe", 0.2,
     "Mesa's renderer on the CPU says 8 units of 300 MHz anywhere; simple kernels take 3 to 8 times as long as with "
     "PoCL"},
};

double yk_device_speed(const struct yk_device *d, bool own_memory)
{
    bool gpu = d->type & CL_DEVICE_TYPE_GPU;
    double clock = d->clock_mhz ? d->clock_mhz : gpu ? 1000 : 3000; /* some drivers do not say */
    double speed = d->compute_units * clock;
    /* Lanes of a compute unit: 64 or more on GPUs; a CPU's 8 are its vector unit. */
    speed *= gpu ? 64 : 8;
    if (gpu && own_memory)
        speed *= 8; /* bandwidth */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasestr(d->platform_name, known[i].part) || strcasestr(d->name, known[i].part))
            speed *= known[i].factor;
    return speed;
}
