// Numbers of items and ranges made of numbers of work-groups and their size, which cancel out: the local size may be left open.
// flags item !local_size_matters
// run item global=96 local=NULL
// run item global=96 local=8 offset=16
__kernel void item(__global int *out, uint base)
{
    int i = (long)get_group_id(0) * (long)get_local_size(0) + (long)get_local_id(0) + (base & 0);
    out[i] = 3 * i + 1;
}

// flags narrow !local_size_matters
// run narrow global=96 local=NULL
__kernel void narrow(__global float *out, float by)
{
    uint i = (uint)get_local_size(0) * (uint)get_group_id(0) + (uint)get_local_id(0);
    out[i] = by * (float)i;
}

// Added to something else first.
// flags behind !local_size_matters
// run behind global=96 local=NULL
__kernel void behind(__global int *out, int base)
{
    int i = (base & 0) + get_local_id(0) + get_group_id(0) * get_local_size(0);
    if (i < 80)
        out[i] = i;
}

// flags strided !local_size_matters
// run strided global=64 local=NULL
__kernel void strided(__global int *out)
{
    int group = get_group_id(0), size = get_local_size(0), item = get_local_id(0);
    for (int i = group * size + item; i < 256; i += get_num_groups(0) * size)
        out[i] = i * i;
}

// flags plane !local_size_matters
// run plane global=16,12 local=NULL
__kernel void plane(__global int *out)
{
    int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
    out[y * (int)get_global_size(0) + x] = x * y;
}

// What does not cancel out.
// flags used_again local_size_matters
// run used_again global=96 local=NULL whole
__kernel void used_again(__global int *out)
{
    int first = get_group_id(0) * get_local_size(0);
    out[first + get_local_id(0)] = first;
}

// flags twice local_size_matters
// run twice global=96 local=NULL whole
__kernel void twice(__global int *out)
{
    out[get_group_id(0) * get_local_size(0) + 2 * get_local_id(0)] = 1;
}

// flags other_size local_size_matters
// run other_size global=96 local=NULL whole
__kernel void other_size(__global int *out)
{
    out[get_group_id(0) * get_local_size(1) + get_local_id(0)] = 1;
}

// flags known_size local_size_matters
// run known_size global=96 local=NULL whole
__kernel void known_size(__global int *out)
{
    out[get_group_id(0) * 8 + get_local_id(0)] = 1;
}

// flags size_too local_size_matters
// run size_too global=96 local=NULL whole
__kernel void size_too(__global int *out)
{
    out[get_group_id(0) * get_local_size(0) + get_local_id(0)] = get_local_size(0);
}

// Longer than what is looked through: as if it did not.
// flags long_sum local_size_matters
__kernel void long_sum(__global int *out, __global const int *in)
{
    int i = get_local_id(0) + in[0] + in[1] + in[2] + in[3] + in[4] + in[5] + in[6] + in[7] + in[8] + in[9] + in[10] + in[11] + in[12] +
            in[13] + in[14] + in[15] + in[16] + get_group_id(0) * get_local_size(0) + get_local_id(0);
    out[get_global_id(0)] = i;
}

// What is taken away again is not seen: as if it did not.
// flags taken_away local_size_matters
__kernel void taken_away(__global int *out)
{
    out[get_global_id(0)] = 3 + get_local_id(0) + get_group_id(0) * get_local_size(0) - get_local_id(0);
}
