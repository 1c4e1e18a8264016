package traefikconf

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// Traefik's defaults (entryPoints, respondingTimeouts and http2 in the reference of the install
// configuration).
const (
	defaultIdle    = 180 * time.Second
	defaultStreams = 250
)

// judge checks a document and fills the report.
type judge struct {
	document
	streams int // that a client has in flight on a connection
	version versions.Version
	report  *lint.Report
}

func (j *judge) all() {
	for _, p := range fields(j.node, "entryPoints") {
		j.entryPoint(&p)
	}
	if t := way(j.node, "serversTransport"); t != nil {
		j.transport(t)
	}
	for _, t := range fields(j.node, "http", "serversTransports") {
		j.transport(&t)
		j.http2(&t)
	}
}

// fields are those of the mapping at a path.
func fields(n *lint.Node, names ...string) []lint.Field {
	if f := way(n, names...); f != nil {
		return f.Value.Fields
	}
	return nil
}

// find adds a finding at a field. fix is the field's new value.
func (j *judge) find(rule, path string, f *lint.Field, fix string, why facts.Text) *lint.Finding {
	found := Rules.New(rule, j.file.Name, f.Line, why)
	if fix != "" {
		found.Found = j.file.Line(f.Line)
		found.Fix = j.written(path, f, fix)
	}
	j.report.Findings = append(j.report.Findings, found)
	return &j.report.Findings[len(j.report.Findings)-1]
}

// written is an option in the syntax of the file.
func (j *judge) written(path string, f *lint.Field, value string) string {
	switch {
	case j.args[f.Value] && variable(j.file.Line(f.Line), value) != "":
		return variable(j.file.Line(f.Line), value)
	case j.args[f.Value]:
		list := ""
		if strings.HasPrefix(j.file.Line(f.Line), "- ") {
			list = "- "
		}
		return list + "--" + path + "=" + value
	case j.toml:
		return f.Key + " = " + value
	}
	_, fix := j.file.Swap(f, value)
	return fix
}

// known are the options of the maps whose options this package lists completely; Traefik refuses to
// start when there is another one ("field not found"; pkg/config/static/entrypoints.go of 3.6).
var known = map[string][]string{
	"": {"address", "allowACMEByPass", "reusePort", "asDefault", "transport", "proxyProtocol", "forwardedHeaders", "http",
		"http2", "http3", "udp", "observability"},
	"http2":                        {"maxConcurrentStreams", "maxDecoderHeaderTableSize", "maxEncoderHeaderTableSize"},
	"transport":                    {"lifeCycle", "respondingTimeouts", "keepAliveMaxTime", "keepAliveMaxRequests"},
	"transport.respondingTimeouts": {"readTimeout", "writeTimeout", "idleTimeout"},
}

func (j *judge) entryPoint(p *lint.Field) {
	path := "entryPoints." + p.Key
	address := ""
	if a := way(p.Value, "address"); a != nil {
		address = a.Value.Text
	}
	if strings.HasSuffix(address, "/udp") {
		return
	}
	protocols := []string{"http/1.1", "h2", "h2c"}
	if way(p.Value, "http3") != nil {
		protocols = append(protocols, "h3")
	}
	j.strangers(p, path)
	j.report.Listeners = append(j.report.Listeners, lint.Listener{
		File:      j.file.Name,
		Line:      p.Line,
		Name:      p.Key,
		Address:   strings.TrimSuffix(address, "/tcp"),
		TLS:       way(p.Value, "http", "tls") != nil,
		Protocols: protocols,
		Default:   true,
		Limit:     j.limit(p, path),
		Idle:      j.idle(p, path),
		Age:       j.age(p, path),
		Streams:   j.concurrency(p, path),
	})
}

func (j *judge) strangers(p *lint.Field, path string) {
	for _, below := range []string{"", "http2", "transport", "transport.respondingTimeouts"} {
		f := p
		if below != "" {
			f = way(p.Value, strings.Split(below, ".")...)
		}
		if f == nil {
			continue
		}
		for _, option := range f.Value.Fields {
			if !slices.ContainsFunc(known[below], func(k string) bool { return strings.EqualFold(k, option.Key) }) {
				why := facts.T("linttraefik.no-option", strings.TrimSuffix(path+"."+below, "."), strconv.Quote(option.Key))
				j.find("traefik/refused", path, &option, "", why).Found = j.file.Line(option.Line)
			}
		}
	}
	for _, name := range []string{"keepAliveMaxRequests", "keepAliveMaxTime"} {
		// 2.11.0-rc1 introduced both, and 3.0 has them.
		if f := way(p.Value, "transport", name); f != nil && !j.version.AtLeast(2, 11) {
			j.find("traefik/refused", path, f, "", facts.T("linttraefik.newer", name,
				j.version.String())).Found = j.file.Line(f.Line)
		}
	}
}

