#define ISA          avx512
#define VECTOR_BYTES 64
#include "kernels/cpu/panel_isa.h"

const struct yk_panel_isa yk_panel_avx512 = {"avx512", {3, 8, 24, 4, 4}, run_double_avx512, run_float_avx512};
