package main

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// maxDelayMS is less than readTimeout: net/http ends a waiting HTTP/1.1 handler when its
	// connection's read deadline passes.
	maxDelayMS = 30_000
	// maxItems limits an answer of /post to half a megabyte.
	maxItems = 10_000
)

// delayOf reads "ms=5". Without a query there is no delay; delayOf rejects anything else that is
// not exactly one ms, because a misspelt parameter would measure something else.
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

// shortened limits the length of what an answer quotes.
func shortened(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
