package decode

// Facts are the HTTP/2 facts in a text, whichever program wrote it. null means that the text
// doesn't say.
type Facts struct {
	// Speaker is who wrote the text: client, server, proxy, or "".
	Speaker string `json:"speaker"`
	// Event is what happened, Direction whether the writer sent or received it, Scope what it ended:
	// a connection, a stream or none.
	Event     Event  `json:"event"`
	Direction string `json:"direction"`
	Scope     string `json:"scope"`
	// Unsent is set if the text says that the request was not processed.
	Unsent bool `json:"not_processed"`
	// Frame is "GOAWAY" or "RST_STREAM", or "" if the text names neither.
	Frame string `json:"frame"`
	// Code is the name of an error code of RFC 9113 §7, or "".
	Code string `json:"code"`
	// LastStreamID is the GOAWAY's last-stream-id, StreamID the failed request's stream.
	LastStreamID *uint32 `json:"last_stream_id"`
	StreamID     *uint32 `json:"stream_id"`
	// Debug is the GOAWAY's debug data; "" means that it was empty.
	Debug *string `json:"debug"`
	// GRPC is a gRPC status, Curl curl's exit code, Flags and Details are Envoy's.
	GRPC    string  `json:"grpc_status"`
	Curl    *int    `json:"curl"`
	Flags   string  `json:"envoy_flags"`
	Details string  `json:"envoy_details"`
	Origin  *string `json:"origin"`
	// Requests is how many requests the connection carried, by its last-stream-id; null if that is
	// unknown.
	Requests *uint32 `json:"requests_on_connection"`
}

// maxID is the largest stream id, 2^31 − 1: a GOAWAY with this last-stream-id announces the end of
// the connection and excludes no stream yet (RFC 9113 §6.8).
const maxID = 1<<31 - 1

// announced reports whether the GOAWAY is the first of two stages.
func (f Facts) announced() bool { return f.LastStreamID != nil && *f.LastStreamID == maxID }

// impossible says why an id can't be the last of a client's streams, which are odd (RFC 9113
// §5.1.1) and have 31 bits; "" if it can.
func (f Facts) impossible() string {
	switch id := f.LastStreamID; {
	case id == nil || *id == 0 || *id == maxID:
		return ""
	case *id > maxID:
		return "no stream id is that large: they end at 2147483647"
	case *id%2 == 0:
		return "an even id is a server's stream; a client's are odd, so this names no request (or was copied wrongly)"
	}
	return ""
}

// count sets how many requests the connection carried, if the id can be a client's.
func (f *Facts) count() {
	if id := f.LastStreamID; id != nil && *id != 0 && *id < maxID && *id%2 == 1 {
		n, _ := requests(*id)
		f.Requests = &n
	}
}

// requests is how many streams a client opened up to an id, and whether that is a round number, as
// a configured limit would be. Clients begin at 1 or, if 1 is reserved for an upgrade (Netty,
// OkHttp), at 3; requests assumes 3 only if that gives hundreds or thousands.
func requests(id uint32) (n uint32, round bool) {
	n = (id + 1) / 2
	if fromThree := (id - 1) / 2; fromThree >= 100 && significant(fromThree) == 1 && significant(n) > 1 {
		n = fromThree
	}
	return n, n >= 10 && n%10 == 0 && significant(n) <= 2
}

// significant counts the digits before the trailing zeros.
func significant(n uint32) int {
	for n != 0 && n%10 == 0 {
		n /= 10
	}
	digits := 0
	for ; n > 0; n /= 10 {
		digits++
	}
	return digits
}

// limitSource names the known sources of a limit of n.
func limitSource(n uint32) string {
	switch n {
	case 1000:
		return "nginx's default since 1.19.10 (http2_max_requests 1000 before 1.19.7), and ingress-nginx's since " +
			"controller 1.6"
	case 100:
		return "the default of nginx 1.19.7 to 1.19.9, and of ingress-nginx before controller 1.6"
	case 10000:
		return "users report this number for AWS ALB; no document names it"
	case 1:
		return "one request on a connection: nginx's keepalive_timeout 0 does that"
	}
	return ""
}
