// No version is named, and what is called is not of OpenCL C 1.2: compiled as what the device has.
// verdict one_row merge
// verdict plain merge
__kernel void one_row(__global uint *out)
{
    uint *at = 0; // private, as in 1.2
    if (!at)
        out[get_global_linear_id()] = 3;
}
__kernel void plain(__global uint *out)
{
    out[get_global_id(0)] = 2;
}
