#include "device/link/stream.h"
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

int yk_copy_streams_wide(void)
{
    return __builtin_cpu_supports("avx512f") > 0;
}

/* Up to where *TO is aligned to LINE. Returns how many bytes are left. */
static size_t align(unsigned char **to, const unsigned char **from, size_t n, size_t line)
{
    size_t head = (size_t)(-(uintptr_t)*to & (line - 1));
    head = head < n ? head : n;
    memcpy(*to, *from, head);
    *to += head;
    *from += head;
    return n - head;
}

void yk_copy_streaming_narrow(void *to, const void *from, size_t n)
{
    unsigned char *o = to;
    const unsigned char *i = from;
    for (n = align(&o, &i, n, 16); n >= 64; n -= 64, o += 64, i += 64) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)i);
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(i + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(i + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(i + 48));
        _mm_stream_si128((__m128i *)(void *)o, a);
        _mm_stream_si128((__m128i *)(void *)(o + 16), b);
        _mm_stream_si128((__m128i *)(void *)(o + 32), c);
        _mm_stream_si128((__m128i *)(void *)(o + 48), d);
    }
    memcpy(o, i, n);
    _mm_sfence();
}

__attribute__((target("avx512f"))) void yk_copy_streaming_wide(void *to, const void *from, size_t n)
{
    unsigned char *o = to;
    const unsigned char *i = from;
    for (n = align(&o, &i, n, 64); n >= 256; n -= 256, o += 256, i += 256) {
        __m512i a = _mm512_loadu_si512(i);
        __m512i b = _mm512_loadu_si512(i + 64);
        __m512i c = _mm512_loadu_si512(i + 128);
        __m512i d = _mm512_loadu_si512(i + 192);
        _mm512_stream_si512((void *)o, a);
        _mm512_stream_si512((void *)(o + 64), b);
        _mm512_stream_si512((void *)(o + 128), c);
        _mm512_stream_si512((void *)(o + 192), d);
    }
    memcpy(o, i, n);
    _mm_sfence();
}

void yk_copy_streaming(void *to, const void *from, size_t n)
{
    if (yk_copy_streams_wide())
        yk_copy_streaming_wide(to, from, n);
    else
        yk_copy_streaming_narrow(to, from, n);
}
#else
int yk_copy_streams_wide(void)
{
    return 0;
}

void yk_copy_streaming_narrow(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}

void yk_copy_streaming_wide(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}

void yk_copy_streaming(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}
#endif
