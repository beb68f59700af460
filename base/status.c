#include "base/status.h"

const char *yk_status_text(yk_status s)
{
    static const char *const text[YK_STATUS_COUNT] = {
        [YK_OK] = "ok",
        [YK_ENOMEM] = "out of memory",
        [YK_EDEVMEM] = "out of device memory",
        [YK_EINVAL] = "invalid argument",
        [YK_ENOTFOUND] = "not found",
        [YK_EIO] = "input/output error",
        [YK_EFORMAT] = "malformed input",
        [YK_EUNSUPPORTED] = "not supported",
        [YK_EDEVICE] = "device error",
        [YK_EBUILD] = "build failed",
        [YK_ETIMEOUT] = "timed out",
        [YK_ELIMIT] = "over a limit",
        [YK_ECANCELED] = "canceled",
    };
    return (unsigned)s < YK_STATUS_COUNT && text[s] ? text[s] : "unknown status";
}
