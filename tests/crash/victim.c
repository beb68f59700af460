/* victim LIBRARY abort|touch|status FILE: append a byte to FILE, then let LIBRARY end the process, or end with
 * status 3.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    FILE *f = fopen(argv[3], "ae");
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!f || !library || fputc('x', f) == EOF || fclose(f))
        return 2;
    if (!strcmp(argv[2], "abort"))
        ((void (*)(void))dlsym(library, "culprit_abort"))();
    if (!strcmp(argv[2], "touch"))
        ((void (*)(volatile char *))dlsym(library, "culprit_touch"))((volatile char *)(uintptr_t)8);
    return 3;
}
