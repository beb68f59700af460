// Assembly that drivers take which compile for the host's processor (x86).
// not Oclgrind
#define FLIP(x, by) __asm__("xor %1, %0" : "+r"(x) : "r"(by))

// verdict flips merge
// flags flips !inexact
// run flips global=64 local=8
// run flips global=64 local=8 offset=16
__kernel void flips(__global uint *out)
{
    uint x = get_global_id(0) * 2654435761u;
    FLIP(x, (uint)get_group_id(0));
    out[get_global_id(0)] = x;
}

// The buffer is its operand, and so is what a share is told of its place.
// verdict into merge
// run into global=48 local=4
__kernel void into(__global uint *out)
{
    out[get_global_id(0)] = 7;
    FLIP(out[get_global_id(0)], (uint)(get_num_groups(0) + 16 * get_group_id(0)));
}
