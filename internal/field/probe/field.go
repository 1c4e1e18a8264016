package probe

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// AddHeader parses "Name: value" and adds it to every request. Host sets the authority, and
// User-Agent replaces the probe's own.
func (t *Target) AddHeader(line string) error {
	name, value, found := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case !found || !httpguts.ValidHeaderFieldName(name):
		return fmt.Errorf("the header %q is not of the form 'Name: value'", short(line))
	case !httpguts.ValidHeaderFieldValue(value):
		return fmt.Errorf("the header %s has a value with control characters", name)
	}
	switch lower := strings.ToLower(name); {
	case lower == "host":
		t.Authority = value
	case lower == "user-agent":
		t.UserAgent = value
	case lower == "te" && strings.EqualFold(value, "trailers"): // allowed (RFC 9113 §8.2.2), and gRPC requires it
		t.Header = append(t.Header, Field{Name: name, Value: value})
	case slices.Contains(notOurs, lower):
		return fmt.Errorf("the header %s is about the connection, which is the probe's own (RFC 9113 §8.2.2); leave "+
			"it out", name)
	default:
		t.Header = append(t.Header, Field{Name: name, Value: value})
	}
	return t.check()
}

// notOurs are the fields that HTTP/2 forbids or that the probe writes itself.
var notOurs = []string{
	"connection",
	"keep-alive",
	"proxy-connection",
	"te",
	"transfer-encoding",
	"upgrade",
	"content-length",
	"expect",
	"trailer",
}

// SetMethod sets the method and the body. A body requires an explicit method that has one, because
// the probe sends the body with each request.
func (t *Target) SetMethod(method, body string) error {
	method = strings.ToUpper(method)
	switch {
	case !httpguts.ValidHeaderFieldName(method):
		return fmt.Errorf("%q is no method", short(method))
	case slices.Contains([]string{"CONNECT", "TRACE"}, method):
		return fmt.Errorf("the method %s is not asked; take GET, HEAD, or what your clients send", method)
	case body != "" && slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, method):
		return fmt.Errorf("a body goes with --method POST, PUT or PATCH; it is sent once for each request, so say " +
			"which")
	}
	t.Method, t.Body = method, []byte(body)
	return t.check()
}

// Safe reports whether the method is safe (RFC 9110 §9.2.1).
func (i Intent) Safe() bool {
	return slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, i.Method)
}
