package accesslog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"h2lab/internal/field/cure"
)

// written renders a request as a line with words in capitals for its parts.
func written(format string) func(request) string {
	return func(r request) string {
		at := r.at.UTC()
		return strings.NewReplacer("ADDR", r.addr, "PORT", fmt.Sprint(r.port), "PATH", r.path, "PROTO", r.proto,
			"AGENT", r.agent, "SERIAL", fmt.Sprint(r.serial), "ORDINAL", fmt.Sprint(r.ordinal), "BEFORE",
			fmt.Sprint(r.ordinal-1), "CLF", at.Format("02/Jan/2006:15:04:05 -0700"), "ISO", at.Format(time.RFC3339Nano),
			"DAY", at.Format("2006-01-02"), "CLOCK", at.Format("15:04:05.000"), "SLASHED", at.Format("2006/01/02 15:04:05.000"),
			"HAPROXY", at.Format("02/Jan/2006:15:04:05.000"), "EPOCH", fmt.Sprintf("%d.%03d", at.Unix(), at.UnixMilli()%1000),
			"MILLIS", fmt.Sprint(at.UnixMilli()), "NANOS", fmt.Sprint(at.UnixNano()),
			"0HNPADDEDSERIA", fmt.Sprintf("0HN%010d", r.serial), "NAME", fmt.Sprintf("0HN%09XA", r.serial), "STREAM", fmt.Sprintf("%08X", r.ordinal*2-1),
			"HOST", "node-"+r.instance).Replace(format)
	}
}

