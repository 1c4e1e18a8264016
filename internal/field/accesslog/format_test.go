package accesslog

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"h2lab/internal/base/texts"
	"h2lab/internal/field/cure"
)

var combined, added = data().Parts["combined"], data().Parts["added"]

// The fields of a line, by format. An empty want means a line that doesn't match the format.
func TestAFormatFindsItsFields(t *testing.T) {
	at := time.Date(2026, 9, 22, 10, 0, 0, 0, time.UTC).UnixMilli()
	for _, c := range []struct {
		name, format, line string
		want               *Record
	}{
		{"combined and labels", combined + added,
			`::1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "a \x22b\x22 c" conn=17 req=3 ` +
				`upstream="10.0.0.1:80, 10.0.0.2:80 : unix:/s"`,
			&Record{Connection: 17, Ordinal: 3, Time: at, Timed: true, Age: -1, Protocol: HTTP2, Status: 200,
				Upstreams: 3, Addr: []byte("::1"), Agent: []byte(`a \x22b\x22 c`), Request: []byte("GET / HTTP/2.0")}},
		{"a time zone", `[$time_local] $connection $connection_requests`, `[22/Sep/2026:12:00:00 +0200] 1 1`,
			&Record{Connection: 1, Ordinal: 1, Time: at, Timed: true, Age: -1, Upstreams: -1}},
		{"milliseconds and age", `$msec $connection $connection_requests $connection_time`, `1790071200.250 9 2 1.005`,
			&Record{Connection: 9, Ordinal: 2, Time: at + 250, Timed: true, Age: 1005, Upstreams: -1}},
		{"ISO", `$time_iso8601|$connection|$connection_requests|$http2`, `2026-09-22T10:00:00+00:00|9|2|h2`,
			&Record{Connection: 9, Ordinal: 2, Time: at, Timed: true, Age: -1, Protocol: HTTP2, Upstreams: -1}},
		{"braces and unused variables side by side", `${connection}x$request_time$pipe ${connection_requests}`,
			`12x0.000. 4`,
			&Record{Connection: 12, Ordinal: 4, Age: -1, Upstreams: -1}},
		{"a list without quotes", `$upstream_addr $upstream_response_time $connection $connection_requests`,
			`a:1, b:2 : c:3 0.1, 0.2 : 0.3 7 8`,
			&Record{Connection: 7, Ordinal: 8, Age: -1, Upstreams: 3}},
		{"a text that is JSON",
			`log_format j escape=json '{"ua":"$http_user_agent","c":$connection,' '"n":$connection_requests}';`,
			`{"ua":"a \"quoted\", \\","c":5,"n":6}`,
			&Record{Connection: 5, Ordinal: 6, Age: -1, Upstreams: -1, Agent: []byte(`a \"quoted\", \\`)}},
		{"Envoy", `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-PATH?:PATH):20% %PROTOCOL%" %RESPONSE_CODE% ` +
			`%RESPONSE_FLAGS% 100%% %CONNECTION_ID%` + `\n`,
			`[2026-09-22T10:00:00.000Z] "GET /a HTTP/2" 503 UC 100% 77`,
			&Record{Connection: 77, Time: at, Timed: true, Age: -1, Protocol: HTTP2, Status: 503, Upstreams: -1}},
		{"Envoy's seconds", `%START_TIME(%s.%3f)% %CONNECTION_ID%`, `1790071200.000 3`,
			&Record{Connection: 3, Time: at, Timed: true, Age: -1, Upstreams: -1}},
		{"no number", `$connection $connection_requests`, `x 1`, nil},
		{"ordinal 0", `$connection $connection_requests`, `1 0`, nil},
		{"an ordinal too large", `$connection $connection_requests`, `1 4294967296`, nil},
		{"a serial too large", `$connection $connection_requests`, `281474976710656 1`, nil},
		{"cut off", combined + added, `::1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "-" conn=17 re`,
			nil},
		{"another beginning", `a $connection $connection_requests`, `b 1 1`, nil},
		{"no time", `[$time_local] $connection $connection_requests`, `[yesterday] 1 1`, nil},
		{"nothing", `$connection $connection_requests`, ``, nil},
	} {
		f, err := Compile(c.format)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got Record
		s := &scanner{format: f}
		if ok := s.line([]byte(c.line), &got); ok != (c.want != nil) {
			t.Errorf("%s: fits: %v", c.name, ok)
		} else if ok {
			if d := cmp.Diff(*c.want, got, cmpopts.IgnoreUnexported(Record{})); d != "" {
				t.Errorf("%s: (-want +got)\n%s", c.name, d)
			}
		}
	}
}

