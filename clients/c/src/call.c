/* One call over one easy handle, and what came of it. */
#include "app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t receive(char *data, size_t size, size_t count, void *worker) {
    struct worker *w = worker;
    size_t bytes = size * count, want = w->app->flags->body_bytes;
    for (size_t i = 0; i < bytes; i++, w->got_bytes++)
        if (w->got_bytes < want)
            w->got[w->got_bytes] = data[i];
    return bytes;
}

/* libcurl names the TLS version in its verbose text only; the first worker has it on until it is known. */
static int overhear(CURL *easy, curl_infotype type, char *text, size_t length, void *worker) {
    static const char mark[] = "SSL connection using TLSv";
    struct app *a = ((struct worker *)worker)->app;
    (void)easy;
    if (type == CURLINFO_TEXT && length > sizeof mark + 2 && memcmp(text, mark, sizeof mark - 1) == 0)
        snprintf(a->tls, sizeof a->tls, "%.3s", text + sizeof mark - 1);
    return 0;
}

static void wait_for_the_first(CURL *easy) {
    /* snippet:pipewait */
    /* Waits for the connection that is being made, and is multiplexed on it. */
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    /* snippet:end */
}

static void speak_http1(CURL *easy) {
    /* snippet:http1 */
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    /* snippet:end */
}

static void set_options(struct worker *w) {
    const struct flags *f = w->app->flags;
    CURL *e = w->easy;
    curl_easy_setopt(e, CURLOPT_PRIVATE, w);
    curl_easy_setopt(e, CURLOPT_URL, f->url);
    curl_easy_setopt(e, CURLOPT_PROXY, "");
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_CAINFO, f->ca);
    curl_easy_setopt(e, CURLOPT_CAPATH, NULL); /* the lab's authority and no other */
    curl_easy_setopt(e, CURLOPT_SSLVERSION,
                     (long)(f->tls12 ? CURL_SSLVERSION_MAX_TLSv1_2 : CURL_SSLVERSION_MAX_TLSv1_3));
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, w->error);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, w);
    curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, overhear);
    curl_easy_setopt(e, CURLOPT_DEBUGDATA, w);
    curl_easy_setopt(e, CURLOPT_VERBOSE, w->app->tls[0] || w->index ? 0L : 1L);
    if (!f->get) {
        curl_easy_setopt(e, CURLOPT_POSTFIELDS, w->app->body);
        curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE, (long)f->body_bytes);
        curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, f->method);
    }
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, w->headers);
    if (f->variant->pipewait)
        wait_for_the_first(e);
    if (f->variant->h1)
        speak_http1(e);
}

/* snippet:retry */
void call_start_afresh(struct worker *w) {
    /* Before each transfer on a handle that had one: libcurl counts its own retries in
       the easy handle, gives up at the sixth, and only this sets them to nought. */
    curl_easy_reset(w->easy);
    set_options(w); /* URL, body, headers, callbacks: all are gone */
}
/* Added again, five tries in all, after curl_easy_reset: libcurl 7.88 gives up with (16)
   a request that it was about to send over a session which a GOAWAY had ended. */
bool call_may_be_sent_again(CURL *easy, CURLcode result) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return result == CURLE_HTTP2 && status == 0;
}
/* snippet:end */

void call_set_up(struct worker *w) {
    w->easy = curl_easy_init();
    if (!w->easy || !(w->got = malloc(w->app->flags->body_bytes + 1)))
        give_up(COULD_NOT, "out of memory");
    set_options(w);
}

void call_tear_down(struct worker *w) {
    curl_easy_cleanup(w->easy);
    curl_slist_free_all(w->headers);
    free(w->got);
}

void call_name(struct worker *w, const char *phase) {
    w->n++;
    w->tries = 0;
    snprintf(w->id, sizeof w->id, "X-Lab-Request-Id: %s-%s-%d-%ld", w->app->flags->nonce, phase, w->index, w->n);
    curl_slist_free_all(w->headers);
    w->headers = curl_slist_append(NULL, w->id);
    curl_easy_setopt(w->easy, CURLOPT_HTTPHEADER, w->headers);
    curl_easy_setopt(w->easy, CURLOPT_VERBOSE, w->app->tls[0] || w->index ? 0L : 1L);
}

/* The protocol asked for must be the one: figures would stand under a false name. */
static void check_protocol(const struct worker *w) {
    bool h1 = w->app->flags->variant->h1;
    long version = 0;
    curl_easy_getinfo(w->easy, CURLINFO_HTTP_VERSION, &version);
    if (version != (h1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2_0))
        give_up(COULD_NOT, "the answer did not come over HTTP/%s", h1 ? "1.1" : "2");
}

void call_count(struct worker *w, CURLcode result, double waited_s, struct tally *t) {
    const struct flags *f = w->app->flags;
    char message[LONGEST_MESSAGE];
    long status = 0;
    if (result != CURLE_OK) {
        const char *said = w->error[0] ? w->error : curl_easy_strerror(result);
        snprintf(message, sizeof message, "curl: (%d) %s", (int)result, said);
        tally_failure(t, "transport", message);
        return;
    }
    check_protocol(w);
    curl_easy_getinfo(w->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) {
        snprintf(message, sizeof message, "HTTP %ld", status);
        tally_failure(t, "status", message);
    } else if (!f->get && strstr(f->url, "/echo") &&
               (w->got_bytes != f->body_bytes || memcmp(w->got, w->app->body, f->body_bytes) != 0)) {
        tally_failure(t, "status", "the answer is not what was sent");
    } else {
        tally_success(t, waited_s);
    }
}
