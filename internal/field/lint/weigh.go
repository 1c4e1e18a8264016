package lint

// Weigh says how bad a limit of n requests on a connection is when a client
// keeps streams of them in flight. At each renewal every request that waits may
// dial for itself, as Go's net/http does, so the share of requests that pay for
// a handshake is streams ÷ n: all of them is an error, more than one in a
// hundred a warning.
func Weigh(n int64, streams int) Severity {
	switch s := int64(streams); {
	case n <= s:
		return Error
	case n < 100*s:
		return Warning
	}
	return Note
}
