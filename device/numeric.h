/* Numeric classes: which devices compute the same bits from the same kernel. Devices of one class may share a kernel
 * with inexact operations under `--numerics strict`. Who asks: the shim's planner, the cli. A class is never assumed:
 * devices with the same driver, instruction set and floating-point configuration (their key) are candidates, and those
 * candidates that also give the same results in a probe are one class. The probe is a program of many inexact
 * operations, run once per candidate and driver version; its result is kept on disk (yoke's cache folder, "numeric"),
 * checked when it is read.
 *
 * Until it is probed, and where its probe fails, a device is a class of its own: slower, never wrong. */
#ifndef YK_DEVICE_NUMERIC_H
#define YK_DEVICE_NUMERIC_H

#include "device/device.h"

/**
 * Find the classes of all usable devices of M and set their numeric_class; 0, 1, ... in the order of the devices. The
 * only field of a machine that changes after discovery: read it with yk_numeric_class. Devices without a candidate are
 * not probed. Thread: any, holding no lock; a second caller waits for the first. Meant for a background thread. Errors:
 * YK_EDEVICE (a probe failed; logged; the rest is valid). Cost: nothing once done; without a cached result per
 * candidate a context, a build and a launch (PoCL 1 s, a GPU 0.3 s).
 */
yk_status yk_numeric_probe(const struct yk_machine *m);

/** The same as yk_numeric_probe if every result it needs is on disk; false, and nothing has changed, if a probe would
 * have to run. Thread: any, holding no lock. */
bool yk_numeric_recall(const struct yk_machine *m);

/** The class of D now: equal numbers compute equal bits. Thread: any. Cost: a load. */
unsigned yk_numeric_class(const struct yk_device *d);

/** What makes D a candidate: platform and version, driver, instruction set, floating-point configurations, vector
 * widths. Thread: any; asks the driver. */
struct yk_hash yk_numeric_key(const struct yk_device *d);

/** Run the probe on D now, without cache: *RESULT is a hash of all result bytes.
 * Errors: YK_EBUILD, YK_EDEVICE, YK_ENOMEM; logged. Thread: any, holding no lock. */
yk_status yk_numeric_run(const struct yk_device *d, struct yk_hash *result);

/** The cached result under KEY. False: none, or a bad record, which is removed. Never fails otherwise. */
bool yk_numeric_cache_get(struct yk_hash key, struct yk_hash *result);
void yk_numeric_cache_put(struct yk_hash key, struct yk_hash result);

#endif
