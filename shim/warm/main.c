/* yoke-warm REQUEST: a program of its own, started by libyoke.so and left to itself, so that no app waits for a
 * compiler twice. It builds the program for the device, keeps its binary, loads that again and launches its kernel on
 * zeros in the forms in which shares will be launched: the driver's compilation at the first launch is then in the
 * driver's own cache. What the kernel does on zeros does not matter: it happens in this process, which has limits and
 * ends. yoke-warm --mailboxes tries, as safely, which devices may copy through memory of one another, and yoke-warm
 * --devices asks drivers that no process has asked yet. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/env.h"
#include "device/device.h"
#include "device/image_desc.h"
#include "device/link/mailbox_mode.h"
#include "device/link/mailbox_trial.h"
#include "device/numeric.h"
#include "device/warm/request.h"
#include "profiler/profile.h"
#include "shim/core/helper.h"
#include "shim/queue/targets.h"
#include "shim/queue/warm_form.h"
#include "shim/warm/load.h"
#include "shim/warm/room.h"
#include "shim/warm/turn.h"

enum { LIMIT_S = 30, MOST_BUFFER = 64 << 20, PATIENCE_MS = 1000, ROOM_MS = 10000, LOOK_MS = 10 };

/* Short programs are left alone: what is compiled would come too late for them, and a compiler on the other half of a
 * core that computes takes up to half of its speed. Those that go on for long may still gain by it. */
static void let_finish(int asker)
{
    for (int ms = 0; asker > 0 && ms < PATIENCE_MS && !(kill(asker, 0) && errno == ESRCH); ms += LOOK_MS)
        nanosleep(&(struct timespec){0, LOOK_MS * 1000000L}, NULL);
}

static cl_mem zero_buffer(const struct yk_device *d, cl_context ctx, uint64_t size)
{
    cl_int err;
    size_t n = size < MOST_BUFFER ? (size_t)size : MOST_BUFFER;
    void *bytes = calloc(1, n ? n : 1);
    cl_mem m = bytes ? d->cl->CreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, n ? n : 1, bytes, &err) : NULL;
    free(bytes);
    return m;
}

/* As large as that of the launch, as far as that is no more than a buffer may be. */
static cl_mem zero_image(const struct yk_device *d, cl_context ctx, const struct yk_warm_sampled *s)
{
    const cl_image_format format = {(cl_channel_order)s->word[1], (cl_channel_type)s->word[2]};
    const size_t texel = 16; /* bytes, at most */
    size_t extent[3], n = texel;
    for (unsigned k = 0; k < 3; k++) {
        size_t most = MOST_BUFFER / n;
        extent[k] = s->extent[k] < most ? (size_t)s->extent[k] : most;
        extent[k] += !extent[k];
        n *= extent[k];
    }
    cl_image_desc desc = yk_image_desc((cl_mem_object_type)s->word[0], extent);
    cl_int err;
    void *bytes = d->images && d->version >= 120 ? calloc(1, n) : NULL;
    cl_mem m = bytes ? d->cl->CreateImage(ctx, CL_MEM_COPY_HOST_PTR, &format, &desc, bytes, &err) : NULL;
    free(bytes);
    return m;
}

