/* A program from request to facts: front, analysis, variants. Called by main.c. */
#ifndef YK_TRANSFORM_PROGRAM_H
#define YK_TRANSFORM_PROGRAM_H

#include "transform/client.h"

/**
 * All facts about REQ's program. Owns: OUT owns its data (yk_facts_finish).
 * Errors: YK_EIO (clang cannot be run), YK_ENOMEM; a program that is not understood is YK_OK with OUT->refused.
 */
yk_status yk_program_facts(const struct yk_transform_request *req, struct yk_facts *out);

#endif
