package nginx_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tufanbarisyildirim/gonginx/config"
	"github.com/tufanbarisyildirim/gonginx/parser"

	"h2lab/internal/base/labtest"
)

// file is one configuration with the names, ports and limit that internal/lab/plan gives it.
type file struct {
	name     string // of the server
	front    string
	counters string
	limit    string
	upstream string
	protocol string // towards the upstream
}

var files = map[string]file{
	"keepalive-1000.conf":   {"nginx-1000", "18101", "127.0.0.1:18102", "1000", "127.0.0.1:18443", "1.1"},
	"keepalive-100.conf":    {"nginx-100", "18181", "127.0.0.1:18182", "100", "127.0.0.1:18443", "1.1"},
	"keepalive-10000.conf":  {"nginx-10000", "18201", "127.0.0.1:18202", "10000", "127.0.0.1:18443", "1.1"},
	"keepalive-100000.conf": {"nginx-100000", "18111", "127.0.0.1:18112", "100000", "127.0.0.1:18443", "1.1"},
	"keepalive-1000-envoy.conf": {"nginx-1000-envoy", "18141", "127.0.0.1:18142", "1000", "127.0.0.1:18121",
		"1.1"},
	"keepalive-100000-envoy.conf": {"nginx-100000-envoy", "18241", "127.0.0.1:18242", "100000", "127.0.0.1:18121",
		"1.1"},
	"keepalive-1000-scg.conf": {"nginx-1000-scg", "18231", "127.0.0.1:18232", "1000", "127.0.0.1:18221", "1.1"},
	"keepalive-100000-scg.conf": {"nginx-100000-scg", "18271", "127.0.0.1:18272", "100000", "127.0.0.1:18221",
		"1.1"},
	"keepalive-1000-h2-upstream.conf": {"nginx-1000-h2-upstream", "18151", "127.0.0.1:18152", "1000", "127.0.0.1:18443",
		"2"},
}

var rules = labtest.Rules[file]{Pattern: "*.conf", Rows: files, Problems: problems}

// parse reads a whole configuration without its comments.
func parse(t testing.TB, text string) *config.Config {
	t.Helper()
	c, err := parser.NewStringParser(text, parser.WithSkipComments()).Parse()
	if err != nil {
		t.Fatalf("gonginx can't read it: %v", err)
	}
	return c
}

// words joins a directive's parameters with spaces.
func words(d config.IDirective) string {
	var out []string
	for _, p := range d.GetParameters() {
		out = append(out, p.Value)
	}
	return strings.Join(out, " ")
}

// said returns the parameters of the one directive of that name in the block: "" when there is
// none, and all of them joined by " & " when there are several.
func said(d config.IDirective, name string) string {
	var out []string
	if d.GetBlock() == nil {
		return ""
	}
	for _, inner := range d.GetBlock().GetDirectives() {
		if inner.GetName() == name {
			out = append(out, words(inner))
		}
	}
	return strings.Join(out, " & ")
}

// all finds the directives of a name at any depth.
func all(b config.IBlock, name string) []config.IDirective {
	var out []config.IDirective
	for _, d := range b.GetDirectives() {
		if d.GetName() == name {
			out = append(out, d)
		}
		if inner := d.GetBlock(); inner != nil {
			out = append(out, all(inner, name)...)
		}
	}
	return out
}

// flat returns every directive on one line, with the blocks that contain it.
func flat(b config.IBlock, path string) []string {
	var out []string
	for _, d := range b.GetDirectives() {
		line := strings.TrimSpace(path + " > " + d.GetName() + " " + words(d))
		out = append(out, line)
		if inner := d.GetBlock(); inner != nil {
			out = append(out, flat(inner, line)...)
		}
	}
	return out
}

// without removes a file's names, ports and limit from a flat line.
func (f file) without(line string) string {
	for value, word := range map[string]string{
		f.name: "NAME", f.front: "FRONT", strings.TrimPrefix(f.counters, "127.0.0.1:"): "COUNTERS",
	} {
		line = regexp.MustCompile(`\b`+value+`\b`).ReplaceAllString(line, word)
	}
	if strings.HasSuffix(line, "> keepalive_requests "+f.limit) && strings.Contains(line, "> server >") {
		line = strings.TrimSuffix(line, f.limit) + "LIMIT"
	}
	return line
}
