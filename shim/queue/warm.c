#include "shim/queue/warm.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/env.h"
#include "base/log.h"
#include "base/thread.h"
#include "device/warm/request.h"
#include "profiler/profile.h"
#include "shim/core/background.h"
#include "shim/core/helper.h"
#include "shim/queue/remember.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/use.h"

bool yk_warm_able(void)
{
    return yk_env_bool("YOKE_PROFILE", true) && yk_helper_able();
}

static void *start(void *arg)
{
    struct yk_warm_request *r = arg;
    char dir[PATH_MAX - 64], path[PATH_MAX];
    int file = -1;
    if (yk_helper_able() && yk_dir("cache", "warm", dir, sizeof dir) == YK_OK) {
        snprintf(path, sizeof path, "%s/XXXXXX", dir);
        file = mkostemp(path, O_CLOEXEC);
    }
    FILE *f = file >= 0 ? fdopen(file, "w") : NULL;
    if (f) {
        r->asker = (int)getpid();
        yk_status s = yk_warm_write(f, r);
        fclose(f);
        if (s != YK_OK || !yk_helper_start(path))
            unlink(path);
    }
    yk_warm_finish(r);
    free(r);
    yk_background_leave();
    return NULL;
}

/* The program that a kernel is split from: the app's own, or the partition-ready one. */
static const char *source_of(const struct yk_build *b, bool variant)
{
    return variant ? b->facts.variant_source : b->source;
}

/* The options that DEV's program is built with (see build.c). */
static char *options_for(const struct yk_build *b, unsigned dev, bool variant)
{
    return yk_warm_options(variant ? b->facts.variant_options : b->options, yk_rt.machine->device[dev].twin);
}

/* What that includes. */
static const char *files_of(const struct yk_build *b, bool variant)
{
    return variant || !b->files ? "" : b->files;
}

static bool is_kept(const struct yk_build *b, unsigned dev, bool variant)
{
    char path[PATH_MAX], name[YK_DATABASE_TEXT], *options = options_for(b, dev, variant);
    const char *source = source_of(b, variant);
    yk_profile_device_text(&yk_rt.machine->device[dev], name);
    bool kept = source && options && yk_warm_path(source, files_of(b, variant), options, name, path, sizeof path) &&
                access(path, F_OK) == 0;
    free(options);
    return kept;
}

bool yk_warm_kept_on(const struct yk_build *b, unsigned dev, bool variant)
{
    return (variant || dev != yk_rt.machine->primary) && is_kept(b, dev, variant);
}

bool yk_warm_kept(const struct yk_build *b)
{
    const struct yk_machine *m = yk_rt.machine;
    bool original = false, variant = false, some = false;
    for (unsigned i = 0; i < b->facts.nkernels; i++)
        if (b->facts.kernel[i].verdict != YK_VERDICT_WHOLE) {
            original |= !b->facts.kernel[i].needs_variant;
            variant |= b->facts.kernel[i].needs_variant;
        }
    /* Of the two one may never be asked for. The primary's variant is wanted where anybody's is. */
    for (unsigned i = 0; i < m->n; i++)
        if (i != m->primary && m->device[i].usable && m->device[i].type & CL_DEVICE_TYPE_CPU) {
            bool kept = (original && yk_warm_kept_on(b, i, false)) ||
                        (variant && yk_warm_kept_on(b, i, true) &&
                         (!(yk_rt.primary->type & CL_DEVICE_TYPE_CPU) || yk_warm_kept_on(b, m->primary, true)));
            if (!kept)
                return false;
            some = true;
        }
    return some;
}

bool yk_warm_wide_range(const struct yk_launch *l)
{
    uint64_t global[3] = {0};
    for (unsigned i = 0; i < l->dims; i++)
        global[i] = l->global[i];
    return yk_warm_wide(global);
}

