package accesslog

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/field/cure"
)

// written renders a request as a line with words in capitals for its parts.
func written(format string) func(request) string {
	format = strings.ReplaceAll(format, "COMBINED", `ADDR - - [CLF] "GET PATH PROTO" 200 512 "-" "AGENT"`)
	return func(r request) string {
		at := r.at.UTC()
		return strings.NewReplacer("ADDR", r.addr, "PORT", fmt.Sprint(r.port), "PATH", r.path, "PROTO", r.proto,
			"AGENT", r.agent, "SERIAL", fmt.Sprint(r.serial), "ORDINAL", fmt.Sprint(r.ordinal),
			"CLF", at.Format("02/Jan/2006:15:04:05 -0700"), "ISO", at.Format(time.RFC3339Nano), "STAMP", at.Format(time.Stamp),
			"HACLOCK", at.Format("02/Jan/2006:15:04:05.000"), "DAY", at.Format("2006-01-02"), "CLOCK", at.Format("15:04:05.000"),
			"EPOCH", fmt.Sprintf("%d.%03d", at.Unix(), at.UnixMilli()%1000), "MICROS", fmt.Sprint(at.UnixMicro()),
			"MILLIS", fmt.Sprint(at.UnixMilli()), "NANOS", fmt.Sprint(at.UnixNano()),
			"NAME", fmt.Sprintf("0HN%09XA", r.serial), "STREAM", fmt.Sprintf("%08X", r.ordinal*2-1),
			"HOST", "node-"+r.instance).Replace(format)
	}
}

// What is written by ingress-nginx, Envoy Gateway and HAProxy.
var (
	ingress      = `COMBINED 512 0.004 [shop-web-80] [] 10.1.0.7:8080 512 0.004 200 5f0c2a6be1f1d7d1`
	envoyGateway = `{"start_time":"ISO","method":"GET","x-envoy-origin-path":"PATH","protocol":"HTTP/2","response_code":200,` +
		`"response_flags":"-","response_code_details":"via_upstream","user-agent":"AGENT","downstream_local_address":` +
		`"10.0.0.2:443","downstream_remote_address":"ADDR:PORT","route_name":null}`
	asHAProxy = written(`ADDR:PORT [HACLOCK] https~ web/s1 0/0/1/3/4 200 512 - - ---- 12/12/0/0/0 0/0 {example.org} {} "GET PATH PROTO"`)
)

