package lint

import "time"

// Weigh is the severity of a limit of n requests on a connection for a client that keeps streams
// requests in flight. At each renewal every waiting request may dial a connection of its own, as Go's
// net/http does, so the share of requests that pay for a handshake is streams ÷ n: a share of 1 is an
// error, more than 1 in 100 a warning.
func Weigh(n int64, streams int) Severity {
	switch s := int64(streams); {
	case n <= s:
		return Error
	case n < 100*s:
		return Warning
	}
	return Note
}

// ShortIdle is the shortest idle timeout that no rule reports. A client that sends a batch of requests every
// minute keeps its connections with it; nginx's own default is 75 s, Go's and Traefik's 180 s, Envoy's one hour.
const ShortIdle = time.Minute

// WeighIdle is the severity of an idle timeout shorter than ShortIdle: below 10 s the pauses of ordinary
// clients end the connection.
func WeighIdle(d time.Duration) Severity {
	if d < 10*time.Second {
		return Warning
	}
	return Note
}
