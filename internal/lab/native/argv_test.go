//go:build linux

package native

import (
	"errors"
	"slices"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func TestEveryKindOfServerHasItsArguments(t *testing.T) {
	tools := Tools{Nginx: "/n", Envoy: "/e", Backend: "/b"}
	for _, c := range []struct {
		server facts.Server
		want   []string
	}{
		{facts.Server{Kind: facts.Nginx, Config: "nginx/keepalive-1000.conf"},
			[]string{"/n", "-p", "/root/", "-c", "nginx/keepalive-1000.conf", "-e", "stderr"}},
		{facts.Server{Kind: facts.Envoy, Config: "envoy/unlimited.yaml"},
			[]string{"/e", "-c", "envoy/unlimited.yaml", "--concurrency", "1", "--disable-hot-restart",
				"--log-level", "warning"}},
		{backendAt("127.0.0.1:18443", "127.0.0.1:18090"),
			[]string{"/b", "--listen", "127.0.0.1:18443", "--counters", "127.0.0.1:18090",
				"--cert", "certs/out/server.crt", "--key", "certs/out/server.key"}},
	} {
		got, err := commandOf(t.Context(), "/root", tools, c.server)
		labtest.Check(t, err)
		if argv := append([]string{got.program}, got.args...); !slices.Equal(argv, c.want) {
			t.Errorf("%s: %q, want %q", c.server.Kind, argv, c.want)
		}
	}
}

func TestAServerWithoutItsProgramIsAToolError(t *testing.T) {
	for _, kind := range []facts.Kind{facts.Nginx, facts.Envoy, facts.Backend} {
		_, err := commandOf(t.Context(), "/root", Tools{}, facts.Server{Kind: kind, Front: "127.0.0.1:1"})
		var fault *ToolError
		if !errors.As(err, &fault) || fault.Tool != string(kind) {
			t.Errorf("%s: error %v, want a ToolError", kind, err)
		}
	}
	if _, err := commandOf(t.Context(), "/root", Tools{}, facts.Server{Name: "x", Kind: "caddy"}); err == nil {
		t.Error("an unknown kind of server is accepted")
	}
}
