package decode

import "bytes"

// Statistics count what happened to many connections, if anything did. A table's row is known by its blanks, which a normalised
// text no longer has.

var (
	// row matches a row of statistics: a name, far from it a number, and what describes it.
	row = lazily(`^\s*[A-Za-z][\w.:/-]*(?:[ _][\w.:/()-]+){0,4}:?(?: {3,}|\t+)\d[\d,.]*(?:\s+[\d.]+%?)*\s*$|` +
		`^\s*[A-Za-z]\w*[._][\w.]+ {2,}\d+ {2,}\S`)
	// total matches a number of things of one kind, as netstat -s prints it.
	total = lazily(`^\s*\d+ (?:[\w-]+ ){0,3}(?:resets|errors|failures|timeouts|goaways|attempts|connections|streams|disconnects|` +
		`retries|aborts|drops|segments)(?: [a-z]+){0,4}\s*$`)
	// factRow matches a row whose number is a fact of one failure.
	factRow = lazily(`(?i)(?:responses|code|id|errno|error|exception|status|reason|stream|sid|port|exit|line|goaway|rst_stream|reset)\b:?\s+\d`)
)

// withoutCounts is a text without rows of statistics. What it was called with is not changed.
func withoutCounts(raw []byte) []byte {
	var out []byte
	for from := 0; from < len(raw); {
		end := len(raw)
		if i := bytes.IndexByte(raw[from:], '\n'); i >= 0 {
			end = from + i + 1
		}
		if line := raw[from:end]; counts(line) {
			if out == nil {
				out = append(make([]byte, 0, len(raw)), raw[:from]...)
			}
			out = append(out, '\n')
		} else if out != nil {
			out = append(out, line...)
		}
		from = end
	}
	if out == nil {
		return raw
	}
	return out
}

// counts reports whether a line is a row of statistics.
func counts(line []byte) bool {
	if !bytes.ContainsAny(line, "0123456789") {
		return false
	}
	if bytes.Contains(line, []byte("  ")) || bytes.IndexByte(line, '\t') >= 0 {
		if row().Match(line) {
			return !factRow().Match(line)
		}
	}
	trimmed := bytes.TrimLeft(line, " \t")
	return len(trimmed) > 0 && digit(trimmed[0]) && total().Match(line)
}
