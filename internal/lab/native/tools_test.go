//go:build linux

package native

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// program writes a fake program that prints a version.
func program(t *testing.T, dir, name, version string) string {
	t.Helper()
	labtest.Check(t, os.MkdirAll(dir, 0o755))
	path := filepath.Join(dir, name)
	labtest.Check(t, os.Symlink(os.Args[0], path))
	labtest.Write(t, path+".version", version)
	return path
}

func TestToolsAreFoundInPathThenInToolsBin(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	t.Setenv("PATH", dir)
	made := filepath.Join(root, "tools", "bin")
	inPath := program(t, dir, "nginx", "1.24.0")
	program(t, made, "nginx", "1.28.0")
	current := program(t, made, "nginx-current", "1.31.4")
	envoy := program(t, made, "envoy", "1.40.0")
	program(t, dir, "k6", "0.49.0") // too old: skipped
	k6 := program(t, made, "k6", "1.8.1")
	program(t, dir, "backend", "") // another program of that name
	backend := program(t, filepath.Join(root, "bin"), "backend", "")

	tools, err := FindTools(t.Context(), root, "nginx", "envoy", "k6", "backend")
	labtest.Check(t, err)
	if want := (Tools{"nginx": inPath, "nginx-current": current, "envoy": envoy, "k6": k6, "backend": backend}); !maps.Equal(tools, want) {
		t.Errorf("found %+v\nwant  %+v", tools, want)
	}
	versions, err := tools.Versions(t.Context())
	labtest.Check(t, err)
	for name, want := range map[string]string{"nginx": "1.24.0", "nginx-current": "1.31.4", "envoy": "1.40.0",
		"k6": "1.8.1"} {
		if versions[name] != want {
			t.Errorf("%s has version %q, want %q", name, versions[name], want)
		}
	}
	if !strings.HasPrefix(versions["go"], "go1.") {
		t.Errorf("go has version %q", versions["go"])
	}
	// Without the tree of libraries that it needs, the second nginx is one that isn't there.
	tools["nginx-current"] = filepath.Join(made, "without-libraries")
	labtest.WriteProgram(t, tools["nginx-current"], "#!/bin/sh\nexec /nowhere/loader\n")
	if versions, err = tools.Versions(t.Context()); err != nil || versions["nginx"] != "1.24.0" || versions["nginx-current"] != "" {
		t.Errorf("with a second nginx that can't run: %v, %v", versions, err)
	}
}