// formatsOf are the formats of servers, as their documentation shows them.
var formatsOf = map[string]struct {
	as     func(request) string
	server string
}{
	"nginx": {asOffered, cure.Nginx}, "nginx JSON": {asJSON, cure.Nginx}, "HAProxy": {asHAProxy, cure.HAProxy},
	"ingress-nginx with both": {written(ingress + " conn=SERIAL req=ORDINAL"), cure.IngressNginx},
	"Traefik's JSON": {written(`{"ClientAddr":"ADDR:PORT","ClientHost":"ADDR","ClientPort":"PORT","ClientUsername":"-",` +
		`"DownstreamStatus":200,"Duration":412345,"RequestMethod":"GET","RequestPath":"PATH","RequestProtocol":"PROTO",` +
		`"RouterName":"web@docker","StartUTC":"ISO","entryPointName":"websecure","level":"info","msg":"",` +
		`"request_User-Agent":"AGENT","time":"ISO"}`), cure.Traefik},
	"Caddy's JSON": {written(`{"level":"info","ts":EPOCH0000,"logger":"http.log.access.log0","msg":"handled request","request":` +
		`{"remote_ip":"ADDR","remote_port":"PORT","client_ip":"ADDR","proto":"PROTO","method":"GET","host":"example.org",` +
		`"uri":"PATH","headers":{"User-Agent":["AGENT"],"Cookie":["REDACTED"]},"tls":{"resumed":false,"version":772}},` +
		`"bytes_read":0,"user_id":"","duration":0.000412,"size":12,"status":200,"resp_headers":{"Server":["Caddy"]}}`), cure.Caddy},
	"Istio": {written(`[ISO] "GET PATH HTTP/2" 200 - via_upstream - "-" 0 5 1 1 "-" "AGENT" "id" "host" "10.0.0.1:80" ` +
		`inbound|80|| 127.0.0.6:41111 10.0.0.2:443 ADDR:PORT outbound_.80_._.web default`), cure.Envoy},
	"Envoy Gateway": {written(envoyGateway), cure.Envoy}, "Apache": {written("COMBINED port=PORT"), cure.Apache},
	"AWS's ALB": {written(`h2 ISO app/web/50dc ADDR:PORT 10.0.0.1:80 0.001 0.004 0.000 200 200 34 366 "GET https://a.example:443PATH ` +
		`PROTO" "AGENT" - - arn:aws:x "Root=1-5" "a.example" "-" 0 ISO "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1`), cure.Unknown},
	"Azure's Front Door": {written(`{"time":"ISO","category":"FrontDoorAccessLog","properties":{"httpMethod":"GET",` +
		`"httpVersion":"2.0","requestUri":"https://a:443PATH","userAgent":"AGENT","clientIp":"ADDR","clientPort":"PORT",` +
		`"socketIp":"ADDR","httpStatusCode":"200","originIp":"20.1.2.3:443"}}`), cure.Unknown},
	"Cloudflare": {written(`{"ClientIP":"ADDR","ClientRequestURI":"PATH","ClientSrcPort":PORT,"EdgeResponseStatus":200,` +
		`"EdgeStartTimestamp":NANOS}`), cure.Unknown},
	"Fastly": {written(`{"timestamp":"ISO","client_ip":"ADDR","client_port":PORT,"client_requests":ORDINAL,` +
		`"response_status":200,"url":"PATH"}`), cure.Unknown},
	"Kestrel": {written(`{"Timestamp":"ISO","State":{"StatusCode":200,"Path":"PATH"},"Scopes":[{"SpanId":"1"},` +
		`{"ConnectionId":"NAME"},{"RequestId":"NAME:STREAM","RequestPath":"PATH"}]}`), cure.Unknown},
	"pino": {written(`{"level":30,"time":MILLIS,"hostname":"HOST","req":{"id":7,"method":"GET","url":"PATH",` +
		`"remoteAddress":"::ffff:ADDR","remotePort":PORT},"res":{"statusCode":200}}`), cure.Unknown},
	"Go's slog": {written(`{"time":"ISO","level":"INFO","remote_addr":"ADDR:PORT","path":"PATH","status":200}`), cure.Unknown},
	"Envoy's access log service": {written(`{"common_properties":{"downstream_remote_address":{"socket_address":{"address":"ADDR",` +
		`"port_value":PORT}},"downstream_local_address":{"socket_address":{"address":"10.0.0.1","port_value":443}},` +
		`"start_time":"ISO"},"protocol_version":"HTTP2","response":{"response_code":200}}`), cure.Envoy},
	"Linkerd JSON": {written(`{"client.addr":"ADDR:PORT","status":200,"timestamp":"ISO","uri":"PATH"}`), cure.Unknown},
	"H2O":          {written(`ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" conn=SERIAL`), cure.Unknown},
	"ECS":          {written(`{"@timestamp":"ISO","source.ip":"ADDR","source.port":PORT,"destination.port":443,"url.path":"PATH"}`), cure.Unknown},
}

