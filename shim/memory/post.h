/* Small copies from device to device that are begun together and waited for together: the rows of a halo that
 * neighbours need of each other. Each alone costs two waits for a device; so they cost two all together. Their slow
 * twin is one after the other (transfer.c). Who uses it: whoever brings what a launch needs. */
#ifndef YK_SHIM_MEMORY_POST_H
#define YK_SHIM_MEMORY_POST_H

#include "shim/memory/mailbox.h"
#include "shim/memory/store.h"

enum { YK_POST_MOST = 16 };

/* All zero but for INTO: empty. A thread's own. */
struct yk_post {
    struct yk_posted {
        struct yk_store *store; /* the caller keeps it */
        size_t off, len;
        unsigned at, from, to; /* location; devices */
        struct yk_letter letter;
    } v[YK_POST_MOST];
    unsigned n;
    cl_command_queue into[YK_MAX_DEVICES]; /* in order, of the receiver, what needs the bytes behind them; NULL: any */
    bool failed;                           /* what had been posted has not all arrived */
    uint32_t lost;                         /* at these devices; a bit each */
};

/**
 * Begin to copy [off, off+len) of S from device FROM to TO, where it is location AT; nothing is newest there before
 * yk_post_deliver. False: it cannot be begun, or not now. Thread: any; no lock held. Between a post and its delivery
 * the thread copies nothing between devices otherwise.
 */
bool yk_post_add(struct yk_post *p, struct yk_store *s, unsigned from, unsigned to, unsigned at, size_t off,
                 size_t len);

/** What a delivery takes however little it is, in ms: as they have taken lately, or what is usual. Cost: a load. */
double yk_post_ms(void);

/** Wait for what is under way, and record what has arrived. False: something has not, since P was empty first; it is
 * still missing, and can be brought one by one. */
bool yk_post_deliver(struct yk_post *p);

/** The same in two steps, between which the receivers may be given what needs the bytes: by the queues INTO. After the
 * first the senders may overwrite what they sent. */
bool yk_post_send(struct yk_post *p);
bool yk_post_receive(struct yk_post *p);

#endif
