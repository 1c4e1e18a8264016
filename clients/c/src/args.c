#include "lab.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void give_up(int status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("curl-multi: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(status);
}

static double unit_s(const char *unit, size_t length) {
    static const struct { const char *name; double s; } units[] = {
        {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length && memcmp(units[i].name, unit, length) == 0)
            return units[i].s;
    return -1;
}

/* Durations are written as Go prints them: 1s, 1.5s, 500ms, 1m0s. */
double parse_duration(const char *text) {
    double sum = 0;
    if (!*text)
        return -1;
    while (*text) {
        size_t digits = strspn(text, "0123456789."), unit;
        char *end;
        double n = strtod(text, &end);
        if (digits == 0 || end != text + digits)
            return -1;
        unit = strcspn(end, "0123456789.");
        double scale = unit_s(end, unit);
        if (scale < 0)
            return -1;
        sum += n * scale;
        text = end + unit;
    }
    return sum;
}

static double duration(const char *name, const char *value) {
    double s = parse_duration(value);
    if (s <= 0 || s > 86400)
        give_up(WRONG_USAGE, "--%s: %s is no duration such as 1s, 1.5s, 500ms or 1m0s", name, value);
    return s;
}

static long number(const char *name, const char *value, long least, long most) {
    char *end;
    long n = strtol(value, &end, 10);
    if (!*value || *end || n < least || n > most)
        give_up(WRONG_USAGE, "--%s: %s is no whole number from %ld to %ld", name, value, least, most);
    return n;
}

static const char *one_of(const char *name, const char *value, const char *const *all) {
    for (; *all; all++)
        if (strcmp(*all, value) == 0)
            return *all;
    give_up(WRONG_USAGE, "--%s: %s is not among its values", name, value);
}

static void set(struct flags *f, const char *name, const char *value, const char **protocol) {
    static const char *const protocols[] = {"h1", "h2", NULL}, *const versions[] = {"1.2", "1.3", NULL};
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", NULL};
#define IS(flag) (strcmp(name, flag) == 0)
    if (IS("variant")) {
        if (!(f->variant = variant_by_name(value)))
            give_up(WRONG_USAGE, "--variant: %s is none of %s", value, variant_names());
    } else if (IS("url")) f->url = value;
    else if (IS("ca")) f->ca = value;
    else if (IS("nonce")) f->nonce = value;
    else if (IS("protocol")) *protocol = one_of(name, value, protocols);
    else if (IS("method")) f->method = one_of(name, value, methods);
    else if (IS("max-tls")) f->tls12 = one_of(name, value, versions) == versions[0];
    else if (IS("concurrency")) f->concurrency = (int)number(name, value, 1, 10000);
    else if (IS("pools")) number(name, value, 1, 1);
    else if (IS("body-bytes")) f->body_bytes = (size_t)number(name, value, 0, 1 << 20);
    else if (IS("warmup")) f->warmup_s = duration(name, value);
    else if (IS("duration")) f->duration_s = duration(name, value);
    else if (IS("patience")) f->patience_s = duration(name, value);
    else give_up(WRONG_USAGE, "--%s: no such flag", name);
#undef IS
}

static void check(const struct flags *f, const char *protocol) {
    FILE *ca;
    if (strncmp(f->url, "https://", 8) != 0)
        give_up(WRONG_USAGE, "--url: \"%s\" is no https address", f->url);
    if (!*f->ca)
        give_up(WRONG_USAGE, "--ca: name the PEM file of the server's authority");
    if (f->variant->h1 != (strcmp(protocol, "h1") == 0))
        give_up(WRONG_USAGE, "--protocol: %s doesn't speak %s", f->variant->name, protocol);
    if (!(ca = fopen(f->ca, "r")))
        give_up(IS_MISSING, "missing: --ca %s can't be read", f->ca);
    fclose(ca);
}

struct flags parse_args(int argc, char **argv) {
    const char *protocol = "h2";
    struct flags f = {
        .variant = variant_by_name("libcurl-multi"), .url = "", .ca = "", .method = "POST", .nonce = "by-hand",
        .concurrency = 100, .warmup_s = 1, .duration_s = 5, .patience_s = 12, .body_bytes = 1,
    };
    for (int i = 1; i < argc; i++) {
        char name[32];
        const char *arg = argv[i], *is = strchr(arg, '=');
        if (strncmp(arg, "--", 2) != 0)
            give_up(WRONG_USAGE, "%s: no such argument", arg);
        snprintf(name, sizeof name, "%.*s", is ? (int)(is - arg - 2) : (int)strlen(arg) - 2, arg + 2);
        if (strcmp(name, "json") == 0) {
            f.json = true;
            continue;
        }
        if (!is && i + 1 == argc)
            give_up(WRONG_USAGE, "--%s: give it a value", name);
        set(&f, name, is ? is + 1 : argv[++i], &protocol);
    }
    f.get = strcmp(f.method, "GET") == 0;
    if (f.get)
        f.body_bytes = 0;
    check(&f, protocol);
    return f;
}
