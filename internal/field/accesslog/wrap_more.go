package accesslog

import (
	"bytes"
	"encoding/csv"
)

// unwrapLabels takes the time and the labels off that logcli puts before a line (grafana.com/docs, LogCLI). The
// labels tell which pod it is of.
func unwrapLabels(line []byte) (inner, host []byte, ok bool) {
	rest, ok := afterTime(line)
	if !ok || len(rest) == 0 || rest[0] != '{' {
		return nil, nil, false
	}
	host, inner, ok = bytes.Cut(rest, []byte("} "))
	return bytes.TrimLeft(inner, " \t"), host, ok && bytes.Contains(host, []byte(`="`))
}

// unwrapTimedName takes a time and a stream's name or a tag off, as aws logs tail and Fluentd write them.
func unwrapTimedName(line []byte) (inner, host []byte, ok bool) {
	rest, ok := afterTime(line)
	if !ok {
		return nil, nil, false
	}
	at := bytes.IndexAny(rest, " \t")
	if at <= 0 || at == len(rest)-1 || rest[0] == '"' || rest[0] == '{' {
		return nil, nil, false
	}
	return rest[at+1:], rest[:at], true
}

// unwrapBeforeJSON takes off what stands before an object, as Caddy's console and zap's write it.
func unwrapBeforeJSON(line []byte) (inner, host []byte, ok bool) {
	at := bytes.Index(line, []byte(`{"`))
	return line[max(at, 0):], nil, at > 0 && line[len(line)-1] == '}'
}

// unwrapWord takes one word off: Emissary's ACCESS, or the name of a virtual host.
func unwrapWord(line []byte) (inner, host []byte, ok bool) {
	word, inner, ok := bytes.Cut(line, []byte{' '})
	return inner, nil, ok && len(word) > 0 && !bytes.ContainsAny(word, "\"[{")
}

// unwrapTwoWords takes the pod's and the container's name off, as stern writes them.
func unwrapTwoWords(line []byte) (inner, host []byte, ok bool) {
	one, rest, ok := bytes.Cut(line, []byte{' '})
	two, inner, both := bytes.Cut(rest, []byte{' '})
	if !ok || !both || !podName(one) || !podName(two) {
		return nil, nil, false
	}
	return inner, line[:len(one)+1+len(two)], true
}

// podName reports whether a word may be the name of an object of Kubernetes (kubernetes.io, Object Names and IDs).
func podName(word []byte) bool {
	for _, c := range word {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.') {
			return false
		}
	}
	return len(word) > 0 && word[0] >= 'a' && word[0] <= 'z'
}

// unwrapCSV takes the longest field, as Datadog's and Splunk's exports have the line among others.
func unwrapCSV(line []byte) (inner, host []byte, ok bool) {
	if len(line) == 0 || bytes.IndexByte(line, ',') < 0 || line[len(line)-1] != '"' && line[0] != '"' {
		return nil, nil, false
	}
	fields, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil || len(fields) < 2 {
		return nil, nil, false
	}
	longest := ""
	for _, f := range fields {
		if len(f) > len(longest) {
			longest = f
		}
	}
	return []byte(longest), nil, true
}
