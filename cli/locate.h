/* Where yoke's other files are: beside the binary in a build tree, in lib/ and libexec/ of an installation. Who calls
 * it: the commands. It never searches the current folder or PATH. */
#ifndef YK_CLI_LOCATE_H
#define YK_CLI_LOCATE_H

#include <stddef.h>

/**
 * Path of libyoke.so (YOKE_LIB first) or of yoke-transform (YOKE_TRANSFORM first) into PATH (N bytes).
 * Returns 0; or -1 with MSG (N_MSG bytes) saying where it was looked for.
 */
int yk_locate_library(char *path, size_t n, char *msg, size_t n_msg);
int yk_locate_transform(char *path, size_t n, char *msg, size_t n_msg);

#endif
