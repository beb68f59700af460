#define REAL double
#define NAME yk_stream_double
#define LOG  0
#include "kernels/cpu/stream_body.h"
