package facts

// Endpoint is what was seen of a server from outside, as any client can: facts
// alone. What they mean is internal/field/family's to say. null stands for what was
// not asked or could not be known.
type Endpoint struct {
	// URL is what was asked for, Address the ip:port that answered.
	URL     string `json:"url"`
	Address string `json:"address"`
	Method  string `json:"method"`
	// Status is that of the first answer, Location where it sends a client.
	Status   int    `json:"status"`
	Location string `json:"location"`
	// Statuses counts all answers by their status.
	Statuses map[string]int `json:"statuses"`
	// Server is the Server header, verbatim. Anybody can write anything there,
	// so it is shown and never judged alone.
	Server   string      `json:"server"`
	Protocol Protocol    `json:"protocol"`
	TLS      EndpointTLS `json:"tls"`
	// Settings is the server's first SETTINGS frame, in its order.
	Settings []Setting `json:"settings"`
	Budget   Budget    `json:"budget"`
	// Ending is how a connection at its limit was ended; null where none was met.
	Ending *Ending `json:"ending"`
	// Crossing is what became of streams sent across the end; null where none was met.
	Crossing *Crossing `json:"crossing"`
	// Idle and Age are how a connection ended without a limit being met.
	Idle *Lifetime `json:"idle"`
	Age  *Lifetime `json:"age"`
	// Connections, Requests and ElapsedS are what the asking cost.
	Connections int     `json:"connections"`
	Requests    int     `json:"requests"`
	ElapsedS    float64 `json:"elapsed_s"`
	// Asked are the connections that carried requests, in the order they were opened.
	Asked []AskedConnection `json:"asked"`
	// StreamsPerS is the rate of answers on the first connection, up to its end.
	StreamsPerS *float64 `json:"streams_per_s"`
	Warnings    []Note   `json:"warnings"`
}

// EndpointTLS is what the handshake showed.
type EndpointTLS struct {
	Version string `json:"version"`
	Cipher  string `json:"cipher"`
	// ALPN is what the server chose of what was offered.
	ALPN string `json:"alpn"`
	// Key is the certificate's: "RSA 2048", "ECDSA P-256".
	Key      string `json:"key"`
	Verified bool   `json:"verified"`
	// Resumes says whether a second connection could resume the first one's session.
	Resumes     *bool    `json:"resumes"`
	ConnectMS   *float64 `json:"connect_ms"`
	HandshakeMS *float64 `json:"handshake_ms"`
	ResumedMS   *float64 `json:"resumed_handshake_ms"`
	// Versions tells the same of each version that the server takes.
	Versions []TLSVersion `json:"versions"`
}

// TLSVersion is what handshakes of one version showed.
type TLSVersion struct {
	Version     string   `json:"version"`
	Resumes     *bool    `json:"resumes"`
	HandshakeMS *float64 `json:"handshake_ms"`
	ResumedMS   *float64 `json:"resumed_handshake_ms"`
}

// Setting is one of a SETTINGS frame, by its name in RFC 9113 §6.5.2.
type Setting struct {
	Name  string `json:"name"`
	Value uint32 `json:"value"`
}

// Budget is how many requests one connection gets.
type Budget struct {
	// Least is how many a connection was seen to get, Most the most one was seen
	// to get; Most is null where no limit was met. Least = Most is an exact limit.
	// Where they differ, the server serves on for a while after it has announced
	// the end: Least is the request that met it, one at a time.
	Least int  `json:"least"`
	Most  *int `json:"most"`
	// AskedUpTo is how many requests were sent on one connection at most.
	AskedUpTo int `json:"asked_up_to"`
	// Stopped is why the asking ended before a limit was met or AskedUpTo was
	// what it might be; empty where it did not.
	Stopped string `json:"stopped"`
	// Counts is how many requests each connection got that was brought to its end.
	Counts []int `json:"counts"`
}

// Exact reports whether the limit is known to the request.
func (b Budget) Exact() bool { return b.Most != nil && *b.Most == b.Least }

