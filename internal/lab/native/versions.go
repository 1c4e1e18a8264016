package native

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
)

// versionArgs are the arguments that print each program's version; nginx prints it to stderr.
var versionArgs = map[string][]string{
	"nginx":   {"-v"},
	"envoy":   {"--version"},
	"k6":      {"version"},
	"openssl": {"version"},
	"ab":      {"-V"},
}

// askVersion runs a program to read its version.
func askVersion(ctx context.Context, tool, path string) (versions.Version, error) {
	text, err := versionText(ctx, tool, path)
	if err != nil {
		return versions.Version{}, err
	}
	return versions.Release(text), nil
}

// versionText is the version as the program prints it.
func versionText(ctx context.Context, tool, path string) (string, error) {
	if err, ok := hung.Load(path); ok {
		return "", err.(error)
	}
	r, err := child.Run(ctx, child.Spec{Argv: append([]string{path}, versionArgs[tool]...)},
		child.Limits{Within: lookupTime})
	var late *child.HungError
	if errors.As(err, &late) {
		hung.Store(path, err)
	}
	if err != nil {
		return "", err
	}
	return findVersion(tool, []byte(r.Stdout+r.Stderr))
}

// lookupTime bounds the wait for one program to print its version, on a busy machine.
const lookupTime = 5 * time.Second

// hung holds the error of every program that did not print its version in time, so that h2lab waits
// for it only once.
var hung sync.Map

func findVersion(tool string, out []byte) (string, error) {
	v, found := versions.Of(tool, string(out))
	if !found {
		return "", fmt.Errorf("%s printed no version: %q", tool, bytes.TrimSpace(out))
	}
	return v.Text, nil
}

// Versions returns the version of every tool that was found, and of openssl if it is in PATH. "go"
// is the Go version that built this program, the backend and the Go client; "nginx-current" is
// present only with a second nginx.
func (t Tools) Versions(ctx context.Context) (map[string]string, error) {
	out := map[string]string{"go": runtime.Version()}
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		openssl = ""
	}
	asked := []struct{ name, tool, path string }{
		{"nginx", "nginx", t.Nginx},
		{"nginx-current", "nginx", t.NginxCurrent},
		{"envoy", "envoy", t.Envoy},
		{"k6", "k6", t.K6},
		{"openssl", "openssl", openssl},
		{"ab", "ab", t.Ab},
	}
	errs, texts := make([]error, len(asked)), make([]string, len(asked))
	var group await.Group
	for i, x := range asked {
		if x.path != "" {
			group.Go(func() { texts[i], errs[i] = versionText(ctx, x.tool, x.path) })
		}
	}
	group.Wait()
	errs[1] = nil // a second nginx that doesn't run counts as none, as for chooseNginx
	for i, x := range asked {
		if texts[i] != "" {
			out[x.name] = texts[i]
		}
	}
	return out, errors.Join(errs...)
}

// Supported says why a server can't run with these tools, with their versions; empty when it can.
func Supported(ctx context.Context, tools Tools, s facts.Server) (reason string) {
	_, reason = chooseNginx(ctx, tools, s)
	return reason
}

// chooseNginx selects the program for a server with a MinVersion: the ordinary nginx when it is new
// enough, else the current one.
func chooseNginx(ctx context.Context, tools Tools, s facts.Server) (path, reason string) {
	if s.Kind != facts.Nginx || s.MinVersion == "" {
		return tools.Nginx, ""
	}
	least, err := versions.Parse(s.MinVersion)
	if err != nil {
		return "", fmt.Sprintf("%s: its least version can't be read: %v", s.Name, err)
	}
	found := "none was found"
	for _, path := range []string{tools.Nginx, tools.NginxCurrent} {
		if path == "" {
			continue
		}
		v, err := askVersion(ctx, "nginx", path)
		if err == nil && !v.Less(least) {
			return path, ""
		}
		if err == nil {
			found = "found " + v.String()
		}
	}
	return "", fmt.Sprintf("%s needs nginx %s or newer, %s", s.Name, s.MinVersion, found)
}

// builtWith is the Go version of a Go program, read from the file.
func builtWith(path string) (string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the Go version of %s: %w", path, err)
	}
	return info.GoVersion, nil
}