func TestABadFormatIsRefused(t *testing.T) {
	for format, want := range map[string]string{
		combined:                                 "no $connection in the log_format",
		"$connection":                            "no $connection_requests in the log_format",
		"$connection$connection_requests":        "two variables without a character between them",
		"$ x":                                    "after $ belongs a variable's name",
		"${}":                                    "after $ belongs a variable's name",
		"%START_TIME%":                           "no %CONNECTION_ID%",
		"%START_TIME(%s":                         "an operator of Envoy is %NAME%",
		"log_format x":                           "a name and a text belong to it",
		"log_format x '$connection":              "has no closing '",
		"log_format x escape=xml '$connection';": "unknown escape=xml",
		"log_format x 'a'; log_format y 'b';":    "2 log_format directives",
		"":                                       "no $connection in the log_format",
		"log_format x '$connection' {}":          "unexpected ';'",
		"log_format x '$connection $connection_requests' }": `"log_format" in line 1 doesn't end with ";"`,
	} {
		if _, err := Compile(format); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", format, err, want)
		}
	}
}

// The offered formats must compile and be recognised.
func TestTheOfferIsRecognised(t *testing.T) {
	f, err := Compile("log_format h2lab '" + combined + "'\n '" + added + "';")
	if err != nil {
		t.Fatal(err)
	}
	if f.Source != combined+added {
		t.Errorf("the parts of the offer make %q", f.Source)
	}
	if !strings.Contains(Offer(cure.Nginx), combined) || !strings.Contains(Offer(cure.Nginx), added) {
		t.Errorf("the offer has another format than the one that is recognised:\n%s", Offer(cure.Nginx))
	}
	c, err := recognise([]byte(`::1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "x" conn=17 req=3 `+
		`upstream="-"`+"\n"), nil)
	if err != nil || !c.has[fUpstream] {
		t.Errorf("%v, %v", c.name, err)
	}
}

