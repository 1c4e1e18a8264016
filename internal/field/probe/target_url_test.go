package probe

import (
	"strings"
	"testing"
)

func TestAURLBecomesATarget(t *testing.T) {
	for raw, want := range map[string][3]string{
		"https://example.org":                  {"example.org:443", "example.org", "/"},
		"https://example.org:8443/a/b?c=d&e=f": {"example.org:8443", "example.org:8443", "/a/b?c=d&e=f"},
		"HTTPS://Example.org/x#part":           {"Example.org:443", "Example.org", "/x"},
		"https://[::1]:8443/":                  {"[::1]:8443", "[::1]:8443", "/"},
		"https://127.0.0.1?q":                  {"127.0.0.1:443", "127.0.0.1", "/?q"},
		"https://a_b.example/%20%2f":           {"a_b.example:443", "a_b.example", "/%20%2f"},
	} {
		got, err := ParseTarget(raw)
		if err != nil || [3]string{got.Addr, got.Authority, got.Path} != want {
			t.Errorf("%s: %q %q %q, %v; want %q", raw, got.Addr, got.Authority, got.Path, err, want)
		}
	}
}

func TestAWrongURLIsNamed(t *testing.T) {
	for raw, want := range map[string]string{
		"":                           "no scheme",
		"example.org/path":           "write https://example.org/path",
		"example.org:8443":           "has no scheme",
		"127.0.0.1:8443":             "has no scheme",
		"//example.org/":             "has no scheme",
		"http://example.org/":        "plain http",
		"ftp://example.org/":         "is no URL",
		"https://":                   "is no URL",
		"https:///path":              "is no URL",
		"https://:8443/":             "is no URL",
		"https://example.org:0/":     "out of range",
		"https://example.org:65536/": "out of range",
		"https://example.org:99999999999999999999/": "out of range",
		"https://example.org:https/":                "is no URL",
		"https://user:secret@example.org/":          "carries a user name",
		"https://exämple.org/":                      "punycode",
		"https://exa mple.org/":                     "is no URL",
		"https://example.org/\x00":                  "is no URL",
		"https://a/?b c":                            "percent-encoded",
		"https://[::1/":                             "is no URL",
		"https://" + strings.Repeat("a", 9000):      "are enough",
	} {
		_, err := ParseTarget(raw)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") ||
			len(err.Error()) > 300 {
			t.Errorf("%.60q: %v, want %q", raw, err, want)
		}
	}
}

func TestHeadersAndMethodsAreChecked(t *testing.T) {
	var good Target
	for _, line := range []string{"Accept: text/html", "x-a:b", "Host: other.example", "User-Agent: me", "X-Empty:",
		"te: trailers"} {
		if err := good.AddHeader(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if good.Authority != "other.example" || good.UserAgent != "me" || len(good.Header) != 4 ||
		good.Header[0] != (Field{"Accept", "text/html"}) {
		t.Errorf("%+v", good)
	}
	for line, want := range map[string]string{
		"nothing": "not of the form", ": x": "not of the form", "a b: c": "not of the form",
		"x: a\r\nb: c":      "control characters",
		"Connection: close": "probe's own", "te: gzip": "probe's own", "Transfer-Encoding: chunked": "probe's own",
		"X: " + strings.Repeat("x", 9000): "larger than",
	} {
		if err := new(Target).AddHeader(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", line, err, want)
		}
	}
	for _, x := range []struct{ method, body, want string }{
		{"get", "", ""}, {"POST", "1", ""}, {"PROPFIND", "", ""}, {"", "", "no method"}, {"A B", "", "no method"},
		{"CONNECT", "", "is not asked"}, {"GET", "1", "--method POST"}, {
			"PUT",
			strings.Repeat("x", maxBody+1),
			"larger than",
		},
	} {
		err := new(Target).SetMethod(x.method, x.body)
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s with %d bytes: %v, want %q", x.method, len(x.body), err, x.want)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	for _, raw := range []string{
		"https://example.org:8443/a?b",
		"http://x",
		"example.org",
		"https://[::1]:1/",
		"https://a:b@c/",
		"https://ä/",
		"https://0?0 ",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := ParseTarget(raw)
		if err != nil {
			return
		}
		if got.Addr == "" || got.Authority == "" || !strings.HasPrefix(got.Path, "/") ||
			strings.ContainsAny(got.Path+got.Authority, "\r\n\x00 ") {
			t.Errorf("%q became %q %q %q", raw, got.Addr, got.Authority, got.Path)
		}
	})
}
