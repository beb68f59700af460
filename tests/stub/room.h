/* The environment's room for what the stub sets when its devices are asked for, as PoCL sets variables of hwloc's. A
 * variable more moves all of them, under the feet of whatever threads read some: whoever starts threads before the stub
 * is loaded makes the room himself. */
#ifndef YK_TESTS_STUB_ROOM_H
#define YK_TESTS_STUB_ROOM_H

#include <stdio.h>
#include <stdlib.h>

enum { STUB_VARIABLES = 16, STUB_VARIABLE_NAME = 32 };

static inline void stub_variable(unsigned number, char name[STUB_VARIABLE_NAME])
{
    snprintf(name, STUB_VARIABLE_NAME, "HWLOC_STUB_%u", number);
}

static inline void stub_make_room(void)
{
    char name[STUB_VARIABLE_NAME];
    for (unsigned i = 0; i < STUB_VARIABLES; i++) {
        stub_variable(i, name);
        setenv(name, "", 0);
    }
}

#endif
