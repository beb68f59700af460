/* LINKAGE's pedigree file, one person a line: family, id, father, mother, [first offspring, next siblings by father and
 * by mother,] sex, [proband or loop,] phenotypes in the order of the locus file. */
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "base/array.h"
#include "solver/pedigree.h"
#include "solver/scan.h"

struct row {
    const char *id, *father, *mother;
    unsigned long line;
    uint64_t loop; /* 2 and more: both of a pair of copies */
    uint32_t same; /* row of the person, if this is a copy made to break a loop */
    uint32_t index;
    uint64_t (*phenotype)[2];
    bool male, done; /* done: its loop is closed */
    UT_hash_handle hh;
};

struct reader {
    struct yk_scan s;
    const struct yk_loci *loci;
    struct yk_pedigree *ped;
    bool linked; /* with makeped's columns */
    const char *family;
    YK_ARRAY(struct row *) rows; /* of this family */
    YK_ARRAY(struct yk_family) families;
};

static yk_status no_memory(struct reader *r)
{
    yk_scan_fail(&r->s, "not enough memory");
    return YK_ENOMEM;
}

static uint32_t phenotype_words(const struct yk_loci *l)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct yk_locus *x = &l->locus[i];
        n += x->type == YK_LOCUS_NUMBERED ? 2 : x->type == YK_LOCUS_BINARY ? x->factors : x->classes > 1 ? 2 : 1;
    }
    return n;
}

/* Words of the first line before a comment: four names, then numbers. */
static void find_form(struct reader *r)
{
    struct yk_scan s = r->s;
    uint32_t n = 0;
    uint64_t value, sex = 0;
    if (!yk_scan_next(&s))
        return;
    do {
        n++;
        if (n > 4 && !yk_scan_as_whole(&s, &value))
            break;
        if (n == 8)
            sex = value;
    } while (yk_scan_next_on_line(&s));
    r->linked = n >= 9 + phenotype_words(r->loci) && (sex == 1 || sex == 2);
}

/* Next word of the line as a whole number. */
static yk_status read_field(struct reader *r, const char *what, uint64_t max, uint64_t *value)
{
    yk_scan_next_on_line(&r->s);
    if (!yk_scan_as_whole(&r->s, value))
        return yk_scan_expected(&r->s, "%s", what);
    if (*value > max)
        return yk_scan_expected(&r->s, "%s, at most %llu", what, (unsigned long long)max);
    return YK_OK;
}

static yk_status read_phenotype(struct reader *r, const struct yk_locus *x, bool male, uint64_t to[2])
{
    yk_status st = YK_OK;
    uint64_t v = 0;
    switch (x->type) {
    case YK_LOCUS_AFFECTION:
        st = read_field(r, "an affection status (0, 1 or 2)", 2, &to[0]);
        to[1] = 1;
        if (st == YK_OK && x->classes > 1) {
            st = read_field(r, "a liability class", x->classes, &to[1]);
            if (st == YK_OK && to[1] == 0 && to[0] != 0)
                st = yk_scan_expected(&r->s, "a liability class of at least 1");
        }
        break;
    case YK_LOCUS_NUMBERED:
        st = read_field(r, "an allele", x->alleles, &to[0]);
        if (st == YK_OK)
            st = read_field(r, "an allele", x->alleles, &to[1]);
        if (st == YK_OK && !to[0] != !to[1] && !(r->loci->sex_linked && male))
            st = yk_scan_expected(&r->s, "two alleles, or 0 0");
        if (st == YK_OK && r->loci->sex_linked && male) { /* one chromosome: "a a", or "a 0" */
            if (to[0] && to[1] && to[0] != to[1])
                st = yk_scan_expected(&r->s, "one allele of a male at a sex-linked locus");
            to[0] = to[1] = to[0] ? to[0] : to[1];
        }
        break;
    case YK_LOCUS_BINARY:
        /* no factor at all means unknown */
        for (uint32_t f = 0; f < x->factors && st == YK_OK; f++) {
            st = read_field(r, "a binary factor (0 or 1)", 1, &v);
            to[0] |= st == YK_OK ? v << f : 0;
        }
        to[1] = to[0] != 0;
        break;
    }
    return st;
}

static const char *take_word(struct reader *r)
{
    return yk_arena_strndup(&r->ped->arena, r->s.word, r->s.len);
}

