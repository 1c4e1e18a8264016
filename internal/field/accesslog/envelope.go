package accesslog

import (
	"bytes"
	"slices"
	"strings"
)

// innerKeys are the keys under which collectors put a server's line: docker's json-file and Fluent Bit, journald,
// Filebeat and Vector and CloudWatch, Loki, Splunk, Google's Cloud Logging, OpenTelemetry.
var innerKeys = []string{"log", "message", "line", "raw", "textpayload", "body", "msg", "event", "content"}

// envelopeNames are what the commonest are called.
var envelopeNames = map[string]string{"log": "docker's json-file", "MESSAGE": "journald's JSON",
	"message": "JSON with a message"}

// hostKeys are the keys with the name of what wrote it, the most exact first.
var hostKeys = []string{"kubernetespodname", "podname", "labelspod", "pod", "logstreamname", "logstream", "containername",
	"hostname", "host"}

// envelopes are the texts within JSON lines that may be a server's lines, the likeliest first.
func envelopes(lines [][]byte) (out []wrapping) {
	if len(lines) == 0 || lines[0][0] != '{' && lines[len(lines)-1][0] != '{' {
		return nil
	}
	cols := leaves(lines)
	known := func(c *column) bool { return slices.Contains(innerKeys, jsonName(c.name())) }
	for _, key := range innerKeys {
		for i := range cols {
			if c := &cols[i]; jsonName(c.name()) == key && c.all(isLine) {
				out = append(out, envelope(cols, c))
			}
		}
	}
	for i := range cols {
		if c := &cols[i]; !known(c) && c.all(isLine) && c.all(isOfRequest) {
			out = append(out, envelope(cols, c))
		}
	}
	return out
}

// isOfRequest reports whether a text has what hardly any but an access log's line has: under whatever key a collector
// keeps it, it is the server's line.
func isOfRequest(v string) bool {
	return strings.Contains(v, `"GET `) || strings.Contains(v, " HTTP/") || v[0] == '{'
}

// isLine reports whether a text may be a line of a log.
func isLine(v string) bool { return len(v) > 20 && (v[0] == '{' || strings.Count(v, " ") > 2) }

// envelope reads the text of a column, with its host and its time.
func envelope(cols []column, inner *column) wrapping {
	j := &jsonReader{root: &branch{names: map[string]field{}}}
	j.root.reads(inner.path, fInner, inner.list)
	best := len(hostKeys)
	for i := range cols {
		c := &cols[i]
		name := jsonName(c.name())
		whole := jsonName(strings.Join(c.path[max(0, len(c.path)-2):], ""))
		rank := slices.IndexFunc(hostKeys, func(k string) bool { return k == name || k == whole })
		if rank >= 0 && rank < best && c.all(func(v string) bool { return len(v) < 200 }) {
			best = rank
			j.root.forget(fHost)
			j.root.reads(c.path, fHost, c.list)
		}
		if strings.Contains(name, "time") && c.fits(fTimeISO) {
			j.root.reads(c.path, fTimeISO, c.list)
		}
	}
	var r Record
	name, known := envelopeNames[inner.name()]
	if !known {
		name = "JSON with " + inner.name()
	}
	return wrapping{name: name,
		unwrap: func(line []byte) (text, host []byte, ok bool) {
			r = Record{}
			o := object{rest: line}
			ok = o.open() && j.object(&o, j.root, &r) && o.whole && len(r.inner) > 0
			return bytes.TrimRight(r.inner, "\n"), r.Host, ok
		},
		stamp: func() (int64, bool) { return r.Time, r.Timed },
	}
}

// forget stops the reading of a field.
func (b *branch) forget(f field) { b.rename(f, skipped) }

// rename reads a field as another one.
func (b *branch) rename(from, to field) {
	for name, f := range b.names {
		if f == from {
			b.names[name] = to
		}
	}
	b.keys = b.keys[:0]
	for _, sub := range b.subs {
		sub.rename(from, to)
	}
}
