package lint

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
