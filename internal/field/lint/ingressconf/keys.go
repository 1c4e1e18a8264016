package ingressconf

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"time"

	format "h2lab/internal/base/text"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// keys are those that this package reads, with the controller's defaults (config.go, NewDefault).
// keep-alive-requests was 100 before 1.6 (commit ea0db8de7).
var keys = map[string]int64{
	"keep-alive":                     75,
	"keep-alive-requests":            1000,
	"http2-max-concurrent-streams":   128,
	"http2-max-requests":             0,
	"max-worker-connections":         16384,
	"upstream-keepalive-connections": 320,
	"upstream-keepalive-requests":    10000,
	"upstream-keepalive-timeout":     60,
	"use-http2":                      1,
	"upstream-keepalive-time":        3600,
	"worker-shutdown-timeout":        240,
	"http-snippet":                   0,
	"main-snippet":                   0,
	"server-snippet":                 0,
	"location-snippet":               0,
}

// plain removes the differences between spellings, dots too.
func plain(key string) string { return lint.PlainKey(strings.ReplaceAll(key, ".", "")) }

//go:embed known.txt
var knownText string

//go:embed gone.txt
var goneText string

// known are the keys that the controller reads; gone are those that only earlier versions read.
var known, gone = lines(knownText), lines(goneText)

func lines(text string) []string { return strings.Fields(comment.ReplaceAllString(text, "")) }

var comment = regexp.MustCompile(`(?m)^#.*$`)

// others maps names of nginx and of other controllers to the key that sets the same.
var others = map[string]string{
	"keepalivetimeout":              "keep-alive",
	"http2maxrequestsperconnection": "keep-alive-requests",
	"workerconnections":             "max-worker-connections",
	"keepalive":                     "keep-alive",
	"upstreamkeepalive":             "upstream-keepalive-connections",
	"http2":                         "use-http2",
	"clientmaxbodysize":             "proxy-body-size",
	"bodysize":                      "proxy-body-size",
}

// meant returns the key that a name stands for that the controller doesn't read; "" when none is near.
func meant(key string) string {
	if k := others[plain(key)]; k != "" {
		return k
	}
	for _, k := range known {
		if plain(k) == plain(key) {
			return k
		}
	}
	return format.Nearest(key, known, max(1, len(key)/6))
}

// number is the value of a key, or its default. For a value that is no number it returns the default;
// values reports the fault.
func (j *judge) number(key string) (n int64, from facts.Text, f *lint.Field) {
	n, from = keys[key], facts.T("ingress.default")
	if key == "keep-alive-requests" {
		from = facts.T("ingress.default-since-16")
		if !j.version.AtLeast(1, 6) {
			n, from = 100, facts.T("ingress.default-before-16")
		}
	}
	f = j.node.Field(key)
	if f == nil {
		return n, from, nil
	}
	set, err := strconv.ParseInt(strings.TrimSpace(f.Value.Text), 10, 32)
	if err != nil || set < 0 {
		return n, from, f
	}
	return set, lint.SetAt(j.file.Name, f.Line), f
}

// on reports whether a switch is on; the controller reads switches with Go's ParseBool.
func (j *judge) on(key string) bool {
	f := j.node.Field(key)
	if f == nil {
		return keys[key] != 0
	}
	b, err := strconv.ParseBool(f.Value.Text)
	return err != nil || b
}

// age is the default of nginx's keepalive_time, which the controller doesn't set.
const age = time.Hour

// assumed is the controller version whose defaults apply when the user gives none; they have not
// changed since.
const assumed = "1.6"

// stated are the versions that the files name, then those that their charts install, then the one whose defaults are assumed.
func stated(all []settings) (out []lint.Stated) {
	for _, s := range all {
		out = append(out, lint.Stated{Version: s.version.Version,
			Why: facts.T("ingress.named-version", s.version.Version, s.file.Name, s.version.Line)})
	}
	for _, s := range all {
		if by := ofChart(s.chart); by != "" {
			why := facts.T("ingress.by-chart", by, s.chart.Version, s.file.Name, s.chart.Line)
			out = append(out, lint.Stated{Version: by, Why: why, Assumed: true})
		}
	}
	return append(out, lint.AssumedVersion(assumed, "ingress.assumed"))
}

// charts are the oldest controllers that charts install, from a version of the chart on (kubernetes/ingress-nginx,
// README.md, "Supported Versions table"): 4.4 has 1.5.1 and 4.5 has 1.6. Charts before 4.0 have controllers before 1.0.
var charts = []struct {
	major, minor int
	controller   string
}{{4, 5, "1.6"}, {4, 0, "1.0"}, {0, 0, "0.49"}}

// ofChart is the controller of a chart, at the least; "" when the chart isn't known.
func ofChart(chart lint.Named) string {
	version, err := versions.Parse(chart.Version)
	for _, c := range charts {
		if err == nil && version.AtLeast(c.major, c.minor) {
			return c.controller
		}
	}
	return ""
}