// count is a limit that an option sets, otherwise when it is absent. n is -1 then, and for a value that is no number,
// which it reports.
func (j *judge) count(f *lint.Field, path string, otherwise lint.Limit, fix string) (n int64, l lint.Limit) {
	if f == nil {
		return -1, otherwise
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(f.Value.Text, "_", ""), 10, 64)
	if err != nil || n < 0 {
		j.find("traefik/refused", path, f, fix, facts.T("linttraefik.number", path, strconv.Quote(f.Value.Text)))
		return -1, lint.UnknownLimit(facts.T("linttraefik.no-number", j.file.Name, f.Line))
	}
	return n, lint.Requests(n, lint.SetAt(j.file.Name, f.Line))
}

// time is the same of a Go duration, or a number of seconds.
func (j *judge) time(f *lint.Field, path string, otherwise lint.Time) (time.Duration, lint.Time) {
	if f == nil {
		return 0, otherwise
	}
	text := f.Value.Text
	if _, err := strconv.ParseInt(text, 10, 32); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil || d < 0:
		j.find("traefik/refused", path, f, j.quote("0s"), facts.T("linttraefik.duration", path, strconv.Quote(f.Value.Text)))
		return 0, lint.UnknownTime(facts.T("linttraefik.no-duration", j.file.Name, f.Line))
	case d == 0:
		return 0, lint.Never(lint.SetAt(j.file.Name, f.Line))
	}
	return d, lint.Seconds(d.Seconds(), lint.SetAt(j.file.Name, f.Line))
}

func (j *judge) limit(p *lint.Field, path string) lint.Limit {
	f := way(p.Value, "transport", "keepAliveMaxRequests")
	path += ".transport.keepAliveMaxRequests"
	n, l := j.count(f, path, lint.NoLimit(facts.T("linttraefik.default")), "0")
	switch severity := lint.Weigh(n, j.streams); {
	case n == 0:
		return lint.NoLimit(lint.SetAt(j.file.Name, f.Line))
	case n > 0 && severity == lint.Note:
		j.find("traefik/limit", path, f, "", facts.T("linttraefik.limit", int(n), j.streams, j.streams)).Severity = severity
	case n > 0:
		j.find("traefik/limit", path, f, "0", facts.T("linttraefik.limit", int(n), j.streams, j.streams)).Severity = severity
	}
	return l
}

func (j *judge) age(p *lint.Field, path string) lint.Time {
	f := way(p.Value, "transport", "keepAliveMaxTime")
	path += ".transport.keepAliveMaxTime"
	d, t := j.time(f, path, lint.Never(facts.T("linttraefik.default")))
	if d > 0 {
		j.find("traefik/age", path, f, j.quote("0s"), facts.T("linttraefik.age", d.String())).Ahead = lint.Momentary(d)
	}
	return t
}

func (j *judge) idle(p *lint.Field, path string) lint.Time {
	f := way(p.Value, "transport", "respondingTimeouts", "idleTimeout")
	path += ".transport.respondingTimeouts.idleTimeout"
	d, t := j.time(f, path, lint.Seconds(defaultIdle.Seconds(), facts.T("linttraefik.default")))
	if d > 0 && d < lint.ShortIdle {
		j.find("traefik/idle-short", path, f, j.quote("180s"), facts.T("lint.idle-ends", d.String())).WeighIdle(d)
	}
	return t
}

func (j *judge) concurrency(p *lint.Field, path string) lint.Limit {
	f := way(p.Value, "http2", "maxConcurrentStreams")
	path += ".http2.maxConcurrentStreams"
	n, l := j.count(f, path, lint.Requests(defaultStreams, facts.T("linttraefik.default")), "250")
	switch {
	case n == 0: // net/http then uses its own default
		return lint.Requests(defaultStreams, facts.T("linttraefik.gos-default", j.file.Name, f.Line))
	case n > 0 && n < int64(j.streams):
		j.find("traefik/streams-low", path, f, "250", facts.T("lint.streams-low", int(n), j.streams))
	}
	return l
}

// quote is a duration as the file writes it: TOML needs quotes.
func (j *judge) quote(s string) string {
	if j.toml {
		return `"` + s + `"`
	}
	return s
}

// transport checks the connections to servers.
func (j *judge) transport(t *lint.Field) {
	f := way(t.Value, "maxIdleConnsPerHost")
	if f == nil {
		return
	}
	n, err := strconv.Atoi(f.Value.Text)
	if err == nil && n >= 0 && n < j.streams { // a negative value keeps no connection either
		j.find("traefik/pool-low", t.Key+".maxIdleConnsPerHost", f, "200", facts.T("linttraefik.pool",
			n, j.streams))
	}
}

func (j *judge) http2(t *lint.Field) {
	if f := way(t.Value, "disableHTTP2"); f != nil && f.Value.Text == "true" {
		return
	}
	found := j.find("traefik/upstream-h2", t.Key, t, "", facts.T("linttraefik.http2", t.Key))
	found.Fix = "disableHTTP2: true"
	if j.toml {
		found.Fix = "disableHTTP2 = true"
	}
}
