/* What a random sequence of calls works on: live objects of every kind by slots, gates that are not open yet, mappings,
 * and the numbers by which all is chosen. One thread alone uses it. objects.c makes and releases, calls.c has the
 * calls, entries.c the sequences. */
#ifndef YK_TESTS_FUZZ_ENTRIES_OBJECTS_H
#define YK_TESTS_FUZZ_ENTRIES_OBJECTS_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stdint.h>

enum { EACH = 8, BYTES = 8192 };
enum kind { CONTEXT, QUEUE, MEM, PROGRAM, KERNEL, EVENT, KINDS };

/* A slot per mapping. */
struct mapping {
    void *p; /* NULL: none */
    cl_mem mem;
    cl_event done; /* of the mapping, held: its queue may be released meanwhile */
};

extern const char *const source; /* of every program */
enum { NAMES = 12 };
extern const char *const names[NAMES]; /* of its kernels; the last two are not there */
extern cl_device_id device;
extern void *object[KINDS][EACH]; /* held by the slot; NULL: none */
extern struct mapping mapped[EACH];
extern unsigned char host[BYTES]; /* page-aligned */
extern long ok_calls;             /* commands that were taken */
/* One in-order queue and no buffer inside another, so that each launch has one right result, which YOKE_VERIFY can ask
 * for. Set before fill_slots. */
extern bool orderly;

/** Sequence NUMBER begins: its numbers follow from that. */
void seed(uint64_t number);
/** A number below N, which is not 0. */
uint32_t below(uint32_t n);
/** A size: mostly inside a buffer, else at an edge. */
size_t edge(void);

/** An offset and a size: mostly a part of M. */
void part_of(cl_mem m, size_t *offset, size_t *size);

/** A context with its program and queues, twice, and buffers. */
void fill_slots(void);
/** An object, mostly of KIND, NULL, or one of another kind. Borrowed. */
void *any(enum kind kind);
/** Put O, which the slot owns then, into some slot; who was there is released. NULL: nothing happens. */
void put(enum kind kind, void *o);
/** Release what is in all slots. Nothing waits any more. */
void empty_slots(void);

/** A user event from which commands wait until open_gates(); some slots may be full. */
void make_gate(void);
/** Before anything that waits: what it may wait for is set and handed to its device, as the specification asks of
 * programs. */
void open_gates(void);
/** All queues are done. */
void finish_all(void);

/** One random call each. */
void create(void);
void set_argument(void);
void launch(void);
void transfer(void);
void map(void);
void synchronise(void);
void query(void);
/** Of those that are rarer. */
void other(void);
/** A kernel, mostly with all its arguments given as it needs them. Borrowed; NULL: none. */
cl_kernel arranged(void);
/** Unmap what is mapped. */
void unmap_all(void);

#endif
