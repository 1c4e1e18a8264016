#include "lab.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tally_success(struct tally *t, double waited_s) {
    if ((size_t)t->succeeded == t->room) {
        t->room = t->room ? 2 * t->room : 1 << 16;
        t->latency_us = realloc(t->latency_us, t->room * sizeof *t->latency_us);
        if (!t->latency_us)
            give_up(COULD_NOT, "out of memory");
    }
    t->latency_us[t->succeeded++] = (uint32_t)(waited_s * 1e6);
    t->attempts++;
}

/* Replaces what differs between messages of one kind: ports, stream ids, addresses. */
static void without_numbers(char *to, size_t room, const char *from) {
    size_t n = 0;
    while (*from && n + 1 < room) {
        if (!isdigit((unsigned char)*from)) {
            to[n++] = *from++;
            continue;
        }
        bool hex = from[0] == '0' && from[1] == 'x';
        from += hex ? 2 : 0;
        while (hex ? isxdigit((unsigned char)*from) : isdigit((unsigned char)*from))
            from++;
        to[n++] = '#';
    }
    to[n] = 0;
}

static struct group *group_for(struct tally *t, const char *kind, const char *message) {
    struct group *g;
    char key[LONGEST_MESSAGE];
    if (t->groups_used == MOST_GROUPS - 1)
        message = "further messages, beyond the kinds that are kept";
    without_numbers(key, sizeof key, message);
    for (g = t->groups; g < t->groups + t->groups_used; g++)
        if (strcmp(g->key, key) == 0 && strcmp(g->kind, kind) == 0)
            return g;
    if (t->groups_used == MOST_GROUPS)
        return &t->groups[MOST_GROUPS - 1];
    t->groups_used++;
    g->kind = kind;
    snprintf(g->message, sizeof g->message, "%s", message);
    memcpy(g->key, key, sizeof key);
    return g;
}

void tally_failure(struct tally *t, const char *kind, const char *message) {
    t->attempts++;
    t->failed++;
    group_for(t, kind, message)->count++;
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_count(const void *a, const void *b) {
    long x = ((const struct group *)a)->count, y = ((const struct group *)b)->count;
    return (y > x) - (y < x);
}

void tally_settle(struct tally *t) {
    if (t->succeeded)
        qsort(t->latency_us, (size_t)t->succeeded, sizeof *t->latency_us, by_value);
    qsort(t->groups, (size_t)t->groups_used, sizeof *t->groups, by_count);
}

double tally_percentile_ms(const struct tally *t, double quantile) {
    long rank = (long)(quantile * (double)t->succeeded);
    if (rank >= t->succeeded)
        rank = t->succeeded - 1;
    return t->latency_us[rank] / 1000.0;
}

void tally_free(struct tally *t) {
    free(t->latency_us);
    t->latency_us = NULL;
}
