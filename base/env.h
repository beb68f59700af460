/* Typed environment variables and the folders yoke keeps files in. Everyone may use it. A value that does not parse
 * is reported once per process and the default is used: a wrong variable never stops a program. */
#ifndef YK_BASE_ENV_H
#define YK_BASE_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/** 1/on/yes/true, 0/off/no/false (any case); unset or empty: DFLT. */
bool yk_env_bool(const char *name, bool dflt);

/** Whole number in [MIN, MAX], decimal, with an optional suffix k, M, G (1024). */
int64_t yk_env_int(const char *name, int64_t dflt, int64_t min, int64_t max);

/** The value, or DFLT where unset or empty. Borrowed from the environment. */
const char *yk_env_str(const char *name, const char *dflt);

/** Bytes from text such as "4096", "64k", "1.5G". Errors: YK_EFORMAT. */
yk_status yk_parse_bytes(const char *text, uint64_t *bytes);

/** Path of a folder of yoke's own (XDG: "cache" or "data"), created 0700 with its parents and checked: owned by this
 * user, no symbolic link, not writable by others (design, section 7). Writes at most N bytes to PATH.
 * Errors: YK_EIO with one warning per process; then the caller does without files. */
yk_status yk_dir(const char *kind, const char *sub, char *path, size_t n);

#endif
