package haproxyconf

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

func TestLinesAreSplitAsTheManualSays(t *testing.T) {
	for line, want := range map[string][]string{
		"":                             nil,
		"  # only a comment":           nil,
		" \tbind  :443\tssl\r":         {"bind", ":443", "ssl"},
		`acl x path /a\ b`:             {"acl", "x", "path", "/a b"},
		`acl x path "/a b" 'c "d" \n'`: {"acl", "x", "path", "/a b", `c "d" \n`},
		`a"b c"'d e'f#g`:               {"ab cd ef"},
		`a\#b c # d`:                   {"a#b", "c"},
		`a "q\"r\\s\$t" \x41\x4`:       {"a", `q"r\s$t`, `A\x4`},
		`log "${HOST-1.2.3.4}:514"`:    {"log", "${HOST-1.2.3.4}:514"},
		`a "" b`:                       {"a", "", "b"},
		`maxconn 10\`:                  {"maxconn", `10\`},
		`a\nb\q`:                       {"a\nb\\q"},
	} {
		words, err := split(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if diff := cmp.Diff(want, words); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
	for _, line := range []string{`a "b`, `"a\"`} {
		if words, err := split(line); err == nil {
			t.Errorf("%.40q was split into %d words", line, len(words))
		}
	}
}

func TestTimesHaveTheManualsUnits(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"500":  500 * time.Millisecond,
		"5s":   5 * time.Second,
		"2m":   2 * time.Minute,
		"1h":   time.Hour,
		"1d":   24 * time.Hour,
		"10us": 10 * time.Microsecond,
		"0":    0,
	} {
		if got, ok := duration(s); !ok || got != want {
			t.Errorf("%s is %s (%v), not %s", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "s", "5x", "-5s", "5 s", "${T}", "1.5s", "99999999999999999999s", "5mm"} {
		if got, ok := duration(s); ok {
			t.Errorf("%q was read as %s", s, got)
		}
	}
}

// What only HTTP/1.1 clients meet, and what is long enough, is no finding.
func TestIdleTimesAndOptionsAreReportedWhereTheyMatter(t *testing.T) {
	const file = "defaults\n  mode http\n  timeout client 90s\n  %s\nfrontend f\n  bind 127.0.0.1:1 %s\n  default_backend b\n" +
		"backend b\n  %s\n  server s 127.0.0.1:2\n"
	const tls = "ssl crt x.pem alpn h2,http/1.1"
	for _, c := range []struct{ defaults, bind, backend, want string }{
		{"timeout http-keep-alive 60s", tls, "", ""},
		{"timeout http-keep-alive 59s", tls, "", "haproxy/idle-short note"},
		{"timeout http-keep-alive 9s", tls, "", "haproxy/idle-short warning"},
		{"timeout http-keep-alive 9s", "", "", ""},
		{"timeout http-keep-alive 9s", "proto h2", "", "haproxy/idle-short warning"},
		{"timeout http-keep-alive 9s", "ssl crt x.pem alpn http/1.1", "", "haproxy/no-h2 note"},
		{"timeout http-request 10s", tls, "", "haproxy/http-request-idles note"},
		{"timeout http-request 5s", tls, "", "haproxy/http-request-idles warning"},
		{"timeout client 50s", tls, "", "haproxy/idle-short note"},
		{"option http-server-close", tls, "", "haproxy/close-without-effect note"},
		{"", tls, "option http-server-close", "haproxy/close-without-effect note"},
		{"option http-server-close", tls, "no option http-server-close", "haproxy/close-without-effect note"},
		{"", "", "option http-server-close", ""},
		{"maxconn 100", "", "", "haproxy/connections-low warning"},
		{"maxconn 101", "", "", ""},
		{"rate-limit sessions 100", "", "", ""},
	} {
		text := fmt.Sprintf(file, c.defaults, c.bind, c.backend)
		r, err := Lint([]lint.File{{Name: "f", Data: []byte(text)}}, lint.Options{})
		labtest.Check(t, err)
		got := ""
		for _, f := range r.Findings {
			got += f.Rule + " " + string(f.Severity)
		}
		if got != c.want {
			t.Errorf("%q: %q, not %q", c, got, c.want)
		}
	}
}

// A page of statistics takes no clients' requests; one beside servers does. Beside it, a global limit is that of
// TCP proxies.
func TestThePageOfStatisticsNeedsFewConnections(t *testing.T) {
	for _, c := range []struct {
		leads string
		want  int
	}{{"", 0}, {"server s 127.0.0.1:2", 1}, {"use_backend b if TRUE", 1}} {
		text := "listen page\n  mode http\n  timeout client 90s\n  bind 127.0.0.1:1\n  maxconn 10\n  stats enable\n  stats uri /\n  " +
			c.leads + "\nbackend b\n  server s 127.0.0.1:2\n"
		for _, global := range []string{"", "global\n  maxconn 100\n"} {
			want := c.want
			if global != "" {
				want *= 2
			}
			r, err := Lint([]lint.File{{Name: "f", Data: []byte(global + text)}}, lint.Options{})
			if err != nil || len(r.Findings) != want {
				t.Errorf("%q%q: %v %+v", global, c.leads, err, r.Findings)
			}
		}
	}
}

// A keyword that later versions refuse says how old the HAProxy is, and so what it offers by default.
func TestAKeywordThatIsGoneGivesTheVersion(t *testing.T) {
	const proxy = "defaults\n  mode http\n  timeout client 60s\nfrontend a\n  bind :443 ssl crt a.pem\n  option http-server-close\n"
	for _, c := range []struct {
		text, given, assumed string
		want                 []string
	}{
		{proxy, "", "HAProxy 3.2 is assumed: give --version", []string{"haproxy/close-without-effect"}},
		{"defaults\n  mode tcp\nfrontend a\n  bind :80\n", "3.2", "no frontend in mode http", nil},
		{proxy + "  rspadd X:\\ a\n", "", "HAProxy 2.0 is assumed, since 2.1 and later refuse `rspadd X:\\ a` at h.cfg:7", []string{"haproxy/no-h2"}},
		{"global\n  nbproc 1\n" + proxy, "", "HAProxy 2.4 is assumed, since 2.5 and later refuse `nbproc 1` at h.cfg:2", []string{"haproxy/no-h2"}},
		{"global\n  nbproc 1\n" + proxy + "  option forceclose\n", "", "HAProxy 1.9 is assumed", []string{"haproxy/no-h2"}},
		{proxy + "  no option http-tunnel\n", "", "HAProxy 3.2 is assumed: give --version", []string{"haproxy/close-without-effect"}},
		{proxy + "  rspadd X:\\ a\n", "2.8", "", []string{"haproxy/close-without-effect"}},
	} {
		r, err := Lint([]lint.File{{Name: "h.cfg", Data: []byte(c.text)}}, lint.Options{Version: c.given})
		labtest.Check(t, err)
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Rule)
		}
		if said := r.Assumptions(); !slices.Equal(got, c.want) || !strings.Contains(said, c.assumed) ||
			c.assumed == "" && said != "" {
			t.Errorf("%s: %v, want %v; assumed %q, want %q", c.text, got, c.want, said, c.assumed)
		}
	}
}

// A template is refused with its first placeholder; HAProxy's own formats are none.
func TestTemplatesAreRefused(t *testing.T) {
	const before, after = "global\n", "\ndefaults\n  mode http\nfrontend a\n  bind :80\n"
	for text, hole := range map[string]string{
		"  maxconn {{ n }}":                       `"{{ n }}"`,
		"  {% for a in b %}":                      `"{% for a in b %}"`,
		"  {{- range service \"a\" }}":            `"{{- range service`,
		"  maxconn <%= @n %>":                     `"<%= @n %>"`,
		"%{ for ip in ips ~}":                     `"%{ for ip in ips ~}"`,
		"  maxconn ${var.maxconn}":                `"${var.maxconn}"`,
		"  # maxconn {{ n }}":                     "",
		"  log-format {%ci}{%[src]}%{+Q}o":        "",
		`  maxconn "${MAXCONN}"`:                  "",
		`  setenv A '{"a":{"b":{"c":"%[src]"}}}'`: "",
	} {
		_, err := Lint([]lint.File{{Name: "h.cfg", Data: []byte(before + text + after)}}, lint.Options{})
		if (err == nil) != (hole == "") || err != nil && !strings.Contains(err.Error(), "h.cfg:2: "+hole) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
