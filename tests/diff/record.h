/** The file of results: for each buffer of each plan a header and its bytes. Written by launch.c, compared by
 * compare.c. */
#ifndef TESTS_DIFF_RECORD_H
#define TESTS_DIFF_RECORD_H

#include <stdint.h>

#define RECORD_MAGIC 0x6b796469u

struct record {
    uint32_t magic, kernel, buffer, base;
    uint64_t seed, bytes, inexact;
    char kernel_name[48], name[16];
};

/** Is each number of file GOT the same as in one of the COUNT files REFERENCES, byte for byte? 0: yes; 1: no, the first
 * differences are printed; 2: a file cannot be read or they do not belong together. */
int records_compare(const char *got, char *const *references, int count);

#endif
