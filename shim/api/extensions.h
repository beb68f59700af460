/* Which extensions of the primary the virtual device may promise: those without entry points of their own, and those
 * whose entry points yoke has. Who uses it: platform.c, device.c. */
#ifndef YK_SHIM_API_EXTENSIONS_H
#define YK_SHIM_API_EXTENSIONS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Take out of LIST what yoke cannot promise. TEXT: names with spaces between and a 0 at the end, else an array of
 * cl_name_version. LIST has SIZE bytes and room for one more. Returns the size that is left.
 */
size_t yk_extensions_filter(bool text, char *list, size_t size);

/** May yoke promise extension NAME (N characters)? */
bool yk_extension_kept(const char *name, size_t n);

/** The function NAME of cl_pocl_content_size (content_size.c) where the primary's driver has it; else NULL. */
void *yk_content_size_function(const char *name);

/** The same of cl_khr_suggested_local_work_size (suggested_size.c). */
void *yk_suggested_size_function(const char *name);

#endif
