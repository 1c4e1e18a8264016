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
	options lint.Options
	version versions.Version
	report  *lint.Report
}

func (j *judge) all() {
	if points := way(j.node, "entryPoints"); points != nil {
		for i := range points.Value.Fields {
			j.entryPoint(&points.Value.Fields[i])
		}
	}
	if t := way(j.node, "serversTransport"); t != nil {
		j.transport(t)
	}
	if all := way(j.node, "http", "serversTransports"); all != nil {
		for i := range all.Value.Fields {
			j.transport(&all.Value.Fields[i])
			j.http2(&all.Value.Fields[i])
		}
	}
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
		Streams:   j.streams(p, path),
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
		for i := range f.Value.Fields {
			key := f.Value.Fields[i].Key
			if !slices.ContainsFunc(known[below], func(k string) bool { return strings.EqualFold(k, key) }) {
				found := j.find("traefik/refused", path, &f.Value.Fields[i], "", facts.T("linttraefik.no-option",
					strings.TrimSuffix(path+"."+below, "."), strconv.Quote(key)))
				found.Found = j.file.Line(f.Value.Fields[i].Line)
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

// whole is an option's value as a number. It reports a value that is no number.
func (j *judge) whole(f *lint.Field, path, otherwise string) (int64, bool) {
	n, err := strconv.ParseInt(strings.ReplaceAll(f.Value.Text, "_", ""), 10, 64)
	if err != nil || n < 0 {
		j.find("traefik/refused", path, f, otherwise, facts.T("linttraefik.number", path, strconv.Quote(f.Value.Text)))
		return 0, false
	}
	return n, true
}

func (j *judge) limit(p *lint.Field, path string) lint.Limit {
	f := way(p.Value, "transport", "keepAliveMaxRequests")
	if f == nil {
		return lint.NoLimit(facts.T("linttraefik.default"))
	}
	path += ".transport.keepAliveMaxRequests"
	n, ok := j.whole(f, path, "0")
	switch {
	case !ok:
		return lint.UnknownLimit(facts.T("linttraefik.no-number", j.file.Name, f.Line))
	case n == 0:
		return lint.NoLimit(lint.SetAt(j.file.Name, f.Line))
	}
	k := j.options.Streams()
	fix := "0"
	if lint.Weigh(n, k) == lint.Note {
		fix = ""
	}
	j.find("traefik/limit", path, f, fix, facts.T("linttraefik.limit", int(n), k,
		k)).Severity = lint.Weigh(n, k)
	return lint.Requests(n, lint.SetAt(j.file.Name, f.Line))
}

func (j *judge) age(p *lint.Field, path string) lint.Time {
	f := way(p.Value, "transport", "keepAliveMaxTime")
	if f == nil {
		return lint.Never(facts.T("linttraefik.default"))
	}
	path += ".transport.keepAliveMaxTime"
	d, ok := j.duration(f, path)
	switch {
	case !ok:
		return lint.UnknownTime(facts.T("linttraefik.no-duration", j.file.Name, f.Line))
	case d == 0:
		return lint.Never(lint.SetAt(j.file.Name, f.Line))
	}
	j.find("traefik/age", path, f, j.quote("0s"), facts.T("linttraefik.age", d.String())).Ahead = lint.Momentary(d)
	return lint.Seconds(d.Seconds(), lint.SetAt(j.file.Name, f.Line))
}

func (j *judge) idle(p *lint.Field, path string) lint.Time {
	f := way(p.Value, "transport", "respondingTimeouts", "idleTimeout")
	if f == nil {
		return lint.Seconds(defaultIdle.Seconds(), facts.T("linttraefik.default"))
	}
	path += ".transport.respondingTimeouts.idleTimeout"
	d, ok := j.duration(f, path)
	switch {
	case !ok:
		return lint.UnknownTime(facts.T("linttraefik.no-duration", j.file.Name, f.Line))
	case d == 0:
		return lint.Never(lint.SetAt(j.file.Name, f.Line))
	case d < lint.ShortIdle:
		j.find("traefik/idle-short", path, f, j.quote("180s"), facts.T("linttraefik.idle",
			d.String())).WeighIdle(d)
	}
	return lint.Seconds(d.Seconds(), lint.SetAt(j.file.Name, f.Line))
}

func (j *judge) streams(p *lint.Field, path string) lint.Limit {
	f := way(p.Value, "http2", "maxConcurrentStreams")
	if f == nil {
		return lint.Requests(defaultStreams, facts.T("linttraefik.default"))
	}
	path += ".http2.maxConcurrentStreams"
	n, ok := j.whole(f, path, "250")
	switch {
	case !ok:
		return lint.UnknownLimit(facts.T("linttraefik.no-number", j.file.Name, f.Line))
	case n == 0: // net/http then uses its own default
		return lint.Requests(defaultStreams, facts.T("linttraefik.gos-default", j.file.Name, f.Line))
	case n < int64(j.options.Streams()):
		j.find("traefik/streams-low", path, f, "250", facts.T("linttraefik.streams", int(n),
			j.options.Streams()))
	}
	return lint.Requests(n, lint.SetAt(j.file.Name, f.Line))
}

// quote is a duration as the file writes it: TOML needs quotes.
func (j *judge) quote(s string) string {
	if j.toml {
		return `"` + s + `"`
	}
	return s
}

// duration reads a Go duration, or a number of seconds.
func (j *judge) duration(f *lint.Field, path string) (time.Duration, bool) {
	text := f.Value.Text
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && n >= 0 {
		return time.Duration(n) * time.Second, true
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		j.find("traefik/refused", path, f, j.quote("0s"), facts.T("linttraefik.duration", path, strconv.Quote(text)))
		return 0, false
	}
	return d, true
}

// transport checks the connections to servers.
func (j *judge) transport(t *lint.Field) {
	f := way(t.Value, "maxIdleConnsPerHost")
	if f == nil {
		return
	}
	n, err := strconv.Atoi(f.Value.Text)
	if err == nil && n >= 0 && n < j.options.Streams() { // a negative value keeps no connection either
		j.find("traefik/pool-low", t.Key+".maxIdleConnsPerHost", f, "200", facts.T("linttraefik.pool",
			n, j.options.Streams()))
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
