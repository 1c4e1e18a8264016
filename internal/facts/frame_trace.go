package facts

import "time"

// Types of Frame that are no HTTP/2 frames: what h2lab trace adds to TCP and TLS.
const (
	FrameGap      = "GAP"      // what isn't shown: the requests on the way to the limit
	FrameRequest  = "REQUEST"  // of HTTP/1.1
	FrameResponse = "RESPONSE" // of HTTP/1.1
)

// FrameTrace is the renewal of anybody's server, with all that is needed to draw it.
type FrameTrace struct {
	SchemaVersion int `json:"schema_version"`
	// URL is what was asked for, Address the ip:port that answered.
	URL     string `json:"url"`
	Address string `json:"address"`
	Method  string `json:"method"`
	// Began is when the dial began: the frames' zero.
	Began time.Time `json:"began"`
	// TLS is the version, Cipher the suite of the first connection.
	TLS    string `json:"tls"`
	Cipher string `json:"cipher"`
	// Verified is false when any certificate was taken.
	Verified bool `json:"verified"`
	// Limit is the request at which the connection is used up; null where none was met.
	Limit *int `json:"limit"`
	// LimitGiven says that the user named the limit; otherwise it was asked for first.
	LimitGiven bool `json:"limit_given"`
	// AskedUpTo is how many requests one connection got when the limit was asked for; null where it was given.
	AskedUpTo *int    `json:"asked_up_to"`
	Renewal   Renewal `json:"renewal"`
	// Heads are the header fields of the answers that are shown.
	Heads    []Head `json:"heads"`
	Warnings []Note `json:"warnings"`
	// Next are commands that go on from here.
	Next []string `json:"next"`
}

// Head is an answer's header section. A cookie's value is left out.
type Head struct {
	// Connection counts from 1, over HTTP/1.1 Stream counts its requests.
	Connection int      `json:"connection"`
	Stream     uint32   `json:"stream"`
	Fields     []HField `json:"fields"`
}

// HField is one header field.
type HField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
