#include "transform/macros.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/array.h"

/* Of the specification's headers: with a value where conditions may compute with it, else standing for itself. */
static const struct yk_macro header_macros[] = {
    {"CL_VERSION_1_0", "100"},
    {"CL_VERSION_1_1", "110"},
    {"CL_VERSION_1_2", "120"},
    {"CL_VERSION_2_0", "200"},
    {"CL_VERSION_3_0", "300"},
    {"CHAR_BIT", "8"},
    {"SCHAR_MAX", "127"},
    {"SCHAR_MIN", "(-128)"},
    {"UCHAR_MAX", "255"},
    {"CHAR_MAX", "127"},
    {"CHAR_MIN", "(-128)"},
    {"USHRT_MAX", "65535"},
    {"SHRT_MAX", "32767"},
    {"SHRT_MIN", "(-32768)"},
    {"UINT_MAX", "0xffffffffU"},
    {"INT_MAX", "2147483647"},
    {"INT_MIN", "(-2147483647-1)"},
    {"ULONG_MAX", "0xffffffffffffffffUL"},
    {"LONG_MAX", "0x7fffffffffffffffL"},
    {"LONG_MIN", "(-0x7fffffffffffffffL-1)"},
    {"FLT_DIG", "6"},
    {"FLT_MANT_DIG", "24"},
    {"FLT_MAX_10_EXP", "38"},
    {"FLT_MAX_EXP", "128"},
    {"FLT_MIN_10_EXP", "(-37)"},
    {"FLT_MIN_EXP", "(-125)"},
    {"FLT_RADIX", "2"},
    {"DBL_DIG", "15"},
    {"DBL_MANT_DIG", "53"},
    {"DBL_MAX_10_EXP", "308"},
    {"DBL_MAX_EXP", "1024"},
    {"DBL_MIN_10_EXP", "(-307)"},
    {"DBL_MIN_EXP", "(-1021)"},
    {"DBL_RADIX", "2"},
};

static const char *const self_macros[] = {"FLT_MAX",
                                          "FLT_MIN",
                                          "FLT_EPSILON",
                                          "DBL_MAX",
                                          "DBL_MIN",
                                          "DBL_EPSILON",
                                          "MAXFLOAT",
                                          "HUGE_VALF",
                                          "HUGE_VAL",
                                          "INFINITY",
                                          "NAN",
                                          "NULL",
                                          "FP_ILOGB0",
                                          "FP_ILOGBNAN",
                                          "CLK_LOCAL_MEM_FENCE",
                                          "CLK_GLOBAL_MEM_FENCE",
                                          "CLK_ADDRESS_NONE",
                                          "CLK_ADDRESS_CLAMP_TO_EDGE",
                                          "CLK_ADDRESS_CLAMP",
                                          "CLK_ADDRESS_REPEAT",
                                          "CLK_ADDRESS_MIRRORED_REPEAT",
                                          "CLK_NORMALIZED_COORDS_FALSE",
                                          "CLK_NORMALIZED_COORDS_TRUE",
                                          "CLK_FILTER_NEAREST",
                                          "CLK_FILTER_LINEAR"};

/* M_x, and with _F its float. */
static const char *const constants[] = {"E",    "LOG2E", "LOG10E", "LN2",      "LN10",  "PI",     "PI_2",
                                        "PI_4", "1_PI",  "2_PI",   "2_SQRTPI", "SQRT2", "SQRT1_2"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

unsigned yk_macros_std(const struct yk_options *o, const struct yk_transform_target *t)
{
    unsigned major = 1, minor = 2;
    if (o->std)
        return o->std;
    if (sscanf(t->c_version, "OpenCL C %u.%u", &major, &minor) == 2 && major == 1 && minor < 2)
        return 100 + 10 * minor;
    return 120;
}

unsigned yk_macros_device_std(const struct yk_transform_target *t)
{
    unsigned major = 1, minor = 2;
    sscanf(t->version, "OpenCL %u.%u", &major, &minor);
    return major * 100 + minor * 10;
}

struct builder {
    YK_ARRAY(struct yk_macro) v;
    struct yk_arena *a;
    bool failed;
};

static void add(struct builder *b, const char *name, const char *value)
{
    struct yk_macro m = {name, value};
    if (!name || !value || !yk_array_push(&b->v, m))
        b->failed = true;
}

static void add_number(struct builder *b, const char *name, unsigned v)
{
    add(b, name, yk_arena_printf(b->a, "%u", v));
}

static void add_constants(struct builder *b)
{
    for (size_t i = 0; i < COUNT(header_macros); i++)
        add(b, header_macros[i].name, header_macros[i].value);
    for (size_t i = 0; i < COUNT(self_macros); i++)
        add(b, self_macros[i], self_macros[i]);
    for (size_t i = 0; i < COUNT(constants); i++) {
        const char *d = yk_arena_printf(b->a, "M_%s", constants[i]), *f = yk_arena_printf(b->a, "M_%s_F", constants[i]);
        add(b, d, d);
        add(b, f, f);
    }
}

static void add_extensions(struct builder *b, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, " \t\n");
        bool name = n > 0 && !isdigit((unsigned char)list[0]);
        for (size_t i = 0; i < n; i++)
            name = name && (isalnum((unsigned char)list[i]) || list[i] == '_');
        if (name)
            add(b, yk_arena_strndup(b->a, list, n), "1");
        list += n + (list[n] != 0);
    }
}

yk_status yk_macros_of_target(const struct yk_transform_target *t, const struct yk_options *o, struct yk_arena *a,
                              struct yk_macros *out)
{
    struct builder b = {.a = a};
    add_constants(&b);
    add_number(&b, "__OPENCL_VERSION__", yk_macros_device_std(t));
    add_number(&b, "__OPENCL_C_VERSION__", yk_macros_std(o, t));
    add(&b, "__ROUNDING_MODE__", "rte");
    if (t->little_endian)
        add(&b, "__ENDIAN_LITTLE__", "1");
    if (t->images)
        add(&b, "__IMAGE_SUPPORT__", "1");
    if (o->fast)
        add(&b, "__FAST_RELAXED_MATH__", "1");
    add_extensions(&b, t->extensions);
    *out = (struct yk_macros){yk_arena_array(a, struct yk_macro, b.v.n), b.v.n};
    if (out->v)
        memcpy(out->v, b.v.v, b.v.n * sizeof *b.v.v);
    yk_array_finish(&b.v);
    return out->v && !b.failed ? YK_OK : YK_ENOMEM;
}

const char *yk_macros_value(const struct yk_macros *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (!strcmp(m->v[i].name, name))
            return m->v[i].value;
    return NULL;
}
