package accesslog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/field/cure"
)

// Lines as other servers write them by default.
func asIngress(r request) string {
	combined, _, _ := strings.Cut(asCombined(r), " conn=")
	return combined + " 512 0.004 [shop-web-80] [] 10.1.0.7:8080 512 0.004 200 5f0c2a6be1f1d7d1"
}

func asIngressAdded(r request) string {
	return asIngress(r) + fmt.Sprintf(" conn=%d req=%d", r.serial, r.ordinal)
}

func asTraefik(r request) string {
	combined, _, _ := strings.Cut(asCombined(r), " conn=")
	return combined + ` 4711 "web@docker" "http://172.17.0.3:80" 4ms`
}

func asTraefikJSON(r request) string {
	return fmt.Sprintf(`{"ClientAddr":"%s:%d","ClientHost":"%s","ClientPort":"%d","ClientUsername":"-",`+
		`"DownstreamStatus":200,"Duration":412345,"RequestMethod":"GET","RequestPath":"%s","RequestProtocol":"%s",`+
		`"RouterName":"web@docker","StartUTC":"%s","entryPointName":"websecure","level":"info","msg":"",`+
		`"request_User-Agent":"%s","time":"%s"}`, r.addr, r.port, r.addr, r.port, r.path, r.proto,
		r.at.UTC().Format(time.RFC3339Nano), r.agent, r.at.UTC().Format(time.RFC3339))
}

func asCaddy(r request) string {
	return fmt.Sprintf(`{"level":"info","ts":%.7f,"logger":"http.log.access.log0","msg":"handled request","request":`+
		`{"remote_ip":"%s","remote_port":"%d","client_ip":"%s","proto":"%s","method":"GET","host":"example.org",`+
		`"uri":"%s","headers":{"User-Agent":["%s"],"Cookie":["REDACTED"]},"tls":{"resumed":false,"version":772}},`+
		`"bytes_read":0,"user_id":"","duration":0.000412,"size":12,"status":200,"resp_headers":{"Server":["Caddy"]}}`,
		float64(r.at.UnixMilli())/1000, r.addr, r.port, r.addr, r.proto, r.path, r.agent)
}

func asHAProxy(r request) string {
	return fmt.Sprintf(`%s:%d [%s] https~ web/s1 0/0/1/3/4 200 512 - - ---- 12/12/0/0/0 0/0 {example.org} {} "GET %s %s"`,
		r.addr, r.port, r.at.UTC().Format("02/Jan/2006:15:04:05.000"), r.path, r.proto)
}

func asIstio(r request) string {
	return fmt.Sprintf(`[%s] "GET %s HTTP/2" 200 - via_upstream - "-" 0 5 1 1 "-" "%s" "id" "host" "10.0.0.1:80" `+
		`inbound|80|| 127.0.0.6:41111 10.0.0.2:443 %s:%d outbound_.80_._.web default`,
		r.at.UTC().Format("2006-01-02T15:04:05.000Z"), r.path, r.agent, r.addr, r.port)
}

func asEnvoyGateway(r request) string {
	return fmt.Sprintf(`{"start_time":"%s","method":"GET","x-envoy-origin-path":"%s","protocol":"HTTP/2","response_code":200,`+
		`"response_flags":"-","response_code_details":"via_upstream","user-agent":"%s","downstream_local_address":`+
		`"10.0.0.2:443","downstream_remote_address":"%s:%d","route_name":null}`,
		r.at.UTC().Format("2006-01-02T15:04:05.000Z"), r.path, r.agent, r.addr, r.port)
}

func asApache(r request) string {
	combined, _, _ := strings.Cut(asCombined(r), " conn=")
	return fmt.Sprintf("%s port=%d", combined, r.port)
}

// What collectors put around a line.
func inDocker(as func(request) string) func(request) string {
	return func(r request) string {
		line, err := json.Marshal(as(r) + "\n")
		if err != nil {
			panic(err)
		}
		return fmt.Sprintf(`{"log":%s,"stream":"stdout","time":"%s"}`, line, r.at.UTC().Format(time.RFC3339Nano))
	}
}

func inJournal(as func(request) string) func(request) string {
	return func(r request) string {
		line, err := json.Marshal(as(r))
		if err != nil {
			panic(err)
		}
		return fmt.Sprintf(`{"__REALTIME_TIMESTAMP":"%d","_HOSTNAME":"web1","MESSAGE":%s,"PRIORITY":"6"}`,
			r.at.UnixMicro(), line)
	}
}

func in(format string) func(as func(request) string) func(request) string {
	return func(as func(request) string) func(request) string {
		return func(r request) string {
			prefix := strings.NewReplacer("TIME", r.at.UTC().Format(time.RFC3339Nano), "STAMP", r.at.UTC().Format(time.Stamp),
				"HOST", "node-"+r.instance).Replace(format)
			return prefix + as(r)
		}
	}
}