// How a connection was ended, as Ending.How says it.
const (
	EndedByGoaway          = "goaway"           // one GOAWAY that names the last stream taken
	EndedByTwoStages       = "goaway-two-stage" // 2^31 − 1 first, the real id later
	EndedByFutureID        = "goaway-future-id" // one GOAWAY with an id that lies ahead
	EndedByClose           = "close"            // FIN or TLS close without a word
	EndedByReset           = "reset"            // TCP RST
	EndedByConnectionClose = "connection-close" // HTTP/1.1's header
	EndedByError           = "goaway-error"     // a GOAWAY whose code isn't NO_ERROR
)

// Ending is how one connection was ended.
type Ending struct {
	How     string        `json:"how"`
	Goaways []GoawayFrame `json:"goaways"`
	// Closed is how TCP ended: "fin", "rst", or "" where it was still open when
	// the wait was over. TLSClosed says whether TLS's close_notify came first.
	Closed    string `json:"closed"`
	TLSClosed bool   `json:"tls_closed"`
	// CloseMS is the time from the first GOAWAY, or from the answer with Connection: close, until
	// TCP ended; null where nothing announced the end.
	CloseMS *float64 `json:"close_ms"`
	// GoawayFirst says whether GOAWAY came before the answer of the stream that
	// met the limit, as nginx and Go do, or after it.
	GoawayFirst *bool `json:"goaway_first"`
}

// What an AskedConnection was opened for.
const (
	ForLook  = "look"  // one request: who answers
	ForLimit = "limit" // as many as it gets
	ForIdle  = "idle"  // one request, then none
	ForAge   = "age"   // a request now and then
)

// AskedConnection is one connection that carried requests. Its times are milliseconds since the
// survey began, so that an end by age can be told from an end by count.
type AskedConnection struct {
	For string `json:"for"`
	// OpenedMS is when its TLS handshake was done, FirstRequestMS when its first request was sent.
	OpenedMS       float64  `json:"opened_ms"`
	FirstRequestMS *float64 `json:"first_request_ms"`
	// AnnouncedMS is when its first GOAWAY came, or over HTTP/1.1 the answer with Connection: close;
	// null where neither did.
	AnnouncedMS *float64 `json:"announced_ms"`
	// EndedMS is when the server closed it; null where it was still open when the probe left.
	EndedMS *float64 `json:"ended_ms"`
	// How is Ending.How; empty where it was not ended.
	How      string `json:"how"`
	Requests int    `json:"requests"`
	Answered int    `json:"answered"`
	// Above counts the streams above the newest GOAWAY's last stream id; null without a GOAWAY.
	Above   *int          `json:"above"`
	Goaways []GoawayFrame `json:"goaways"`
}

// GoawayFrame is one GOAWAY and how far the connection was when it came.
type GoawayFrame struct {
	LastStreamID uint32  `json:"last_stream_id"`
	Code         string  `json:"code"`
	Debug        string  `json:"debug"`
	Sent         int     `json:"sent"`
	Answered     int     `json:"answered"`
	TMS          float64 `json:"t_ms"`
}

// Crossing is what became of the streams that were unanswered when the end was
// met with many on their way: those that the newest GOAWAY covers, those that
// it does not (all of them where there was none), and those sent after it had
// been read (which RFC 9113 §6.8 forbids a client; the probe breaks the rule
// once, to see).
type Crossing struct {
	Covered  Fates `json:"covered"`
	InFlight Fates `json:"in_flight"`
	After    Fates `json:"after"`
}

// Fates counts streams by what became of them.
type Fates struct {
	Sent     int `json:"sent"`
	Answered int `json:"answered"`
	Refused  int `json:"refused"` // RST_STREAM(REFUSED_STREAM): safe to send again
	Reset    int `json:"reset"`   // RST_STREAM with another code
	Dropped  int `json:"dropped"` // never a word
}

// Lifetime is how long a connection lived.
type Lifetime struct {
	// Seconds until it was ended; null where it outlived WatchedS.
	Seconds  *float64 `json:"seconds"`
	WatchedS float64  `json:"watched_s"`
	Ending   *Ending  `json:"ending"`
}
