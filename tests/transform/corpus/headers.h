#ifndef HEADERS_H
#define HEADERS_H
static int group_number(void)
{
    return get_group_id(0);
}
#endif
