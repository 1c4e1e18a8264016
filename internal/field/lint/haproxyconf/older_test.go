package haproxyconf

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

// A keyword that later versions refuse says how old the HAProxy is, and so what it offers by default.
func TestAKeywordThatIsGoneGivesTheVersion(t *testing.T) {
	const proxy = "defaults\n  mode http\n  timeout client 60s\nfrontend a\n  bind :443 ssl crt a.pem\n  option http-server-close\n"
	for _, c := range []struct {
		text, given, assumed string
		want                 []string
	}{
		{proxy, "", "HAProxy 3.2 is assumed: give --version", []string{closeOption.ID}},
		{"defaults\n  mode tcp\nfrontend a\n  bind :80\n", "3.2", "no frontend in mode http", nil},
		{proxy + "  rspadd X:\\ a\n", "", "HAProxy 2.0 is assumed, since 2.1 and later refuse `rspadd X:\\ a` at h.cfg:7", []string{noH2.ID}},
		{"global\n  nbproc 1\n" + proxy, "", "HAProxy 2.4 is assumed, since 2.5 and later refuse `nbproc 1` at h.cfg:2", []string{noH2.ID}},
		{"global\n  nbproc 1\n" + proxy + "  option forceclose\n", "", "HAProxy 1.9 is assumed", []string{noH2.ID}},
		{proxy + "  no option http-tunnel\n", "", "HAProxy 3.2 is assumed: give --version", []string{closeOption.ID}},
		{proxy + "  rspadd X:\\ a\n", "2.8", "", []string{closeOption.ID}},
	} {
		r, err := Lint([]lint.File{{Name: "h.cfg", Data: []byte(c.text)}}, lint.Options{Version: c.given})
		if err != nil {
			t.Fatal(err)
		}
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