static yk_status read_row(struct reader *r, struct row *row)
{
    static const char *const what[] = {"the id of a person", "a father, or 0", "a mother, or 0"};
    const char **to[] = {&row->id, &row->father, &row->mother};
    uint64_t v = 0;
    yk_status st = YK_OK;
    row->line = r->s.line;
    for (int i = 0; i < 3; i++) {
        if (!yk_scan_next_on_line(&r->s))
            return yk_scan_expected(&r->s, "%s", what[i]);
        if (!(*to[i] = take_word(r)))
            return no_memory(r);
    }
    if (strcmp(row->id, "0") == 0)
        return yk_scan_expected(&r->s, "an id other than 0");
    for (int i = 0; i < 3 && r->linked && st == YK_OK; i++)
        st = yk_scan_next_on_line(&r->s) ? YK_OK : yk_scan_expected(&r->s, "a link to an offspring or sibling");
    if (st == YK_OK)
        st = read_field(r, "a sex (1 male, 2 female)", 2, &v);
    if (st == YK_OK && v == 0)
        st = yk_scan_expected(&r->s, "a sex (1 male, 2 female)");
    row->male = v == 1;
    if (st == YK_OK && r->linked)
        st = read_field(r, "proband or loop", UINT32_MAX, &row->loop);
    if (st != YK_OK)
        return st;
    if (!(row->phenotype = (uint64_t(*)[2])yk_arena_alloc(&r->ped->arena, sizeof(uint64_t[2]) * r->loci->n)))
        return no_memory(r);
    for (uint32_t i = 0; i < r->loci->n && st == YK_OK; i++)
        st = read_phenotype(r, &r->loci->locus[i], row->male, row->phenotype[i]);
    return st;
}

static yk_status row_fail(struct reader *r, const struct row *row, const char *what, const char *name)
{
    r->s.line = row->line;
    return yk_scan_fail(&r->s, "expected %s of person %s%s%s", what, row->id, name ? ", found " : "", name ? name : "");
}

/* Copies of one person carry the same loop number; the one with parents is the person. */
static yk_status close_loops(struct reader *r)
{
    for (uint32_t i = 0; i < r->rows.n; i++)
        r->rows.v[i]->same = i;
    for (uint32_t i = 0; i < r->rows.n; i++) {
        struct row *first = r->rows.v[i];
        uint32_t person = i;
        bool found = strcmp(first->father, "0") != 0;
        if (first->loop < 2 || first->done)
            continue;
        for (uint32_t k = i + 1; k < r->rows.n; k++) {
            struct row *other = r->rows.v[k];
            if (other->loop != first->loop)
                continue;
            if (other->male != first->male)
                return row_fail(r, other, "one sex", "two among the copies of a loop");
            if (strcmp(other->father, "0") != 0) {
                if (found)
                    return row_fail(r, other, "parents on one copy", "them on two");
                found = true;
                person = k;
            }
        }
        for (uint32_t k = i; k < r->rows.n; k++)
            if (r->rows.v[k]->loop == first->loop) {
                r->rows.v[k]->same = person;
                r->rows.v[k]->done = true;
            }
    }
    return YK_OK;
}

static yk_status find_parent(struct reader *r, struct row *by_id, const struct row *child, const char *id, bool male,
                             uint32_t *to)
{
    struct row *p;
    *to = YK_NO_PERSON;
    if (strcmp(id, "0") == 0)
        return YK_OK;
    HASH_FIND_STR(by_id, id, p);
    if (!p)
        return row_fail(r, child, male ? "a father in the family" : "a mother in the family", id);
    if (p->male != male)
        return row_fail(r, child, male ? "a male father" : "a female mother", id);
    *to = p->same;
    return YK_OK;
}

/* Persons in an order with parents first: repeatedly those whose parents are placed. PLACE[row] is the person's number.
 */
static yk_status sort_rows(struct reader *r, const uint32_t (*parents)[2], struct yk_family *f, uint32_t *place)
{
    uint32_t n = (uint32_t)r->rows.n, people = 0;
    uint32_t *stack = malloc(((size_t)n * 2 + 1) * sizeof *stack);
    unsigned char *mark = calloc((size_t)n + 1, 1);
    yk_status st = stack && mark ? YK_OK : no_memory(r);
    for (uint32_t i = 0; i < n && st == YK_OK; i++) {
        uint32_t top = 0;
        if (r->rows.v[i]->same != i || mark[i])
            continue;
        stack[top++] = i;
        while (top && st == YK_OK) { /* depth first; mark 1: its parents are being placed */
            uint32_t v = stack[top - 1], before = top;
            if (mark[v] == 2) {
                top--;
                continue;
            }
            bool seen = mark[v] == 1;
            mark[v] = 1;
            for (int k = 0; k < 2; k++) {
                uint32_t p = parents[v][k];
                if (p == YK_NO_PERSON || mark[p] == 2)
                    continue;
                if (seen || mark[p] == 1) {
                    st = row_fail(r, r->rows.v[v], "parents who are not descendants", NULL);
                    break;
                }
                stack[top++] = p;
            }
            if (st == YK_OK && top == before) {
                mark[v] = 2;
                place[v] = people++;
                top--;
            }
        }
    }
    f->n = people;
    free(stack);
    free(mark);
    return st;
}

static yk_status place_people(struct reader *r, const uint32_t (*parents)[2], const uint32_t *place,
                              struct yk_family *f)
{
    if (!(f->person = yk_arena_array(&r->ped->arena, struct yk_person, f->n)))
        return no_memory(r);
    for (uint32_t i = 0; i < r->rows.n; i++) {
        const struct row *row = r->rows.v[i];
        if (row->same != i)
            continue;
        struct yk_person *p = &f->person[place[i]];
        *p = (struct yk_person){.id = row->id, .male = row->male, .phenotype = row->phenotype};
        p->father = parents[i][0] == YK_NO_PERSON ? YK_NO_PERSON : place[parents[i][0]];
        p->mother = parents[i][1] == YK_NO_PERSON ? YK_NO_PERSON : place[parents[i][1]];
    }
    return YK_OK;
}