// unnamed are formats that have no reader of their own, as their documentation shows them.
var unnamed = map[string]struct{ line, server string }{
	"AWS's ALB": {`h2 ISO app/web/50dc ADDR:PORT 10.0.0.1:80 0.001 0.004 0.000 200 200 34 366 "GET https://a.example:443PATH ` +
		`PROTO" "AGENT" - - arn:aws:x "Root=1-5" "a.example" "-" 0 ISO "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1`,
		cure.Unknown},
	"CloudFront": {"DAY\tCLOCK\tFRA56\t512\tADDR\tGET\td1.cloudfront.net\tPATH\t200\tAGENT\tPORT\tPROTO", cure.Unknown},
	"Azure's Front Door": {`{"time":"ISO","category":"FrontDoorAccessLog","properties":{"httpMethod":"GET",` +
		`"httpVersion":"2.0","requestUri":"https://a:443PATH","userAgent":"AGENT","clientIp":"ADDR","clientPort":"PORT",` +
		`"socketIp":"ADDR","httpStatusCode":"200","originIp":"20.1.2.3:443"}}`, cure.Unknown},
	"Cloudflare": {`{"ClientIP":"ADDR","ClientRequestURI":"PATH","ClientSrcPort":PORT,"EdgeResponseStatus":200,` +
		`"EdgeStartTimestamp":NANOS}`, cure.Unknown},
	"Fastly": {`{"timestamp":"ISO","client_ip":"ADDR","client_port":PORT,"client_requests":ORDINAL,` +
		`"response_status":200,"url":"PATH"}`, cure.Unknown},
	"Kestrel": {`{"Timestamp":"ISO","State":{"StatusCode":200,"Path":"PATH"},"Scopes":[{"SpanId":"1"},` +
		`{"ConnectionId":"NAME"},{"RequestId":"NAME:STREAM","RequestPath":"PATH"}]}`, cure.Unknown},
	"Serilog without a connection": {`{"@t":"ISO","RequestPath":"PATH","StatusCode":200,"RequestId":"NAME:STREAM"}`,
		cure.Unknown},
	"pino": {`{"level":30,"time":MILLIS,"hostname":"HOST","req":{"id":7,"method":"GET","url":"PATH",` +
		`"remoteAddress":"::ffff:ADDR","remotePort":PORT},"res":{"statusCode":200}}`, cure.Unknown},
	"Go's slog":   {`{"time":"ISO","level":"INFO","remote_addr":"ADDR:PORT","path":"PATH","status":200}`, cure.Unknown},
	"Go's logfmt": {`time=ISO level=INFO msg="a request" remote_addr=ADDR:PORT path=PATH status=200`, cure.Unknown},
	"chi":         {`SLASHED "GET http://a.examplePATH PROTO" from ADDR:PORT - 200 5B in 1.2ms`, cure.Unknown},
	"Envoy's access log service": {`{"common_properties":{"downstream_remote_address":{"socket_address":{"address":"ADDR",` +
		`"port_value":PORT}},"downstream_local_address":{"socket_address":{"address":"10.0.0.1","port_value":443}},` +
		`"start_time":"ISO"},"protocol_version":"HTTP2","response":{"response_code":200}}`, cure.Envoy},
	"Linkerd":         {`ADDR:PORT web.sa.cluster.local - [ISO] "GET http://webapp:7000PATH PROTO" 200 5`, cure.Unknown},
	"Linkerd JSON":    {`{"client.addr":"ADDR:PORT","status":200,"timestamp":"ISO","uri":"PATH"}`, cure.Unknown},
	"HAProxy JSON":    {`{"time":"HAPROXY","client":{"ip":"ADDR","port":PORT},"status":200,"http_request":"GET PATH PROTO"}`, cure.Unknown},
	"nested nginx":    {`{"@timestamp":"ISO","nginx":{"connection":{"serial":"SERIAL","requests":"ORDINAL"}},"url":{"path":"PATH"}}`, cure.Nginx},
	"named keys":      {`{"ts":EPOCH,"conn_id":SERIAL,"conn_reqs":ORDINAL,"verb":"GET","uri":"PATH","code":200}`, cure.Nginx},
	"unknown keys":    {`{"ts":EPOCH,"x":SERIAL,"y":ORDINAL,"addr":"ADDR","uri":"PATH","code":200}`, cure.Nginx},
	"labels":          {`ADDR [CLF] "GET PATH PROTO" 200 conn:SERIAL creq:ORDINAL "AGENT"`, cure.Nginx},
	"short labels":    {`ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" rt=0.004 c=SERIAL cr=ORDINAL`, cure.Nginx},
	"a slash":         {`ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" SERIAL/ORDINAL 0.004`, cure.Nginx},
	"bars":            {`ADDR|CLF|GET PATH PROTO|200|5|AGENT|0.004|SERIAL|ORDINAL|10.0.0.1:80`, cure.Nginx},
	"H2O":             {`ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" conn=SERIAL`, cure.Unknown},
	"Tomcat's port":   {`ADDR - - [CLF] "GET PATH PROTO" 200 5 PORT`, cure.Unknown},
	"Apache's %k":     {`ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" BEFORE NAME`, cure.Unknown},
	"Squid":           {`EPOCH     12 ADDR:PORT TCP_MISS/200 5 GET http://aPATH - HIER_DIRECT/10.9.0.1:80 text/html`, cure.Unknown},
	"LTSV":            {"time:[CLF]\thost:ADDR\treq:GET PATH PROTO\tstatus:200\tconnid:SERIAL\tconnreq:ORDINAL", cure.Nginx},
	"CSV":             {`ISO,ADDR,"GET PATH PROTO",200,5,"AGENT",SERIAL,ORDINAL`, cure.Nginx},
	"a dash":          {`ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" id=SERIAL-ORDINAL`, cure.Nginx},
	"a header's key":  {`{"time":"ISO","connection":"keep-alive","connection_id":SERIAL,"count":ORDINAL,"status":200}`, cure.Nginx},
	"ECS":             {`{"@timestamp":"ISO","source.ip":"ADDR","source.port":PORT,"destination.port":443,"url.path":"PATH"}`, cure.Unknown},
	"Kestrel as text": {`DAY CLOCK [INF] [0HNPADDEDSERIA:STREAM] HTTP GET PATH responded 200 in 0.4 ms`, cure.Unknown},
	"Caddy's console": {"SLASHED\tinfo\thttp.log.access\thandled request\t" + `{"request": {"remote_ip": "ADDR", ` +
		`"remote_port": "PORT", "proto": "PROTO", "uri": "PATH"}, "status": 200}`, cure.Caddy},
	"an IPv6 client": {`[2001:db8::1]:PORT - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT"`, cure.Unknown},
	"Hypercorn":      {`[DAY CLOCK +0000] [17] [INFO] ADDR:PORT - - [CLF] "GET PATH 2" 200 5 "-" "AGENT"`, cure.Unknown},
}

// collectors are what collectors put around a line, with the names of pods.
var collectors = map[string]func(func(request) string) func(request) string{
	"Filebeat":   inJSON(`{"@timestamp":"ISO","message":LINE,"host":{"name":"HOST"},"log":{"file":{"path":"/a b c d"}}}`),
	"Fluent Bit": inJSON(`{"date":EPOCH,"log":LINE,"kubernetes":{"pod_name":"HOST","host":"node"}}`),
	"Splunk":     inJSON(`{"preview":false,"result":{"_raw":LINE,"_time":"ISO","host":"HOST"}}`),
	"CloudWatch": inJSON(`{"logStreamName":"HOST","timestamp":MILLIS,"message":LINE}`),
	"Loki":       inJSON(`{"labels":{"pod":"HOST"},"line":LINE,"timestamp":"ISO"}`),
	"logcli":     inText(`ISO {app="web", pod="HOST"} `), "aws logs tail": inText("ISO web/HOST/0f1e "),
	"stern": inText("HOST nginx "), "Fluentd": inText("ISO\tkube.HOST\t"),
}

