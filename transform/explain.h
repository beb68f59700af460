/* Analysing a file for a person, without any device. Called by main.c. */
#ifndef YK_TRANSFORM_EXPLAIN_H
#define YK_TRANSFORM_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"

/** Analyse SOURCE as an OpenCL 3.0 device with the usual extensions would see it, and explain it to OUT, in words or as
 * JSON. Errors: YK_EIO, YK_ENOMEM; YK_EBUILD where it does not compile or is not understood (which is printed). */
yk_status yk_explain_source(const char *source, size_t n, const char *options, bool json, FILE *out);

#endif
