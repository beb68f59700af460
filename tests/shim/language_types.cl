/* language.cl's types: vectors, conversions, structures, pointers, program-scope data. */
#define LIN                                                                                                            \
    (((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *      \
         get_global_size(0) +                                                                                          \
     get_global_id(0) - get_global_offset(0))
/* Vectors */
kernel void vectors_loaded_and_stored(global const int *in, global int *out)
{
    size_t i = LIN;
    vstore2(vload2(i, in) + 1, i, out);
    vstore3(vload3(i, in) + 2, i, out + 4096);
    vstore4(vload4(i, in) + 3, i, out + 8192);
}
kernel void wide_vectors(global const int *in, global int *out)
{
    int8 a = vload8(LIN, in);
    int16 b = vload16(LIN & 255, in);
    vstore8(a + b.lo, LIN, out);
}
kernel void unaligned_vectors(global const uchar *in, global uchar *out)
{
    uchar4 a = vload4(0, in + LIN * 3 + 1);
    vstore3(a.wzy, LIN, out + 1);
}
kernel void halves(global const int *in, global int *out)
{
    global half *h = (global half *)out;
    vstore_half((float)(in[LIN] & 1023), LIN, h);
    float f = vload_half(LIN, h);
    vstore_half2((float2)(f, 2 * f), LIN + 4096, h);
    vstore_half_rte(f + 0.1f, LIN + 2048, h);
}
kernel void swizzled(global const int *in, global int *out)
{
    int4 a = ((global const int4 *)in)[LIN & 1023];
    int3 b = a.zyx;
    a.even = b.xy;
    a.s3 = b.z;
    ((global int4 *)out)[LIN] = a.wxyz + (int4)(b, 1);
}
#define SELECTED(type, condition)                                                                                      \
    {                                                                                                                  \
        global const type *p = (global const type *)in;                                                                \
        type r = select(p[LIN], p[LIN + 1], ((global const condition *)in)[LIN + 2]);                                  \
        r = bitselect(r, p[LIN], p[LIN + 3]);                                                                          \
        for (int i = 0; i < (int)sizeof r; i++)                                                                        \
            h = h * 31 + ((uchar *)&r)[i];                                                                             \
    }
kernel void selected_small(global const int *in, global int *out)
{
    uint h = 0;
    SELECTED(char, char) SELECTED(uchar2, uchar2) SELECTED(char4, uchar4) SELECTED(uchar8, char8)
    SELECTED(short, ushort) SELECTED(ushort2, short2) SELECTED(short8, short8) SELECTED(ushort16, short16)
    out[LIN] = (int)h;
}
kernel void selected_large(global const int *in, global int *out)
{
    uint h = 0;
    SELECTED(int, uint) SELECTED(uint2, int2) SELECTED(int4, int4) SELECTED(uint8, uint8) SELECTED(int16, int16)
    SELECTED(long, ulong) SELECTED(ulong2, long2) SELECTED(long4, long4)
    out[LIN] = (int)h;
}
kernel void shuffled(global const int *in, global int *out)
{
    uint4 mask = as_uint4(((global const int4 *)in)[LIN & 1023]) & 7;
    out[LIN] = shuffle2(((global const int4 *)in)[1], ((global const int4 *)in)[2], mask).y +
               any(as_int4(mask) < 3) + 10 * all(as_int4(mask) > 1);
}
kernel void converted(global const int *in, global int *out)
{
    int4 a = ((global const int4 *)in)[LIN & 1023];
    uchar4 b = convert_uchar4_sat(a);
    short4 c = convert_short4_sat_rte(convert_float4(a) * 0.37f);
    ulong4 d = convert_ulong4(as_uint4(a));
    out[LIN] = b.x + c.y + (int)d.z + convert_int_rtz(as_float(a.w & 0x3fffffff));
}
kernel void integers(global const int *in, global int *out)
{
    int a = in[LIN], b = in[LIN + 1] | 1;
    uint u = as_uint(a);
    out[LIN] = mul_hi(a, b) ^ mad24(a & 0xffff, b & 0xfff, 7) ^ (int)rotate(u, 5u) ^ (int)popcount(u) ^ (int)clz(u) ^
               add_sat(a, b) ^ hadd(a, b) ^ (int)abs_diff(a, b) ^ a / b ^ a % b ^ max(a, b) ^ clamp(a, -5, 5) ^
               (int)upsample((short)a, (ushort)b) ^ a >> (b & 31) ^ (int)(u >> (b & 31));
}
kernel void floats_without_rounding(global const int *in, global int *out)
{
    float a = (float)(in[LIN] & 4095), b = (float)(in[LIN + 1] & 15);
    int e;
    float m = frexp(a, &e);
    out[LIN] = (int)(floor(a / 2) + ceil(a * 0.5f) + fabs(-b) + fmin(a, b) + copysign(a, -1.0f) + trunc(a + 0.5f)) + e +
               (int)(m * 1024) + isnan(a) + isgreater(a, b) + signbit(-a);
}

/* Structures */
struct inner {
    char tag;
    short2 pair;
};
struct outer {
    int a[3];
    struct inner in[2];
    union {
        float f;
        uint u;
    } both;
};
static int weigh(struct outer o, const struct outer *p)
{
    return o.a[1] + p->in[1].pair.y + (int)(p->both.u >> 3) + o.in[0].tag;
}
kernel void structures(global const int *in, global struct outer *out)
{
    struct outer o = {{in[LIN], 2, 3}, {{1, (short2)(4, 5)}, {2, (short2)(6, 7)}}, {1.5f}};
    o.a[1] = weigh(o, &o);
    for (int i = 0; i < 3; i++)
        out[LIN].a[i] = o.a[i];
    out[LIN].in[1].pair = o.in[1].pair + (short)in[LIN];
    out[LIN].both.f = 2.0f;
}
struct __attribute__((packed)) packed {
    char c;
    int i;
};
kernel void packed_structures(global const struct packed *in, global struct packed *out)
{
    out[LIN].i = in[LIN].i + (int)sizeof(struct packed);
    out[LIN].c = in[LIN].c;
}
kernel void sizes_of_types(global const int *in, global int *out)
{
    out[LIN] = (int)(sizeof(int3) + sizeof(long16) + sizeof(size_t) + sizeof(struct outer) + sizeof(bool) +
                     sizeof(half) + sizeof(event_t) + sizeof(global int *));
}
kernel void alignments(global const int *in, global int *out)
{
    local char c1;
    local double2 l;
    local char c2;
    local int16 w;
    int8 p = (int8)(1);
    c1 = c2 = 1;
    out[LIN] = (int)(((size_t)&l & 15) + ((size_t)&w & 63) + ((size_t)&p & 31) + ((size_t)out & 15) + c1);
}

/* Pointers and functions */
static int through(global const int *p, int n)
{
    return n ? p[n] + p[n - 1] : p[0];
}
int __attribute__((overloadable)) twice(int x) { return 2 * x; }
float __attribute__((overloadable)) twice(float x) { return 2 * x; }
inline static void put(global int *p, private int *q)
{
    *p = *q + 1;
    *q = 0;
}
kernel void functions(global const int *in, global int *out)
{
    int q = through(in, (int)LIN & 7) + twice(3) + (int)twice(1.5f);
    put(&out[LIN], &q);
    out[LIN] += q;
}
kernel void called_kernel(global const int *in, global int *out) { out[LIN] = in[LIN] + 11; }
kernel void calls_a_kernel(global const int *in, global int *out)
{
    called_kernel(in, out);
    out[LIN] *= 2;
}
constant int table[2][4] = {{1, 2, 3, 4}, {50, 60, 70, 80}};
constant char word[] = "constant";
static int looked_up(constant int *t, int i) { return t[i & 3]; }
kernel void constants(global const int *in, global int *out)
{
    out[LIN] = looked_up(table[in[LIN] & 1], (int)LIN) + word[LIN & 7];
}
kernel void private_arrays(global const int *in, global int *out)
{
    int a[16];
    for (int i = 0; i < 16; i++)
        a[i] = in[LIN + i];
    for (int i = 1; i < 16; i++)
        for (int j = i; j > 0 && a[j] < a[j - 1]; j--) {
            int t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
        }
    out[LIN] = a[5];
}
kernel void preprocessed(global const int *in, global int *out)
{
    out[LIN] = __OPENCL_VERSION__ + __OPENCL_C_VERSION__ + __LINE__
#ifdef __IMAGE_SUPPORT__
               + 7
#endif
#ifdef __ENDIAN_LITTLE__
               + 70
#endif
#ifdef __FAST_RELAXED_MATH__
               + 700
#endif
#ifdef GIVEN
               + GIVEN
#endif
               + (int)(MAXFLOAT > 1e37f) + INT_MAX / 2 + CHAR_BIT + (int)isinf(INFINITY);
}
struct link {
    int v;
    global struct link *next;
};
kernel void linked(global const int *in, global int *out)
{
    global struct link *n = (global struct link *)out + LIN * 4;
    for (int i = 0; i < 4; i++) {
        n[i].v = in[LIN] + i;
        n[i].next = i + 1 < 4 ? &n[i + 1] : 0;
    }
    int s = 0;
    for (global struct link *p = n; p; p = p->next)
        s += p->v;
    for (int i = 0; i < 4; i++)
        n[i].next = 0;
    n[0].v = s;
}
kernel void nothing(global const int *in, global int *out) {}
