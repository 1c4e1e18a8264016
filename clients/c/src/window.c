/* The closed loop: keeps all workers busy for a time, begins no call after it,
   and waits for the answers that are still due, but not for ever. */
#include "app.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A call that fails at once is followed by a pause, so that a client which is
   broken for ever doesn't count millions of failures. */
static const double at_once = 0.001, pause_s = 0.010;
enum { LOOK_EVERY_MS = 50, MOST_TRIES = 5, GRACE_S = 6 };

struct window {
    struct app *app;
    const char *phase;
    double until;
    struct tally *tally;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void too_late(int signal) {
    static const char said[] = "curl-multi: a window did not end\n";
    ssize_t ignored = write(STDERR_FILENO, said, sizeof said - 1);
    (void)signal, (void)ignored;
    _exit(COULD_NOT);
}

static void send_it(struct worker *w) {
    if (w->app->flags->variant->reset)
        call_start_afresh(w);
    w->error[0] = 0;
    w->got_bytes = 0;
    w->tries++;
    w->state = IN_CALL;
    CURLMcode code = curl_multi_add_handle(w->app->multi, w->easy);
    if (code != CURLM_OK)
        give_up(COULD_NOT, "curl_multi_add_handle: %s", curl_multi_strerror(code));
}

static void begin(struct window *v, struct worker *w) {
    w->state = IDLE;
    w->sent = now();
    if (w->sent >= v->until)
        return;
    call_name(w, v->phase);
    send_it(w);
}

static void add_dials(struct worker *w, struct tally *t) {
    long connects = 0;
    curl_easy_getinfo(w->easy, CURLINFO_NUM_CONNECTS, &connects);
    t->dialled += connects;
}

static void settle(struct window *v, struct worker *w, CURLcode result) {
    double waited = now() - w->sent;
    long failed = v->tally->failed;
    curl_multi_remove_handle(v->app->multi, w->easy);
    add_dials(w, v->tally);
    if (v->app->flags->variant->retry && w->tries < MOST_TRIES && call_may_be_sent_again(w->easy, result)) {
        send_it(w);
        return;
    }
    call_count(w, result, waited, v->tally);
    if (failed != v->tally->failed && waited < at_once) {
        w->state = IN_PAUSE;
        w->due = now() + pause_s;
        return;
    }
    begin(v, w);
}

/* The harness's own bound: libcurl has none but for connecting. */
static void lose_patience(struct window *v, struct worker *w) {
    double patience = v->app->flags->patience_s;
    char message[LONGEST_MESSAGE];
    snprintf(message, sizeof message, "no answer within %gs (the call never settled)%s%s", patience,
             w->error[0] ? ": " : "", w->error);
    curl_multi_remove_handle(v->app->multi, w->easy);
    add_dials(w, v->tally);
    v->tally->hung++;
    tally_failure(v->tally, "transport", message);
    begin(v, w);
}

/* Looks after those that no message of libcurl's wakes; returns how many are not idle. */
static int tend(struct window *v) {
    double t = now();
    int busy = 0;
    for (int i = 0; i < v->app->flags->concurrency; i++) {
        struct worker *w = &v->app->workers[i];
        if (w->state == IN_PAUSE && t >= w->due)
            begin(v, w);
        else if (w->state == IN_CALL && t - w->sent >= v->app->flags->patience_s)
            lose_patience(v, w);
        busy += w->state != IDLE;
    }
    return busy;
}

static void collect(struct window *v) {
    CURLMsg *m;
    int left;
    while ((m = curl_multi_info_read(v->app->multi, &left))) {
        struct worker *w;
        CURLcode result = m->data.result;
        if (m->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &w);
        settle(v, w, result);
    }
}

void app_window(struct app *a, const char *phase, double lasts_s, struct tally *t) {
    double began = now();
    struct window v = {.app = a, .phase = phase, .until = began + lasts_s, .tally = t};
    int running;
    signal(SIGALRM, too_late);
    alarm((unsigned)(lasts_s + a->flags->patience_s) + GRACE_S);
    for (int i = 0; i < a->flags->concurrency; i++) {
        a->workers[i].n = 0;
        begin(&v, &a->workers[i]);
    }
    do {
        CURLMcode code = curl_multi_perform(a->multi, &running);
        if (code != CURLM_OK)
            give_up(COULD_NOT, "curl_multi_perform: %s", curl_multi_strerror(code));
        collect(&v);
        if (tend(&v) == 0)
            break;
        curl_multi_poll(a->multi, NULL, 0, LOOK_EVERY_MS, NULL);
    } while (true);
    t->elapsed_s = now() - began;
    alarm(0);
}

static void one_connection(CURLM *multi) {
    /* snippet:one */
    /* With curl_easy_reset before each transfer, and (16) sent again, as libcurl-multi-retry does. */
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    /* snippet:end */
}

struct app *app_new(const struct flags *f) {
    struct app *a = calloc(1, sizeof *a);
    if (!a || !(a->body = malloc(f->body_bytes + 1)) || !(a->workers = calloc((size_t)f->concurrency, sizeof *a->workers)))
        give_up(COULD_NOT, "out of memory");
    memset(a->body, '1', f->body_bytes);
    a->body[f->body_bytes] = 0;
    a->flags = f;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(a->multi = curl_multi_init()))
        give_up(COULD_NOT, "libcurl doesn't start");
    if (f->variant->one)
        one_connection(a->multi);
    for (int i = 0; i < f->concurrency; i++) {
        a->workers[i].app = a;
        a->workers[i].index = i;
        call_set_up(&a->workers[i]);
    }
    return a;
}

const char *app_tls(const struct app *a) { return a->tls; }

void app_free(struct app *a) {
    for (int i = 0; i < a->flags->concurrency; i++)
        call_tear_down(&a->workers[i]);
    curl_multi_cleanup(a->multi);
    curl_global_cleanup();
    free(a->workers);
    free(a->body);
    free(a);
}
