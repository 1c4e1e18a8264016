package probe

import (
	"fmt"
	"time"

	"h2lab/internal/base/versions"
	"h2lab/internal/field/output"
)

// Request is the user's description of the server to probe and of each request.
type Request struct {
	output.Question
	Timeout time.Duration // maximum wait for a connection, a handshake or an answer
	Verb    string        // the command that asks, which errors name; "" is probe
}

// longestTimeout is the maximum of --timeout.
const longestTimeout = time.Hour

// Target parses a Request. Its errors are usage errors.
func (r Request) Target() (Target, error) {
	t, err := ParseTarget(r.URL)
	if err != nil {
		return t, err
	}
	t.UserAgent, t.again, t.verb = UserAgent(), r.Question, r.Verb
	t.CAFile, t.Insecure, t.ServerName, t.Patience = r.CACert, r.Insecure, r.ServerName, r.Timeout
	for _, h := range r.Header {
		if err := t.AddHeader(h); err != nil {
			return t, err
		}
	}
	if err := t.SetMethod(r.Method, r.Data); err != nil {
		return t, err
	}
	if r.Timeout <= 0 || r.Timeout > longestTimeout {
		return t, fmt.Errorf("--timeout %v is out of range: up to 1h", r.Timeout)
	}
	return t, nil
}

// UserAgent identifies the probe in the server's log.
func UserAgent() string {
	version := "dev"
	if known := versions.Own().Version; known != nil {
		version = *known
	}
	return "h2lab-probe/" + version + " (counts the requests that a connection gets)"
}
