/* Programs that know drivers by their names. */
#ifndef YK_SHIM_CORE_BY_NAME_H
#define YK_SHIM_CORE_BY_NAME_H

#include <stdbool.h>

/**
 * Is a library loaded that goes another way for drivers that it knows by their platform's name, and a slower one for a
 * platform of ours? Thread: any. Cost: a look at the names of what is loaded.
 */
bool yk_by_name(void);

#endif
