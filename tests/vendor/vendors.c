/* Several drivers in one process: found, described, ranked, and put into the right numeric classes.
 *
 *     vendors PLATFORM...    a part of the platform's name for each device expected, in any order */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "device/machine.h"
#include "device/numeric.h"

static int failed;

static void expect(bool ok, const char *what, const struct yk_device *d)
{
    if (ok)
        return;
    printf("FAILED: %s (%s)\n", what, d ? d->name : "machine");
    failed++;
}

static void look_at(const struct yk_machine *m, const struct yk_device *d)
{
    printf("[%u] %s (%s), class %u, speed %g%s%s\n", d->index, d->name, d->platform_name, yk_numeric_class(d), d->speed,
           d->host_memory ? ", host memory" : "", d->index == m->primary ? ", primary" : "");
    expect(d->usable, d->why_not, d);
    expect(d->address_bits == 64 && d->little_endian && d->compute_units && d->max_group, "limits", d);
    expect(!strstr(d->platform_name, "Portable") || d->host_memory, "PoCL works in host memory", d);
    bool slow = strstr(d->platform_name, "Oclgrind") || strstr(d->platform_name, "rusticl");
    expect(!slow || m->n == 1 || d->index != m->primary, "a debugger or renderer is not primary", d);
    for (unsigned i = 0; i < d->index; i++) {
        const struct yk_device *e = &m->device[i];
        bool same = yk_numeric_class(d) == yk_numeric_class(e);
        expect(same == (d->platform == e->platform), "devices of one driver are one class, others are not", d);
    }
}

int main(int argc, char **argv)
{
    yk_status status;
    const struct yk_machine *m = yk_machine_get(&status);
    if (!m) {
        printf("FAILED: %s\n", yk_status_text(status));
        return 1;
    }
    expect(m->n == (unsigned)argc - 1, "number of devices", NULL);
    for (int i = 1; i < argc; i++) {
        unsigned found = 0, wanted = 0;
        for (unsigned k = 0; k < m->n; k++)
            found += strstr(m->device[k].platform_name, argv[i]) != NULL;
        for (int k = 1; k < argc; k++)
            wanted += !strcmp(argv[k], argv[i]);
        expect(found == wanted, argv[i], NULL);
    }
    expect(yk_numeric_probe(m) == YK_OK, "numeric probe", NULL);
    for (unsigned i = 0; i < m->n; i++)
        look_at(m, &m->device[i]);
    return failed ? 1 : 0;
}