func inText(prefix string) func(func(request) string) func(request) string {
	return func(as func(request) string) func(request) string {
		return func(r request) string { return written(prefix)(r) + as(r) }
	}
}

func inJSON(envelope string) func(func(request) string) func(request) string {
	return func(as func(request) string) func(request) string {
		return func(r request) string {
			return strings.ReplaceAll(written(envelope)(r), "LINE", fmt.Sprintf("%q", as(r)+"\n"))
		}
	}
}

// A log that identifies connections in whatever form is read without options.
func TestFormatsThatNobodyNamed(t *testing.T) {
	w := world{length: mins, limit: 100, crowds: []crowd{{n: 3, agent: goClient, every: 75 * time.Millisecond}}}
	lines := w.run()
	for name, f := range unnamed {
		check(t, name, text(lines, written(f.line)), len(lines), f.server)
	}
}

func check(t *testing.T, name, log string, lines int, server string) {
	t.Helper()
	got, err := Read(t.Context(), []string{Stdin}, strings.NewReader(log), Options{tableBits: 10, chunks: 8})
	switch {
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case got.Server != server || got.Requests != uint64(lines) || got.Malformed != 0 || got.From == nil || got.From.Year() != start.Year():
		t.Errorf("%s: %s, %s, %d requests of %d, %d malformed, from %v", name, got.Format, got.Server, got.Requests, lines,
			got.Malformed, got.From)
	case got.Limit == nil || got.Limit.Requests != 100 || got.Verdict.ID != AtLimit && got.Verdict.ID != PerhapsIt:
		t.Errorf("%s: %s: %s %+v", name, got.Format, got.Verdict.ID, got.Limit)
	}
}

// Two servers number their connections alike: the collector's names tell them apart.
func TestCollectorsNameTheServer(t *testing.T) {
	both := interleaved(world{length: mins, limit: 100, host: "a", crowds: []crowd{{n: 2, agent: goClient, every: 75 * time.Millisecond}}},
		world{length: mins, limit: 100, host: "b", seed: 3, crowds: []crowd{{n: 2, agent: goClient, every: 75 * time.Millisecond}}})
	for name, wrap := range collectors {
		for inner, as := range map[string]func(request) string{"text": asOffered, "JSON": asJSON} {
			if inner == "text" && name == "Fluentd" {
				continue // it writes JSON
			}
			log := text(both, wrap(as))
			check(t, name+", "+inner, log, len(both), cure.Nginx)
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
		got, err := Read(t.Context(), []string{Stdin}, strings.NewReader(text(lines, written(line))),
			Options{tableBits: 10, chunks: 8})
		if err == nil {
			t.Errorf("%s: %s", name, got.Format)
		}
	}
}

// The advice for a server that nothing shows has every server's form.
func TestAdviceForAnUnknownServer(t *testing.T) {
	_, err := recognise([]byte(strings.Repeat(`10.0.0.1 a.example - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5`+"\n", 30)), nil)
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Server != cure.Unknown || !strings.Contains(err.Error(), "port=%{remote}p") {
		t.Errorf("%v", err)
	}
}

// Clients that pause after as many requests each time end no connection by their number.
func TestBatchesAreNoLimit(t *testing.T) {
	all := newHistogram()
	for v, n := range map[uint32]int{25: 60, 50: 20, 75: 9} {
		for range n {
			all.add(v)
		}
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
		for range 50 {
			all.add(v)
		}
	}
	if n := (&Limit{Requests: 64, EndedExactly: 50}).oddPiles(all); n < severalPiles {
		t.Errorf("%d odd numbers beside 64", n)
	}
}

// Whatever the lines are, recognising them neither panics nor takes a line that names no connection.
func FuzzRecognise(f *testing.F) {
	r := request{at: start, addr: "10.0.0.1", agent: "curl/8", path: "/", proto: "HTTP/2.0", port: 4711, serial: 3, ordinal: 1}
	for _, u := range unnamed {
		f.Add(written(u.line)(r), "#Fields: date time")
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
