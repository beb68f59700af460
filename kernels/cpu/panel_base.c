#define ISA          base
#define VECTOR_BYTES 16
#include "kernels/cpu/panel_isa.h"

const struct yk_panel_isa yk_panel_base = {"base", {1, 4, 4, 1, 2}, run_double_base, run_float_base};
