package facts

import "time"

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
