package decode

import "bytes"

// How lines begin tells which belong to one message.

// belonging are the beginnings of continuation lines.
var belonging = prefixes("Caused by", "caused by", "Suppressed:", "... ", "at ", "--- End of", "--->", "Stack trace:",
	"#0 ", "#1 ", "}", ")", "]", "Received Goaway", "Received Rst Stream", "[cause]", "from ", "goroutine ", "stack backtrace", "Stack:",
	"** ", "Last message", "Queue: [", "State: %", "State: {", "Details:", "details = ",
	"debug_error_string", "status = ", "Object name:", "Parameter name:",
	"invalid content-type", "headers: Metadata", "fatal: The remote end hung up", "fatal: the remote end hung up",
	"fatal: Could not read from remote", "fatal: early EOF",
	// what the name before it means, in a manual
	"Indicates that ", "Means that ", "Signals that ", "Returned when ", "Returned if ", "Sent when ", "Raised when ", "Thrown when ",
	"Occurs when ", "Occurs if ")

// gitFailed begins git's account of a failed transport, ofGit its other lines.
var (
	gitFailed = []byte("error: RPC failed")
	ofGit     = prefixes("fatal: ", "error: ", "send-pack: ", "fetch-pack: ", "remote: ", "Writing objects", "Compressing objects",
		"Receiving objects", "Total ", "Everything up-to-date")
)

var (
	statusLine = []byte("HTTP/")
	ofTrace    = []byte(`File "`)
	traceback  = []byte("Traceback (most recent call last)")
	ledTo      = prefixes("The above exception was", "During handling of the above")
	ofCurl     = prefixes("* ", "> ", "< ", "{ [", "} [", "*   ", "<", "  % Total", "  0 ", "100 ")
	curlEnds   = prefixes("curl: (")
)

func prefixes(words ...string) (out [][]byte) {
	for _, w := range words {
		out = append(out, []byte(w))
	}
	return out
}

func beginsWith(line []byte, with [][]byte) bool {
	for _, p := range with {
		if bytes.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

// ofPatch are the beginnings of a patch and of its parts.
var ofPatch = prefixes("diff --git ", "@@ -", "--- a/", "+++ b/")

// inPatch are the beginnings of the lines of a patch.
var inPatch = append(prefixes("+", "-", " ", "index ", `\ No newline`, "new file mode", "deleted file mode", "similarity index",
	"rename "), ofPatch...)
