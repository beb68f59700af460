#define ISA          avx2
#define VECTOR_BYTES 32
#include "kernels/cpu/panel_isa.h"

const struct yk_panel_isa yk_panel_avx2 = {"avx2", {2, 6, 6, 2, 2}, run_double_avx2, run_float_avx2};
