package facts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Endpoint is what a client can observe of a server from outside, without interpretation:
// internal/field/family interprets it. null means not asked or not known.
type Endpoint struct {
	// URL is the requested URL, Address the ip:port that answered.
	URL     string `json:"url"`
	Address string `json:"address"`
	Method  string `json:"method"`
	// Status is the first answer's status, Location its redirect target.
	Status   int    `json:"status"`
	Location string `json:"location"`
	// Statuses counts all answers by status.
	Statuses map[string]int `json:"statuses"`
	// Server is the Server header, verbatim. A server may send any text there, so no judgement
	// rests on it alone.
	Server   string      `json:"server"`
	Protocol Protocol    `json:"protocol"`
	TLS      EndpointTLS `json:"tls"`
	// Settings is the server's first SETTINGS frame, in its order.
	Settings []Setting `json:"settings"`
	Budget   Budget    `json:"budget"`
	// Ending is how a connection ended at its limit; null where no limit was met.
	Ending *Ending `json:"ending"`
	// Crossing counts the streams in flight at the end by outcome; null where no limit was met.
	Crossing *Crossing `json:"crossing"`
	// Idle and Age are how a connection ended before it met a limit.
	Idle *Lifetime `json:"idle"`
	Age  *Lifetime `json:"age"`
	// Connections, Requests and ElapsedS are the cost of the probe.
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
	// ALPN is the protocol that the server selected.
	ALPN string `json:"alpn"`
	// Key is the certificate's key: "RSA 2048", "ECDSA P-256".
	Key      string `json:"key"`
	Verified bool   `json:"verified"`
	// Resumes says whether a second connection could resume the first one's session.
	Resumes     *bool    `json:"resumes"`
	ConnectMS   *float64 `json:"connect_ms"`
	HandshakeMS *float64 `json:"handshake_ms"`
	ResumedMS   *float64 `json:"resumed_handshake_ms"`
	// Versions has the same for each TLS version that the server accepts.
	Versions []TLSVersion `json:"versions"`
}

// TLSVersion is the result of handshakes of one version.
type TLSVersion struct {
	Version     string   `json:"version"`
	Resumes     *bool    `json:"resumes"`
	HandshakeMS *float64 `json:"handshake_ms"`
	ResumedMS   *float64 `json:"resumed_handshake_ms"`
}

// Setting is one parameter of a SETTINGS frame, by its name in RFC 9113 §6.5.2.
type Setting struct {
	Name  string `json:"name"`
	Value uint32 `json:"value"`
}

// Budget is how many requests the server allows on one connection.
type Budget struct {
	// Least and Most are the smallest and the largest number of requests that a connection was seen
	// to carry; Most is null where no limit was met. Least = Most is an exact limit. They differ
	// where the server still serves requests after it has announced the end: Least is then the
	// request that met the limit when requests are sent one at a time.
	Least int  `json:"least"`
	Most  *int `json:"most"`
	// AskedUpTo is how many requests were sent on one connection at most.
	AskedUpTo int `json:"asked_up_to"`
	// Stopped is why the probe stopped before a limit was met or AskedUpTo was reached; empty where
	// it did not.
	Stopped Note `json:"stopped"`
	// Counts is the number of requests of each connection that the server ended.
	Counts []int `json:"counts"`
}

// Exact reports whether the limit is known to the request.
func (b Budget) Exact() bool { return b.Most != nil && *b.Most == b.Least }

// Values of Ending.How.
const (
	EndedByGoaway          = "goaway"           // one GOAWAY with the last stream that the server processes
	EndedByTwoStages       = "goaway-two-stage" // 2^31 − 1 first, the last stream later
	EndedByFutureID        = "goaway-future-id" // one GOAWAY with a last-stream-id above the streams sent so far
	EndedByClose           = "close"            // FIN or TLS close_notify without GOAWAY
	EndedByReset           = "reset"            // TCP RST
	EndedByConnectionClose = "connection-close" // HTTP/1.1's header
	EndedByError           = "goaway-error"     // a GOAWAY with a code other than NO_ERROR
)