static bool set_args(const struct yk_device *d, cl_context ctx, cl_kernel k, const struct yk_warm_request *r)
{
    static const unsigned char zeros[4096];
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < r->nargs && err == CL_SUCCESS; i++) {
        const uint64_t *word = r->sampled[i].word;
        if (r->kind[i] == YK_WARM_LOCAL) {
            err = d->cl->SetKernelArg(k, i, r->size[i], NULL);
        } else if (r->kind[i] == YK_WARM_VALUE) {
            err = r->size[i] <= sizeof zeros ? d->cl->SetKernelArg(k, i, r->size[i], zeros) : CL_INVALID_ARG_SIZE;
        } else if (r->kind[i] == YK_WARM_NUMBER) {
            const cl_ulong number = r->size[i];
            err = d->cl->SetKernelArg(k, i, sizeof number, &number);
        } else if (r->kind[i] == YK_WARM_SAMPLER) {
            cl_sampler s =
                d->cl->CreateSampler(ctx, (cl_bool)word[0], (cl_addressing_mode)word[1], (cl_filter_mode)word[2], &err);
            err = s ? d->cl->SetKernelArg(k, i, sizeof s, &s) : CL_OUT_OF_RESOURCES;
        } else {
            cl_mem m =
                r->kind[i] == YK_WARM_IMAGE ? zero_image(d, ctx, &r->sampled[i]) : zero_buffer(d, ctx, r->size[i]);
            err = m ? d->cl->SetKernelArg(k, i, sizeof m, &m) : CL_OUT_OF_RESOURCES;
        }
    }
    return err == CL_SUCCESS;
}

/* What a driver compiles for, apart: a global offset of zero or not, a range that is wide or not (PoCL). The range G of
 * a launch as small as that allows, within that of R. False: R has no such launches. */
static bool choose_range(const struct yk_warm_request *r, bool zero, bool wide, size_t *offset, size_t *g)
{
    unsigned most = 0, widest = 0;
    for (unsigned i = 0; i < 3; i++) {
        offset[i] = 0;
        g[i] = (size_t)r->local[i];
        if (!r->local[i] || !r->global[i])
            return false;
        most = r->global[i] / r->local[i] > r->global[most] / r->local[most] ? i : most;
        widest = r->global[i] > r->global[widest] ? i : widest;
    }
    if (!zero)
        offset[most] = (size_t)r->local[most];
    while (wide && !yk_warm_wide((const uint64_t[3]){g[0], g[1], g[2]}))
        g[widest] += (size_t)r->local[widest];
    return offset[most] + g[most] <= r->global[most] && offset[widest] + g[widest] <= r->global[widest];
}

static bool launch(const struct yk_device *d, cl_context ctx, cl_program p, const struct yk_warm_request *r)
{
    cl_int err;
    cl_kernel k = d->cl->CreateKernel(p, r->kernel, &err);
    cl_command_queue q = k ? d->cl->CreateCommandQueue(ctx, d->id, 0, &err) : NULL;
    if (!q || !set_args(d, ctx, k, r))
        return false;
    size_t local[3], global[3], offset[3];
    for (unsigned i = 0; i < 3; i++)
        local[i] = (size_t)r->local[i];
    /* Shares lie in the order of the devices: only that of the first begins at zero. */
    for (int zero = 0; zero < (d->index == 0 ? 2 : 1); zero++)
        for (int wide = 0; wide < 2; wide++)
            if (choose_range(r, zero, wide, offset, global) &&
                (d->cl->EnqueueNDRangeKernel(q, k, r->dims, offset, global, local, 0, NULL, NULL) != CL_SUCCESS ||
                 d->cl->Finish(q) != CL_SUCCESS))
                return false;
    return true;
}

