#include "profiler/sqlite.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include "base/log.h"

static struct yk_sqlite api;
static bool found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const struct {
        const char *name;
        size_t at;
    } symbol[] = {
#define S(n) {"sqlite3_" #n, offsetof(struct yk_sqlite, n)}
        S(open_v2),      S(close),  S(exec),         S(prepare_v2),        S(bind_text),   S(bind_double),
        S(bind_int64),   S(step),   S(reset),        S(finalize),          S(column_text), S(column_double),
        S(column_int64), S(errmsg), S(busy_timeout), S(libversion_number),
#undef S
    };
    void *lib = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        yk_info("no SQLite (%s): measured times are not remembered", dlerror());
        return;
    }
    found = true;
    for (size_t i = 0; i < sizeof symbol / sizeof *symbol; i++) {
        void *f = dlsym(lib, symbol[i].name);
        *(void **)((char *)&api + symbol[i].at) = f;
        found &= f != NULL;
    }
    if (found && api.libversion_number() < 3008003) /* partial indexes aside: WITHOUT ROWID */
        found = false;
}

const struct yk_sqlite *yk_sqlite_get(void)
{
    pthread_once(&once, load);
    return found ? &api : NULL;
}
