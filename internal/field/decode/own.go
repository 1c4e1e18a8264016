package decode

import "strings"

// A client checks and encodes its request before it sends it. What fails there is its own request's fault, and the server
// received nothing. A server encodes its answers the same way, so the text has to say whose headers they are.

// ownRequest matches a request's headers that this side rejects, in lower case: Jetty's encoder, Go's net/http, grpc-go against the
// limit that the server announced, .NET, Node's request(), httpx and reqwest.
var ownRequest = lazily(`\bhpack encode (?:get|head|post|put|patch|delete|options|connect|trace)\{|` +
	`\brequest header list larger than|\bhttp2: invalid \S+ request header|\bnet/http: invalid header field|` +
	`\bheader list size to send violates [^;]{0,60}\bset by server|\brequest headers must contain only ascii|` +
	`\bclienthttp2session\.request \(|\b(?:httpcore|httpx)\.localprotocolerror: illegal header|\bin _send_request_headers\b|` +
	`\berror sending request\b.*\buser error: malformed headers`)

// ownWords are parts of words of which every such text has one.
var ownWords = []string{"header", "hpack", ".request ("}

// ofOwnRequest reports whether this side rejected its own request.
func (p *proofs) ofOwnRequest() bool {
	return p.Event == onViolation && p.Speaker != "server" && p.Code == "" && p.StreamID == nil && containsAny(p.low, ownWords) &&
		ownRequest().MatchString(strings.ReplaceAll(p.low, "\n", " "))
}
