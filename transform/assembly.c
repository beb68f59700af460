#include "transform/assembly.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = 64 };

/* Instructions that read and write registers alone, without what follows the first point. */
static const char computing[] =
    " abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt div dp2a dp4a ex2 fma fns lg2 lop3 mad mad24 "
    "madc max min mov mul mul24 neg not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr sin slct sqrt sub "
    "subc szext tanh testp xor ";

struct word {
    const char *at;
    size_t n;
};

struct assembly {
    const char *p, *end; /* what is left of a statement */
    struct word reg[MOST_REGISTERS];
    unsigned nregs;
    bool floats;
};

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_space(struct assembly *a)
{
    while (a->p < a->end && isspace((unsigned char)*a->p))
        a->p++;
}

static bool take(struct assembly *a, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(a->end - a->p) < n || memcmp(a->p, word, n))
        return false;
    a->p += n;
    return true;
}

static struct word name(struct assembly *a)
{
    struct word w = {a->p, 0};
    while (a->p < a->end && in_name(*a->p))
        a->p++;
    w.n = (size_t)(a->p - w.at);
    return w;
}

static bool is_register(const struct assembly *a, const struct word *w)
{
    for (unsigned i = 0; i < a->nregs; i++)
        if (a->reg[i].n == w->n && !memcmp(a->reg[i].at, w->at, w->n))
            return true;
    return false;
}

/* An operand of the statement in the program ($0, ${0:x} is none), a number, or a register that the assembly has
 * declared itself: other names are of memory, or of what a work-item is. */
static bool is_operand(const struct assembly *a, const struct word *w)
{
    if (w->n > 1 && w->at[0] == '$') {
        for (size_t i = 1; i < w->n; i++)
            if (!isdigit((unsigned char)w->at[i]))
                return false;
        return true;
    }
    return w->n && !memchr(w->at, '$', w->n) && (isdigit((unsigned char)w->at[0]) || is_register(a, w));
}

/* Types and modes: .u32, .lo.cc.f32... */
static void modes(struct assembly *a)
{
    while (a->p < a->end && *a->p == '.') {
        a->p++;
        struct word w = name(a);
        a->floats |= (w.n > 1 && w.at[0] == 'f' && isdigit((unsigned char)w.at[1])) ||
                     (w.n > 1 && !memcmp(w.at, "bf", 2)) || (w.n == 4 && !memcmp(w.at, "tf32", 4));
    }
}

/* .reg .u32 a, b */
static bool declaration(struct assembly *a)
{
    skip_space(a);
    modes(a);
    do {
        skip_space(a);
        struct word w = name(a);
        if (!w.n || isdigit((unsigned char)w.at[0]) || memchr(w.at, '$', w.n) || a->nregs == MOST_REGISTERS)
            return false;
        a->reg[a->nregs++] = w;
        skip_space(a);
    } while (take(a, ","));
    return a->p == a->end;
}

/* @p, @!p */
static bool guard(struct assembly *a)
{
    if (!take(a, "@"))
        return true;
    (void)take(a, "!");
    struct word w = name(a);
    skip_space(a);
    return is_operand(a, &w);
}

static bool instruction(struct assembly *a)
{
    char word[16];
    if (!guard(a))
        return false;
    struct word op = name(a);
    if (!op.n || (size_t)snprintf(word, sizeof word, " %.*s ", (int)op.n, op.at) >= sizeof word ||
        !strstr(computing, word))
        return false;
    a->floats |= strstr(" cos ex2 lg2 rcp rsqrt sin sqrt tanh ", word) != NULL;
    modes(a);
    if (a->p < a->end && !isspace((unsigned char)*a->p))
        return false;
    while (a->p < a->end) {
        if (isspace((unsigned char)*a->p) || strchr(",|!-{}", *a->p)) {
            a->p++;
            continue;
        }
        struct word w = name(a);
        if (!is_operand(a, &w))
            return false;
    }
    return true;
}

static bool statement(struct assembly *a)
{
    while (a->p < a->end && (isspace((unsigned char)*a->p) || *a->p == '{' || *a->p == '}'))
        a->p++; /* a block of its own */
    while (a->end > a->p && isspace((unsigned char)a->end[-1]))
        a->end--;
    return a->p == a->end || (take(a, ".reg") ? declaration(a) : instruction(a));
}

/* The first word of a statement that is not understood, as far as it can be shown. */
static void first_word(const char *p, char *what, size_t n)
{
    size_t i = 0;
    p += strspn(p, " \t\r\n{}");
    for (; i + 1 < n && isgraph((unsigned char)p[i]) && !strchr(";)", p[i]); i++)
        what[i] = p[i];
    what[i] = 0;
}

enum yk_assembly yk_assembly_of(const char *template, const char *constraints, char *what, size_t n)
{
    struct assembly a = {.nregs = 0};
    what[0] = 0;
    if (strstr(constraints, "{memory}")) {
        snprintf(what, n, "memory");
        return YK_ASSEMBLY_IS_OTHER;
    }
    for (const char *p = template; *p;) {
        size_t len = strcspn(p, ";");
        a.p = p;
        a.end = p + len;
        if (!statement(&a)) {
            first_word(p, what, n);
            return YK_ASSEMBLY_IS_OTHER;
        }
        p += len + (p[len] == ';');
    }
    return a.floats ? YK_ASSEMBLY_IS_ROUNDED : YK_ASSEMBLY_IS_EXACT;
}