func TestRecognise(t *testing.T) {
	const line = `::1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "x"`
	for _, c := range []struct{ name, head, format, err string }{
		{"labels", line + ` conn=17 req=3`, "combined with conn= and req=", ""},
		{"two numbers", line + ` 17 3`, "combined, then $connection $connection_requests", ""},
		{"three numbers", line + ` 17 3 0.250`, "combined, then $connection $connection_requests $connection_time", ""},
		{"Envoy's default and more",
			`[2026-09-22T10:00:00.000Z] "GET / HTTP/2" 200 - 0 5 1 1 "-" "x" "id" "host" "10.0.0.1:80" conn=4`,
			"Envoy's default with conn=", ""},
		{"JSON", `{"Connection":5,"connectionRequests":"6","@timestamp":"2026-09-22T10:00:00Z"}`, "JSON", ""},
		{"Envoy's JSON", `{"connection_id":5,"response_flags":"-","start_time":"2026-09-22T10:00:00.000Z"}`,
			"Envoy's JSON", ""},
		{"JSON without a connection", `{"status":200}`, "", "no key for the connection (their keys: status)"},
		{"JSON without an ordinal", `{"connection":5}`, "", "no key for $connection_requests"},
		{"something else", "hello world", "", `the format of these lines is not known (the first: "hello world")`},
		{"nothing", "\n\n", "", "no line in the log"},
	} {
		got, err := recognise([]byte(c.head+"\n"), nil)
		switch {
		case c.err == "" && (err != nil || texts.English.In(got.name) != c.format):
			t.Errorf("%s: %q, %v", c.name, got.name, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
	}
}

func TestAConfigurationsFormatIsFound(t *testing.T) {
	const conf = `
# log_format no '$connection $connection_requests';
http { log_format plain '$remote_addr';
  log_format  main escape=default '$remote_addr "$request" ' # a comment; with a semicolon
     "conn=$connection \"quoted\" " '$connection_requests';
  server { location / { return 200 "log_format bad;"; } } }
`
	f, err := FromConfig("nginx.conf", conf, "main")
	if err != nil || f.Source != `$remote_addr "$request" conn=$connection "quoted" $connection_requests` {
		t.Fatalf("%v, %+v", err, f)
	}
	if f, err = FromConfig("nginx.conf", conf, ""); err != nil || f.Name != "main" {
		t.Errorf("the only one that would do: %v, %+v", err, f)
	}
	for name, want := range map[string]string{"other": `no log_format "other" in it; it has plain, main`,
		"plain": "no $connection", "combined": "no $connection"} {
		if _, err := FromConfig("nginx.conf", conf, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := FromConfig("nginx.conf", "http {}", ""); err == nil ||
		!strings.Contains(err.Error(), "no log_format in it") {
		t.Error(err)
	}
}

// The configuration is parsed as nginx does: Lua blocks by Lua's rules, the output of nginx -T file
// by file. An error names the file and the line.
func TestAConfigurationIsReadAsNginxDoes(t *testing.T) {
	const own = "log_format own '$connection '\n  \"$connection_requests\";"
	for name, conf := range map[string]string{
		"an apostrophe in Lua": "http { server { content_by_lua_block { -- it's\n } }\n" + own + " }",
		"log_format in Lua":    "http { content_by_lua_block {\nlog_format 'x'\n } " + own + " }",
		"without a block":      own,
		"a dump": "nginx: configuration file a test is successful\n# configuration file a:\nhttp { " +
			"include b;\n}\n# configuration file b:\n" + own,
	} {
		f, err := FromConfig("nginx.conf", conf, "")
		if err != nil || f.Source != "$connection $connection_requests" {
			t.Errorf("%s: %v, %+v", name, err, f)
		}
	}
	for conf, want := range map[string]string{
		"http {\n  log_format x;\n}": "nginx.conf:2: log_format: a name and a text",
		"http {\n  log_format x 'a\n": "nginx.conf:2: the string that begins in " +
			"column 16 has no closing '",
		"# configuration file b:\nhttp {\nlog_format x escape=no 'a'; }": "b:2: log_format x: unknown escape=no",
		"http {\n \x00 }": "nginx.conf:2: binary",
	} {
		if _, err := FromConfig("nginx.conf", conf, ""); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", conf, err, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{combined + added, data().filled("{envoyBegin}{envoyEnd}") + " conn=%CONNECTION_ID%",
		"log_format a escape=json '{\"c\":$connection}' \"$connection_requests\";", "${connection} %%$", "%A(%b%)%"} {
		f.Add(seed, "1 2 3")
	}
	f.Fuzz(func(t *testing.T, format, line string) {
		compiled, err := Compile(format)
		if err != nil {
			return
		}
		var r Record
		(&scanner{format: compiled}).line([]byte(line), &r)
		_, _ = FromConfig("nginx.conf", format, "")
	})
}

func FuzzLine(f *testing.F) {
	f.Add(`::1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "x" conn=17 req=3 upstream="a, b : c"`)
	f.Add(`[2026-09-22T10:00:00.000Z] "GET / HTTP/2" 200 - 0 5 1 1 "-" "x" "id" "host" "10.0.0.1:80" conn=4`)
	all := shapes().reads
	f.Fuzz(func(t *testing.T, line string) {
		for _, s := range all {
			var r Record
			format := s.format
			if (&scanner{format: format}).line([]byte(line), &r) &&
				(r.Connection > mostSerial || r.Ordinal == 0 && format.has[fOrdinal]) {
				t.Errorf("%q was read as %+v", line, r)
			}
		}
	})
}

func TestJSONLines(t *testing.T) {
	at := time.Date(2026, 9, 22, 10, 0, 0, 0, time.UTC).UnixMilli()
	for line, want := range map[string]*Record{
		`{"connection":"5","connection_requests":6}`: {Connection: 5, Ordinal: 6, Age: -1, Upstreams: -1},
		` { "time_local" : "22/Sep/2026:10:00:00 +0000" , "connection" : 5, "x": {"connection": [9, "}"]}, ` +
			`"connection_requests" : "6" } `: {
			Connection: 5, Ordinal: 6, Time: at, Timed: true, Age: -1, Upstreams: -1},
		`{"msec":1790071200.250,"agent":"a \"b\\","connection":5,"connection_requests":6,"status":200,"request":"GET ` +
			`\u002f HTTP\/2.0"}`: {
			Connection: 5, Ordinal: 6, Time: at + 250, Timed: true, Age: -1, Upstreams: -1, Status: 200,
			Protocol: HTTP2, Agent: []byte(`a "b\`), Request: []byte("GET / HTTP/2.0")},
		`{"upstream_addr":null,"flag":true,"connection":5,"connection_requests":6,"status":""}`: {Connection: 5,
			Ordinal: 6, Age: -1, Upstreams: -1},
		`{"connection":5,"connection_requests":6`:                 nil,
		`{"connection":5,"connection_requests":6}}`:               nil,
		`{"connection":5,"connection_requests":true}`:             nil,
		`{"connection":5.5,"connection_requests":6}`:              nil,
		`{"connection":5}`:                                        nil,
		`{"connection_requests":5}`:                               nil,
		`{"a":"unclosed,"connection":5}`:                          nil,
		`{"connection":{"connection":5},"connection_requests":6}`: nil,
		`["connection",5]`:                                        nil,
		``:                                                        nil,
	} {
		var got Record
		if ok := newJSONReader(nil).line([]byte(line), &got); ok != (want != nil) {
			t.Errorf("%s: fits: %v", line, ok)
		} else if ok {
			if d := cmp.Diff(*want, got, cmpopts.IgnoreUnexported(Record{})); d != "" {
				t.Errorf("%s: (-want +got)\n%s", line, d)
			}
		}
	}
	named := newJSONReader(map[string]string{"connection": "cid", "connection_requests": "nth"})
	var got Record
	if !named.line([]byte(`{"cid":7,"nth":8}`), &got) || got.Connection != 7 || got.Ordinal != 8 {
		t.Errorf("named keys: %+v", got)
	}
}