/* Argument I of R, which is like V. False: there is none like it. */
static bool request_argument(struct yk_warm_request *r, unsigned i, const struct yk_value *v)
{
    struct yk_warm_sampled *s = &r->sampled[i];
    const struct yk_image *image = v->kind == YK_VALUE_MEM ? v->u.mem->image : NULL;
    r->size[i] = v->kind == YK_VALUE_MEM ? v->u.mem->size : v->size;
    if (image) {
        *s = (struct yk_warm_sampled){
            .word = {image->type, image->format.image_channel_order, image->format.image_channel_data_type},
            .extent = {image->extent[0], image->extent[1], image->extent[2]}};
    } else if (v->kind == YK_VALUE_SAMPLER) {
        const struct yk_sampling *how = &v->u.sampler.sampling;
        *s = (struct yk_warm_sampled){.word = {how->normalized, how->addressing, how->filter}};
    }
    r->kind[i] = image                         ? YK_WARM_IMAGE
                 : v->kind == YK_VALUE_SAMPLER ? YK_WARM_SAMPLER
                 : v->kind == YK_VALUE_LOCAL   ? YK_WARM_LOCAL
                 : v->kind == YK_VALUE_BYTES   ? YK_WARM_VALUE
                                               : YK_WARM_BUFFER;
    return r->kind[i] != YK_WARM_BUFFER || (v->kind == YK_VALUE_MEM && v->u.mem->store);
}

/* R is to be given up if its texts are not there. */
static struct yk_warm_request *checked(struct yk_warm_request *r, bool ok)
{
    if (ok && r->source && r->options && r->files && r->kernel)
        return r;
    yk_warm_finish(r);
    free(r);
    return NULL;
}

/* Of L for DEV: its shape, arguments and name. *OK: it can be asked. */
static struct yk_warm_request *shaped(const struct yk_launch *l, unsigned dev, const size_t *local, bool *ok)
{
    struct yk_warm_request *r = l->nvalues <= YK_WARM_ARGS ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    *r = (struct yk_warm_request){.device = dev, .dims = l->dims, .nargs = l->nvalues};
    for (unsigned i = 0; i < 3; i++) {
        r->local[i] = local[i];
        r->global[i] = i < l->dims ? l->global[i] : 1;
    }
    for (unsigned i = 0; i < l->nvalues; i++)
        *ok &= request_argument(r, i, &l->value[i]);
    r->kernel = strdup(l->code->name);
    return r;
}

static struct yk_warm_request *request(const struct yk_launch *l, unsigned dev, const size_t *local)
{
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    bool variant = f && f->needs_variant, ok = f != NULL;
    struct yk_warm_request *r = shaped(l, dev, local, &ok);
    if (!r)
        return NULL;
    for (unsigned i = 0; variant && i < f->nhidden && r->nargs < YK_WARM_ARGS; i++) {
        r->kind[r->nargs] = YK_WARM_NUMBER;
        r->size[r->nargs++] = yk_warm_hidden(&f->hidden[i], r->local, r->global);
    }
    const char *source = source_of(l->code->build, variant);
    r->source = source ? strdup(source) : NULL;
    r->options = options_for(l->code->build, dev, variant);
    r->files = strdup(files_of(l->code->build, variant));
    return checked(r, ok);
}

/* Of a launch of which nothing is known yet but what the app has said. */
static struct yk_warm_request *request_unread(const struct yk_launch *l)
{
    size_t local[3];
    bool ok = true;
    for (unsigned i = 0; i < 3; i++)
        local[i] = !l->has_local ? 0 : i < l->dims ? l->local[i] : 1;
    struct yk_warm_request *r = shaped(l, YK_WARM_ALL, local, &ok);
    if (!r)
        return NULL;
    r->source = strdup(l->code->build->source);
    r->options = strdup(l->code->build->options);
    r->files = strdup("");
    return checked(r, ok);
}

/* R is taken over. */
static void hand_over(struct yk_warm_request *r)
{
    if (!r)
        return;
    if (!yk_background_enter()) {
        yk_warm_finish(r);
        free(r);
        return;
    }
    if (yk_thread_start(start, r)) {
        yk_background_leave();
        yk_warm_finish(r);
        free(r);
    }
}

void yk_warm_ask(const struct yk_launch *l, unsigned dev, const size_t *local)
{
    struct yk_code_local *of = yk_code_local(l->code, local);
    if (!of || __atomic_exchange_n(&of->asked[dev][yk_warm_wide_range(l)], true, __ATOMIC_RELAXED) ||
        !yk_env_bool("YOKE_PROFILE", true))
        return;
    struct yk_warm_request *r = request(l, dev, local);
    hand_over(r);
}

void yk_warm_foresee(const struct yk_launch *l)
{
    struct yk_build *b = l->code->build;
    bool may = b->source && yk_use_kept(b) && !yk_build_insisted() && yk_env_bool("YOKE_PROFILE", true);
    struct yk_warm_request *r = NULL;
    if (may && !__atomic_exchange_n(&l->code->foreseen, true, __ATOMIC_RELAXED) && !yk_launch_is_one_group(l))
        r = request_unread(l);
    if (r) {
        __atomic_store_n(&b->warm_asked, true, __ATOMIC_RELAXED);
        hand_over(r);
    } else {
        yk_warm_analyse(b);
    }
}

