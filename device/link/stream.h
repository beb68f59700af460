/* Copying past the caches. A copy that nobody reads soon would first read what it overwrites, and push out the ring,
 * which better stays in the last cache. Who uses it: ring.c, for bytes that leave the ring. */
#ifndef YK_DEVICE_LINK_STREAM_H
#define YK_DEVICE_LINK_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <emmintrin.h>

/** As memcpy. Any alignment. What it wrote is visible to whoever a lock then lets look. */
static inline void yk_copy_streaming(void *to, const void *from, size_t n)
{
    unsigned char *o = to;
    const unsigned char *i = from;
    size_t head = (size_t)(-(uintptr_t)o & 15);
    head = head < n ? head : n;
    memcpy(o, i, head);
    for (o += head, i += head, n -= head; n >= 64; n -= 64, o += 64, i += 64) {
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
#else
static inline void yk_copy_streaming(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}
#endif

#endif
