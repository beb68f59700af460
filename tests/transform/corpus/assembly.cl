// Assembly that computes in registers alone is a function of its operands; other assembly keeps its kernel whole, and that alone.
// verdict shuffles merge
// flags shuffles !inexact !float_arith
// arg shuffles out written !read
__kernel void shuffles(__global const uint *in, __global uint *out)
{
    uint i = get_global_id(0), x = in[i], y;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(y) : "r"(x), "r"(i), "r"(0xffu));
    asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 t, u;\n\tsetp.lt.u32 p, %1, 7;\n\tmov.u32 t, %1;\n\t"
                 "@!p shl.b32 t, %1, 3;\n\tmad.lo.u32 %0, t, 5, %0;\n\t}"
                 : "+r"(y) : "r"(x));
    out[i] = y;
}

// Two results.
// verdict pair merge
// flags pair !inexact
__kernel void pair(__global const uint2 *in, __global uint2 *out)
{
    uint i = get_global_id(0), lo, hi;
    asm volatile("add.cc.u32 %0, %2, %3; addc.u32 %1, %4, %5;"
                 : "=r"(lo), "=r"(hi) : "r"(in[i].x), "r"(in[i].y), "r"(1u), "n"(2));
    out[i] = (uint2)(lo, hi);
}

// verdict rounds merge
// flags rounds inexact float_arith
__kernel void rounds(__global float *v)
{
    uint i = get_global_id(0);
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(v[i]));
    v[i] = y;
}

// Its result is stored by the assembly's own operand.
// verdict into merge
// arg into out written !read
__kernel void into(__global uint *out)
{
    asm("not.b32 %0, %1;" : "=r"(out[get_global_id(0)]) : "r"((uint)get_group_id(0)));
}

// An index that comes from assembly is any number.
// verdict anywhere merge
__kernel void anywhere(__global uint *out, uint n)
{
    uint i;
    asm("brev.b32 %0, %1;" : "=r"(i) : "r"((uint)get_global_id(0)));
    if (i < n)
        out[i] = 1;
}

// verdict plain merge
__kernel void plain(__global uint *out) { out[get_global_id(0)] = 1; }

// verdict loads whole assembly (ld.global.u32)
__kernel void loads(__global uint *out, ulong from)
{
    uint x;
    asm("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(from));
    out[get_global_id(0)] = x;
}

// Nobody uses what it gives.
// verdict adds whole assembly (atom.global.add.u32)
__kernel void adds(__global uint *out, ulong to)
{
    uint x;
    asm("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(to));
    out[get_global_id(0)] = 2;
}

// verdict votes whole assembly (vote.sync.ballot.b32)
__kernel void votes(__global uint *out)
{
    uint x;
    asm volatile("vote.sync.ballot.b32 %0, 1, -1;" : "=r"(x));
    out[get_global_id(0)] = x;
}

// verdict lane whole assembly (mov.u32)
__kernel void lane(__global uint *out)
{
    uint x;
    asm("mov.u32 %0, %%laneid;" : "=r"(x));
    out[get_global_id(0)] = x;
}

// verdict orders whole assembly (memory)
__kernel void orders(__global uint *out)
{
    out[get_global_id(0)] = 1;
    asm volatile("" : : : "memory");
}

// verdict pointer whole
__kernel void pointer(__global uint *out)
{
    uint x;
    asm("mov.b32 %0, %1;" : "=r"(x) : "m"(out[1]));
    out[get_global_id(0)] = x;
}

// A word that means something to yoke.
// verdict word whole assembly (exact)
__kernel void word(__global uint *out)
{
    asm volatile("exact");
    out[get_global_id(0)] = 1;
}
