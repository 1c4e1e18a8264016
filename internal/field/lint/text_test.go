package lint

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

func said(words string) texts.Sentence { return texts.Sentence(facts.Verbatim(words)) }

func sample() Report {
	return Report{Kind: Nginx, Apply: "nginx -t && nginx -s reload", Version: "1.22.1", Files: []string{"nginx.conf", "a.conf"},
		Assumed: []texts.Sentence{said("Something is assumed.")},
		Listeners: []Listener{
			{File: "nginx.conf", Line: 5, Name: "a.test", Host: "a.test", Address: "*:443", TLS: true,
				Protocols: []string{"http/1.1", "h2"}, Default: true,
				Limit: Requests(1000, facts.Verbatim("default since 1.19.10")), Idle: Seconds(75, facts.Verbatim("default")),
				Age: Seconds(7200, facts.Verbatim("set at a:1")), Streams: Requests(128, facts.Verbatim("default")), Upstream: said("backend: keeps 32")},
			{File: "nginx.conf", Line: 9, Address: ":8080", Limit: NoLimit(facts.Verbatim("no such limit")), Idle: Never(facts.Verbatim("off")),
				Age: UnknownTime(facts.Verbatim("a variable")), Streams: UnknownLimit(facts.Verbatim("a variable"))},
		},
		Findings: []Finding{
			{Rule: "nginx/b", Severity: Note, File: "a.conf", Line: 3, Title: "B", Why: said("why b"), Found: "http {",
				Fix: "http {\n    x 1;", Docs: "RFC 9113"},
			{Rule: "nginx/a", Severity: Warning, File: "nginx.conf", Line: 7, Title: "A",
				Why: said(strings.Repeat("many words ", 20)), Found: "x 1;", Fix: "x 2;", Docs: "RFC 9113"},
			{Rule: "nginx/c", Severity: Note, File: "nginx.conf", Title: "C\x1b[31m", Why: said("the whole file"),
				Found: "y;", Docs: "RFC 9113"},
			{Rule: "nginx/a", Severity: Warning, File: "nginx.conf", Line: 7, Title: "A",
				Why: said(strings.Repeat("many words ", 20)), Found: "x 1;", Fix: "x 2;", Docs: "RFC 9113"},
		}}
}

const sampleText = `nginx.conf: nginx 1.22.1, 2 files, 2 listeners, 0 errors, 1 warning, 2 notes
  Something is assumed.

LISTENER  NAME    SPEAKS       REQUESTS  IDLE   AGE  IN FLIGHT
*:443 *   a.test  http/1.1+h2  1000      75s    2h   128
:8080     -                    no limit  never  ?    ?
* takes clients that name no server
  1000 requests: default since 1.19.10
  no limit: no such limit
  a.test (*:443) leads to backend: keeps 32

nginx.conf
     -  note: C?[31m (nginx/c)
        the whole file
        - y;
        source: RFC 9113
     7  warning: A (nginx/a)
        many words many words many words many words many words many words many words many words
        many words many words many words many words many words many words many words many words
        many words many words many words many words
        - x 1;
        + x 2;
        source: RFC 9113

a.conf
     3  note: B (nginx/b)
        why b
          http {
        +     x 1;
        source: RFC 9113

next: nginx -t && nginx -s reload; h2lab probe https://a.test/   # after the change to nginx.conf:7
`

func TestText(t *testing.T) {
	r := sample()
	r.Sort()
	var b bytes.Buffer
	Text(&b, texts.English, "nginx.conf", r)
	if diff := cmp.Diff(sampleText, b.String()); diff != "" {
		t.Error(diff)
	}
}

