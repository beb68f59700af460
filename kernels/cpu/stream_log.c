#define REAL double
#define NAME yk_stream_log
#define LOG  1
#include "kernels/cpu/stream_body.h"