func TestAToolThatIsMissingOrTooOldIsNamedWithWhatToDo(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	t.Setenv("PATH", dir)
	program(t, dir, "nginx", "1.18.0")
	k6 := program(t, dir, "k6", "0.49.0")
	for _, c := range []struct {
		tool string
		want ToolError
		says string
	}{
		{"nginx", ToolError{
			Tool:  "nginx",
			Path:  filepath.Join(dir, "nginx"),
			Found: "1.18.0",
			Need:  "1.22.0",
		}, "make tools"},
		{"k6", ToolError{Tool: "k6", Path: k6, Found: "0.49.0", Need: "1.8.1"}, "k6 0.49.0"},
		{"envoy", ToolError{Tool: "envoy"}, "make tools"},
		{"go-client", ToolError{Tool: "go-client"}, "make build"},
	} {
		_, err := FindTools(t.Context(), root, c.tool)
		var fault *ToolError
		if !errors.As(err, &fault) || *fault != c.want {
			t.Errorf("%s: %+v, want %+v", c.tool, fault, c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.tool) {
			t.Errorf("error %q doesn't name %s and say %q", err, c.tool, c.says)
		}
	}
	_, err := FindTools(t.Context(), root, "nginx", "envoy")
	if err == nil || !strings.Contains(err.Error(), "nginx 1.18.0") ||
		!strings.Contains(err.Error(), "envoy is missing") {
		t.Errorf("error %v, want both that are missing", err)
	}
}

func TestANewerNginxIsUsedWhereTheOrdinaryOneIsTooOld(t *testing.T) {
	dir := t.TempDir()
	old, current := program(t, dir, "nginx", "1.22.1"), program(t, dir, "nginx-current", "1.29.4")
	s := facts.Server{Name: "nginx-1000-h2-upstream", Kind: facts.Nginx, MinVersion: "1.29.4"}
	for _, c := range []struct {
		name   string
		tools  Tools
		path   string
		reason string
	}{
		{"both", Tools{"nginx": old, "nginx-current": current}, current, ""},
		{"the ordinary one is new enough", Tools{"nginx": current}, current, ""},
		{"only the old one", Tools{"nginx": old}, "", "nginx-1000-h2-upstream needs nginx 1.29.4 or newer, found 1.22.1"},
		{"none", Tools{}, "", "nginx-1000-h2-upstream needs nginx 1.29.4 or newer, none was found"},
	} {
		path, _ := choose(t.Context(), c.tools, kinds.Of(s.Kind), s)
		if reason := Supported(t.Context(), c.tools, s); path != c.path || texts.English.In(reason) != c.reason {
			t.Errorf("%s: %q, %q; want %q, %q", c.name, path, reason, c.path, c.reason)
		}
	}
	if reason := Supported(t.Context(), Tools{"nginx": old}, facts.Server{Kind: facts.Nginx}); !reason.IsZero() {
		t.Errorf("a server without a MinVersion is refused: %s", reason)
	}
}

// fakes are the living processes of the fakes, in any process group.
func fakes() []int {
	var out []int
	for pid := range proc.Living() {
		if pid != os.Getpid() && slices.Contains(proc.Args(pid), "worker.conf") {
			out = append(out, pid)
		}
	}
	slices.Sort(out)
	return out
}

func TestAWrongProgramInAServersPlaceIsOneLineAndNothingIsLeft(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	for _, c := range []struct{ mode, name, want string }{
		{"exits", "a server ends at once with status 0", "nginx-1000 (pid %) ended with status 0 and printed nothing"},
		{"dies", "a server ends at once with a message",
			"nginx-1000 (pid %) ended with status 3; its last line: [emerg] the disk is on fire"},
		{"garbage", "a server prints 150 kB of garbage and ends",
			"nginx-1000 (pid %) ended with status 1; its last line: ?[31mred?"},
		{"mute", "a server never listens", "nginx-1000 is not ready after 300ms"},
		{"elsewhere", "a server listens on other ports", "nginx-1000 is not ready after 300ms"},
		{"forks", "a server leaves a daemon and ends", "nginx-1000 (pid %) ended with status 0 and printed nothing"},
	} {
		f.Try(c.name, func(t *testing.T) {
			root := newRoot(t)
			servers, opts := topology(t, root, c.mode)
			opts.Tools["nginx"] = filepath.Join(root, "nginx-fake")
			labtest.Check(t, os.Symlink(os.Args[0], opts.Tools["nginx"]))
			write(t, root, "worker.conf", "mode mute\n")
			opts.ReadyWithin = 300 * time.Millisecond
			_, err := Up(t.Context(), opts, servers)
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %v, want one line", err)
			}
			before, after, _ := strings.Cut(c.want, "%")
			if !strings.HasPrefix(err.Error(), before) || !strings.Contains(err.Error(), after) {
				t.Errorf("error %q, want %q", err, c.want)
			}
			nothingLeft(t, root, servers)
			if left := fakes(); len(left) > 0 {
				t.Errorf("processes %v are left", left)
			}
		})
	}
}

func TestServersAreStoppedInAHurry(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Signals)
	f.Try("a second Ctrl-C while servers that ignore polite signals are stopped", func(t *testing.T) {
		root := newRoot(t)
		servers, opts := topology(t, root, "stubborn")
		opts.Grace = 10 * time.Minute // the test would end before it
		site, err := Up(t.Context(), opts, servers)
		labtest.Check(t, err)
		hurry, second := context.WithCancel(t.Context())
		ctx, first := context.WithCancel(child.WithHurry(t.Context(), hurry))
		first()
		time.AfterFunc(50*time.Millisecond, second)
		if err := site.Down(ctx); err != nil {
			t.Error(err)
		}
		nothingLeft(t, root, servers)
	})
	f.Try("Ctrl-C before a server is ready, and another while it is stopped", func(t *testing.T) {
		root := newRoot(t)
		servers, opts := topology(t, root, "stubborn")
		opts.Grace = 10 * time.Minute
		hurry, second := context.WithCancel(t.Context())
		ctx, first := context.WithCancel(child.WithHurry(t.Context(), hurry))
		first()
		second()
		if _, err := Up(ctx, opts, servers); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		nothingLeft(t, root, servers)
	})
}

