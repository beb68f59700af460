#include "tests/count/ledger.h"

static struct ledger_byte *at(struct ledger *l, uint64_t address, size_t size)
{
    for (size_t i = l->buffer.n; i-- > 0;) { /* the newest first: it is used most */
        struct ledger_buffer *b = &l->buffer.v[i];
        if (address >= b->address && size <= b->size && address - b->address <= b->size - size)
            return b->byte + (address - b->address);
    }
    return NULL;
}

static bool version(struct ledger *l, uint16_t made, struct ledger_byte *b)
{
    b->version = (uint32_t)l->version.n;
    return l->version.n < UINT32_MAX && yk_array_push(&l->version, ((struct ledger_version){made, 0}));
}

static uint16_t place_bit(unsigned place)
{
    return (uint16_t)(1u << place);
}

static bool made(struct ledger *l, uint64_t address, size_t size, uint16_t by)
{
    struct ledger_byte *b = at(l, address, size);
    bool ok = b != NULL;
    for (size_t i = 0; ok && i < size; i++)
        ok = version(l, by, &b[i]);
    return ok;
}

static bool given(struct ledger *l, uint64_t address, size_t size)
{
    if (!l->home)
        return made(l, address, size, place_bit(LEDGER_HOST));
    l->to_devices += size;
    return made(l, address, size, place_bit(l->home));
}

bool ledger_allocate(struct ledger *l, uint64_t address, size_t size, bool by_host)
{
    struct ledger_buffer b = {address, size, calloc(size ? size : 1, sizeof *b.byte)};
    if (!b.byte || !yk_array_push(&l->buffer, b)) {
        free(b.byte);
        return false;
    }
    return by_host ? given(l, address, size) : made(l, address, size, LEDGER_ALL);
}

bool ledger_release(struct ledger *l, uint64_t address)
{
    for (size_t i = 0; i < l->buffer.n; i++)
        if (l->buffer.v[i].address == address) {
            free(l->buffer.v[i].byte);
            l->buffer.v[i] = l->buffer.v[--l->buffer.n];
            return true;
        }
    return false;
}

bool ledger_load(struct ledger *l, unsigned place, uint64_t address, size_t size)
{
    struct ledger_byte *b = at(l, address, size);
    for (size_t i = 0; b && i < size; i++)
        if (!(b[i].stored & place_bit(place)))
            l->version.v[b[i].version].needed |= place_bit(place);
    return b != NULL;
}

bool ledger_store(struct ledger *l, unsigned place, uint64_t address, size_t size)
{
    if (place == LEDGER_HOST)
        return given(l, address, size);
    struct ledger_byte *b = at(l, address, size);
    for (size_t i = 0; b && i < size; i++)
        b[i].stored |= place_bit(place);
    return b != NULL;
}

bool ledger_atomic(struct ledger *l, unsigned place, uint64_t address, size_t size)
{
    struct ledger_byte *b = at(l, address, size);
    for (size_t i = 0; b && i < size; i++)
        b[i].added |= place_bit(place);
    return b != NULL;
}

bool ledger_fill(struct ledger *l, uint64_t address, size_t size)
{
    return made(l, address, size, LEDGER_ALL);
}

bool ledger_copy(struct ledger *l, uint64_t to, uint64_t from, size_t size)
{
    struct ledger_byte *t = at(l, to, size), *f = at(l, from, size);
    for (size_t i = 0; t && f && i < size; i++)
        t[i].version = f[i].version;
    return t && f;
}

static bool end_byte(struct ledger *l, struct ledger_byte *b)
{
    uint16_t by = b->stored | b->added, added = b->added;
    bool alone = (by & (by - 1)) == 0, first = !(b->stored & added);
    b->stored = b->added = 0;
    if (!by)
        return true;
    struct ledger_version *before = &l->version.v[b->version];
    if (added && alone && first)
        before->needed |= added; /* it goes on from what was there */
    if (!added || alone)
        return version(l, by, b);
    if (!(before->made & (by | place_bit(LEDGER_HOST))))
        before->needed |= place_bit(LEDGER_HOST);
    l->to_host += (unsigned)__builtin_popcount(by);
    return version(l, place_bit(LEDGER_HOST), b);
}

bool ledger_end(struct ledger *l)
{
    bool ok = true;
    for (size_t i = 0; i < l->buffer.n; i++)
        for (size_t k = 0; ok && k < l->buffer.v[i].size; k++)
            ok = end_byte(l, &l->buffer.v[i].byte[k]);
    return ok;
}

void ledger_close(struct ledger *l)
{
    for (size_t i = 0; i < l->version.n; i++) {
        struct ledger_version v = l->version.v[i];
        uint16_t others = v.needed & (uint16_t)~v.made;
        l->to_devices += (unsigned)__builtin_popcount(others & ~1u);
        if (!(v.made & 1u)) /* on its way to a device it is at the host too, but not kept there when there is a home */
            l->to_host += l->home ? (others > 1) + (others & 1u) : others != 0;
    }
}

void ledger_finish(struct ledger *l)
{
    while (l->buffer.n)
        free(l->buffer.v[--l->buffer.n].byte);
    yk_array_finish(&l->buffer);
    yk_array_finish(&l->version);
}
