/* What a table needs beside sum-products; one text for OpenCL C and CUDA C++, as in sumproduct.cl. */

/* Smallest positive and largest value of what a thread sees: RESULT[2 * thread], [2 * thread + 1]. */
PLAIN_KERNEL(range)
{
    const ulong_t threads = (ulong_t)LOCAL_SIZE * GROUPS, t = (ulong_t)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    REAL least = INFINITY, most = 0;
    for (ulong_t i = t; i < n; i += threads) {
        REAL x = cells[i];
        if (x > 0 && x < least)
            least = x;
        if (!(x <= most))
            most = x;
    }
    result[2 * t] = least;
    result[2 * t + 1] = most;
}

PLAIN_KERNEL(scale)
{
    const ulong_t threads = (ulong_t)LOCAL_SIZE * GROUPS, t = (ulong_t)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    for (ulong_t i = t; i < n; i += threads)
        cells[i] *= factor;
}

/* Small buckets (batch.c): block GROUP_ID of a level finds at N in the table which bucket's record it has, and the first
 * of its outputs. The inputs and outputs of a level do not overlap. */
PLAIN_KERNEL(batch)
{
    GLOBAL const int *table = (GLOBAL const int *)result;
    const int first = table[n + 2 * GROUP_ID + 1] + (int)LOCAL_ID;
    GLOBAL const int *record = table + table[n + 2 * GROUP_ID];
    const int nin = record[0], nout = record[1], sums = record[2];
    if (first >= record[3])
        return;
    int at[8];
    for (int f = 0; f < nin; f++)
        at[f] = record[8 + f];
    GLOBAL const int *digit = record + 16;
    for (int v = 0, rest = first; v < nout; v++, digit += 1 + nin) {
        const int x = rest % digit[0];
        rest /= digit[0];
        for (int f = 0; f < nin; f++)
            at[f] += x * digit[1 + f];
    }
    REAL sum = 0;
    for (int s = 0; s < sums; s++, digit += nin) {
        REAL x = cells[at[0] + digit[0]];
        for (int f = 1; f < nin; f++)
            x *= cells[at[f] + digit[f]];
        sum += x;
    }
    cells[record[4] + first] = sum * factor;
}

/* For benches: values in (0, 1] that the host can compute too, and how fast multiply-adds can be. */
PLAIN_KERNEL(pattern)
{
    const ulong_t threads = (ulong_t)LOCAL_SIZE * GROUPS, t = (ulong_t)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    for (ulong_t i = t; i < n; i += threads) {
        unsigned h = (unsigned)i * 2654435761u + (unsigned)factor;
        h = (h ^ h >> 15) * 2246822519u;
        h ^= h >> 13;
        cells[i] = (REAL)((h >> 8) + 1) * (REAL)5.9604644775390625e-8;
    }
}

PLAIN_KERNEL(to_log)
{
    const ulong_t threads = (ulong_t)LOCAL_SIZE * GROUPS, t = (ulong_t)GROUP_ID * LOCAL_SIZE + LOCAL_ID;
    for (ulong_t i = t; i < n; i += threads)
        cells[i] = LOG2(cells[i]);
}

PLAIN_KERNEL(peak)
{
    REAL x[16];
    PRAGMA_UNROLL for (int k = 0; k < 16; k++)
        x[k] = factor + k;
    for (ulong_t i = 0; i < n; i++) {
        PRAGMA_UNROLL for (int k = 0; k < 16; k++)
            x[k] = FMA(x[k], factor, factor);
    }
    REAL sum = 0;
    PRAGMA_UNROLL for (int k = 0; k < 16; k++)
        sum += x[k];
    if (sum == (REAL)1234.5)
        result[GROUP_ID] = sum;
}
