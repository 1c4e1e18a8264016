package main

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// maxDelayMS stays under readTimeout: net/http ends a waiting HTTP/1.1
	// handler when its connection's read deadline passes.
	maxDelayMS = 30_000
	// maxItems keeps an answer of /post under half a megabyte.
	maxItems = 10_000
)

// delayOf reads "ms=5". No query is no delay; anything else that is not
// exactly one ms is refused, since a misspelt one would measure something else.
func delayOf(query string) (time.Duration, *refusal) {
	if query == "" {
		return 0, nil
	}
	value, plain := strings.CutPrefix(query, "ms=")
	if !plain || strings.ContainsAny(value, "&%+;") {
		q, err := url.ParseQuery(query)
		if err != nil || len(q) != 1 || len(q["ms"]) != 1 {
			return 0, refuse(http.StatusBadRequest, "the query %q is not ms=N, e.g. ?ms=5", shortened(query))
		}
		value = q["ms"][0]
	}
	return milliseconds(value)
}

func milliseconds(s string) (time.Duration, *refusal) {
	n, no := number("ms", s, maxDelayMS)
	return time.Duration(n) * time.Millisecond, no
}

// number reads a whole number from 0 to most.
func number(name, s string, most int) (int, *refusal) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n > uint64(most) {
		return 0, refuse(http.StatusBadRequest, "%s=%q is not a whole number from 0 to %d", name, shortened(s), most)
	}
	return int(n), nil
}

// shortened keeps what is quoted in an answer small.
func shortened(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
