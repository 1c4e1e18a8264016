package kit

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// Judge reads an HTTP answer to its end and reports whether the call succeeded: the requested
// protocol, a 2xx status and, where the server echoes, the body that was sent. It closes the body.
func (f Flags) Judge(resp *http.Response, sent []byte) (*Failure, error) {
	defer resp.Body.Close()
	major := 2
	if f.H1() {
		major = 1
	}
	if resp.ProtoMajor != major {
		return nil,
			fmt.Errorf("%w: %s was requested, but %s answered with %s: check whether it offers the protocol by ALPN",
				ErrProtocol, f.Protocol, f.URL, resp.Proto)
	}
	got, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return &Failure{Kind: Transport, Message: err.Error()}, nil
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return &Failure{Kind: Status, Message: "HTTP status " + resp.Status}, nil
	}
	return f.Compare(sent, got), nil
}

// Compare returns nil when got is what was sent to an echoing server.
func (f Flags) Compare(sent, got []byte) *Failure {
	if !f.Echoes() || bytes.Equal(got, sent) {
		return nil
	}
	return &Failure{
		Kind: Transport,
		Message: fmt.Sprintf("the answer is not the body that was sent: %d bytes sent, %d received", len(sent),
			len(got)),
	}
}
