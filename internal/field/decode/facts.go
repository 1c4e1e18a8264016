package decode

// Facts are what a text says of HTTP/2, whoever wrote it. null stands for what
// it does not say.
type Facts struct {
	// Frame is "GOAWAY" or "RST_STREAM", "" where the text names neither.
	Frame string `json:"frame"`
	// Code is the name of an error code of RFC 9113 §7, "" where there is none.
	Code string `json:"code"`
	// LastStreamID is the GOAWAY's, StreamID the failed request's own.
	LastStreamID *uint32 `json:"last_stream_id"`
	StreamID     *uint32 `json:"stream_id"`
	// Debug is the GOAWAY's debug data; "" means that it had none.
	Debug *string `json:"debug"`
	// GRPC is a gRPC status, Curl curl's exit number, Flags and Details Envoy's.
	GRPC    string  `json:"grpc_status"`
	Curl    *int    `json:"curl"`
	Flags   string  `json:"envoy_flags"`
	Details string  `json:"envoy_details"`
	Origin  *string `json:"origin"`
	// Requests is how many requests the connection had carried, from the last
	// stream id; null where it can't be told.
	Requests *uint32 `json:"requests_on_connection"`
}

// maxID is the largest stream id, 2^31 − 1: a GOAWAY that names it announces
// the end and excludes no stream yet (RFC 9113 §6.8).
const maxID = 1<<31 - 1

// announced reports whether the GOAWAY was the first of two stages.
func (f Facts) announced() bool { return f.LastStreamID != nil && *f.LastStreamID == maxID }

// impossible says why an id can't be the last of a client's streams, which are
// odd (RFC 9113 §5.1.1) and have 31 bits.
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

// count says how many requests the connection carried, where the id can be a
// client's.
func (f *Facts) count() {
	if id := f.LastStreamID; id != nil && *id != 0 && *id < maxID && *id%2 == 1 {
		n, _ := requests(*id)
		f.Requests = &n
	}
}

// requests is how many streams a client opened up to an id, and whether that is
// a number somebody set. Clients begin at 1 or, where 1 is kept for an upgrade
// (Netty, OkHttp), at 3, which is believed where it gives hundreds or thousands.
func requests(id uint32) (n uint32, round bool) {
	n = (id + 1) / 2
	if fromThree := (id - 1) / 2; fromThree >= 100 && significant(fromThree) == 1 && significant(n) > 1 {
		n = fromThree
	}
	return n, n >= 10 && n%10 == 0 && significant(n) <= 2
}

// significant counts the digits before the zeros at the end.
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

// limitWords say what a limit of n is known from.
func limitWords(n uint32) string {
	switch n {
	case 1000:
		return "nginx's default since 1.19.10 (http2_max_requests 1000 before 1.19.7), and ingress-nginx's since controller 1.6"
	case 100:
		return "the default of nginx 1.19.7 to 1.19.9, and of ingress-nginx before controller 1.6"
	case 10000:
		return "users report it of AWS ALB; no document names it"
	case 1:
		return "one request a connection: nginx's keepalive_timeout 0 does that"
	}
	return ""
}
