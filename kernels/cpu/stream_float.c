#define REAL float
#define NAME yk_stream_float
#define LOG  0
#include "kernels/cpu/stream_body.h"
