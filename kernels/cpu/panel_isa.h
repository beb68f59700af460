/* Body of panel_<isa>.c: both value types for one instruction set. ISA and TILE_* are defined by the file. */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#include "kernels/cpu/panel.h"
#include "kernels/cpu/scratch.h"

/* Longest run of cells that is packed at once for all columns, and for how many tiles that is kept; bytes fetched ahead
 * while packing; cells, or rows of one panel, that are packed table by table; most rows where sums are formed; columns
 * that are written together, and most cells of one of
 * them; tiles of a group up to which what is written is fetched a group ahead. */
enum {
    YK_PANEL_ZEROS = 1024,
    FLAT_MOST = 128,
    FLATS = 8,
    FLAT_TABLES = 4,
    AHEAD_BYTES = 8192,
    PART = 2048,
    ROWS = 16,
    ROWS_SUMMED = 256,
    COLUMNS = 64,
    COLUMN_CELLS = 512,
    GROUP_TILES = 24
};

/* Outputs larger than this are written past the caches, those larger than the other are fetched before they are
 * written. */
static const size_t STREAM_BYTES = 24 << 20, FETCH_BYTES = 512 << 10,
                    FAR_BYTES = 384 << 10; /* of a table: what is packed next of it is fetched meanwhile */

#define JOIN_(a, b, c) a##_##b##_##c
#define JOIN(a, b, c)  JOIN_(a, b, c)

#define REAL           double
#define REAL_BYTES     8
#define VL             8
#define NAME(x)        JOIN(x, double, ISA)
static yk_status NAME(run)(const struct yk_panel_shape *s, const double *const *in, double *out, int threads);
#include "kernels/cpu/panel_body.h"
#undef REAL
#undef REAL_BYTES
#undef VL
#undef NAME

#define REAL       float
#define REAL_BYTES 4
#define VL         16
#define NAME(x)    JOIN(x, float, ISA)
static yk_status NAME(run)(const struct yk_panel_shape *s, const float *const *in, float *out, int threads);
#include "kernels/cpu/panel_body.h"
#undef REAL
#undef REAL_BYTES
#undef VL
#undef NAME