// Ending is how one connection was ended.
type Ending struct {
	How     string        `json:"how"`
	Goaways []GoawayFrame `json:"goaways"`
	// Closed is how TCP ended: "fin", "rst", or "" where the connection was still open when the
	// wait ended. TLSClosed reports whether the server sent TLS's close_notify before.
	Closed    string `json:"closed"`
	TLSClosed bool   `json:"tls_closed"`
	// CloseMS is the time from the first GOAWAY, or from the answer with Connection: close, to the
	// end of TCP; null where the server announced no end.
	CloseMS *float64 `json:"close_ms"`
	// GoawayFirst reports whether GOAWAY came before the answer to the stream that met the limit,
	// as nginx and Go send it.
	GoawayFirst *bool `json:"goaway_first"`
}

// Purposes of an AskedConnection.
const (
	ForLook  = "look"  // one request: which server answers
	ForLimit = "limit" // requests up to the limit
	ForIdle  = "idle"  // one request, then none
	ForPace  = "pace"  // a request at intervals, while others carry many
	ForAge   = "age"   // a request at intervals, for as long as the user asked
)

// AskedConnection is one connection that carried requests. Its times are milliseconds since the
// survey began, so that a reader can tell an end by age from an end by count.
type AskedConnection struct {
	For string `json:"for"`
	// OpenedMS is the end of its TLS handshake, FirstRequestMS the time of its first request.
	OpenedMS       float64  `json:"opened_ms"`
	FirstRequestMS *float64 `json:"first_request_ms"`
	// AnnouncedMS is the time of its first GOAWAY, or over HTTP/1.1 of the answer with Connection:
	// close; null where neither came.
	AnnouncedMS *float64 `json:"announced_ms"`
	// EndedMS is when the server closed it, LeftMS when the probe closed it first; one of them is
	// null.
	EndedMS *float64 `json:"ended_ms"`
	LeftMS  *float64 `json:"left_ms"`
	// How is Ending.How; empty where the server did not end it.
	How      string `json:"how"`
	Requests int    `json:"requests"`
	Answered int    `json:"answered"`
	// Together is the last request that was sent while another one was in flight, before the end was
	// announced; 0 where each waited for the answer to the one before.
	Together int `json:"together"`
	// ClosedUnder reports whether the server closed it instead of answering its last request, which
	// was sent alone and after the server had shown that the connection was open.
	ClosedUnder bool `json:"closed_under"`
	// MayHaveRun counts the requests without an answer of which nothing shows that the server did
	// not run them (RFC 9113 §8.7): their streams are not above a GOAWAY's last-stream-id and were
	// not refused.
	MayHaveRun int `json:"may_have_run"`
	// Refused and Reset count the requests that the server reset before the end was announced, with REFUSED_STREAM and with
	// another code.
	Refused int `json:"refused"`
	Reset   int `json:"reset"`
	// UnusedMS is how long no request had been in flight when the end came; null where one was, or where the server ended
	// nothing. PausedMS is the longest such time that the connection outlived.
	UnusedMS *float64 `json:"unused_ms"`
	PausedMS float64  `json:"paused_ms"`
	// Above counts the streams above the newest GOAWAY's last-stream-id; null without a GOAWAY.
	Above   *int          `json:"above"`
	Goaways []GoawayFrame `json:"goaways"`
}

// GoawayFrame is one GOAWAY, with the connection's state when it came.
type GoawayFrame struct {
	LastStreamID uint32  `json:"last_stream_id"`
	Code         string  `json:"code"`
	Debug        string  `json:"debug"`
	Sent         int     `json:"sent"`
	Answered     int     `json:"answered"`
	TMS          float64 `json:"t_ms"`
}

// Crossing counts the streams that had no answer yet when many were in flight and the limit was
// met: those that the newest GOAWAY covers, those that it does not cover (all of them without a
// GOAWAY), and those sent after the client had read it. RFC 9113 §6.8 forbids a client to send
// those; the probe does so once, to record the server's behaviour.
type Crossing struct {
	Covered  Fates `json:"covered"`
	InFlight Fates `json:"in_flight"`
	After    Fates `json:"after"`
}

// Fates counts streams by outcome.
type Fates struct {
	Sent     int `json:"sent"`
	Answered int `json:"answered"`
	Refused  int `json:"refused"` // RST_STREAM(REFUSED_STREAM): safe to send again
	Reset    int `json:"reset"`   // RST_STREAM with another code
	Dropped  int `json:"dropped"` // no answer
}

// Lifetime is how long a connection lived.
type Lifetime struct {
	// Seconds until the server ended it; null where it was still open after WatchedS.
	Seconds  *float64 `json:"seconds"`
	WatchedS float64  `json:"watched_s"`
	Ending   *Ending  `json:"ending"`
}