// wrappings are what containers' runtimes and collectors put around a LINE of text, or one that is quoted, with the names of
// machines and pods as far as they have them.
var wrappings = map[string]string{
	"docker": `{"log":QUOTED,"stream":"stdout","time":"ISO"}`, "CRI": "ISO stdout F LINE", "kubectl": "[pod/web-1/nginx] LINE",
	"journald":   `{"__REALTIME_TIMESTAMP":"MICROS","_HOSTNAME":"HOST","MESSAGE":QUOTED,"PRIORITY":"6"}`,
	"Filebeat":   `{"@timestamp":"ISO","message":QUOTED,"host":{"name":"HOST"},"log":{"file":{"path":"/a b c d"}}}`,
	"Fluent Bit": `{"date":EPOCH,"log":QUOTED,"kubernetes":{"pod_name":"HOST","host":"node"}}`,
	"CloudWatch": `{"logStreamName":"HOST","timestamp":MILLIS,"message":QUOTED}`,
	"timestamps": "ISO LINE", "compose": "web-1     | LINE", "syslog": "STAMP HOST nginx[17]: LINE", "no host": "STAMP nginx: LINE",
	"RFC 3164": "<190>STAMP HOST nginx: LINE", "RFC 5424": "<134>1 ISO HOST nginx 17 - - LINE",
	"short-iso": "ISO HOST nginx[17]: LINE", "both": "[pod/web-1/nginx] ISO LINE", "tag": "nginx[17]: LINE", "bare": "LINE",
}

func wrapped(wrapping string, as func(request) string) func(request) string {
	return func(r request) string {
		quoted, _ := json.Marshal(as(r) + "\n")
		return strings.NewReplacer("QUOTED", string(quoted), "LINE", as(r)).Replace(written(wrapping)(r))
	}
}

// Each format is recognised, and some in each wrapping, and the limit is found in it.
func TestServersAndCollectors(t *testing.T) {
	w := world{length: mins, limit: 100, crowds: []crowd{{n: 3, agent: goClient, every: 75 * time.Millisecond}}}
	lines := w.run()
	for name, s := range formatsOf {
		for collector, wrapping := range wrappings {
			if collector == "bare" || name == "nginx" || name == "HAProxy" || name == "Traefik's JSON" {
				check(t, name+", "+collector, textOf(lines, wrapped(wrapping, s.as)), len(lines), s.server)
			}
		}
	}
}

func check(t *testing.T, name, log string, lines int, server string) {
	t.Helper()
	got, err := Read(t.Context(), []string{Stdin}, strings.NewReader(log), Options{room: 768, chunks: 8})
	switch {
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case got.Server != server || got.Requests != uint64(lines) || got.Malformed != 0 || got.From == nil || got.From.Year() != start.Year():
		t.Errorf("%s: %s, %s, %d requests of %d, %d malformed, from %v", name, got.Format, got.Server, got.Requests, lines,
			got.Malformed, got.From)
	case got.Limit == nil || got.Limit.Requests != 100 || got.Verdict.ID != AtLimit && got.Verdict.ID != PerhapsIt:
		t.Errorf("%s: %s: %s %+v", name, got.Format, got.Verdict.ID, got.Limit)
	}
	if strings.Contains(name, "H2O") && strings.Contains(got.Exactness.Note.String(), "port") {
		t.Errorf("%s is said to be counted by a port: %s", name, got.Exactness.Note)
	}
}

// Two servers number their connections alike: the collector's names tell them apart.
func TestCollectorsNameTheServer(t *testing.T) {
	both := interleaved(world{length: mins, limit: 100, host: "a", crowds: []crowd{{n: 2, agent: goClient, every: 75 * time.Millisecond}}},
		world{length: mins, limit: 100, host: "b", seed: 3, crowds: []crowd{{n: 2, agent: goClient, every: 75 * time.Millisecond}}})
	for _, name := range []string{"Filebeat", "Fluent Bit", "CloudWatch"} {
		for inner, as := range map[string]func(request) string{"text": asOffered, "JSON": asJSON} {
			check(t, name+", "+inner, textOf(both, wrapped(wrappings[name], as)), len(both), cure.Nginx)
		}
	}
}

