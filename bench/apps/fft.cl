/* Fourier transforms of many lines of 1,024 complex numbers; a work-group takes a line, in five passes of radix 4 with
 * the numbers in order after each. */
#define POINTS 1024
#define ITEMS  (POINTS / 4)

float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

float2 turned(float angle)
{
    return (float2)(cos(angle), sin(angle));
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void fft(__global const float2 *in, __global float2 *out)
{
    __local float2 line[POINTS];
    size_t t = get_local_id(0), first = get_group_id(0) * POINTS;
    float2 a = in[first + t], b = in[first + t + ITEMS], c = in[first + t + 2 * ITEMS], d = in[first + t + 3 * ITEMS];
    for (size_t span = 1;; span *= 4) {
        size_t k = t % span, to = t / span * span * 4 + k;
        float angle = -0.5f * M_PI_F * k / span;
        b = times(b, turned(angle));
        c = times(c, turned(2 * angle));
        d = times(d, turned(3 * angle));
        float2 even = a + c, odd = a - c, sum = b + d, difference = (float2)(b.y - d.y, d.x - b.x);
        a = even + sum;
        b = odd + difference;
        c = even - sum;
        d = odd - difference;
        if (span == ITEMS)
            break;
        barrier(CLK_LOCAL_MEM_FENCE);
        line[to] = a;
        line[to + span] = b;
        line[to + 2 * span] = c;
        line[to + 3 * span] = d;
        barrier(CLK_LOCAL_MEM_FENCE);
        a = line[t];
        b = line[t + ITEMS];
        c = line[t + 2 * ITEMS];
        d = line[t + 3 * ITEMS];
    }
    out[first + t] = a;
    out[first + t + ITEMS] = b;
    out[first + t + 2 * ITEMS] = c;
    out[first + t + 3 * ITEMS] = d;
}
