/* Thunks of one slot; included by serial.c once per slot, with SLOT defined. */
#define YK_CL(ret, name, version, params, args)                                                                        \
    static ret THUNK(SLOT, name) params                                                                                \
    {                                                                                                                  \
        const struct inside in __attribute__((cleanup(leave), unused)) = enter(SLOT);                                  \
        return slot[SLOT].below->name args;                                                                            \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "device/opencl/api.def"
#pragma GCC diagnostic pop

static void JOIN(fill_, SLOT)(void)
{
#define YK_CL(ret, name, version, params, args)                                                                        \
    if (is_serial(SLOT, #name))                                                                                        \
        slot[SLOT].table.name = THUNK(SLOT, name);
#include "device/opencl/api.def"
}
