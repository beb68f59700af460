/* Threads that copy host memory. One thread moves 9-12 GB/s, a link of a GPU 55: several share the copying of one
 * transfer. Who uses it: ring.c, host_copy.c, prefault.c. They touch memory only and never call a driver. They are
 * started when first needed, sleep when idle, and are left alone at exit. */
#ifndef YK_DEVICE_LINK_COPIERS_H
#define YK_DEVICE_LINK_COPIERS_H

enum { YK_COPIERS_MOST = 32 }; /* threads of the process */

/* Work that any number of threads may join. */
struct yk_copy_job {
    void (*run)(struct yk_copy_job *job); /* returns when there is nothing left to copy; called on each helper */
    unsigned wanted, inside;              /* helpers still to join, and those within; under the copiers' lock */
    struct yk_copy_job *next;
};

/** Have N threads, if they can be had, before there is work. Thread: any; no lock held. */
void yk_copiers_ready(unsigned n);

/** Ask for up to N threads to join JOB, which the caller keeps until yk_copiers_leave. Where threads cannot be had
 * fewer join, perhaps none: the caller must be able to do all by itself. Thread: any; no lock held. */
void yk_copiers_join(struct yk_copy_job *job, unsigned n);

/** From now on nobody joins JOB; returns when those within have left. Thread: any; no lock held. */
void yk_copiers_leave(struct yk_copy_job *job);

#endif
