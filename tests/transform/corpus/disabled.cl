// options -cl-opt-disable
// A compiler that does not optimise executes loads that no result depends on: the bytes must be there, above all those that
// the address of another load comes from.
// verdict dead merge
// arg dead out written !read
// arg dead places read
// arg dead data read
// run dead global=64 local=8
__kernel void dead(__global uint *out, __global const uint *places, __global const uint *data)
{
    size_t i = get_global_id(0);
    uint unused = data[places[i] & 63];
    out[i] = (uint)i + get_group_id(0);
}

// verdict never merge
// arg never places read
// arg never data read !written
__kernel void never(__global const uint *places, __global uint *data, __global uint *out)
{
    size_t i = get_global_id(0);
    uint cell = places[i], old = data[cell], most = 16;
    if ((old & 7) > most)
        data[cell] = old + 1;
    out[i] = 1;
}

// verdict vectors merge
// arg vectors data read
__kernel void vectors(__global uint *out, __global const uint *data)
{
    uint4 unused = vload4(get_global_id(0), data);
    out[get_global_id(0)] = 2;
}
