package facts

// Renewal is the frames of one connection around the request that meets the limit.
type Renewal struct {
	Topology string  `json:"topology"`
	Protocol string  `json:"protocol"`
	Frames   []Frame `json:"frames"`
	// Dropped are streams sent after the limit that got no answer.
	Dropped []uint32 `json:"dropped"`
	// Summary is what the trace shows.
	Summary Notes `json:"summary"`
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
	// Note explains why the frame matters; empty for the rest.
	Note Note `json:"note"`
}
