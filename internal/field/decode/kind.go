package decode

// Kind is what happened to a request or a connection, whichever program reports it.
type Kind string

// The kinds. diagnosis.go has what each means for the request.
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
	PoolFull      Kind = "pool-full"             // the client's queue was full
	Choked        Kind = "client-reset-limit"    // the client ended the connection: too many resets
	Retried       Kind = "retried"               // the client sent it again by itself
	NoReconnect   Kind = "no-reconnect"          // the client never connects again
	ServerEnded   Kind = "server-sent-goaway"    // a server's log of its own GOAWAY
	ServerSkipped Kind = "server-skipped-stream" // a server's log of dropping a stream
	Flood         Kind = "server-flood"          // nginx's flood check
	Shortage      Kind = "server-shortage"       // worker_connections ran out
	HandshakeLost Kind = "server-handshake-lost" // a client left during the handshake
	Obsolete      Kind = "server-config"         // a removed directive
	Unrelated     Kind = "unrelated"             // known, and not caused by HTTP/2
	Ambiguous     Kind = "ambiguous"             // several causes have this text
	Looks         Kind = "http2-unrecognised"    // HTTP/2 terms, but no known text
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

// Change is a line to change, and its place.
type Change struct {
	Where string `json:"where"`
	Line  string `json:"line"`
	Note  string `json:"note"`
	// Row is the row of docs/clients.md that measured the change, or "". Outcome is the result
	// there: cured (if a table says nothing), partly or cant-be-told.
	Row     string `json:"row"`
	Outcome string `json:"outcome"`
}

// The outcomes of a change, as the recorded run names them.
const (
	cured  = "cured"
	partly = "partly"
	untold = "cant-be-told"
)

// Signature is one known error text, by the parts of it that don't vary.
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
	Kind    Kind
	// Means is what the text says beyond its kind.
	Means string
	// Executed overrides what follows from the kind; Why is the reason.
	Executed Answer
	Why      string
	// Seen are the rows of docs/clients.md whose callers got this text.
	Seen    []string
	Changes []Change
	Links   []string
	// Example is the text as its library writes it, for --list.
	Example string
}
