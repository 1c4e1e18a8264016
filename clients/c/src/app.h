/* What window.c and call.c share. */
#ifndef APP_H
#define APP_H

#include "lab.h"

#include <curl/curl.h>

/* One of the calls in flight, again and again, over its own easy handle. */
struct worker {
    struct app *app;
    CURL *easy;
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
    char *got; /* the answer's first body_bytes */
    size_t got_bytes;
    char id[256]; /* the header that names the call */
    int index, tries;
    long n;
    double sent, due; /* when the call was begun; when the next one is, in a pause */
    enum { IDLE, IN_CALL, IN_PAUSE } state;
};

struct app {
    const struct flags *flags;
    CURLM *multi;
    char *body;
    struct worker *workers;
    char tls[4]; /* as in "1.3", once it is known */
};

/* call.c */
void call_set_up(struct worker *w);
void call_tear_down(struct worker *w);
void call_name(struct worker *w, const char *phase); /* gives the next call its id */
void call_start_afresh(struct worker *w);            /* before each transfer, where the variant does that */
void call_count(struct worker *w, CURLcode result, double waited_s, struct tally *t);
bool call_may_be_sent_again(CURL *easy, CURLcode result);

#endif
