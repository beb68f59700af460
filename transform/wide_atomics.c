#include "transform/wide_atomics.h"
#include <string.h>

#define ONE(type, space, name, values)                                                                                 \
    type " __attribute__((overloadable)) atomic_" name "(volatile " space " " type " *" values ");"
#define TWO(type, name, values) ONE(type, "__global", name, values) ONE(type, "__local", name, values)
#define ALL(name, values)       SIGNED(name, values) TWO("uint", name, values("uint")) TWO("ulong", name, values("ulong"))
#define SIGNED(name, values)    TWO("int", name, values("int")) TWO("long", name, values("long"))
#define NONE(type)              ""
#define VALUE(type)             ", " type
#define VALUES(type)            ", " type ", " type
const char yk_wide_atomics[] = ALL("add", VALUE) ALL("sub", VALUE) ALL("xchg", VALUE) ALL("min", VALUE)
    ALL("max", VALUE) ALL("and", VALUE) ALL("or", VALUE) ALL("xor", VALUE) ALL("inc", NONE) ALL("dec", NONE)
        ALL("cmpxchg", VALUES) TWO("float", "xchg", VALUE("float")) "\n";

bool yk_wide_atomics_missed(const char *error)
{
    return strstr(error, "call to 'atomic_") && strstr(error, "is ambiguous");
}
