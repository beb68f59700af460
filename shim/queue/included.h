/* What the source of a binary included that yoke has given out (object/container.h), kept between processes under the
 * hash of the binary. The primary's code has those files' text in it, and other devices' is compiled anew from the
 * source: a program that loads the binary is divided only where the files are still the same. They may not be known
 * yet when the binary is given out, so they are no part of it; then it is kept when its build began, and files that are
 * older than that are what it included. Who uses it: build.c, analyse.c, object/program.c. */
#ifndef YK_SHIM_QUEUE_INCLUDED_H
#define YK_SHIM_QUEUE_INCLUDED_H

#include "shim/queue/build.h"

/** A binary of B whose hash is BINARY has been given out. Thread: any; no lock held. */
void yk_included_given(struct yk_build *b, struct yk_hash binary);

/** B's facts are there, with files that it was built from. Thread: the one that analyses; no lock held. */
void yk_included_known(struct yk_build *b);

/** Are the files of F those that the source of the binary BINARY included, and do they still hold the same bytes?
 * Relative to the current folder. Cost: the files are read. Thread: any. */
bool yk_included_same(struct yk_hash binary, const struct yk_facts *f);

#endif
