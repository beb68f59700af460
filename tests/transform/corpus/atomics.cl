// Atomics whose results nobody uses are combined, if they commute; others run whole. What they are is recorded.
// verdict counted reduction
// arg counted n atomic !atomic_used ops=add !plain_read !plain_written
__kernel void counted(__global int *n) { atomic_inc(n); atomic_add(&n[1], 4); atom_dec(n); }

// verdict ticket whole and uses the result
// arg ticket n atomic atomic_used ops=add
__kernel void ticket(__global int *n, __global int *out) { out[atomic_inc(n)] = get_global_id(0); }

// verdict mixed whole atomic operations (or, max) on the global buffer n and accesses it otherwise too
// arg mixed n atomic !atomic_used ops=max,or plain_read !plain_written
__kernel void mixed(volatile __global uint *n, __global int *out) { atomic_or(n, 1u); atomic_max(n, 2u); out[get_global_id(0)] = n[2]; }

// verdict swap whole
// arg swap n ops=cmpxchg atomic_used
__kernel void swap(__global int *n) { int o = n[0]; while (atomic_cmpxchg(n, o, o + 1) != o) o = n[0]; }

// Local ones are a work-group's own business.
// verdict local_only merge
// flags local_only !global_atomics local_memory barrier local_size_matters
// run local_only global=64 local=16
__kernel void local_only(__global int *out)
{
    __local int n;
    if (get_local_id(0) == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&n, (int)get_local_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = n;
}

// verdict by_helper whole (and, xor)
// arg by_helper b atomic ops=and,xor
// arg by_helper a !atomic
void touch(__global int *p) { atomic_xor(p, 3); atomic_and(p, 7); }
__kernel void by_helper(__global int *a, __global int *b) { touch(b + a[0]); }

// Kinds of their own at places of their own.
// verdict extremes reduction
// arg extremes n reduces ops=add,min,max
__kernel void extremes(__global const int *a, __global int *n)
{
    atomic_add(&n[0], a[get_global_id(0)]);
    atomic_min(&n[1], a[get_global_id(0)]);
    atomic_max(&n[2], a[get_global_id(0)]);
}
// verdict exchanged whole (xchg)
__kernel void exchanged(__global int *n) { atomic_xchg(n, 1); }
// verdict of_floats whole
__kernel void of_floats(__global float *n) { atomic_xchg(n, 1.0f); }
