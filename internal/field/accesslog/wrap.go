package accesslog

import (
	"bytes"
)

// wrapping is what a log collector puts around a server's lines. unwrap returns the server's line and the
// name of the machine or the pod that wrote it, as far as the collector names it; false if the line has
// no such wrapping.
type wrapping struct {
	name   string
	unwrap func(line []byte) (inner, host []byte, ok bool)
	// stamp is the time that the collector gave to the line that was unwrapped last; nil where the line begins
	// with it.
	stamp func() (ms int64, ok bool)
}

const criLog = "CRI's log"

// wrappings are tried in this order, the strictest first.
var wrappings = []wrapping{
	{name: criLog, unwrap: unwrapCRI},
	{name: "kubectl's --prefix", unwrap: unwrapPod},
	{name: "docker compose's log", unwrap: unwrapCompose},
	{name: "syslog", unwrap: unwrapSyslog},
	{name: "Loki's logcli", unwrap: unwrapLabels},
	{name: "a time and a name", unwrap: unwrapTimedName},
	{name: "kubectl's --timestamps", unwrap: unwrapTimestamp},
	{name: "a program's name", unwrap: unwrapTag},
	{name: "a pod's and a container's name", unwrap: unwrapTwoWords},
	{name: "text before JSON", unwrap: unwrapBeforeJSON},
	{name: "a word", unwrap: unwrapWord},
	{name: "CSV", unwrap: unwrapCSV},
}

// all returns what is inside of those lines that have the wrapping.
func (w wrapping) all(lines [][]byte) (inner [][]byte) {
	for _, l := range lines {
		if in, _, ok := w.unwrap(l); ok && len(in) > 0 {
			inner = append(inner, bytes.Clone(in))
		}
	}
	return inner
}

// unwrapping reads lines inside of a wrapping. Its time is that of lines that have none.
type unwrapping struct {
	wrapping
	inner reader
	clock *clock
}

func (u unwrapping) line(line []byte, r *Record) bool {
	inner, host, ok := u.unwrap(line)
	if !ok || !u.inner.line(inner, r) {
		return false
	}
	if len(r.Host) == 0 {
		r.Host = host
	}
	if !r.Timed {
		r.Time, r.Timed = u.when(line)
	}
	return true
}

// when is the time at the beginning of a line: one word, or a date and a time of day.
func (u unwrapping) when(line []byte) (ms int64, ok bool) {
	if u.wrapping.stamp != nil {
		return u.wrapping.stamp()
	}
	at := bytes.IndexAny(line[:min(len(line), 40)], " \t")
	if at < 0 {
		return 0, false
	}
	if ms, ok = u.clock.read(fTimeISO, line[:at]); ok {
		return ms, ok
	}
	if next := bytes.IndexAny(line[at+1:min(len(line), 60)], " \t"); next > 0 {
		return u.clock.read(fTimeISO, line[:at+1+next])
	}
	return 0, false
}

// wrapped is the same format inside of a wrapping.
func (c chosen) wrapped(w wrapping, lines [][]byte) chosen {
	u := unwrapping{w, c.reader, &clock{}}
	if _, _, ok := w.unwrap(lines[0]); !ok {
		lines = lines[1:]
	}
	if _, timed := u.when(lines[0]); timed {
		c.has[fTimeISO] = true
	}
	c.reader, c.name = u, c.name+" in "+w.name
	return c
}

// unwrapCRI takes a time, the stream and F off (Kubernetes: CRI's logging format).
func unwrapCRI(line []byte) (inner, host []byte, ok bool) {
	rest, ok := afterTime(line)
	if !ok {
		return nil, nil, false
	}
	for _, stream := range []string{"stdout F ", "stderr F "} {
		if startsWith(rest, stream) {
			return rest[len(stream):], nil, true
		}
	}
	return nil, nil, false
}

// afterTime takes a time as in RFC 3339 and a space off.
func afterTime(line []byte) (rest []byte, ok bool) {
	at := bytes.IndexAny(line[:min(len(line), 40)], " \t")
	if at < len("2006-01-02T15:04:05") || at > len("2006-01-02T15:04:05.999999999+00:00") || line[4] != '-' ||
		line[10] != 'T' || line[13] != ':' {
		return nil, false
	}
	return line[at+1:], true
}

func unwrapTimestamp(line []byte) (inner, host []byte, ok bool) {
	inner, ok = afterTime(line)
	return inner, nil, ok
}

// unwrapPod takes [pod/NAME/CONTAINER] off.
func unwrapPod(line []byte) (inner, host []byte, ok bool) {
	name, inner, ok := bytes.Cut(line, []byte("] "))
	pod, is := bytes.CutPrefix(name, []byte("[pod/"))
	host, _, _ = bytes.Cut(pod, []byte{'/'})
	return inner, host, ok && is
}

// unwrapCompose takes the service's name and a bar off.
func unwrapCompose(line []byte) (inner, host []byte, ok bool) {
	name, inner, ok := bytes.Cut(line, []byte("| "))
	host = bytes.TrimRight(name, " ")
	return inner, host, ok && len(host) > 0 && bytes.IndexByte(host, ' ') < 0
}

// unwrapSyslog takes off what RFC 3164, RFC 5424 and journalctl's short formats put before a message.
func unwrapSyslog(line []byte) (inner, host []byte, ok bool) {
	rest := line
	if startsWith(rest, "<") {
		at := bytes.IndexByte(rest[:min(len(rest), 6)], '>')
		if at < 0 {
			return nil, nil, false
		}
		rest = rest[at+1:]
	}
	if startsWith(rest, "1 ") {
		return unwrapRFC5424(rest[2:])
	}
	const stamp = "Jan _2 15:04:05 "
	if after, is := afterTime(rest); is {
		rest = after
	} else if len(rest) > len(stamp) && rest[3] == ' ' && rest[6] == ' ' && rest[9] == ':' && rest[12] == ':' &&
		rest[15] == ' ' {
		rest = rest[len(stamp):]
	} else {
		return nil, nil, false
	}
	host, rest, ok = bytes.Cut(rest, []byte{' '})
	if !ok {
		return nil, nil, false
	}
	if inner, _, ok = unwrapTag(rest); ok {
		return inner, host, true
	}
	return unwrapTag(append(append([]byte{}, host...), append([]byte{' '}, rest...)...)) // no name of a host
}

// unwrapRFC5424 takes time, host, program, process, message id and an absent structure off.
func unwrapRFC5424(rest []byte) (inner, host []byte, ok bool) {
	words := bytes.SplitN(rest, []byte{' '}, 7)
	if len(words) < 7 || string(words[5]) != "-" {
		return nil, nil, false
	}
	return bytes.TrimPrefix(words[6], []byte("\xef\xbb\xbf")), words[1], true
}

// unwrapTag takes "program: " or "program[PID]: " off.
func unwrapTag(line []byte) (inner, host []byte, ok bool) {
	name, inner, ok := bytes.Cut(line, []byte(": "))
	if !ok || len(name) == 0 || len(name) > 64 {
		return nil, nil, false
	}
	if at := bytes.IndexByte(name, '['); at > 0 && name[len(name)-1] == ']' {
		name = name[:at]
	}
	for _, c := range name {
		if c <= ' ' || c == '"' || c == '{' || c == '[' || c == '|' {
			return nil, nil, false
		}
	}
	return inner, nil, true
}