// Types of Frame that are not HTTP/2 frame types; h2lab trace adds them to TCP and TLS.
const (
	FrameGap      = "GAP"      // requests before the limit that are not shown
	FrameRequest  = "REQUEST"  // of HTTP/1.1
	FrameResponse = "RESPONSE" // of HTTP/1.1
)

// FrameTrace is the renewal of one server's connection, with all that the chart needs.
type FrameTrace struct {
	SchemaVersion int `json:"schema_version"`
	// URL is the requested URL, Address the ip:port that answered.
	URL     string `json:"url"`
	Address string `json:"address"`
	Method  string `json:"method"`
	// Began is when the dial began: time 0 of the frames.
	Began time.Time `json:"began"`
	// TLS is the TLS version of the first connection, Cipher its cipher suite.
	TLS    string `json:"tls"`
	Cipher string `json:"cipher"`
	// Verified is false when the client accepted any certificate.
	Verified bool `json:"verified"`
	// Limit is the request at which the connection is used up; null where no limit was met.
	Limit *int `json:"limit"`
	// LimitGiven is true where the user gave the limit, false where h2lab measured it first.
	LimitGiven bool `json:"limit_given"`
	// LimitVaries is true where connections ended at several numbers of requests: Limit is one of them.
	LimitVaries bool `json:"limit_varies"`
	// AskedUpTo is how many requests one connection carried when h2lab measured the limit; null
	// where the user gave it.
	AskedUpTo *int    `json:"asked_up_to"`
	Renewal   Renewal `json:"renewal"`
	// Heads are the header fields of the answers in the trace.
	Heads    []Head `json:"heads"`
	Warnings []Note `json:"warnings"`
	// Next are commands to run next.
	Next []string `json:"next"`
}

// Head is an answer's header section, without the values of cookies.
type Head struct {
	// Connection counts from 1; over HTTP/1.1, Stream counts the connection's requests.
	Connection int      `json:"connection"`
	Stream     uint32   `json:"stream"`
	Fields     []HField `json:"fields"`
}

// HField is one header field.
type HField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Renewal is the frames of one connection around the request that meets the limit.
type Renewal struct {
	Topology string  `json:"topology"`
	Protocol string  `json:"protocol"`
	Frames   []Frame `json:"frames"`
	// Dropped are streams sent after the limit that got no answer.
	Dropped []uint32 `json:"dropped"`
	// Summary is what the trace shows.
	Summary Note `json:"summary"`
}

// Frame is one HTTP/2 frame (or an event of the connection: type "TCP" or "TLS").
type Frame struct {
	TMS      float64 `json:"t_ms"`
	Sent     bool    `json:"sent"` // by the client
	Type     string  `json:"type"` // HEADERS, DATA, GOAWAY, …
	StreamID uint32  `json:"stream_id"`
	Length   int     `json:"length"`
	Flags    string  `json:"flags"`
	// Detail is e.g. ":status 200" or "last_stream_id=1999 NO_ERROR debug=\"\"".
	Detail string `json:"detail"`
	// Says is a Detail that is the recorder's own words.
	Says Text `json:"-"`
	// Note explains why the frame matters; empty for the rest.
	Note Note `json:"note"`
}

// Note is an observation of a measurement. In JSON it is a key of the catalogue with its arguments, or a string where it has
// the same words in every language, as h2lab probe prints it and earlier versions recorded it.
type Note Text

// NewNote makes a note.
func NewNote(key string, args ...any) Note { return Note(T(key, args...)) }

// IsZero reports whether there is no note.
func (n Note) IsZero() bool { return Text(n).IsZero() }

// MarshalJSON writes words as a string, and what is translated as an object.
func (n Note) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the whole document's encoder escapes, where it does
	var words any = Text(n)
	if n.Key == "" {
		words = fmt.Sprint(n.Args...)
	}
	err := e.Encode(words)
	return b.Bytes(), err
}

// UnmarshalJSON reads either.
func (n *Note) UnmarshalJSON(b []byte) error {
	*n = Note{}
	if b[0] != '"' {
		return (*Text)(n).UnmarshalJSON(b)
	}
	var words string
	err := json.Unmarshal(b, &words)
	if words != "" {
		*n = Note(Verbatim(words))
	}
	return err
}
