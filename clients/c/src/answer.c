#include "lab.h"

#include <curl/curl.h>
#include <stdio.h>

/* One line: what isn't printable in it becomes a blank. */
static void string(const char *s) {
    putchar('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            putchar('\\');
        putchar((unsigned char)*s < ' ' ? ' ' : *s);
    }
    putchar('"');
}

/* Which code the figures are about: the libcurl that is loaded, not the header's. */
static const char *library(void) {
    static char name[256];
    const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);
    snprintf(name, sizeof name, "libcurl %s (%s, nghttp2/%s)", v->version, v->ssl_version,
             v->nghttp2_version ? v->nghttp2_version : "none");
    return name;
}

static void latency(const struct tally *t) {
    static const struct { const char *name; double q; } all[] = {
        {"p50", .5}, {"p90", .9}, {"p95", .95}, {"p99", .99}, {"p999", .999}, {"max", 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        printf("%s\"%s\":", i ? "," : "", all[i].name);
        if (t->succeeded)
            printf("%.3f", tally_percentile_ms(t, all[i].q));
        else
            printf("null");
    }
}

/* The line of JSON that every client program of the lab ends with. */
void answer_json(const struct tally *t, long warmup_requests, const char *tls) {
    printf("{\"attempts\":%ld,\"succeeded\":%ld,\"failed\":%ld,\"warmup_requests\":%ld,\"elapsed_s\":%.6f,\"failures\":[",
           t->attempts, t->succeeded, t->failed, warmup_requests, t->elapsed_s);
    for (int i = 0; i < t->groups_used; i++) {
        printf("%s{\"message\":", i ? "," : "");
        string(t->groups[i].message);
        printf(",\"count\":%ld,\"kind\":\"%s\"}", t->groups[i].count, t->groups[i].kind);
    }
    printf("],\"latency_ms\":{");
    latency(t);
    printf("},\"dialled\":%ld,\"client_reported\":null,\"tls\":{\"version\":\"%s\",\"resumed\":null},\"hung\":%ld,\"library\":",
           t->dialled, tls, t->hung);
    string(library());
    printf(",\"runtime\":\"gcc %s\"}\n", __VERSION__);
    fflush(stdout);
}

/* The answer for a reader at a terminal. */
void answer_text(const struct tally *t, const char *variant, const char *tls) {
    printf("%s over %s: %ld succeeded, %ld failed (%ld hung) in %.2f s: %.0f requests/s\n", variant, library(),
           t->succeeded, t->failed, t->hung, t->elapsed_s, (double)t->succeeded / t->elapsed_s);
    if (t->succeeded)
        printf("  latency ms: p50 %.2f, p99 %.2f, max %.2f\n", tally_percentile_ms(t, .5), tally_percentile_ms(t, .99),
               tally_percentile_ms(t, 1));
    printf("  connections dialled in the window: %ld; TLS %s\n", t->dialled, tls);
    for (int i = 0; i < t->groups_used; i++)
        printf("  %ld x %s\n", t->groups[i].count, t->groups[i].message);
}
