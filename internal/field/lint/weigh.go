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

// momentary is what a client pauses between two polls or two pages. A connection that ends after less is opened
// again for each of them, and a limit of 1000 requests, met by 100 in flight, for one request in ten.
const momentary = 5 * time.Second

// Momentary reports whether connections that end after this time cost more than a limit on requests does.
func Momentary(d time.Duration) bool { return d < momentary }

// WeighIdle sets the severity of a finding on an idle timeout shorter than ShortIdle: below 10 s the pauses of
// ordinary clients end the connection.
func (f *Finding) WeighIdle(d time.Duration) {
	f.Severity = Note
	if d < 10*time.Second {
		f.Severity = Warning
	}
	f.Ahead = Momentary(d)
}

// ShortAge is the shortest age that no rule reports: twelve renewals an hour are more than the default limit on
// requests usually causes.
const ShortAge = 5 * time.Minute

// WeighAge sets the severity of a finding on an age shorter than ShortAge, at which a server ends connections in
// two stages: no request is lost, and each client dials again that often.
func (f *Finding) WeighAge(d time.Duration) {
	f.Severity = Note
	if d < time.Minute {
		f.Severity = Warning
	}
	f.Ahead = Momentary(d)
}
