#include "device/link/mailbox_mode.h"
#include <stdint.h>
#include <string.h>
#include "base/env.h"
#include "base/log.h"

enum { AUTO_BYTES = 16 << 20, AUTO_LEAST = 24 << 10, AUTO_PAYS = 4 << 20 };
/* Tests: many pieces in small copies. A piece is as large as a mailbox where that is small. */
enum { TEST_BYTES = 4096, TEST_LEAST = 64 };

/* Host memory in their place is none between real GPUs: NVIDIA's keep what a buffer over it holds to themselves. */
static const struct yk_mailbox_maker *forced(const struct yk_machine *m)
{
    for (unsigned i = 0; i < m->n; i++)
        for (unsigned k = 0; k < m->n; k++)
            if (i != k && yk_mailbox_cuda.fits(&m->device[i], &m->device[k]))
                return &yk_mailbox_cuda;
    return &yk_mailbox_host;
}

struct yk_mailbox_mode yk_mailbox_mode(const struct yk_machine *m)
{
    const char *text = yk_env_str("YOKE_MAILBOX", "auto");
    bool force = !strcmp(text, "force"), try = !strcmp(text, "try");
    if (!strcmp(text, "off"))
        return (struct yk_mailbox_mode){.least = SIZE_MAX};
    if (force || try)
        return (struct yk_mailbox_mode){forced(m), try, TEST_BYTES, TEST_LEAST, 0};
    if (strcmp(text, "auto"))
        yk_warn("YOKE_MAILBOX=%s is not off, auto, force or try; auto is used", text);
    return (struct yk_mailbox_mode){&yk_mailbox_cuda, true, AUTO_BYTES, AUTO_LEAST, AUTO_PAYS};
}
