/* `yoke solve`: probability of evidence, marginals and LOD scores of probabilistic networks, from the command line.
 * main.c calls it; what it does is in solver/. */
#ifndef YK_CLI_SOLVE_H
#define YK_CLI_SOLVE_H

/** ARGV[0] is "solve". Returns the process's exit status. */
int yk_cli_solve(int argc, char **argv);

#endif
