/* Rounds of bench/patterns that differ in how they launch: many, one after the other or not, from several threads, of
 * programs built for each. Who uses it: patterns_rounds.c, whose table says what each is. */
#ifndef YK_BENCH_PATTERNS_LAUNCHES_H
#define YK_BENCH_PATTERNS_LAUNCHES_H

void patterns_flag_each(unsigned i);
void patterns_range_again(unsigned i);
void patterns_two_threads(unsigned i);
void patterns_small_launches(unsigned i);
void patterns_many_callbacks(unsigned i);
void patterns_one_group_each(unsigned i);
void patterns_one_group_chain(unsigned i);
void patterns_new_program(unsigned i);

#endif
