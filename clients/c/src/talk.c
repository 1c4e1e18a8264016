#include "lab.h"

#include <stdio.h>

/* Says where the client is and waits for a newline. An end of the input means
   that the conductor is gone, and so is the reason to go on. */
void meet(const struct flags *f, const char *word) {
    int c;
    if (!f->json)
        return;
    printf("%s\n", word);
    if (fflush(stdout) != 0)
        give_up(COULD_NOT, "writing %s to stdout", word);
    while ((c = getchar()) != '\n')
        if (c == EOF)
            give_up(COULD_NOT, "stdin ended at %s; run it without --json by hand", word);
}
