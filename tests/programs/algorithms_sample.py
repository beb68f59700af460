"""A user of what Debian's pyopencl builds from small pieces: scans within segments, compaction, partition, unique values, lists
of lists, a bitonic sort and counter-based random numbers; most of them several dependent launches of generated kernels. Whole
numbers are checked against numpy; the random floats are printed as an "answer: ", which must be the same bare and under yoke."""
import hashlib

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.clrandom as clrandom
from pyopencl.algorithm import ListOfListsBuilder, copy_if, partition, unique
from pyopencl.bitonic_sort import BitonicSort
from pyopencl.scan import GenericScanKernel
from pyopencl.tools import VectorArg

N = 60000


def same(what, found, wanted):
    assert np.array_equal(found, wanted), what


def compactions(queue, host, values):
    kept, count, _ = copy_if(values, "ary[i] % 3 == 0", queue=queue)
    same("copy_if", kept.get()[:int(count.get())], host[host % 3 == 0])
    high, low, count, _ = partition(values, "ary[i] > 500000", queue=queue)
    count = int(count.get())
    same("partition, the true ones", high.get()[:count], host[host > 500000])
    same("partition, the others", low.get()[:N - count], host[host <= 500000])
    first, count, _ = unique(cl_array.to_device(queue, np.sort(host)), queue=queue)
    same("unique", first.get()[:int(count.get())], np.unique(host))


def segments(context, queue, host, values):
    """A running sum that starts anew wherever a value is a multiple of 97."""
    scan = GenericScanKernel(context, np.int32, arguments="__global const int *x, __global int *sum", input_expr="x[i] & 7",
                             scan_expr="across_seg_boundary ? b : a + b", is_segment_start_expr="x[i] % 97 == 0", neutral="0",
                             output_statement="sum[i] = item;")
    sums = cl_array.zeros_like(values)
    scan(values, sums, queue=queue)
    total = np.cumsum(host & 7)
    start = np.maximum.accumulate(np.where(host % 97 == 0, np.arange(N), 0))
    same("a scan within segments", sums.get(), total - np.where(start > 0, total[start - 1], 0))


def lists(context, queue, host, values):
    build = ListOfListsBuilder(context, [("l", np.int32)],
                               """void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
                               { for (int j = 0; j < i % 4; j++) APPEND_l(data[i] + j); }""",
                               arg_decls=[VectorArg(np.int32, "data")])
    made, _ = build(queue, N, values)
    same("where lists start", made["l"].starts.get(), np.concatenate([[0], np.cumsum(np.arange(N) % 4)]))
    same("lists", made["l"].lists.get(), np.concatenate([host[i] + np.arange(i % 4) for i in range(N)]))


def main():
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    host = np.random.default_rng(10).integers(0, 1 << 20, N).astype(np.int32)
    values = cl_array.to_device(queue, host)
    compactions(queue, host, values)
    segments(context, queue, host, values)
    lists(context, queue, host, values)
    ordered = cl_array.to_device(queue, host[:1 << 14].copy())
    BitonicSort(context)(ordered, queue=queue)
    same("BitonicSort", ordered.get(), np.sort(host[:1 << 14]))
    numbers = clrandom.PhiloxGenerator(context, seed=3).normal(queue, N, np.float32).get()
    print("answer:", hashlib.sha256(numbers.tobytes()).hexdigest())
    print("result=OK")


if __name__ == "__main__":
    main()