func TestAServerWithoutItsProgramIsAToolError(t *testing.T) {
	for _, kind := range []facts.Kind{facts.Nginx, facts.Envoy, facts.Backend} {
		_, err := commandOf(t.Context(), "/root", Tools{}, facts.Server{Kind: kind, Front: "127.0.0.1:1"})
		var fault *ToolError
		if !errors.As(err, &fault) || fault.Tool != string(kind) {
			t.Errorf("%s: error %v, want a ToolError", kind, err)
		}
	}
	// Without an optional program a topology is unsupported, and says what gets it.
	var lacks *UnsupportedError
	_, err := commandOf(t.Context(), "/root", Tools{}, facts.Server{Name: "haproxy", Kind: kinds.HAProxy})
	if !errors.As(err, &lacks) || !strings.Contains(err.Error(), "run: tools/get.sh haproxy") {
		t.Errorf("error %v", err)
	}
	if _, err := commandOf(t.Context(), "/root", Tools{}, facts.Server{Name: "x", Kind: "caddy"}); err == nil {
		t.Error("an unknown kind of server is accepted")
	}
}

// rewriteState changes a state file.
func rewriteState(t *testing.T, path string, change func(*state)) {
	t.Helper()
	text, err := os.ReadFile(path)
	labtest.Check(t, err)
	var st state
	labtest.Check(t, json.Unmarshal(text, &st))
	change(&st)
	if text, err = json.Marshal(st); err != nil {
		t.Fatal(err)
	}
	labtest.Write(t, path, string(text))
}

func TestRecordsHoldTheServersOwnAccountWithoutTheRoot(t *testing.T) {
	root, dir := newRoot(t), t.TempDir()
	servers, opts := topology(t, root, "")
	site := mustUp(t, opts, servers)
	records, err := site.Records(t.Context(), dir)
	labtest.Check(t, err)
	i := slices.IndexFunc(records, func(r facts.ServerRecord) bool { return r.Name == "nginx-1000" })
	got := records[i]
	if got.Version != "1.22.1" || got.Config != "nginx/keepalive-1000.conf" || got.CPUs != nil {
		t.Errorf("recorded %+v", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, got.Effective))
	labtest.Check(t, err)
	if !strings.HasPrefix(string(text), "# configuration file ROOT/nginx/keepalive-1000.conf:\n") ||
		strings.Contains(string(text), root) {
		t.Errorf("the account begins with %.80q and may not name the root", text)
	}
	if got.EffectiveHash != hash(text) {
		t.Errorf("hash %s, want that of the file", got.EffectiveHash)
	}
	if backend := records[1-i]; !strings.HasPrefix(backend.Version, "go1.") || backend.Effective != "" {
		t.Errorf("the backend is recorded as %+v", backend)
	}
}

func TestOnlyFilesLoseTheRoot(t *testing.T) {
	s := &Site{Options: Options{Root: "/lab"}}
	got := string(s.withoutRoot([]byte("/lab/nginx/a.conf location = /lab/health /lab/certs/out/ca.crt")))
	if want := "ROOT/nginx/a.conf location = /lab/health ROOT/certs/out/ca.crt"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEnvoysAccountIsTheSameForTheSameConfiguration(t *testing.T) {
	load := 0
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/server_info" {
			_, _ = w.Write(
				[]byte(`{"version":"9e5580933739775e8bce696a57a2e1bc99368f23/1.40.0/Clean/RELEASE/BoringSSL"}`),
			)
			return
		}
		load++
		_, _ = w.Write([]byte(`{"configs":[{"bootstrap":{"node":{"extensions":[{"name":"x"}]},"n":1.50},` +
			`"last_updated":"2026-11-21T01:00:0` +
			string(rune('0'+load)) + `Z"}]}`))
	}))
	defer admin.Close()
	envoy := &process{saved: saved{Server: facts.Server{Kind: facts.Envoy, Counters: strings.TrimPrefix(admin.URL, "http://")}}}
	version, first, err := dumpAccount(t.Context(), envoy)
	if err != nil || version != "1.40.0" {
		t.Fatalf("version %q, %v", version, err)
	}
	_, second, err := dumpAccount(t.Context(), envoy)
	labtest.Check(t, err)
	if hash(first) != hash(second) {
		t.Errorf("two dumps of one configuration differ:\n%s\n%s", first, second)
	}
	if want := "{\n \"configs\": [\n  {\n   \"bootstrap\": {\n    \"n\": 1.50,\n    \"node\": {}\n   }\n  }\n " +
		"]\n}\n"; string(first) != want {
		t.Errorf("got %s, want %s", first, want)
	}
}
