/* Figures of a bench: a line "figure NAME VALUE UNIT" each, and the same as JSON where asked. */
#ifndef YK_BENCH_FIGURE_H
#define YK_BENCH_FIGURE_H

/** Print the figure NAME and keep it for figure_finish. NAME and UNIT are literals. */
void figure(const char *name, double value, const char *unit);

/** Write the figures given so far to PATH as {"NAME": {"value": V, "unit": "U"}, ...}; NULL: nothing to write. Returns
 * the exit status of the bench: 1 with a message if PATH cannot be written. */
int figure_finish(const char *path);

#endif