// Each format is recognised, bare and in each wrapping, and the limit is found in it.
func TestServersAndCollectors(t *testing.T) {
	w := world{length: mins, limit: 100, crowds: []crowd{{n: 3, agent: goClient, every: 30 * time.Millisecond}}}
	lines := w.run()
	for name, s := range map[string]struct {
		as     func(request) string
		server string
	}{
		"nginx": {asOffered, cure.Nginx}, "ingress-nginx with both": {asIngressAdded, cure.IngressNginx},
		"Traefik's JSON": {asTraefikJSON, cure.Traefik}, "Caddy's JSON": {asCaddy, cure.Caddy},
		"HAProxy": {asHAProxy, cure.HAProxy}, "Istio": {asIstio, cure.Envoy},
		"Envoy Gateway": {asEnvoyGateway, cure.Envoy}, "Apache": {asApache, cure.Apache}, "nginx JSON": {asJSON, cure.Nginx},
	} {
		for collector, wrap := range map[string]func(func(request) string) func(request) string{
			"bare": func(as func(request) string) func(request) string { return as }, "docker": inDocker, "journald": inJournal,
			"CRI": in("TIME stdout F "), "kubectl": in("[pod/web-1/nginx] "), "timestamps": in("TIME "),
			"compose": in("web-1     | "), "syslog": in("STAMP HOST nginx[17]: "), "no host": in("STAMP nginx: "),
			"RFC 3164": in("<190>STAMP HOST nginx: "), "RFC 5424": in("<134>1 TIME HOST nginx 17 - - "),
			"short-iso": in("TIME HOST nginx[17]: "), "both": in("[pod/web-1/nginx] TIME "), "tag": in("nginx[17]: "),
		} {
			every := name == "nginx" || name == "HAProxy" || name == "Traefik's JSON"
			if !every && collector != "bare" && collector != "docker" {
				continue
			}
			got, err := Read(t.Context(), []string{Stdin}, strings.NewReader(text(lines, wrap(s.as))),
				Options{tableBits: 10, chunks: 8})
			if err != nil {
				t.Errorf("%s, %s: %v", name, collector, err)
				continue
			}
			if got.Server != s.server || got.Requests != uint64(len(lines)) || got.Malformed != 0 || got.From == nil {
				t.Errorf("%s, %s: %s, %d requests of %d", name, collector, got.Server, got.Requests, len(lines))
			}
			if got.Limit == nil || got.Limit.Requests != 100 || got.Verdict.ID != AtLimit && got.Verdict.ID != PerhapsIt {
				t.Errorf("%s, %s: %s %+v", name, collector, got.Verdict.ID, got.Limit)
			}
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
		"ingress-nginx":  {asIngress(r), "ingress-nginx's default format", "log-format-upstream: '"},
		"Apache":         {at + `304 - "-" "curl/8"`, "Apache httpd's combined format", "port=%{remote}p"},
		"the common one": {at + `200 5`, "the common log format", "port=%{remote}p"},
		"Traefik":        {asTraefik(r), "Traefik's common format", "format: json"},
		"Traefik without addresses": {`{"RouterName":"web","DownstreamStatus":200,"StartUTC":"2026-09-22T10:00:00Z"}`,
			"these lines are Traefik's JSON", "format: json"},
		"Caddy without addresses": {`{"ts":1790071200.1,"request":{"proto":"HTTP/2.0","uri":"/"},"status":200}`,
			"these lines are Caddy's JSON", "remote_port"},
		"Envoy": {`[2026-09-22T10:00:00.000Z] "GET / HTTP/2" 200 - 0 5 1 1 "-" "x" "id" "host" "10.0.0.1:80"`,
			"Envoy's default format, which has no %CONNECTION_ID%", "conn=%CONNECTION_ID%"},
		"Envoy's JSON": {`{"start_time":"2026-09-22T10:00:00.000Z","response_flags":"-","response_code":200}`,
			"these lines are Envoy's JSON", "%CONNECTION_ID%"},
		"Envoy behind a proxy": {strings.Replace(asEnvoyGateway(r), ":4711", ":0", 1), "most of them have no client port",
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
	got := read(t, strings.NewReader(text(lines, named)), direct)
	if got.MixedServers || got.Verdict.ID != AtLimit || got.Opened.EmptyAtMost > 10 {
		t.Errorf("%+v, %+v", got.Verdict, got.Opened)
	}
	got = read(t, strings.NewReader(text(lines, asOffered)), direct)
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
	got := read(t, strings.NewReader(text(both, asOffered)), direct)
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
	got := read(t, strings.NewReader(text(both, asOffered)), direct)
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
		got := read(t, strings.NewReader(text(w.run(), written(`{"time":"ISO","connection":SERIAL,"connection_requests":ORDINAL,`+
			`"remote_addr":"ADDR","request":"GET PATH PROTO","status":200}`))), direct)
		if len(got.HealthChecks) > 0 {
			t.Errorf("seed %d: %+v", seed, got.HealthChecks)
		}
	}
}

// A connection that has a name is not said to be counted by a port.
func TestWhatConnectionsWereCountedBy(t *testing.T) {
	w := world{length: mins, limit: 100, crowds: []crowd{{n: 3, agent: goClient, every: 75 * time.Millisecond}}}
	got := read(t, strings.NewReader(text(w.run(), written(unnamed["H2O"].line))), direct)
	if strings.Contains(got.Exactness.Note, "port") {
		t.Error(got.Exactness.Note)
	}
}
