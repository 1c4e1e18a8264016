package decode

// Kind is what happened to a request or a connection, whichever program reports it.
type Kind string

// The kinds. rules.go has what each means for the request.
const (
	Unprocessed   Kind = "goaway-unprocessed"    // above the last stream id
	Accepted      Kind = "goaway-accepted-lost"  // at or below it, and no answer came
	Ended         Kind = "goaway"                // a GOAWAY; the text doesn't say whether it covers the request
	Announced     Kind = "goaway-announced"      // 2^31 − 1: the first of two stages
	NotSent       Kind = "not-sent"              // the client never sent it
	Exhausted     Kind = "reset-bucket"          // INTERNAL_ERROR without debug data: nghttp2's rate limit
	Calm          Kind = "goaway-calm"           // ENHANCE_YOUR_CALM
	Failed        Kind = "goaway-error"          // another code: the connection failed
	Refused       Kind = "stream-refused"        // REFUSED_STREAM
	Cancelled     Kind = "stream-cancelled"      // CANCEL
	Reset         Kind = "stream-reset"          // another code, or none named
	Lost          Kind = "connection-lost"       // it closed while the request was open
	Confused      Kind = "client-state"          // the client's own state machine failed after a GOAWAY
	Unreached     Kind = "never-connected"       // refused, not resolved, unreachable
	TLSFailed     Kind = "tls-failure"           // the handshake or the certificate
	LimitReached  Kind = "local-limit"           // a pool, a queue or a circuit breaker on this side
	Malformed     Kind = "protocol-violation"    // frames or headers that the protocol doesn't allow
	GaveUp        Kind = "caller-cancelled"      // the program itself gave up
	TimeUp        Kind = "timeout"               // no answer in time
	Choked        Kind = "client-reset-limit"    // the client ended the connection: too many resets
	Retried       Kind = "retried"               // the client sent it again by itself
	NoReconnect   Kind = "no-reconnect"          // the client never connects again
	ServerLog     Kind = "server-log"            // a server's log of an end, a reload or a limit
	ServerEnded   Kind = "server-sent-goaway"    // a server's log of its own GOAWAY
	ServerSkipped Kind = "server-skipped-stream" // a server's log of dropping a stream
	Flood         Kind = "server-flood"          // nginx's flood check
	Shortage      Kind = "server-shortage"       // worker_connections ran out
	HandshakeLost Kind = "server-handshake-lost" // a client left during the handshake
	Obsolete      Kind = "server-config"         // a removed directive
	TooLarge      Kind = "message-too-large"     // a gRPC message beyond one side's limit
	Status        Kind = "http-status"           // a proxy or a server answered
	Unrelated     Kind = "unrelated"             // known, and not caused by HTTP/2
	Plain         Kind = "plain-connection"      // a connection error without a sign of HTTP/2
	Ambiguous     Kind = "ambiguous"             // several causes have this text
	Unclear       Kind = "unknown"               // about HTTP/2 or gRPC, but the text doesn't say what happened
)

// Answer says whether a request was executed.
type Answer string

// The answers; "" if the text is not about a request.
const (
	No      Answer = "no"
	Maybe   Answer = "maybe"
	Yes     Answer = "yes"
	CantSay Answer = "unknown"
)

// Again says which requests may be sent again.
type Again string

// The answers; "" if the text is not about a request.
const (
	Safe        Again = "safe"          // any request
	Idempotents Again = "if-idempotent" // only what may run twice
	Useless     Again = "useless"       // it fails again until something is changed
)

// Signature is one known error text, by the parts of it that don't vary. The data files have them.
type Signature struct {
	ID       string
	Library  string
	Versions string
	// All terms and one of Any must be in the text, and none of None. They are in lower case, with
	// white space as one blank.
	All, Any, None []string
	// Shape is an expression that must match as well, where the terms alone would match too much.
	Shape string
	// Wraps is set if the text quotes another library's error; it then has priority over the quoted
	// text.
	Wraps bool
	// General is set if every closer signature has priority.
	General bool
	// Kind is what this library means by the text, where the text alone doesn't prove it.
	Kind Kind
	// Maybe are the other kinds that have the same text.
	Maybe []Kind
	// Means is what the library's semantics add.
	Means string
	// Executed overrides what follows from the kind; Why is the reason.
	Executed Answer
	Why      string
	// Seen are the rows of docs/clients.md whose callers got this text.
	Seen    []string
	Changes []string
	changes []Change
	Links   []string
	// Example is the text as its library writes it, for --list.
	Example string
}
