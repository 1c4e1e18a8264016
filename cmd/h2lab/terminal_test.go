package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"h2lab/internal/base/labtest"
)

// evil has every kind of control sequence that a terminal interprets: a title, a colour, CR, BS,
// C1, a bidirectional override.
const evil = "\x1b]0;title\a\x1b[31m\r\b\u009b2J\u202e\u200b"

// verb runs h2lab and fails when its output contains control sequences.
func verb(t *testing.T, ctx context.Context, args ...string) (status int, printed string) {
	t.Helper()
	var out, said bytes.Buffer
	status = run(ctx, args, &out, &said)
	printable(t, "stdout of "+args[0], out.Bytes())
	printable(t, "stderr of "+args[0], said.Bytes())
	return status, out.String() + said.String()
}

func saved(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	labtest.Write(t, path, text)
	return path
}

func TestNoVerbPassesTerminalControlsOn(t *testing.T) {
	const goaway = "http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug="
	f := labtest.NewFaults(t, labtest.HostileText)
	for _, c := range []struct {
		what, shows string
		args        []string
	}{
		{"the text that decode is given", "GOAWAY", []string{"decode", goaway + evil}},
		{"a log that decode reads", "GOAWAY",
			[]string{"decode", saved(t, "a.log", goaway+evil+"\n"+evil+" something else\n")}},
		{"a log that decode reads, as JSON", "go-goaway",
			[]string{"decode", "--json", saved(t, "a.log", goaway+evil+"\n")}},
		{"a log that logs reads", "",
			[]string{"logs", saved(t, "access.log", strings.Repeat("1.2.3.4 - - [x] "+evil+"\n", 50))}},
		{"a format for logs", "no $connection",
			[]string{"logs", "--format", "$remote_addr " + evil, saved(t, "access.log", "x\n")}},
		{"an nginx configuration that lint reads", `not seen: \u001b]0`,
			[]string{"lint",
				saved(t, "nginx.conf", "http { include "+evil+".conf; server { listen 443 ssl http2; } }\n")}},
		{"an nginx configuration that lint reads, as JSON", "",
			[]string{"lint", "--json",
				saved(t, "nginx.conf",
					"events {}\nhttp { keepalive_requests 10; # "+evil+"\nserver { server_name \""+evil+
						"\"; listen 443 ssl http2; } }\n")}},
		{"an Envoy configuration that lint reads", "",
			[]string{"lint", saved(t, "envoy.yaml",
				"static_resources: {listeners: [{name: \"a\\e[31m\\u202e\"}], \""+"x\\r"+"\": 1}\n")}},
		{"the name of a file that is not there", `\u001b`, []string{"lint", "no\x1b[31mfile.conf"}},
		{"an argument that no verb has", `\u001b`, []string{"decode", "--no-such\x1b[31mflag"}},
		{"the name of a run that is not there", `\u001b`, []string{"report", "no\x1b[31mrun"}},
	} {
		f.Try("terminal controls in "+c.what, func(t *testing.T) {
			if _, printed := verb(t, t.Context(), c.args...); !strings.Contains(printed, c.shows) {
				t.Errorf("it doesn't show %q: %.500q", c.shows, printed)
			}
		})
	}
}

// TestJSONOfHostileTextIsJSON checks that text escaped for a terminal decodes to the original.
func TestJSONOfHostileTextIsJSON(t *testing.T) {
	var out, said bytes.Buffer
	run(t.Context(), []string{"decode", "--json", "http2: server sent GOAWAY; debug=" + evil}, &out, &said)
	var doc any
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
}

// TestServersCanNotWriteToTheTerminal covers headers and the counters of watch, which any server
// can set.
func TestServersCanNotWriteToTheTerminal(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Server", "evil \u009b31m\u202e")
		w.Header().Set("Location", "https://\u202e")
		_, _ = w.Write([]byte("Active connections: " + evil))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	f.Try("terminal controls in the headers of a server that probe asks", func(t *testing.T) {
		_, printed := verb(t, t.Context(), "probe", "--insecure", "--max-streams", "20", "--connections", "1", s.URL)
		if !strings.Contains(printed, `\u202e`) && !strings.Contains(printed, "evil") {
			t.Errorf("the header is not shown at all: %.500q", printed)
		}
	})
	f.Try("terminal controls in the headers of a server that trace asks", func(t *testing.T) {
		verb(t, t.Context(), "trace", "--insecure", "--limit", "3", s.URL)
	})
	plain := httptest.NewServer(s.Config.Handler)
	defer plain.Close()
	f.Try("terminal controls in the counters that watch reads", func(t *testing.T) {
		verb(t, t.Context(), "watch", plain.URL)
	})
}

// TestPipesAreGivenUp checks that a verb waiting for a pipe ends when it is interrupted.
func TestPipesAreGivenUp(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	pipe := filepath.Join(t.TempDir(), "pipe")
	labtest.Mkfifo(t, pipe)
	for _, args := range [][]string{{"decode", pipe}, {"logs", pipe}, {"lint", pipe},
		{"logs", "--format-from", pipe, "/dev/null"}} {
		f.Try("a pipe that nobody writes to, read by "+
			strings.Join(slices.DeleteFunc(slices.Clone(args), filepath.IsAbs), " "), func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			stop()
			if status, printed := verb(t, ctx, args...); status != statusCouldNot ||
				!strings.Contains(printed, "interrupted") {
				t.Errorf("exit status %d: %s", status, printed)
			}
		})
	}
	for _, args := range [][]string{{"report", pipe}, {"replay", "--no-serve", pipe}} {
		f.Try("a pipe in the place of a run's directory, for "+args[0], func(t *testing.T) {
			if status, printed := verb(t, t.Context(), args...); status != statusCouldNot ||
				!strings.Contains(printed, "pipe") {
				t.Errorf("exit status %d: %s", status, printed)
			}
		})
	}
}

// printable fails on characters that a terminal interprets or that a reader can't see.
func printable(t *testing.T, name string, b []byte) {
	t.Helper()
	for _, r := range string(b) {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Errorf("%s has %U", name, r)
			return
		}
	}
}