/* The facts stay in the transformer's cache, where libyoke.so looks first. */
static bool analyse(const struct yk_machine *m, const struct yk_warm_request *r, struct yk_facts *facts)
{
    struct yk_transform_target targets[YK_MAX_DEVICES];
    struct yk_arena arena = {0};
    char self[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    yk_targets(m, &arena, targets);
    struct yk_transform_request request = {.source = r->source,
                                           .size = strlen(r->source),
                                           .options = r->options,
                                           .target = targets,
                                           .ntargets = m->n,
                                           .library_dir = self};
    return yk_transform_run(&request, facts) == YK_OK;
}

static void set_limits(void)
{
    struct rlimit limit = {LIMIT_S, LIMIT_S};
    setrlimit(RLIMIT_CPU, &limit);
    setpriority(PRIO_PROCESS, 0, 19);
    alarm(4 * LIMIT_S);
}

/* Until it is our turn to work for ASKER. The time that others and the programs at work take is none of ours. */
static void await_turn(int asker)
{
    let_finish(asker);
    yk_turn_take();
    yk_room_wait(asker, ROOM_MS);
    alarm(4 * LIMIT_S);
}

/* What has no request: limited, when ASKER has finished and it is our turn. Ends us where too many wait. */
static void begin(int asker)
{
    set_limits();
    if (!yk_turn_place())
        _exit(1);
    await_turn(asker);
}

/* Which devices reach one another's memory: a driver may crash over that. */
static int try_mailboxes(int asker)
{
    yk_status s;
    begin(asker);
    const struct yk_machine *m = yk_machine_get(&s);
    const struct yk_mailbox_mode mode = m ? yk_mailbox_mode(m) : (struct yk_mailbox_mode){0};
    if (mode.maker)
        (void)yk_mailbox_try_all(mode.maker, m, mode.bytes);
    _exit(!m);
}

/* What CPU devices there are beside a GPU is kept where they are found out. */
static int find_devices(int asker)
{
    yk_status s;
    begin(asker);
    yk_machine_let_sleep(YK_SLEEP_KEPT);
    _exit(!yk_machine_get(&s));
}

/* The process that ARGUMENT names if that is OPTION=PROCESS, 0 if it is OPTION; -1: neither. */
static int asker_of(const char *argument, const char *option)
{
    const size_t n = strlen(option);
    if (strncmp(argument, option, n))
        return -1;
    return argument[n] == '=' ? atoi(argument + n + 1) : 0;
}

/* May what MARK stands for be tried once more? A kernel that never ends on zeros takes all the time that there is, and
 * each process of its program would have it tried again. ATTEMPTS: where they are counted. */
static bool try_again(const char *mark, char *attempts, size_t n)
{
    enum { MOST_ATTEMPTS = 3 };
    struct stat s;
    if (snprintf(attempts, n, "%s.attempts", mark) >= (int)n)
        return false;
    int f = open(attempts, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (f < 0)
        return true;
    bool may = !fstat(f, &s) && s.st_size < MOST_ATTEMPTS && write(f, "+", 1) == 1;
    close(f);
    return may;
}

/* Build and compile for R's device, and keep it, unless another process of the program has asked for the same. */
static bool compile(const struct yk_machine *m, const struct yk_warm_request *r)
{
    cl_int err;
    const struct yk_device *d = &m->device[r->device];
    char path[PATH_MAX], mark[PATH_MAX], attempts[PATH_MAX + 16], name[YK_DATABASE_TEXT];
    yk_profile_device_text(d, name);
    if (!yk_warm_path(r->source, r->files, r->options, name, path, sizeof path) ||
        !yk_warm_mark(r->source, r->files, r->options, name, r->kernel, r->local, yk_warm_wide(r->global), mark,
                      sizeof mark) ||
        !yk_warm_fresh(r->files))
        return false;
    if (access(path, F_OK) == 0 && access(mark, F_OK) == 0)
        return true;
    cl_context ctx =
        try_again(mark, attempts, sizeof attempts) ? d->cl->CreateContext(NULL, 1, &d->id, NULL, NULL, &err) : NULL;
    if (!ctx)
        return false;
    unsigned char *new = NULL;
    size_t size = 0;
    cl_program p = yk_load(d, ctx, r, path, &new, &size);
    /* Nobody finds the binary before its kernel is compiled: PoCL 3.1 does not bear two processes that compile one
     * program at a time. Running on zeros may end us. */
    if (!p || !yk_warm_fresh(r->files) || !launch(d, ctx, p, r) || (new &&yk_warm_put(path, new, size) != YK_OK))
        return false;
    unlink(attempts);
    return yk_warm_put(mark, (const unsigned char *)"compiled", 8) == YK_OK;
}

/* The local size that shares of R's launch will have. False: they cannot be. */
static bool shape(const struct yk_machine *m, const struct yk_facts_kernel *k, struct yk_warm_request *r)
{
    size_t most = SIZE_MAX, local[3];
    for (unsigned i = 0; i < m->n; i++)
        if (m->device[i].usable && m->device[i].max_group < most)
            most = m->device[i].max_group;
    if (!r->local[0] && k->local_size_matters)
        return false;
    if (!r->local[0]) {
        yk_warm_local(k, (size_t)r->global[0], most, local);
        for (unsigned i = 0; i < 3; i++)
            r->local[i] = local[i];
    }
    for (unsigned i = 0; i < 3; i++)
        if (!r->local[i] || r->global[i] % r->local[i])
            return false;
    return true;
}

/* R's kernel K for the I-th device: what R says, but as FACTS say. False: it takes no share. */
static bool compile_for(const struct yk_machine *m, unsigned i, const struct yk_facts *facts,
                        const struct yk_facts_kernel *k, const struct yk_warm_request *r)
{
    const struct yk_device *d = &m->device[i];
    struct yk_warm_request one = *r;
    if (!d->usable || !(d->type & CL_DEVICE_TYPE_CPU) ||
        facts->target_text[yk_targets_index(m, i)] != facts->target_text[0] ||
        (k->needs_variant && (!facts->variant_source || one.nargs + k->nhidden > YK_WARM_ARGS)))
        return false;
    one.device = i;
    if (k->needs_variant) {
        one.source = strdup(facts->variant_source);
        one.files = strdup("");
        for (unsigned h = 0; h < k->nhidden; h++) {
            one.kind[one.nargs] = YK_WARM_NUMBER;
            one.size[one.nargs++] = yk_warm_hidden(&k->hidden[h], r->local, r->global);
        }
    } else {
        one.files = facts->nfiles ? yk_warm_files(facts) : strdup("");
    }
    one.options = yk_warm_options(k->needs_variant ? facts->variant_options : r->options, d->twin);
    return one.source && one.files && one.options && compile(m, &one);
}

/* Nothing is known of R's program: all that a later process will want, in one go. */
static bool foresee(const struct yk_machine *m, struct yk_warm_request *r)
{
    struct yk_facts facts;
    bool ok = analyse(m, r, &facts);
    const struct yk_facts_kernel *k = NULL;
    for (unsigned i = 0; ok && !facts.refused && r->kernel[0] && i < facts.nkernels; i++)
        if (!strcmp(facts.kernel[i].name, r->kernel) && facts.kernel[i].verdict != YK_VERDICT_WHOLE)
            k = &facts.kernel[i];
    bool compiles = k && k->nargs == r->nargs && shape(m, k, r);
    for (unsigned i = 0; compiles && i < m->n; i++)
        (void)compile_for(m, i, &facts, k, r);
    if (!ok || facts.refused || !yk_facts_inexact(&facts))
        return ok;
    /* Wanted before a second device may take part, and seconds of compiling (PoCL): what waits may not want it. */
    yk_turn_let_others_first();
    return yk_numeric_probe(m) == YK_OK;
}

int main(int argc, char **argv)
{
    struct yk_warm_request r;
    yk_status s;
    if (argc == 2 && asker_of(argv[1], YK_MAILBOX_TRY) >= 0)
        return try_mailboxes(asker_of(argv[1], YK_MAILBOX_TRY));
    if (argc == 2 && asker_of(argv[1], YK_HELPER_DEVICES) >= 0)
        return find_devices(asker_of(argv[1], YK_HELPER_DEVICES));
    FILE *f = argc == 2 ? fopen(argv[1], "re") : NULL;
    if (!f)
        return 2;
    unlink(argv[1]);
    set_limits();
    if (!yk_turn_place() || yk_warm_read(f, &r) != YK_OK)
        return 1;
    await_turn(r.asker);
    const struct yk_machine *m = yk_machine_get(&s);
    if (!m || (r.device >= m->n && r.device != YK_WARM_ALL))
        return 1;
    bool ok = r.device == YK_WARM_ALL || !r.kernel[0] ? foresee(m, &r) : compile(m, &r);
    fflush(NULL);
    _exit(!ok); /* drivers crash in destructors after what they may just have run */
}
