/* The analysis of one kernel, in steps that each fill their part of the facts. Called by program.c. Reads the IR only;
 * what is not understood is recorded as such and never guessed. */
#ifndef YK_TRANSFORM_ANALYSIS_H
#define YK_TRANSFORM_ANALYSIS_H

#include "transform/builtins.h"
#include "transform/facts.h"
#include "transform/ir.h"
#include "transform/options.h"

/* What memory a pointer may point into. */
struct yk_places {
    uint64_t args[4]; /* buffers given as arguments, by number */
    bool any_arg;     /* any of them: the pointer was kept in private or local memory */
    bool private_, local, constant;
    bool program;     /* a variable of program scope that is not constant */
    bool from_memory; /* the pointer was read from a buffer */
    bool from_number;
    bool unknown;
};
enum { YK_MAX_ARGS = 256 };

/* Why a kernel runs whole, first found first; the most telling wins in verdict.c. */
struct yk_findings {
    const char *unknown_call, *pipe, *pointer; /* NULL: no such thing; else what a user is told */
    unsigned unknown_line, atomic_line, volatile_line, fence_line, wait_line, print_line;
};

struct yk_analysis {
    struct yk_ir_kernel ir;
    const struct yk_options *options;
    struct yk_arena *arena;
    struct yk_facts_kernel *k;
    struct yk_findings found;
    struct yk_places **places; /* per instruction that is a pointer, once it was asked for */
};

/** The built-in that instruction I calls; class UNKNOWN and an empty name where I is no call of one. */
struct yk_builtin yk_call_of(LLVMValueRef i);
/** Is I a call of intrinsic NAME ("llvm.memcpy")? A prefix counts. */
bool yk_is_intrinsic(LLVMValueRef i, const char *name);
/** Line of the program's text that I comes from; 0 where that is not known. */
unsigned yk_line_of(LLVMValueRef i);

/** Where pointer V may point. Never fails: what is not followed is `unknown`. */
struct yk_places yk_places_of(struct yk_analysis *a, LLVMValueRef v);
bool yk_places_arg(const struct yk_places *p, unsigned i);
/** May it point into memory that other work-groups see? */
bool yk_places_shared(const struct yk_places *p);

/** Arguments: kind, size, names. */
yk_status yk_analyse_arguments(struct yk_analysis *a);
/** Reads, writes, atomics, fences, calls: the facts about memory. */
void yk_analyse_accesses(struct yk_analysis *a);
/** Loops that wait for other work-groups. */
yk_status yk_analyse_waits(struct yk_analysis *a);
/** Inexact values and where they go. */
yk_status yk_analyse_numbers(struct yk_analysis *a);
/** Instruction counts. */
void yk_analyse_counts(struct yk_analysis *a);
/** From all of these: verdict and reason. */
void yk_analyse_verdict(struct yk_analysis *a);

/** Is CALL, an id or a size of work-groups, used only in what is the same whatever the local size is? (local_size.c) */
bool yk_local_size_cancels(LLVMValueRef call);

/** enum yk_access_kind of atomic instruction or call I, whose pointer is POINTER: YK_ACCESS_ATOMIC where it is none
 * that commutes with itself, or not known to be on integers of 4 or 8 bytes of known sign. */
unsigned yk_atomic_kind(LLVMValueRef i, LLVMValueRef pointer);
/** Do atomics of different kinds on argument ARG, all of which commute, stay at places of their own? */
bool yk_atomics_apart(struct yk_analysis *a, unsigned arg);
/** What each access touches, as expressions; after the verdict, for kernels that may be split. */
yk_status yk_analyse_touches(struct yk_analysis *a);
/** May a merge kernel be made of it? After the touches, for kernels whose writes may not be exact. */
yk_status yk_analyse_merge(struct yk_analysis *a);

#endif
