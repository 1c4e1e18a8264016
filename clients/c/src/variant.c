#include "lab.h"

#include <string.h>

static const struct variant all[] = {
    {.name = "libcurl-multi"},
    {.name = "libcurl-multi-reset", .reset = true},
    {.name = "libcurl-multi-retry", .reset = true, .retry = true},
    {.name = "libcurl-multi-pipewait", .pipewait = true},
    {.name = "libcurl-multi-pipewait-retry", .pipewait = true, .reset = true, .retry = true},
    {.name = "libcurl-multi-one-connection", .one = true, .reset = true, .retry = true},
    {.name = "libcurl-multi-h1", .h1 = true},
};

const struct variant *variant_by_name(const char *name) {
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

const char *variant_names(void) {
    static char names[512];
    names[0] = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        strcat(names, i ? ", " : "");
        strcat(names, all[i].name);
    }
    return names;
}
