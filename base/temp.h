/* Names for temporary files and folders, which lie where the user has them lie: in TMPDIR. Everyone may use it. It
 * makes nothing and removes nothing: whoever has made what is named so removes it. */
#ifndef YK_BASE_TEMP_H
#define YK_BASE_TEMP_H

#include <stddef.h>
#include "base/status.h"

/**
 * PATH becomes FOLDER/NAME-XXXXXX, for mkstemp() or mkdtemp(); FOLDER is TMPDIR, or where that is unset or empty /tmp.
 * Units:  N bytes are at PATH.   Thread: any, while nobody changes the environment.
 * Errors: YK_ELIMIT: it does not fit; PATH is "", which mkstemp() and mkdtemp() refuse.   Cost: no system call.
 */
yk_status yk_temp_name(const char *name, char *path, size_t n);

#endif
