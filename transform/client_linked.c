#include "transform/client_linked.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "transform/client_request.h"

bool yk_linked_is(const char *source)
{
    return !strncmp(source, YK_LINKED_MAGIC, sizeof YK_LINKED_MAGIC - 1);
}

char *yk_linked_write(const struct yk_linked_part *part)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        return NULL;
    fputs(YK_LINKED_MAGIC, f);
    yk_client_request_blob(f, "options", part->options, part->options ? strlen(part->options) : 0);
    for (unsigned i = 0; i < part->nheaders; i++) {
        yk_client_request_blob(f, "header", part->header[i].name, strlen(part->header[i].name));
        yk_client_request_blob(f, "text", part->header[i].text, part->header[i].size);
    }
    yk_client_request_blob(f, "source", part->source, strlen(part->source));
    if (!fclose(f))
        return text;
    free(text);
    return NULL;
}

char *yk_linked_join(const char *const *text, unsigned n)
{
    const size_t magic = sizeof YK_LINKED_MAGIC - 1;
    size_t size = magic + 1;
    for (unsigned i = 0; i < n; i++)
        size += strlen(text[i]) - magic;
    char *all = malloc(size), *to = all;
    if (!all)
        return NULL;
    to = stpcpy(to, YK_LINKED_MAGIC);
    for (unsigned i = 0; i < n; i++)
        to = stpcpy(to, text[i] + magic);
    return all;
}