void yk_warm_analyse(struct yk_build *b)
{
    if (!b->source || __atomic_exchange_n(&b->warm_asked, true, __ATOMIC_RELAXED) || !yk_env_bool("YOKE_PROFILE", true))
        return;
    struct yk_warm_request *r = calloc(1, sizeof *r);
    if (!r)
        return;
    *r = (struct yk_warm_request){.dims = 1,
                                  .source = strdup(b->source),
                                  .options = strdup(b->options),
                                  .files = strdup(""),
                                  .kernel = strdup("")};
    if (r->source && r->options && r->files && r->kernel) {
        hand_over(r);
    } else {
        yk_warm_finish(r);
        free(r);
    }
}

bool yk_warm_done(const struct yk_launch *l, unsigned dev, const size_t *local)
{
    struct yk_code *code = l->code;
    struct yk_code_local *of = yk_code_local(code, local);
    bool in_wide = yk_warm_wide_range(l);
    const uint64_t again_ns = 5000000;
    if (!of)
        return false;
    uint64_t looked = __atomic_load_n(&of->looked[dev][in_wide], __ATOMIC_ACQUIRE), now = yk_now_ns();
    if (__atomic_load_n(&of->done[dev][in_wide], __ATOMIC_RELAXED))
        return true;
    if (looked && now - looked < again_ns)
        return false;
    const struct yk_facts_kernel *f = yk_code_facts(code);
    bool variant = f && f->needs_variant;
    const char *source = source_of(code->build, variant);
    char path[PATH_MAX], name[YK_DATABASE_TEXT], *options = options_for(code->build, dev, variant);
    uint64_t size[3] = {local[0], local[1], local[2]};
    yk_profile_device_text(&yk_rt.machine->device[dev], name);
    bool done = options && source &&
                yk_warm_mark(source, files_of(code->build, variant), options, name, code->name, size, in_wide, path,
                             sizeof path) &&
                access(path, F_OK) == 0;
    free(options);
    __atomic_store_n(&of->done[dev][in_wide], done, __ATOMIC_RELAXED);
    __atomic_store_n(&of->looked[dev][in_wide], now, __ATOMIC_RELEASE);
    return done;
}

cl_program yk_warm_program(cl_context ctx, unsigned dev, const char *source, const char *files, const char *options)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    char path[PATH_MAX], name[YK_DATABASE_TEXT];
    unsigned char *binary;
    size_t n;
    cl_int err, status;
    yk_profile_device_text(d, name);
    if (!yk_warm_path(source, files, options, name, path, sizeof path) || !yk_warm_get(path, &binary, &n))
        return NULL;
    const unsigned char *bytes = binary;
    const bool again = yk_warm_from_source(binary, n);
    cl_program p = again ? d->cl->CreateProgramWithSource(ctx, 1, &source, NULL, &err)
                         : d->cl->CreateProgramWithBinary(ctx, 1, &d->id, &n, &bytes, &status, &err);
    free(binary);
    if (p && d->cl->BuildProgram(p, 1, &d->id, again ? options : NULL, NULL, NULL) == CL_SUCCESS)
        return p;
    if (p)
        d->cl->ReleaseProgram(p);
    yk_info("device %u (%s) does not take the binary that was kept; it is removed", dev, d->name);
    unlink(path);
    return NULL;
}

void yk_warm_prepare(const struct yk_launch *l, const size_t *local)
{
    const struct yk_machine *m = yk_rt.machine;
    struct yk_build *build = l->code->build;
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    bool missing = false, ready = true;
    if (yk_build_insisted() || !build->kept_only || !f || !(yk_remember_alone(l) > yk_warm_from_ms) ||
        !yk_use_kept(build))
        return;
    for (unsigned i = 0; i < m->n; i++) {
        if (!m->device[i].usable || !(m->device[i].type & CL_DEVICE_TYPE_CPU))
            continue;
        if (i == m->primary && !yk_warm_done(l, i, local))
            yk_warm_ask(l, i, local); /* its shares may be compiled apart from what it runs whole */
        if (yk_build_has(build, i, f->needs_variant))
            continue;
        missing = true;
        if (!yk_warm_done(l, i, local)) {
            ready = false;
            yk_warm_ask(l, i, local);
        }
    }
    if (missing && ready && yk_remember_worth(build)) /* a shorter one is over by then, and has the processors shared */
        yk_build_load(build);
}