// An unknown value is null and never 0; an empty list is [] and never null.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	labtest.Check(t, JSON(&b, "-", NewReport(Envoy, nil)))
	want := `{"schema_version":1,"kind":"envoy","version":"",` +
		`"files":[],"listeners":[],"findings":[],"assumed":[],` +
		`"next":"h2lab probe https://HOST/   # measures what the running server does"}`
	var got, wanted any
	for text, to := range map[string]*any{b.String(): &got, want: &wanted} {
		labtest.Check(t, json.Unmarshal([]byte(text), to))
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	labtest.Check(t, JSON(&b, "nginx.conf", sample()))
	for _, want := range []string{`"requests": null`, `"seconds": null`, `"unlimited": true`, `"never": true`,
		`"seconds": 75`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

func nextStep(name string, r Report) string { return texts.English.In(next(name, r)) }

func TestNextNamesTheWorstAndAnAddressThatCanBeAsked(t *testing.T) {
	for _, c := range []struct{ name, address, want string }{
		{"a.test", "*:443", "https://a.test/"}, {"a.test", "[::]:8443", "https://a.test:8443/"},
		{"a.test", "unix:/x", ""},
		{"*.a.test", "*:443", ""}, {"~^x", "*:443", ""}, {"_", "*:443", ""}, {"$(reboot)", "*:443", ""},
		{"", "*:443", ""}, {"a.test", "*:8000-8010", ""},
	} {
		r := Report{Listeners: []Listener{{Host: c.name, Address: c.address, TLS: true, Protocols: []string{"h2"}}}}
		if got := address(r); got != c.want {
			t.Errorf("%s %s: %q", c.name, c.address, got)
		}
	}
	r := sample()
	r.Findings = append(r.Findings, Finding{Severity: Error, File: "z.conf", Line: 1})
	if got := nextStep("x", r); !strings.HasPrefix(got, "nginx -t") || !strings.HasSuffix(got, "   # after the change to z.conf:1") {
		t.Error(got)
	}
	r = Report{Listeners: []Listener{{Name: "web", Address: ":80", Protocols: []string{"http/1.1", "h2c"}}}}
	if got := nextStep("x", r); !strings.Contains(got, "these listeners are cleartext") {
		t.Error(got)
	}
	r = Report{Order: []string{"first", "second"}, Findings: []Finding{
		{Rule: "second", Severity: Warning, File: "b", Line: 1},
		{Rule: "first", Severity: Warning, File: "a", Line: 2},
	}}
	if got := nextStep("x", r); got != "h2lab probe https://HOST/   # after the change to a:2" {
		t.Error(got)
	}
	r.Findings[1].File, r.Apply = "-", "nginx -t && nginx -s reload"
	if got := nextStep("-", r); got != "h2lab probe https://HOST/   # after the change to line 2" {
		t.Error(got)
	}
	r.Findings[1].File = "a\nrm b"
	if got := nextStep("it's here", r); strings.Contains(got, "\n") || !strings.Contains(got, "after the change to a rm b:2") {
		t.Error(got)
	}
}

// A connection that ends after a second without a request costs more than a limit, and a lost request more than both.
func TestNextPutsAMomentBeforeALimit(t *testing.T) {
	const limit, idle, lost = "a:2", "b:1", "z:3"
	for _, c := range []struct {
		idle time.Duration
		all  bool
		want string
	}{{time.Second, false, idle}, {momentary, false, limit}, {time.Second, true, lost}} {
		r := Report{Order: []string{"limit", "idle"}, Findings: []Finding{
			{Rule: "limit", Severity: Warning, File: "a", Line: 2}, {Rule: "idle", File: "b", Line: 1}}}
		r.Findings[1].WeighIdle(c.idle)
		if c.all {
			r.Findings = append(r.Findings, Finding{Rule: "unlisted", Severity: Error, File: "z", Line: 3})
		}
		if got := nextStep("x", r); !strings.HasSuffix(got, c.want) {
			t.Errorf("idle time %s: %s, want %s", c.idle, got, c.want)
		}
	}
}

func TestSyntaxErrorNamesThePlace(t *testing.T) {
	if got := (&SyntaxError{File: "a", Line: 3, What: "b"}).Error(); got != "a:3: b" {
		t.Error(got)
	}
	if got := (&SyntaxError{File: "a", What: "b"}).Error(); got != "a: b" {
		t.Error(got)
	}
}

// docs/lint.md describes every field of the JSON.
func TestTheDocsListEveryField(t *testing.T) {
	page, err := os.ReadFile("../../../docs/lint.md")
	labtest.Check(t, err)
	for _, noun := range []any{document{}, Report{}, Listener{}, Limit{}, Time{}, Finding{}} {
		for f := range reflect.TypeOf(noun).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			if !strings.Contains(string(page), "`"+name) {
				t.Errorf("docs/lint.md doesn't say what %s of %T is", name, noun)
			}
		}
	}
}

// A server's sockets with the same settings are one row, and another server's are not.
func TestRowsOfOneServerAreJoined(t *testing.T) {
	one := Listener{File: "a", Name: "a.test", Address: "*:443", Protocols: []string{"h2"}, Limit: Requests(5, facts.Verbatim("x"))}
	two, three := one, one
	two.Address, three.Name = "[::]:443", "b.test"
	got := joined([]Listener{one, two, one, three})
	if len(got) != 2 || got[0].Address != "*:443, [::]:443" || got[1].Address != "*:443" {
		t.Errorf("%+v", got)
	}
}

func placed(file string, list ...Place) string {
	return texts.English.In(facts.Join("join.comma", places(file, list)...))
}

// A finding lists its other places, and not all of a thousand.
func TestOtherPlacesOfAFinding(t *testing.T) {
	var many []Place
	for n := range 1000 {
		many = append(many, Place{"b", n})
	}
	if got := placed("a", Place{"a", 3}, Place{"b", 4}); got != "line 3, b:4" {
		t.Error(got)
	}
	if got := placed("a", many...); !strings.HasSuffix(got, ", 988 more") {
		t.Error(got)
	}
}
