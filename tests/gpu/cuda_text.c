/* The CUDA text of the kernels compiles for every architecture from sm_75 to sm_90, by the run-time compiler that
 * kernels/gpu uses; no device is needed. Status 77: there is no libnvrtc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device/cuda/cuda.h"
#include "kernels/gpu/backend.h"

static const char *const shapes[] = {
    "-DREAL=double -DDOUBLE=1 -DLOG=0 -DNATIVE=0 -DTEXTURE=0 -DUNROLL=2 -DNIN=2 -DRA=5 -DRB=4 -DON_A=1u -DON_B=2u "
    "-DCACHED=3u",
    "-DREAL=float -DDOUBLE=0 -DLOG=0 -DNATIVE=0 -DTEXTURE=0 -DUNROLL=2 -DNIN=3 -DRA=9 -DRB=6 -DON_A=5u -DON_B=6u "
    "-DCACHED=7u -DAHEAD=1",
    "-DREAL=float -DDOUBLE=0 -DLOG=0 -DNATIVE=0 -DTEXTURE=1 -DUNROLL=4 -DNIN=3 -DRA=8 -DRB=8 -DON_A=3u -DON_B=6u "
    "-DCACHED=0u",
    "-DREAL=float -DDOUBLE=0 -DLOG=1 -DNATIVE=1 -DTEXTURE=0 -DUNROLL=1 -DNIN=4 -DRA=2 -DRB=1 -DON_A=9u -DON_B=0u "
    "-DCACHED=15u",
    "-DREAL=double -DDOUBLE=1 -DLOG=1 -DNATIVE=0 -DTEXTURE=0 -DUNROLL=2 -DNIN=1 -DRA=1 -DRB=1 -DON_A=0u -DON_B=0u "
    "-DCACHED=1u",
};
static const char *const plain = "-DREAL=float -DDOUBLE=0 -DNATIVE=0 -DTEXTURE=0";

static int compile(const struct yk_nvrtc *n, const char *text, const char *options, const char *arch)
{
    char all[800], copy[800], full[40], *rest = copy, *w;
    const char *word[48];
    int words = 0, result;
    void *program = NULL;
    size_t bytes = 0;
    snprintf(full, sizeof full, "--gpu-architecture=%s", arch);
    snprintf(copy, sizeof copy, "%s", options);
    word[words++] = full;
    word[words++] = "--std=c++14";
    word[words++] = "-DMETA_INTS=100";
    while ((w = strsep(&rest, " ")))
        word[words++] = w;
    snprintf(all, sizeof all, "%s %s", arch, options);
    if (n->create(&program, text, "sumproduct.cu", 0, NULL, NULL) != 0)
        return 1;
    result = n->compile(program, words, word);
    if (result != 0) {
        char *log = n->log_size(program, &bytes) == 0 ? calloc(1, bytes + 1) : NULL;
        if (log)
            n->log(program, log);
        printf("%s: %s\n", all, log ? log : "");
        free(log);
    } else if (n->cubin_size(program, &bytes) != 0 || bytes < 1000) {
        printf("%s: no machine code\n", all);
        result = 1;
    }
    n->destroy(&program);
    return result != 0;
}

int main(void)
{
    static const char *const arch[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"};
    const char *why;
    const struct yk_nvrtc *n = yk_nvrtc_get(&why);
    if (!n) {
        printf("skipped: %s\n", why);
        return 77;
    }
    size_t size = strlen(yk_gpu_head_cuda) + strlen(yk_gpu_text_sumproduct) + strlen(yk_gpu_text_plain) + 2;
    char *text = malloc(size);
    int failed = text == NULL;
    for (size_t a = 0; text && a < sizeof arch / sizeof *arch; a++) {
        snprintf(text, size, "%s\n%s", yk_gpu_head_cuda, yk_gpu_text_sumproduct);
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            failed += compile(n, text, shapes[s], arch[a]);
        snprintf(text, size, "%s\n%s", yk_gpu_head_cuda, yk_gpu_text_plain);
        failed += compile(n, text, plain, arch[a]);
    }
    free(text);
    printf("%d of %zu programs do not compile\n", failed,
           sizeof arch / sizeof *arch * (sizeof shapes / sizeof *shapes + 1));
    return failed != 0;
}
