// atomic_* on 64 bits, which NVIDIA's compiler takes, are what atom_* are.
// verdict sum reduction
// arg sum n atomic !atomic_used ops=add !plain_read !plain_written
__kernel void sum(__global ulong *n, __global const uint *v) { atomic_add(n, (ulong)v[get_global_id(0)]); atomic_inc(&n[1]); }

// verdict low reduction
// arg low n atomic ops=min
__kernel void low(volatile __global long *n, __global const uint *v) { atomic_min(n, (long)v[get_global_id(0)]); }

// verdict swap whole uses the result
// arg swap n ops=cmpxchg atomic_used
__kernel void swap(volatile __global unsigned long *n) { ulong o = n[0]; while (atomic_cmpxchg(n, o, o + 1) != o) o = n[0]; }

// The other kernels of such a program are what they are elsewhere, and those of 32 bits.
// verdict twice merge
__kernel void twice(__global float *a) { a[get_global_id(0)] *= 2; }

// verdict counted reduction
// arg counted n atomic !atomic_used ops=add
__kernel void counted(__global int *n, __global uint *u) { atomic_inc(n); atomic_add(u, 4); atomic_sub(&n[1], 1u); }

// verdict inside merge
// flags inside !global_atomics local_memory barrier
__kernel void inside(__global ulong *out)
{
    __local ulong s;
    if (get_local_id(0) == 0)
        s = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&s, 3ul);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s;
}