// What doesn't identify a connection is refused, however many numbers its lines have.
func TestNumbersThatIdentifyNoConnection(t *testing.T) {
	w := world{length: mins, limit: 100, crowds: []crowd{{n: 3, agent: goClient, every: 75 * time.Millisecond}}}
	lines := w.run()
	for name, line := range map[string]string{
		"Reactor Netty, the server's port": `ADDR - - [CLF] "GET PATH PROTO" 200 5 8080 4 ms`,
		"APISIX":                           `ADDR - - [CLF] a.example "GET PATH PROTO" 200 5 0.004 "-" "AGENT" 10.0.0.1:80 200 0.004 "http://a"`,
		"an upstream's address":            `[CLF] ADDR "GET PATH PROTO" 200 10.0.0.1:8080 10.0.0.2:8080`,
		"IIS":                              `DAY CLOCK 10.0.0.5 GET PATH - 443 - ADDR AGENT - 200 0 0 15`,
		"Google's balancer":                `{"httpRequest":{"requestMethod":"GET","status":200,"remoteIp":"ADDR"},"timestamp":"ISO"}`,
		"AWS's NLB, connections":           `tls 2.0 ISO net/web/c6e7 g3d4 ADDR:PORT 172.1.1.1:443 5 2 98 246 - arn:aws:x - - tlsv12 - a h2 h2 "h2" ISO`,
		"a balancer's connections":         `{"client_ip":"ADDR","client_port":PORT,"timestamp":"ISO","bytes":5}`,
		"one id for each request":          `{"requestId":"SERIAL-ORDINAL-0HNX","status":200,"timestamp":"ISO"}`,
		"a session":                        `{"time":"ISO","remote_ip":"ADDR","session_id":"S0ADDR","status":200,"uri":"PATH"}`,
		"a label for a session":            `ADDR [CLF] "GET PATH PROTO" 200 sid=S0ADDR`,
		"a customer":                       `{"time":"ISO","remote_ip":"ADDR","cid":"C0ADDR","status":200,"uri":"PATH"}`,
		"how many are open":                `{"time":"ISO","remote_addr":"ADDR","connections_active":ORDINAL,"status":200}`,
		"a server's ports":                 `{"time":"ISO","remote_addr":"ADDR","server_port":443,"port":8443,"status":200}`,
		"nginx's stream module":            `ADDR:PORT [CLF] TCP 200 SERIAL 1024 0.003 "10.0.0.9:5432"`,
		"MongoDB":                          `{"t":{"$date":"ISO"},"c":"NETWORK","attr":{"remote":"ADDR:PORT","connectionId":SERIAL,"connectionCount":12}}`,
		"a virtual host's port":            `a.example:443 [CLF] "GET PATH PROTO" 200 5`,
		"Rails":                            `Started GET "PATH" for ADDR at DAY CLOCK +0000`,
	} {
		got, err := Read(t.Context(), []string{Stdin}, strings.NewReader(textOf(lines, written(line))),
			Options{room: 768, chunks: 8})
		var missing *MissingError
		if err == nil {
			t.Errorf("%s: %s", name, got.Format)
		} else if !errors.As(err, &missing) && !strings.Contains(err.Error(), "; name it: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Many programs begin a line as nginx's combined format: the advice for what follows has every server's form.
func TestALongerLineIsNotCalledNginx(t *testing.T) {
	for _, line := range []string{` kong_request_id: "5f0c2a6be1f1d7d1"`, " 4 a.example - -", " hit 0.003"} {
		_, err := recognise([]byte(strings.Repeat(`10.0.0.1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "curl/8"`+line+"\n", 30)), nil)
		var missing *MissingError
		if !errors.As(err, &missing) || missing.Server != cure.Unknown || strings.Contains(err.Error(), "these lines are nginx's") ||
			!strings.Contains(err.Error(), "port=%{remote}p") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// Clients that pause after as many requests each time end no connection by their number.
func TestBatchesAreNoLimit(t *testing.T) {
	all := newHistogram()
	for v, n := range map[uint32]int{25: 60, 50: 20, 75: 9} {
		all.add(v, uint64(n))
	}
	l := &Limit{How: "found", Requests: 25, UpTo: 25, Beyond: 29, EndedExactly: 60}
	if !l.batches(all, false) {
		t.Error("25, 50 and 75 are batches of 25")
	}
	if l = (&Limit{How: "found", Requests: 24, UpTo: 24, Beyond: 89}); l.batches(all, false) {
		t.Error("25, 50 and 75 are no batches of 24")
	}
}

// Several odd numbers at which as many connections end are clients', so the largest may be too.
func TestOddNumbersBesideAUsualOne(t *testing.T) {
	all := newHistogram()
	for _, v := range []uint32{12, 15, 33, 64} {
		all.add(v, 50)
	}
	if n := (&Limit{Requests: 64, EndedExactly: 50}).oddPiles(all); n < severalPiles {
		t.Errorf("%d odd numbers beside 64", n)
	}
}

// Whatever the lines are, recognising them neither panics nor takes a line that names no connection.
func FuzzRecognise(f *testing.F) {
	r := request{at: start, addr: "10.0.0.1", agent: "curl/8", path: "/", proto: "HTTP/2.0", port: 4711, serial: 3, ordinal: 1}
	for _, u := range formatsOf {
		f.Add(u.as(r), "#Fields: date time")
	}
	f.Add(`{"a":[[{"b":[]}],"c"]}`, `{"log":"{\"log\":\"x\"}"}`)
	f.Fuzz(func(t *testing.T, one, other string) {
		c, err := recognise([]byte(strings.Repeat(one+"\n"+other+"\n", 3)), nil)
		if err != nil {
			return
		}
		for _, line := range []string{one, other, one + other, ""} {
			var r Record
			if c.line([]byte(line), &r) && !c.identifies(&r) {
				t.Errorf("%s: %q", c.name, line)
			}
		}
	})
}

// A hostile sample is examined in limited time: neither its parts nor its keys are all compared with one another.
func TestHostileSamplesAreExaminedInLimitedTime(t *testing.T) {
	keys := strings.Builder{}
	for i := range 5000 {
		fmt.Fprintf(&keys, `"k%d":%d,`, i, i)
	}
	for name, line := range map[string]string{
		"numbers": strings.Repeat("7 ", 20_000), "brackets": strings.Repeat("[ ", 100_000),
		"quotes": strings.Repeat(`a="`, 30_000), "keys": "{" + keys.String() + `"k":1}`,
	} {
		if c, err := recognise([]byte(strings.Repeat(line+"\n", 4)), nil); err == nil {
			t.Errorf("%s: %s", name, c.name)
		}
	}
}

// A format that doesn't identify connections is named, with what its own server can log.
func TestWhatAFormatLacks(t *testing.T) {
	const at = `10.0.0.1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" `
	r := request{at: start, addr: "10.0.0.1", agent: "curl/8", path: "/", proto: "HTTP/2.0", port: 4711, serial: 3, ordinal: 1}
	for name, c := range map[string]struct{ line, is, adds string }{
		"nginx":          {at + `200 5 "-" "curl/8"`, "nginx's combined format", "log_format h2lab"},
		"nginx's main":   {at + `200 5 "-" "curl/8" "-"`, "the format main of nginx's packages", "log_format h2lab"},
		"ingress-nginx":  {written(ingress)(r), "ingress-nginx's default format", "log-format-upstream: '"},
		"the common one": {at + `200 5`, "the common log format", "port=%{remote}p"},
		"Traefik":        {written(`COMBINED 4711 "web@docker" "http://172.17.0.3:80" 4ms`)(r), "Traefik's common format", "format: json"},
		"Traefik without addresses": {`{"RouterName":"web","DownstreamStatus":200,"StartUTC":"2026-09-22T10:00:00Z"}`,
			"these lines are Traefik's JSON", "format: json"},
		"Caddy without addresses": {`{"ts":1790071200.1,"request":{"proto":"HTTP/2.0","uri":"/"},"status":200}`,
			"these lines are Caddy's JSON", "remote_port"},
		"Envoy": {`[2026-09-22T10:00:00.000Z] "GET / HTTP/2" 200 - 0 5 1 1 "-" "x" "id" "host" "10.0.0.1:80"`,
			"Envoy's default format, which has no %CONNECTION_ID%", "conn=%CONNECTION_ID%"},
		"Envoy's JSON": {`{"start_time":"2026-09-22T10:00:00.000Z","response_flags":"-","response_code":200}`,
			"these lines are Envoy's JSON", "%CONNECTION_ID%"},
		"Envoy behind a proxy": {strings.Replace(written(envoyGateway)(r), ":4711", ":0", 1), "most of them have no client port",
			"%CONNECTION_ID%"},
		"HAProxy without requests": {`10.0.0.1:4711 [22/Sep/2026:10:00:00.000] tcp-in web/s1 0/0/5007 212 -- 0/0/0/0/3 0/0`,
			"HAProxy's tcplog, which has no requests", "option httplog"},
	} {
		for collector, line := range map[string]string{"bare": c.line, "CRI": "2026-09-22T10:00:00.123456789Z stdout F " + c.line,
			"pod": "[pod/web-1/nginx] " + c.line} {
			_, err := recognise([]byte(line+"\n"+line+"\n"), nil)
			if err == nil || !strings.Contains(err.Error(), c.is) || !strings.Contains(err.Error(), c.adds) ||
				!strings.Contains(err.Error(), "\nnext: ") {
				t.Errorf("%s, %s: %v", name, collector, err)
			}
		}
	}
}

// Serials of several pods in one log are kept apart by the names that the collector gives.
func TestPodsAreSeveralServers(t *testing.T) {
	crowds := []crowd{{n: 2, agent: goClient, every: 30 * time.Millisecond}}
	lines := interleaved(world{length: 4 * mins, limit: 100, host: "a", crowds: crowds},
		world{length: 4 * mins, limit: 100, host: "b", seed: 2, crowds: crowds})
	named := func(r request) string { return "[pod/web-" + r.instance + "/nginx] " + asOffered(r) }
	got := read(t, strings.NewReader(textOf(lines, named)), direct)
	if got.MixedServers || got.Verdict.ID != AtLimit || got.Opened.EmptyAtMost > 10 {
		t.Errorf("%+v, %+v", got.Verdict, got.Opened)
	}
	got = read(t, strings.NewReader(textOf(lines, asOffered)), direct)
	if !got.MixedServers || got.Limit == nil || got.Limit.Requests != 100 || got.Opened != nil {
		t.Errorf("without names: %v, %+v, %+v", got.MixedServers, got.Limit, got.Opened)
	}
}

// A log of two servers whose lines can't be told apart has no times of a connection, and counts connections by the
// numbers of their requests.
func TestTwoServersWithoutNames(t *testing.T) {
	crowds := []crowd{{n: 2, agent: goClient, every: 30 * time.Millisecond}}
	one, two := world{length: 4 * mins, limit: 100, crowds: crowds}.run(), world{length: 4 * mins, limit: 100, seed: 2, crowds: crowds}.run()
	for i := range two {
		two[i].at = two[i].at.Add(-40 * time.Second)
	}
	connections := 0
	for _, r := range append(one, two...) {
		if r.ordinal == 1 {
			connections++
		}
	}
	both := append(one, two...)
	slices.SortStableFunc(both, func(a, b request) int { return a.at.Compare(b.at) })
	got := read(t, strings.NewReader(textOf(both, asOffered)), direct)
	if !got.MixedServers || got.Limit == nil || got.Limit.UsedUpP50S != nil || got.Connections != uint64(connections) ||
		got.PerConnection.Connections != uint64(connections) || len(got.Protocols) > 0 {
		t.Errorf("%d connections of %d, %+v, %+v", got.Connections, connections, got.Limit, got.PerConnection)
	}
}

// The workers of a replaced binary end their connections while the new ones number theirs from 1.
func TestAnUpgradeIsNoSecondServer(t *testing.T) {
	old := world{length: 3 * mins, limit: 100, serial: 90_000, crowds: []crowd{{n: 12, agent: goClient, every: 300 * time.Millisecond}}}.run()
	replaced := start.Add(2*mins + 40*sec)
	old = slices.DeleteFunc(old, func(r request) bool { return r.at.Add(-r.age).After(replaced) })
	now := world{length: 8 * mins, limit: 100, seed: 3, crowds: []crowd{{n: 12, agent: goClient, every: 300 * time.Millisecond,
		from: 2*mins + 40*sec}}}.run()
	both := append(old, now...)
	slices.SortStableFunc(both, func(a, b request) int { return a.at.Compare(b.at) })
	got := read(t, strings.NewReader(textOf(both, asOffered)), direct)
	if got.MixedServers || got.Restarts != 1 || got.Requests != uint64(len(both)) || got.Verdict.ID != AtLimit {
		t.Errorf("%v, %d restarts, %s", got.MixedServers, got.Restarts, got.Verdict.ID)
	}
	for _, m := range got.Minutes.MostNew {
		if m.OpenedAtMost > 100 {
			t.Errorf("%d opened in a minute", m.OpenedAtMost)
		}
	}
}

// A person who asks for several things now and then is no health check.
func TestIrregularClientsAreNoHealthChecks(t *testing.T) {
	for seed := range uint64(4) {
		w := world{seed: seed, length: 50 * mins, idle: 5 * sec}
		for _, path := range []string{"/", "/login", "/v2/orders", "/static/app.js", "/api/v1/items"} {
			for i := range 14 {
				w.crowds = append(w.crowds, crowd{n: 1, addr: fmt.Sprintf("10.0.0.%d", i), path: path, every: 450 * sec})
			}
		}
		got := read(t, strings.NewReader(textOf(w.run(), written(`{"time":"ISO","connection":SERIAL,"connection_requests":ORDINAL,`+
			`"remote_addr":"ADDR","request":"GET PATH PROTO","status":200}`))), direct)
		if len(got.HealthChecks) > 0 {
			t.Errorf("seed %d: %+v", seed, got.HealthChecks)
		}
	}
}

// Records in a list or on several lines are named once, with the filter that puts each on a line.
func TestRecordsInAListAreNamed(t *testing.T) {
	const record = `{"connection":1,"connection_requests":1}`
	for head, want := range map[string]string{
		"[\n  " + record + ",\n" + record + "\n]\n":                     ".[]",
		`{"records":[` + record + `,` + record + `]}` + "\n":            ".records[]",
		`{"messageType":"DATA_MESSAGE","logEvents":[{"id":"1","mess`:    ".logEvents[]",
		strings.Repeat(record, 3):                                       ".",
		"{\n  \"connection\": 1,\n  \"connection_requests\": 1\n}\n{\n": ".",
	} {
		path := filepath.Join(t.TempDir(), "a b.json")
		labtest.Write(t, path, head)
		_, err := Read(t.Context(), []string{path}, nil, Options{})
		if want := "next: jq -c '" + want + "' " + text.ShellWord(path) + " | h2lab logs -"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", head, err, want)
		}
	}
}

// Windows writes other line ends, and PowerShell other encodings. Neither changes a result.
func TestALogWrittenOnWindowsIsTheSameLog(t *testing.T) {
	for _, json := range []bool{false, true} {
		text := string(all(t, &traffic{lines: 5_000, limit: 100, alive: 3, perSec: 100, json: json}))
		want := read(t, strings.NewReader(text), Options{})
		for name, other := range map[string]string{"CR LF": labtest.CRLF(text), "PowerShell": labtest.PowerShell(text),
			"a mark": "\xef\xbb\xbf" + text} {
			got := read(t, strings.NewReader(other), Options{})
			if diff := cmp.Diff(want.Limit, got.Limit); diff != "" || got.Lines != want.Lines || got.Malformed != 0 {
				t.Errorf("%s, JSON %v: %d lines, %d malformed\n%s", name, json, got.Lines, got.Malformed, diff)
			}
		}
	}
}
