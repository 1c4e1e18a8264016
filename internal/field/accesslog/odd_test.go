package accesslog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"h2lab/internal/field/cure"
)

// oddly are formats whose separators, labels and names hardly any format shares.
var oddly = []struct{ name, line, server string }{
	{"carets", `ADDR^ISO^GET PATH^PROTO^200^5^AGENT^SERIAL^ORDINAL`, cure.Nginx},
	{"bars with blanks", `ADDR || CLF || GET PATH PROTO || 200 || AGENT || SERIAL || ORDINAL`, cure.Nginx},
	{"tildes", `ADDR ~ ISO ~ "GET PATH PROTO" ~ 200 ~ "AGENT" ~ SERIAL ~ ORDINAL`, cure.Nginx},
	{"a control character", "ADDR\x01EPOCH\x01GET PATH PROTO\x01200\x01AGENT\x01SERIAL\x01ORDINAL", cure.Nginx},
	{"labels in braces", `ADDR [CLF] "GET PATH PROTO" 200 {conn: SERIAL, reqs: ORDINAL} "AGENT"`, cure.Nginx},
	{"nothing but brackets", `[ADDR] [CLF] [GET PATH?id=SERIAL PROTO] [200] [5] [SERIAL] [ORDINAL] [AGENT]`, cure.Nginx},
	{"gRPC's middleware", `{"time":"ISO","msg":"finished call","grpc.service":"a.B","grpc.method":"Get","peer.address":"ADDR:PORT",` +
		`"grpc.code":"OK"}`, cure.Unknown},
	{"labels in brackets", `ADDR [CLF] "GET PATH PROTO" 200 [conn=SERIAL req=ORDINAL] "AGENT"`, cure.Nginx},
	{"a line under a key of its own", `{"@timestamp":"ISO","event":{"original":"ADDR - - [CLF] \"GET PATH PROTO\" 200 5 \"-\" ` +
		`\"AGENT\" conn=SERIAL req=ORDINAL"}}`, cure.Nginx},
	{"streams of H2O", `ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" cid=SERIAL sid=ODD`, cure.Unknown},
	{"sessions of Varnish", `ADDR - - [CLF] "GET PATH PROTO" 200 5 "-" "AGENT" sess=APART hit`, cure.Unknown},
	{"sessions of Varnish in JSON", `{"time":"ISO","host":"ADDR","request":"GET PATH PROTO","status":200,"sess":APART}`, cure.Unknown},
}

// odd is written with the number of a stream, and that of a session beside its requests'.
func odd(format string) func(request) string {
	return func(r request) string {
		return strings.NewReplacer("ODD", fmt.Sprint(2*r.ordinal-1), "APART", fmt.Sprint(32768+3*r.serial)).Replace(written(format)(r))
	}
}

func TestOddFormats(t *testing.T) {
	w := world{length: mins, limit: 100, crowds: []crowd{{n: 3, agent: goClient, every: 75 * time.Millisecond}}}
	lines := w.run()
	for _, f := range oddly {
		check(t, f.name, text(lines, odd(f.line)), len(lines), f.server)
	}
}

// A server that is configured anew writes another #Fields into the same log.
func TestFieldsChangeWithinALog(t *testing.T) {
	w := world{length: mins, limit: 100, crowds: []crowd{{n: 3, agent: goClient, every: 75 * time.Millisecond}}}
	lines := w.run()
	half := len(lines) / 2
	log := "#Fields: date time cs-method cs-uri-stem c-ip sc-status c-port\n" +
		text(lines[:half], written("DAY CLOCK GET PATH ADDR 200 PORT")) +
		"#Version: 1.0\n#Fields: date time c-ip c-port s-port cs-method cs-uri-stem sc-status\n" +
		text(lines[half:], written("DAY CLOCK ADDR PORT 443 GET PATH 200"))
	check(t, "another order", log, len(lines), cure.Unknown)
}

// Many programs begin a line as nginx's combined format: what follows isn't said to be missing, nor to be nginx's.
func TestALongerLineIsNotCalledNginx(t *testing.T) {
	for _, line := range []string{` kong_request_id: "5f0c2a6be1f1d7d1"`, " 4 a.example - -", " hit 0.003"} {
		_, err := recognise([]byte(strings.Repeat(`10.0.0.1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "curl/8"`+line+"\n", 30)), nil)
		if err == nil || strings.Contains(err.Error(), "these lines are nginx's") || !strings.Contains(err.Error(), "port=%{remote}p") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A name that says what is counted excludes it, however much its numbers look like a connection's.
func TestAUsersRequestsAreNoConnections(t *testing.T) {
	w := world{length: mins, crowds: []crowd{{n: 3, agent: goClient, every: 75 * time.Millisecond}}}
	lines := w.run()
	for _, line := range []string{`ADDR [CLF] "GET PATH PROTO" 200 uid=SERIAL n=ORDINAL`, `ADDR [CLF] "GET PATH PROTO" 200 pid=SERIAL n=ORDINAL`,
		`{"time":"ISO","ip":"ADDR","path":"PATH","status":200,"account":SERIAL,"seq":ORDINAL}`} {
		if c, err := recognise([]byte(text(lines, written(line))), nil); err == nil {
			t.Errorf("%s: %s", line, c.name)
		}
	}
}

// The client's address shows whether a silence ends connections, whatever its key is called.
func TestAClientsAddressUnderAnyName(t *testing.T) {
	w := world{length: 90 * mins, idle: 30 * sec, crowds: []crowd{{n: 14, agent: goClient, every: 15 * sec},
		{n: 7, agent: goClient, every: sec, on: 20 * sec, off: 3 * mins}}}
	log := text(w.run(), written(`{"ts":EPOCH,"rip":"ADDR","m":"GET","u":"PATH","s":200,"cn":"SERIAL","crq":"ORDINAL"}`))
	if got := read(t, strings.NewReader(log), direct); got.Verdict.ID != Idled {
		t.Errorf("%s: %v", got.Verdict.ID, got.Verdict.Says)
	}
}
