package decode

import (
	"bytes"
	"strings"
)

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
	if tabular(line) {
		return true
	}
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

const (
	// leastCells is how many cells a row of a wide table has at least, mostBlanks how many blanks are in one at most.
	leastCells = 6
	mostBlanks = 2
)

var (
	// cellEnd matches what separates cells.
	cellEnd = lazily(`\t+| {2,}| ?\| ?`)
	// aNumber is a cell that counts or measures something.
	aNumber = lazily(`^[-+]?\d[\d,.]*(?:%|ms|s|us|\(\d[\d.]*%\))?$`)
	// columns matches the names of columns that only a table of counts has.
	columns = lazily(`(?i)# ?(?:requests|reqs|fails|failures)\b`)
)

// tabular reports whether a line is of a wide table of counts, as load generators print it: two thirds of its cells are
// numbers, or it names the columns.
func tabular(line []byte) bool {
	ends := bytes.Count(line, []byte("\t")) + bytes.Count(line, []byte("  "))
	if ends == 0 || ends+bytes.Count(line, []byte("|")) < leastCells-1 { // most lines
		return false
	}
	cells := cellEnd().Split(string(bytes.TrimSpace(line)), -1)
	numbers := 0
	for _, c := range cells {
		switch {
		case aNumber().MatchString(c):
			numbers++
		case strings.Count(c, " ") > mostBlanks: // words follow
			return false
		}
	}
	return len(cells) >= leastCells && (3*numbers >= 2*len(cells) || numbers == 0 && columns().Match(line))
}

// numbers matches an object of nothing but numbers, single one whose number may be a fact of one failure.
var (
	numbers = lazily(`^\s*(?:[\w ]{1,24}[:=]\s*)?\{(?:\s*` + aCount + `\s*,?)+\s*\}\s*$`)
	single  = lazily(`(?i)(?:id|code|errno|error|status|reason)["']?\s*:\s*[-+]?\d`)
)

// aCount is a name with a number, or with the numbers of its kinds.
const aCount = `["']?[\w%.-]+["']?\s*:\s*(?:[-+]?[\d.]+|\{(?:\s*["']?[\w%.-]+["']?\s*:\s*[\d.]+\s*,?)*\s*\})`

// leastCounts is how many numbers the statistics of a program have at least.
const leastCounts = 4

// sums reports whether a text is the statistics of a program, printed as an object.
func sums(raw []byte) bool {
	return bytes.Count(raw, []byte(":")) >= leastCounts && numbers().Match(raw) && !single().Match(raw)
}
