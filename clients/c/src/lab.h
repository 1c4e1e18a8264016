/* What the files of this program share: a closed loop of requests over
   libcurl's multi interface, as one kind of application does it. */
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The exit statuses, as everywhere in the lab. */
enum { DONE = 0, COULD_NOT = 1, WRONG_USAGE = 2, IS_MISSING = 3 };

/* Prints one line on stderr and ends the program. */
_Noreturn void give_up(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* variant.c: the rows. */
struct variant {
    const char *name;
    bool h1;       /* speaks HTTP/1.1 */
    bool pipewait; /* waits for the first connection instead of opening its own */
    bool one;      /* at most one connection to the host */
    bool reset;    /* resets the easy handle before each call */
    bool retry;    /* sends again what libcurl gave up with CURLE_HTTP2 */
};
const struct variant *variant_by_name(const char *name); /* NULL when there is none */
const char *variant_names(void);

/* args.c: the command line that all client programs of the lab share. */
struct flags {
    bool json, get;
    const struct variant *variant;
    const char *url, *ca, *method, *nonce;
    int concurrency;
    double warmup_s, duration_s, patience_s;
    size_t body_bytes;
    bool tls12; /* offer TLS 1.2 at most */
};
struct flags parse_args(int argc, char **argv);
double parse_duration(const char *text); /* seconds; negative when it is none */

/* talk.c: the conversation with the conductor. */
void meet(const struct flags *f, const char *word);

/* tally.c: what a window counted. */
enum { MOST_GROUPS = 50, LONGEST_MESSAGE = 512 };
struct group {
    char message[LONGEST_MESSAGE], key[LONGEST_MESSAGE];
    const char *kind;
    long count;
};
struct tally {
    long attempts, succeeded, failed, hung, dialled;
    double elapsed_s;
    uint32_t *latency_us; /* successes only, in the order they came */
    size_t room;
    struct group groups[MOST_GROUPS];
    int groups_used;
};
void tally_success(struct tally *t, double waited_s);
void tally_failure(struct tally *t, const char *kind, const char *message);
void tally_settle(struct tally *t); /* sorts; before percentiles and groups are read */
double tally_percentile_ms(const struct tally *t, double quantile);
void tally_free(struct tally *t);

/* window.c: the closed loop. One application for the whole run. */
struct app;
struct app *app_new(const struct flags *f);
void app_window(struct app *a, const char *phase, double lasts_s, struct tally *t);
const char *app_tls(const struct app *a); /* "1.2", "1.3" or "" */
void app_free(struct app *a);

/* answer.c: how the program ends. */
void answer_json(const struct tally *t, long warmup_requests, const char *tls);
void answer_text(const struct tally *t, const char *variant, const char *tls);

#endif
