//go:build linux

package native

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
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
	if want := (Tools{Nginx: inPath, NginxCurrent: current, Envoy: envoy, K6: k6, Backend: backend}); tools != want {
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
	tools.NginxCurrent = filepath.Join(made, "without-libraries")
	labtest.WriteProgram(t, tools.NginxCurrent, "#!/bin/sh\nexec /nowhere/loader\n")
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

func TestVersionsAreReadFromWhatTheProgramsPrint(t *testing.T) {
	for _, c := range []struct{ tool, says, want string }{
		{"nginx", "nginx version: nginx/1.22.1\n", "1.22.1"},
		{"nginx", "nginx version: nginx/1.29.4 (Debian)\nbuilt with OpenSSL 3.0.19\n", "1.29.4"},
		{"envoy", "\nenvoy  version: 9e5580933739775e8bce696a57a2e1bc99368f23/1.40.0/Clean/RELEASE/BoringSSL\n",
			"1.40.0"},
		{"envoy",
			"\n/tmp/455597385/001/bin/envoy  version: " +
				"9e5580933739775e8bce696a57a2e1bc99368f23/1.40.0/Clean/RELEASE/BoringSSL\n", "1.40.0"},
		{"envoy", `{"version": "9e5580933739775e8bce696a57a2e1bc99368f23/1.37.0-dev/Clean/RELEASE/BoringSSL"}`,
			"1.37.0-dev"},
		{"k6", "k6 v1.8.1 (go1.26.8, linux/amd64)\n", "1.8.1"},
		{"openssl", "OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19 27 Jan 2026)\n", "3.0.19"},
	} {
		if got, err := findVersion(c.tool, []byte(c.says)); err != nil || got != c.want {
			t.Errorf("%s: version %q (%v), want %q", c.tool, got, err, c.want)
		}
		if got, err := findVersion(c.tool, []byte("command not found")); err == nil {
			t.Errorf("%s: version %q in an answer without one", c.tool, got)
		}
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
		{"both", Tools{Nginx: old, NginxCurrent: current}, current, ""},
		{"the ordinary one is new enough", Tools{Nginx: current}, current, ""},
		{"only the old one", Tools{Nginx: old}, "", "nginx-1000-h2-upstream needs nginx 1.29.4 or newer, found 1.22.1"},
		{"none", Tools{}, "", "nginx-1000-h2-upstream needs nginx 1.29.4 or newer, none was found"},
	} {
		path, _ := chooseNginx(t.Context(), c.tools, s)
		if reason := Supported(t.Context(), c.tools, s); path != c.path || reason != c.reason {
			t.Errorf("%s: %q, %q; want %q, %q", c.name, path, reason, c.path, c.reason)
		}
	}
	if reason := Supported(t.Context(), Tools{Nginx: old}, facts.Server{Kind: facts.Nginx}); reason != "" {
		t.Errorf("a server without a MinVersion is refused: %s", reason)
	}
}
