/* Partial results of atomics: however the operations are dealt out to devices, combined they leave what one device
 * would.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "shim/merge/reduce.h"
#include "tests/unit/main.h"
#include "transform/facts_symbols.h"

static uint64_t once(unsigned kind, unsigned size, uint64_t a, uint64_t b)
{
    int64_t sa = size == 8 ? (int64_t)a : (int32_t)a, sb = size == 8 ? (int64_t)b : (int32_t)b;
    uint64_t mask = size == 8 ? UINT64_MAX : UINT32_MAX;
    switch (kind) {
    case YK_ACCESS_ADD:
        return (a + b) & mask;
    case YK_ACCESS_AND:
        return a & b;
    case YK_ACCESS_OR:
        return a | b;
    case YK_ACCESS_XOR:
        return a ^ b;
    case YK_ACCESS_SMIN:
        return sb < sa ? b : a;
    case YK_ACCESS_SMAX:
        return sb > sa ? b : a;
    case YK_ACCESS_UMIN:
        return b < a ? b : a;
    default:
        return b > a ? b : a;
    }
}

static uint64_t any(void)
{
    static const uint64_t edges[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, INT32_MAX, 0x80000000u};
    uint64_t x = ((uint64_t)rand() << 33) ^ ((uint64_t)rand() << 11) ^ (uint64_t)rand();
    return rand() % 3 ? x : edges[rand() % 7];
}

START_TEST(devices_together_leave_what_one_would)
{
    enum { NUMBERS = 13, DEVICES = 4, OPS = 200 };
    srand(7);
    for (unsigned kind = YK_ACCESS_ADD; kind < YK_ACCESS_KIND_COUNT; kind++)
        for (unsigned size = 4; size <= 8; size += 4)
            for (unsigned round = 0; round < 50; round++) {
                uint64_t mask = size == 8 ? UINT64_MAX : UINT32_MAX, want[NUMBERS], have[DEVICES][NUMBERS];
                unsigned char bytes[DEVICES][NUMBERS * 8 + 1];
                for (unsigned d = 1; d < DEVICES; d++)
                    yk_reduce_neutral(kind, size, bytes[d] + 1, NUMBERS);
                for (unsigned i = 0; i < NUMBERS; i++) {
                    want[i] = have[0][i] = any() & mask;
                    for (unsigned d = 1; d < DEVICES; d++) {
                        have[d][i] = 0;
                        memcpy(&have[d][i], bytes[d] + 1 + i * size, size);
                        ck_assert(once(kind, size, want[i], have[d][i]) == want[i]);
                    }
                }
                for (unsigned op = 0; op < OPS; op++) {
                    unsigned i = (unsigned)rand() % NUMBERS, d = (unsigned)rand() % DEVICES;
                    uint64_t x = any() & mask;
                    want[i] = once(kind, size, want[i], x);
                    have[d][i] = once(kind, size, have[d][i], x);
                }
                for (unsigned d = 0; d < DEVICES; d++)
                    for (unsigned i = 0; i < NUMBERS; i++)
                        memcpy(bytes[d] + 1 + i * size, &have[d][i], size);
                for (unsigned d = 1; d < DEVICES; d++)
                    yk_reduce(kind, size, bytes[0] + 1, bytes[d] + 1, NUMBERS);
                for (unsigned i = 0; i < NUMBERS; i++)
                    ck_assert_msg(!memcmp(bytes[0] + 1 + i * size, &want[i], size), "kind %u, size %u", kind, size);
            }
}
END_TEST

YK_TEST_MAIN("reduce", devices_together_leave_what_one_would)
