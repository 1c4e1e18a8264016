package decode

import (
	"regexp"
	"slices"
	"strings"
)

// A failure in unknown words may be a connection's if the program itself says a word of a network. What its files, packages and
// addresses are called says nothing: a parser can lie in a folder of that name. The names of exceptions do count.

// networkWords match the words of what has connections, in a spelled text.
var networkWords = lazily(`\b(?:connect\w*|disconnect\w*|networks?|networking|requests?|requesting|response|responses|https?|tls|ssl|sockets?|streams?|` +
	`streaming|servers?|clients?|hosts?|hostname|peers?|rpc|rpcs|h2|grpc|transport|transports|channels?|sessions?|proxy|proxies|proxying|` +
	`upstreams?|backends?|fetch|fetching|fetched|curl|frames?|download\w*|upload\w*|gateways?|hung up|time out|timeout|timed out|eof)\b`)

// placeNames are the names of places and things: addresses, paths, files, packages, frames of a stack, a word in quotes.
var placeNames = lazily(framesAndAddresses + `|` +
	`(?:[a-z]:)?(?:[\w.@-]*[/\\])+[\w.@-]*|\b[\w-]+\.(?:go|java|kt|scala|py|pyx|rb|jsx?|tsx?|rs|cc|cpp|c|h|cs|exs?|erl|php|swift|` +
	`ya?ml|json|toml|xml|conf|sh|jar|gz|zip)\b(?::\d+)*|\b[\w$-]+(?:(?:\.|::)[\w$-]+)+\b|["'` + "`" + `][\w$-]+["'` + "`" + `]`)

// framesAndAddresses matches the frames of stacks and what a scheme begins.
const framesAndAddresses = `\bat [\w.$<>/]+ ?\([^()\n]*\)|\bfile "[^"\n]*"|\b[a-z][a-z0-9+.-]*://[^\s"'\x60)>\]]*`

// ofNetwork reports whether a program says a word of a network.
func ofNetwork(said string) bool {
	var s spelled
	s.spell(placeNames().ReplaceAllStringFunc(said, exceptionOf))
	return networkWords().MatchString(s.words)
}

// failureName matches the names of failures.
var failureName = lazily(`^[\w.-]*(?:[Gg]o_?[Aa]way|[Rr]eset|[Ee]rror|[Ff]ail(?:ure)?|[Tt]ime_?[Oo]ut|[Rr]efus\w+|` +
	`[Cc]ancel\w*|[Aa]bort\w*|[Ll]ost|[Cc]los\w+|[Dd]isconnect\w*|[Tt]erminat\w+)` +
	`(?:[_.-]?(?:reason|[Dd]etails?|[Cc]ode|[Mm]essage|[Cc]ause|[Ss]tate))?$`)

// exceptionOf is the name of a failure without its package, a blank for any other name.
func exceptionOf(name string) string {
	if last := strings.Trim(name[strings.LastIndexAny(name, `.:/\`)+1:], "\"'`"); thrown(last) || failureName().MatchString(last) {
		return last
	}
	return " "
}

// wrapper is the outermost error of a client that hides the cause, and where the cause is.
type wrapper struct {
	match func() *regexp.Regexp
	look  string
}

// wrappers are in this order: the first that is found counts.
var wrappers = []wrapper{
	{match: lazily(`\bfetch failed|\bfailed to fetch\b`), look: "the cause inside: JavaScript keeps it in error.cause; a browser shows it in its network panel"},
	{match: lazily(`error sending request`), look: "the cause inside: reqwest keeps it in the error's source(), which its Debug format prints"},
	{match: lazily(`net::err_failed`), look: "the cause inside: Chrome's network log (chrome://net-export, Electron's netLog) has the code"},
	{match: lazily(`grpc|statuscode\.|rpc error|code = |status ?\{`), look: "the cause inside: the status's code and details, which the exception has, " +
		"and the server's log of the call"},
	{match: lazily(`(?:exception|error): .* at [\w.$]+\(|\bat [\w.$<>/]+\(\w+\.java:`), look: "the cause inside: the exception below this one (\"Caused by\")"},
}

// decides are the three facts that would decide, without those that the text has.
func (p *proofs) decides(k Kind) (out []string) {
	if p.either {
		return []string{"whether the server's log has the call: then the service gave the status"}
	}
	hides := func(w wrapper) bool { return w.match().MatchString(p.low) }
	if i := slices.IndexFunc(wrappers, hides); i >= 0 && p.Frame == "" && (k == Unclear || k == Ambiguous) {
		out = append(out, wrappers[i].look)
	} else if p.Frame == "" {
		out = append(out, "the event: was it a GOAWAY, a RST_STREAM, a closed connection or a time-out? The log line "+
			"before this one, or a debug log, has it")
	}
	if p.Code == "" {
		out = append(out, "the error code, and a GOAWAY's last stream id and debug data")
	}
	if p.StreamID == nil {
		out = append(out, "whether the request was sent, and on which stream")
	}
	return out
}
