/* A library that ends the process: by abort, as a failed assertion does, or by a bad access. */
#include <stdlib.h>

__attribute__((visibility("default"))) void culprit_abort(void);
__attribute__((visibility("default"))) void culprit_touch(volatile char *p);

void culprit_abort(void)
{
    abort();
}

void culprit_touch(volatile char *p)
{
    *p = 1;
}
