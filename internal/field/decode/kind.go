package decode

// Kind is what befell a request or a connection, whoever reports it.
type Kind string

// The kinds. What each means for the request stands in diagnosis.go.
const (
	Unprocessed   Kind = "goaway-unprocessed"    // above the last stream id
	Accepted      Kind = "goaway-accepted-lost"  // at or below it, and no answer came
	Ended         Kind = "goaway"                // a GOAWAY; which side the request was on isn't said
	Announced     Kind = "goaway-announced"      // 2^31 − 1: the first of two stages
	NotSent       Kind = "not-sent"              // the client kept it back
	Exhausted     Kind = "reset-bucket"          // INTERNAL_ERROR without a word: nghttp2's rate limit
	Calm          Kind = "goaway-calm"           // ENHANCE_YOUR_CALM
	Failed        Kind = "goaway-error"          // another code: the connection failed
	Refused       Kind = "stream-refused"        // REFUSED_STREAM
	Cancelled     Kind = "stream-cancelled"      // CANCEL
	Reset         Kind = "stream-reset"          // another code, or none named
	Lost          Kind = "connection-lost"       // it closed under the request
	Confused      Kind = "client-state"          // the client's own machine broke after a GOAWAY
	PoolFull      Kind = "pool-full"             // the client's queue was full
	Choked        Kind = "client-reset-limit"    // the client ended it: too many resets
	Retried       Kind = "retried"               // the client sent it again by itself
	NoReconnect   Kind = "no-reconnect"          // the client never connects again
	ServerEnded   Kind = "server-sent-goaway"    // a server's log of it
	ServerSkipped Kind = "server-skipped-stream" // a server's log of dropping a stream
	Flood         Kind = "server-flood"          // nginx's flood check
	Shortage      Kind = "server-shortage"       // worker_connections ran out
	HandshakeLost Kind = "server-handshake-lost" // a client left during the handshake
	Obsolete      Kind = "server-config"         // a directive that is gone
	Unrelated     Kind = "unrelated"             // known, and not HTTP/2's doing
	Ambiguous     Kind = "ambiguous"             // several causes say this
	Looks         Kind = "http2-unrecognised"    // HTTP/2's words, nobody's that is known
)

// Answer says whether a request was executed.
type Answer string

// The answers; "" where the text speaks of no request.
const (
	No      Answer = "no"
	Maybe   Answer = "maybe"
	Yes     Answer = "yes"
	CantSay Answer = "unknown"
)

// Change is a line to change and where.
type Change struct {
	Where string `json:"where"`
	Line  string `json:"line"`
	Note  string `json:"note"`
	// Row is the lab's client row that measured it, "" where none did; Outcome
	// what it came to there: cured (where a table says nothing), partly or
	// cant-be-told.
	Row     string `json:"row"`
	Outcome string `json:"outcome"`
}

// What a cure came to in the lab, in the recorded run's words.
const (
	cured  = "cured"
	partly = "partly"
	untold = "cant-be-told"
)

// Signature is one error text that is known, by the parts of it that don't vary.
type Signature struct {
	ID       string
	Library  string
	Versions string
	// All must be in the text and one of Any; None must not. Lower case; white
	// space is one blank.
	All, Any, None []string
	// Shape is a last look, where terms alone would take too much.
	Shape string
	// Wraps says that the text quotes another's error, and so goes before it.
	Wraps bool
	// General says that any closer text goes before it.
	General bool
	Kind    Kind
	// Means is what the text says beyond its kind.
	Means string
	// Executed overrules what follows from the kind, and Why says on what ground.
	Executed Answer
	Why      string
	// Seen are the lab's rows in which callers got this text.
	Seen    []string
	Changes []Change
	Links   []string
	// Example is how it is written, for --list.
	Example string
}
