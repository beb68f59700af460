#include "base/temp.h"
#include <stdio.h>
#include "base/env.h"

yk_status yk_temp_name(const char *name, char *path, size_t n)
{
    int used = snprintf(path, n, "%s/%s-XXXXXX", yk_env_str("TMPDIR", P_tmpdir), name);
    if (used > 0 && (size_t)used < n)
        return YK_OK;
    path[0] = 0;
    return YK_ELIMIT;
}