static yk_status end_family(struct reader *r)
{
    struct row *by_id = NULL, *found;
    struct yk_family f = {.id = r->family};
    uint32_t(*parents)[2] = malloc((r->rows.n + 1) * sizeof *parents);
    uint32_t *place = malloc((r->rows.n + 1) * sizeof *place);
    yk_status st = parents && place ? YK_OK : no_memory(r);
    for (uint32_t i = 0; i < r->rows.n && st == YK_OK; i++) {
        struct row *row = r->rows.v[i];
        HASH_FIND_STR(by_id, row->id, found);
        if (found)
            st = row_fail(r, row, "one line", "a second one");
        else
            HASH_ADD_KEYPTR(hh, by_id, row->id, strlen(row->id), row);
    }
    if (st == YK_OK)
        st = close_loops(r);
    for (uint32_t i = 0; i < r->rows.n && st == YK_OK; i++) {
        struct row *row = r->rows.v[i];
        st = find_parent(r, by_id, row, row->father, true, &parents[i][0]);
        if (st == YK_OK)
            st = find_parent(r, by_id, row, row->mother, false, &parents[i][1]);
        if (st == YK_OK && (parents[i][0] == YK_NO_PERSON) != (parents[i][1] == YK_NO_PERSON))
            st = row_fail(r, row, "two parents or none", "one");
    }
    if (st == YK_OK)
        st = sort_rows(r, (const uint32_t(*)[2])parents, &f, place);
    if (st == YK_OK)
        st = place_people(r, (const uint32_t(*)[2])parents, place, &f);
    if (st == YK_OK && !yk_array_push(&r->families, f))
        st = no_memory(r);
    HASH_CLEAR(hh, by_id);
    free(parents);
    free(place);
    r->rows.n = 0;
    return st;
}

static yk_status begin_family(struct reader *r)
{
    yk_status st = r->family ? end_family(r) : YK_OK;
    if (st != YK_OK)
        return st;
    for (size_t i = 0; i < r->families.n; i++)
        if (strlen(r->families.v[i].id) == r->s.len && memcmp(r->families.v[i].id, r->s.word, r->s.len) == 0)
            return yk_scan_expected(&r->s, "the lines of a family together");
    return (r->family = take_word(r)) ? YK_OK : no_memory(r);
}

static yk_status read_all(struct reader *r)
{
    yk_status st = YK_OK;
    find_form(r);
    while (st == YK_OK && yk_scan_next(&r->s)) {
        unsigned long line = r->s.line;
        if (!r->family || strlen(r->family) != r->s.len || memcmp(r->family, r->s.word, r->s.len) != 0)
            st = begin_family(r);
        r->s.line = line;
        struct row *row = st == YK_OK ? yk_arena_new(&r->ped->arena, struct row) : NULL;
        if (row)
            st = read_row(r, row);
        else if (st == YK_OK)
            st = no_memory(r);
        if (st == YK_OK && !yk_array_push(&r->rows, row))
            st = no_memory(r);
        yk_scan_skip_line(&r->s);
    }
    if (st == YK_OK && !r->family)
        return yk_scan_expected(&r->s, "a line of a person");
    if (st == YK_OK)
        st = end_family(r);
    if (st != YK_OK)
        return st;
    r->ped->n = (uint32_t)r->families.n;
    r->ped->family = yk_arena_array(&r->ped->arena, struct yk_family, r->families.n);
    if (!r->ped->family)
        return no_memory(r);
    memcpy(r->ped->family, r->families.v, r->families.n * sizeof *r->families.v);
    return YK_OK;
}

yk_status yk_read_pedigree_text(const char *name, const char *text, size_t len, const struct yk_loci *loci,
                                struct yk_pedigree *ped, char *msg, size_t n)
{
    *ped = (struct yk_pedigree){0};
    struct reader r = {.loci = loci, .ped = ped};
    yk_scan_init(&r.s, name, text, len, msg, n);
    yk_status st = read_all(&r);
    yk_array_finish(&r.rows);
    yk_array_finish(&r.families);
    if (st != YK_OK)
        yk_pedigree_finish(ped);
    return st;
}

yk_status yk_read_pedigree(const char *path, const struct yk_loci *loci, struct yk_pedigree *ped, char *msg, size_t n)
{
    char *text;
    size_t len;
    *ped = (struct yk_pedigree){0};
    yk_status st = yk_scan_load(path, &text, &len, msg, n);
    if (st != YK_OK)
        return st;
    st = yk_read_pedigree_text(path, text, len, loci, ped, msg, n);
    free(text);
    return st;
}

void yk_pedigree_finish(struct yk_pedigree *ped)
{
    yk_arena_finish(&ped->arena);
    *ped = (struct yk_pedigree){0};
}