/* Over space, and the words that may stand between the keyword and what it takes. */
static const char *behind_keyword(const char *p, const char *end)
{
    static const char *const words[] = {"volatile", "__volatile__", "__volatile", "inline", "goto"};
    for (bool more = true; more;) {
        more = false;
        while (p < end && isspace((unsigned char)*p))
            p++;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t n = strlen(words[i]);
            if ((size_t)(end - p) > n && !memcmp(p, words[i], n) && !in_name(p[n])) {
                p += n;
                more = true;
                break;
            }
        }
    }
    return p;
}

/* The parenthesis behind the first KEYWORD from P on, or NULL. */
static const char *next_in(const char *keyword, const char *text, const char *p, const char *end)
{
    size_t n = strlen(keyword);
    for (; (p = memmem(p, (size_t)(end - p), keyword, n)); p += n) {
        const char *next = behind_keyword(p + n, end);
        if ((p == text || !in_name(p[-1])) && next < end && *next == '(')
            return next;
    }
    return NULL;
}

static const char *const keywords[] = {"asm", "__asm__", "__asm"};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

bool yk_assembly_in(const char *text, size_t size)
{
    for (size_t i = 0; i < KEYWORDS; i++)
        if (next_in(keywords[i], text, text, text + size))
            return true;
    return false;
}

/* The end of the text in quotes that begins at P. */
static char *over_quoted(char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        p += *p == '\\' && end - p > 1;
    return p;
}

/* What stands in quotes at the outermost level behind the first colon, from the parenthesis P on. */
static void any_register(char *p, const char *end)
{
    int depth = 0;
    bool operands = false;
    for (; p < end; p++) {
        depth += *p == '(' || *p == '[';
        depth -= *p == ')' || *p == ']';
        operands |= *p == ':' && depth == 1;
        if (!depth)
            return;
        if (*p != '"')
            continue;
        char *close = over_quoted(p, end);
        for (char *c = p + 1; operands && depth == 1 && c < close; c++)
            if (strchr("hlfd", *c))
                *c = 'r';
        p = close;
    }
}

void yk_assembly_any_register(char *text, size_t size)
{
    for (size_t i = 0; i < KEYWORDS; i++)
        for (const char *p = text; (p = next_in(keywords[i], text, p, text + size)); p++)
            any_register(text + (p - text), text + size);
}

/* The next text in quotes of what LLVM prints, with its escapes (two hexadecimal digits), from *P on; NULL: none. */
static char *quoted(const char **p)
{
    const char *from = strchr(*p, '"'), *to = from ? strchr(from + 1, '"') : NULL;
    char *text = to ? malloc((size_t)(to - from)) : NULL, *out = text;
    if (!text)
        return NULL;
    for (const char *c = from + 1; c < to; c++) {
        if (*c == '\\' && to - c > 2) {
            *out++ = (char)strtol((char[]){c[1], c[2], 0}, NULL, 16);
            c += 2;
        } else {
            *out++ = *c;
        }
    }
    *out = 0;
    *p = to + 1;
    return text;
}

static bool takes_pointers(LLVMValueRef call)
{
    for (unsigned i = LLVMGetNumArgOperands(call); i--;)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i))) == LLVMPointerTypeKind)
            return true;
    return false;
}

/* The name of the function that stands for what CALL calls. */
static void name_of(LLVMValueRef call, char *out, size_t n)
{
    char what[40] = "", *printed = LLVMPrintValueToString(LLVMGetCalledValue(call));
    const char *p = printed;
    char *template = quoted(&p), *constraints = template ? quoted(&p) : NULL;
    enum yk_assembly is = YK_ASSEMBLY_IS_OTHER;
    if (constraints)
        is = yk_assembly_of(template, constraints, what, sizeof what);
    if (is != YK_ASSEMBLY_IS_OTHER && takes_pointers(call)) {
        is = YK_ASSEMBLY_IS_OTHER;
        snprintf(what, sizeof what, "memory");
    }
    if (is == YK_ASSEMBLY_IS_OTHER)
        snprintf(out, n, YK_ASSEMBLY_OTHER "%s)", what);
    else
        snprintf(out, n, "%s", is == YK_ASSEMBLY_IS_EXACT ? YK_ASSEMBLY_EXACT : YK_ASSEMBLY_ROUNDED);
    free(template);
    free(constraints);
    LLVMDisposeMessage(printed);
}

/* Such calls stay, also where nobody uses what they give. */
static void let_stay(LLVMValueRef call)
{
    static const char *const words[] = {"readnone", "readonly", "argmemonly", "inaccessiblememonly"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        LLVMRemoveCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                        LLVMGetEnumAttributeKindForName(words[i], strlen(words[i])));
}

const char *yk_assembly_name(LLVMModuleRef m)
{
    size_t outside;
    (void)LLVMGetModuleInlineAsm(m, &outside);
    if (outside)
        return "it has assembly outside of its functions";
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                char name[64];
                if (LLVMGetInstructionOpcode(i) == LLVMCallBr)
                    return "it has assembly that jumps";
                if (!LLVMIsACallInst(i) || !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                    continue;
                name_of(i, name, sizeof name);
                let_stay(i);
                LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1,
                               LLVMAddFunction(m, name, LLVMGetCalledFunctionType(i)));
            }
    return NULL;
}
