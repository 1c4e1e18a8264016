package decode

// An HTTP status that came back is an answer: the connection to whoever gave it worked.

// back matches an HTTP status by the words beside it: of HTTP, of an answer, of its own reason, a field of JSON, or an arrow
// after a request.
var back = lazily(`(?i)\bhttp(?:/[123](?:\.\d)?)?(?: (?:status|error|response|answer))?(?:[ -]?code)?[ :=]{1,3}\(?([45]\d\d)\b|` +
	`\b(?:got|returned|returns|respond(?:s|ed) with|answer(?:s|ed) with|answered|replied with|gave|status|response|reply)` +
	`(?: an?)?(?: (?:http|status|code|of|response|error)){0,4}[ :=]{1,3}\(?([45]\d\d)\b|` +
	`["']?(?:http)?(?:code|status(?:_?code)?)["']? ?: ?["']?([45]\d\d)\b|:status[=:" ]{1,3}([45]\d\d)\b|` +
	`\b(?:get|put|post|patch|delete|head|options) \S+ (?:->|=>|→|-|:) ?([45]\d\d)\b|` +
	`\berror:? (?:code:? )?(5[0-2]\d)[:,]|` +
	`\b([45]\d\d)[ :-]{1,3}(?:bad request|unauthorized|forbidden|not found|method not allowed|not acceptable|conflict|gone\b|length required|` +
	`precondition failed|(?:payload|content|request entity|uri) too (?:large|long)|unsupported media|unprocessable|internal server error|` +
	`bad gateway|loop detected|` +
	`service unavailable|gateway time-?out|(?:server|client) error: )`)

// gateways are the statuses that a gateway gives for a server that it did not reach or that did not answer it (RFC 9110,
// sections 15.6.3 to 15.6.5; Cloudflare's documentation of its 5xx errors), and what each says of the request.
var gateways = map[string]string{
	"502": noAnswerBehind, "503": noAnswerBehind, "504": noAnswerBehind,
	"520": "Cloudflare got an empty or an invalid answer from the origin.",
	"521": notReached, "522": notReached, "523": notReached, "530": notReached,
	"524": "Cloudflare reached the origin, which did not answer in time: it may still execute the request.",
	"525": noTLSBehind, "526": noTLSBehind,
}

const (
	noAnswerBehind = "A gateway gives it: its log says whether it had sent the request to a server behind it."
	notReached     = "Cloudflare did not reach the origin, or not in time."
	ownError       = "The server answered with an error of its own: the connection carried the request and the answer."
	noTLSBehind    = "TLS between Cloudflare and the origin failed."
)

// threeDigits matches a number that can be such a status.
var threeDigits = lazily(`\b[45]\d\d\b`)

// quotes matches what a server fails at behind its status 500: the status doesn't answer for that.
var quotes = lazily(`(?i)\b(?:connections?|sockets?|streams?|frames?|transport)\b`)

// statusIn is the HTTP status that a text names, "" if it names none.
func statusIn(said string) string {
	if !threeDigits().MatchString(said) {
		return ""
	}
	return first(back().FindStringSubmatch(said))
}

// answeredBy is the HTTP status that came back, "" if none did.
func answeredBy(said string) string {
	status := statusIn(said)
	if status == "500" && quotes().MatchString(placeNames().ReplaceAllString(said, " ")) {
		return ""
	}
	return status
}

// ofGateway reports whether a gateway's status came back.
func (p *proofs) ofGateway() bool { return p.Event == onStatus && gateways[p.answer] != "" }
