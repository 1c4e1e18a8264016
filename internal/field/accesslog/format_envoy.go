package accesslog

import (
	"errors"
	"fmt"
	"strings"

	"h2lab/internal/field/cure"
)

// envoyFields are the operators of an Envoy format string that are read (Envoy documentation:
// Access log format strings). The others are skipped.
var envoyFields = map[string]field{
	"CONNECTION_ID": fConnection, "START_TIME": fTimeISO, "PROTOCOL": fProtocol,
	"RESPONSE_CODE": fStatus, "RESPONSE_FLAGS": fFlags, "HOSTNAME": fHost,
	"DOWNSTREAM_REMOTE_ADDRESS": fPeer, "DOWNSTREAM_DIRECT_REMOTE_ADDRESS": fPeer,
}

// envoyHeaders are the request headers that are read, in upper case.
var envoyHeaders = map[string]field{":PATH": fPath, "X-ENVOY-ORIGINAL-PATH?:PATH": fPath, "USER-AGENT": fAgent}

// compileEnvoy compiles an Envoy format string: %NAME%, %NAME(parameters)% and
// %NAME(parameters):length%; %% is a percent sign.
func compileEnvoy(text string) (*Format, error) {
	f := &Format{Name: "as given (Envoy)", Source: text, Server: cure.Envoy}
	if err := f.parseEnvoy(); err != nil {
		return nil, err
	}
	return f, f.finish()
}

func (f *Format) parseEnvoy() error {
	text := f.Source
	literal := ""
	text = strings.TrimSuffix(strings.ReplaceAll(text, `\n`, "\n"), "\n")
	for text != "" {
		before, rest, found := strings.Cut(text, "%")
		literal += before
		if !found {
			break
		}
		if strings.HasPrefix(rest, "%") {
			literal, text = literal+"%", rest[1:]
			continue
		}
		name, parameters, after, err := operator(rest)
		if err != nil {
			return err
		}
		f.add(literal, part{field: envoyField(name, parameters)})
		literal, text = "", after
	}
	return f.close(literal)
}

// operator parses NAME or NAME(parameters) up to its closing percent sign; parameters may contain
// percent signs.
func operator(text string) (name, parameters, rest string, err error) {
	n := strings.IndexAny(text, "(%")
	if n > 0 && text[n] == '%' {
		name, _, _ = strings.Cut(text[:n], ":")
		return name, "", text[n+1:], nil
	}
	if n > 0 {
		closing := strings.IndexByte(text[n:], ')')
		if closing > 0 {
			if end := strings.IndexByte(text[n+closing:], '%'); end > 0 {
				return text[:n], text[n+1 : n+closing], text[n+closing+end+1:], nil
			}
		}
	}
	return "", "", "", fmt.Errorf("%w: %.20q", errOperator, "%"+text)
}

var errOperator = errors.New("an operator of Envoy is %NAME% or %NAME(parameters)%, which this isn't")

// envoyField accepts two formats of time: the default, which is ISO 8601 with milliseconds, and
// seconds since 1970.
func envoyField(name, parameters string) field {
	f := envoyFields[name]
	if name == "REQ" || name == "REQUEST_HEADER" {
		return envoyHeaders[strings.ToUpper(parameters)]
	}
	if f != fTimeISO || parameters == "" {
		return f
	}
	switch parameters {
	case "%s", "%s.%3f", "%s.%6f", "%s.%9f":
		return fTimeUnix
	case "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%T%z", "%Y-%m-%dT%H:%M:%S.%3fZ", "%Y-%m-%dT%H:%M:%E3SZ":
		return fTimeISO
	}
	return skipped
}
