/* The end of a build, compilation or link of which the app wants to be told by a function of its own. The driver is
 * asked to tell yoke, so that it may build behind the app's back if it can, and answers as it does bare; the app's
 * function is called from yoke's own thread, once the program is what it will be. Who uses it: program_build.c. */
#ifndef YK_SHIM_API_PROGRAM_NOTICE_H
#define YK_SHIM_API_PROGRAM_NOTICE_H

#include "shim/object/program.h"

struct yk_notice;

/** Of a program in CTX. B (taken over; NULL: there is none to keep) becomes the program's record if its build succeeds.
 * NULL: no memory; B is given back. */
struct yk_notice *yk_notice_make(struct yk_context *ctx, struct yk_build *b, void (*fn)(cl_program, void *),
                                 void *data);

/** What the driver is to call, with the notice for its user data: in the call or after it, from any thread. */
void yk_notice_called(cl_program real, void *notice);

/** The driver will be asked once more: what it has called so far does not count. */
void yk_notice_again(struct yk_notice *n);

/** The driver's call has returned ERR; P is the app's program, or NULL if it returned none: then the app's function
 * gets the one that the driver has called with, as it does bare. Gives up N, unless the driver has yet to call. Returns
 * ERR, or CL_OUT_OF_RESOURCES where there is no thread to call the app from. */
cl_int yk_notice_returned(struct yk_notice *n, struct yk_program *p, cl_int err);

#endif
