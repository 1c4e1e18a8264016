package decode

import "strings"

// What the functions in a stack are called says what a program was to handle. Their names tell the library, not the event.
var (
	stackFrames = lazily(`\bat (?:async )?[\w.$<>/@-]+ ?\([^()\s]*\)`)
	// otherFrames are those of .NET with the types of arguments, Python, Elixir, PHP, Ruby, Rust and gdb.
	otherFrames = lazily("\\bat (?:[\\w`<>\\[\\]+|]+\\.){2,}[\\w`<>\\[\\],|]+\\([^()]* [^()]*\\)" +
		`|(?:\bFile "[^"]*|^[^"\n]*)", line \d+, in [\w<>.]+` + // the beginning may be cut off
		`|\([\w.-]+ \d[\w.-]*\) [\w./-]+\.[he]?[exr]{1,2}l?:\d+: [^\s(]+/\d+` +
		`|#\d+ [^\s()]+\(\d+\): [\w\\]+(?:(?:->|::)\w+)?\(` +
		"|\\.rb:\\d+:in [`'\"][^'`\"]*['\"]" +
		`|(?:^| )\d+: (?:[\w<>{}#$]+::)+[a-z_{][\w<>{}#$]*|#\d+ +0x[0-9a-f]+ (?:in )?[\w:~<>]+ ?\(`)
)

// frameSigns are parts of texts of which every text with another frame has one.
var frameSigns = []string{"\", line ", ".rb:", "::", "#0", "#1", "#2", "#3", ".ex:", ".erl:", " at "}

// stack are the frames of stack traces; the first ones are in the form of Java and Node.
func (t text) stack() (out []span, first int) {
	if t.has(markAt) {
		out = t.matches(stackFrames())
	}
	first = len(out)
	for _, sign := range frameSigns {
		if strings.Contains(t.low, sign) {
			return append(out, t.matches(otherFrames())...), first
		}
	}
	return out, first
}
