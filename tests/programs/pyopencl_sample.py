"""A user of Debian's pyopencl: arrays, generated element-wise, reduction, scan and sort kernels, checked against numpy.
Prints "result=OK"."""
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.algorithm import RadixSort
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel

N = 50000


def main():
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    random = np.random.default_rng(1)
    a_host = random.integers(0, 1 << 20, N).astype(np.int32)
    b_host = random.random(N).astype(np.float32)
    a, b = cl_array.to_device(queue, a_host), cl_array.to_device(queue, b_host)

    assert np.array_equal((3 * a + a * a - 5).get(), 3 * a_host + a_host * a_host - 5), "array arithmetic"
    assert np.allclose((b * b + 2).get(), b_host * b_host + 2), "float arithmetic"

    mixed = cl_array.empty_like(a)
    kernel = ElementwiseKernel(context, "int *z, const int *x, int k", "z[i] = (x[i] ^ k) + (i % 13)", "mixed")
    kernel(mixed, a, np.int32(0x55))
    assert np.array_equal(mixed.get(), (a_host ^ 0x55) + np.arange(N) % 13), "ElementwiseKernel"

    largest = ReductionKernel(context, np.int32, neutral="0", reduce_expr="max(a, b)", map_expr="x[i]",
                              arguments="__global const int *x")
    assert largest(a).get() == a_host.max(), "ReductionKernel"

    scan = GenericScanKernel(context, np.int32, arguments="__global int *x", input_expr="x[i] & 7", scan_expr="a + b",
                             neutral="0", output_statement="x[i] = item")
    sums = a.copy()
    scan(sums)
    assert np.array_equal(sums.get(), np.cumsum(a_host & 7)), "GenericScanKernel"

    (ordered,), _ = RadixSort(context, "int *x", key_expr="x[i]", sort_arg_names=["x"], key_dtype=np.int32)(a)
    assert np.array_equal(ordered.get(), np.sort(a_host)), "RadixSort"

    # Compilers differ in the version that they take where none is asked for: the kernel's answer is the primary's.
    program = cl.Program(context, "#define NEW (__OPENCL_C_VERSION__ >= 200)\n"
                         "kernel void version(global int *x) { size_t i = get_group_id(0) * 64 + get_local_id(0);\n"
                         "#if NEW\nx[i] = i;\n#else\nx[i] = -i;\n#endif\nx[i] ^= __OPENCL_C_VERSION__ << 20; }").build()
    whole = N // 64 * 64
    program.version(queue, (whole,), (64,), a.data)
    seen = a.get()[:whole]
    assert np.array_equal(np.abs(seen ^ seen[0]), np.arange(whole)), "one version in every work-group"
    print("pyopencl_sample result=OK")


if __name__ == "__main__":
    main()
