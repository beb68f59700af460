/* `yoke profile links`: what the devices' links carry. Who uses it: profile.c. */
#ifndef YK_CLI_PROFILE_LINKS_H
#define YK_CLI_PROFILE_LINKS_H

#include <stdbool.h>

/** Measure every link, print what came out, keep it in the database. Returns the exit status. Cost: about a second a
 * device, and as long for each pair. */
int yk_profile_links(bool json);

#endif
