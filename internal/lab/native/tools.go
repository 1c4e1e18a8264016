package native

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"debug/buildinfo"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
)

// Tools are the paths of the programs that the lab runs, by name. One that wasn't requested is missing.
type Tools map[string]string

// ToolError means that a program is missing or too old. It ends h2lab with exit status 3.
type ToolError struct {
	Tool  string
	Path  string // empty when it was not found
	Found string // its version, if known
	Need  string // the oldest supported version, or empty
	Cause error  // why it printed no version, or nil
}

func (e *ToolError) Error() string {
	next, places := "make tools", "in PATH nor in tools/bin"
	if ours(e.Tool) {
		next, places = "make build", "in bin/ nor in PATH"
	}
	switch {
	case e.Tool == "ab":
		return "ab is missing: it is not in PATH; install it with: sudo apt-get install apache2-utils"
	case e.Path == "":
		return fmt.Sprintf("%s is missing: it is neither %s; run: %s", e.Tool, places, next)
	case e.Cause != nil:
		return fmt.Sprintf("%s: %s; replace it with: %s", e.Tool, e.Cause, next)
	}
	return fmt.Sprintf("%s %s at %s is too old, %s or newer is required; run: %s", e.Tool, e.Found, e.Path, e.Need, next)
}

// Unwrap is why it printed no version.
func (e *ToolError) Unwrap() error { return e.Cause }

// other are the programs that are no servers. k6 1.8.1 is the one that the scripts were checked with.
var other = map[string]struct {
	least      string
	askVersion []string
}{"k6": {"1.8.1", []string{"version"}}, "openssl": {"", []string{"version"}}, "ab": {"", []string{"-V"}}, "go-client": {}}

// leastOf is the oldest supported version of a program; empty is any.
func leastOf(tool string) string { return cmp.Or(kinds.ByProgram(tool).Least, other[tool].least) }

// versionArgs are the arguments that print a program's version.
func versionArgs(tool string) []string {
	if k := kinds.ByProgram(tool); k.Program != "" {
		return k.AskVersion
	}
	return other[tool].askVersion
}

// ours reports whether this project builds the program itself, into bin/.
func ours(tool string) bool { return tool == "backend" || tool == "go-client" }

// FindTools finds the requested programs ("nginx", "envoy", "k6", "backend", "go-client", "ab"): in PATH,
// then in tools/bin, where `make tools` installs them; the project's own in bin/, then in PATH. It
// skips a program that is too old, so that `make tools` helps where PATH has an old one. One error
// names all missing programs, as ToolErrors.
func FindTools(ctx context.Context, root string, need ...string) (Tools, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return Tools{}, fmt.Errorf("the project's root %s: %w", root, err)
	}
	found, errs := make([]string, len(need)), make([]error, len(need))
	tools := Tools{}
	var group await.Group
	for i, tool := range need {
		k := kinds.ByProgram(tool)
		if _, known := other[tool]; !known && k.Program == "" {
			errs[i] = fmt.Errorf("unknown tool %q", tool)
			continue
		}
		if newer := executable(filepath.Join(root, "tools", "bin", k.Newer)); k.Newer != "" && newer != "" {
			tools[k.Newer] = newer
		}
		group.Go(func() {
			if found[i], errs[i] = findTool(ctx, root, tool); k.Optional {
				errs[i] = nil // its topologies are unsupported
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return Tools{}, context.Cause(ctx)
	}
	for i, tool := range need {
		if found[i] != "" {
			tools[tool] = found[i]
		}
	}
	return tools, errors.Join(errs...)
}

// findTool is the first candidate that is new enough.
func findTool(ctx context.Context, root, tool string) (string, error) {
	fault := &ToolError{Tool: tool}
	for _, path := range candidates(root, tool) {
		if leastOf(tool) == "" {
			return path, nil
		}
		least := versions.Release(leastOf(tool))
		found, err := versionText(ctx, tool, path)
		if err == nil && !versions.Release(found).Less(least) {
			return path, nil
		}
		if fault.Path == "" {
			fault.Path, fault.Need, fault.Found, fault.Cause = path, least.String(), found, err
		}
	}
	return "", fault
}

// candidates are the executables of that name, in the order of the search.
func candidates(root, tool string) []string {
	var inPath string
	// With "." in PATH, LookPath returns a relative path and an error; h2lab doesn't run such a
	// program.
	if found, err := exec.LookPath(tool); err == nil {
		inPath, _ = filepath.Abs(found)
	}
	places := []string{inPath, executable(filepath.Join(root, "tools", "bin", tool))}
	if ours(tool) {
		places = []string{executable(filepath.Join(root, "bin", tool)), inPath}
	}
	var out []string
	for _, p := range places {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// executable is path when it is an executable file, else empty.
func executable(path string) string {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return ""
	}
	return path
}

// versionText is the version as the program prints it.
func versionText(ctx context.Context, tool, path string) (string, error) {
	if err, ok := hung.Load(path); ok {
		return "", err.(error)
	}
	r, err := child.Run(ctx, child.Spec{Argv: append([]string{path}, versionArgs(tool)...)},
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
	asked := maps.Clone(t)
	if openssl, err := exec.LookPath("openssl"); err == nil {
		asked["openssl"] = openssl
	}
	names := slices.Sorted(maps.Keys(asked))
	errs, texts := make([]error, len(names)), make([]string, len(names))
	var group await.Group
	for i, name := range names {
		tool := name
		for _, k := range kinds.Known {
			if k.Newer == name && name != "" {
				tool = k.Program
			}
		}
		if versionArgs(tool) == nil {
			continue // built with this program
		}
		group.Go(func() {
			// A second program that doesn't run counts as none, as for choose.
			if texts[i], errs[i] = versionText(ctx, tool, asked[name]); tool != name {
				errs[i] = nil
			}
		})
	}
	group.Wait()
	for i, name := range names {
		if texts[i] != "" {
			out[name] = texts[i]
		}
	}
	return out, errors.Join(errs...)
}

// Supported says why a server can't run with these tools, with their versions; empty when it can.
func Supported(ctx context.Context, tools Tools, s facts.Server) (reason facts.Text) {
	_, reason = choose(ctx, tools, kinds.Of(s.Kind), s)
	return reason
}

// choose selects the program for a server: the ordinary one where it is new enough for the server, else the newer one.
func choose(ctx context.Context, tools Tools, k kinds.Kind, s facts.Server) (path string, reason facts.Text) {
	if s.MinVersion == "" {
		if path = tools[k.Program]; path == "" && k.Optional {
			reason = facts.T("lab.needs-program", s.Name, k.Program, k.Least, k.Install)
		}
		return path, reason
	}
	least, err := versions.Parse(s.MinVersion)
	if err != nil {
		return "", facts.Verbatim(fmt.Sprintf("%s: its least version can't be read: %v", s.Name, err))
	}
	found := ""
	for _, path := range []string{tools[k.Program], tools[k.Newer]} {
		if path == "" {
			continue
		}
		v, err := versionText(ctx, k.Program, path)
		if err == nil && !versions.Release(v).Less(least) {
			return path, facts.Text{}
		}
		if err == nil {
			found = v
		}
	}
	if found == "" {
		return "", facts.T("lab.needs-version-none", s.Name, k.Program, s.MinVersion)
	}
	return "", facts.T("lab.needs-version", s.Name, k.Program, s.MinVersion, found)
}

// builtWith is the Go version of a Go program, read from the file.
func builtWith(path string) (string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the Go version of %s: %w", path, err)
	}
	return info.GoVersion, nil
}

// CertificateError means that a certificate is missing, unreadable, expired or not signed by the
// lab's CA. It ends h2lab with exit status 3.
type CertificateError struct {
	File string
	Err  error
}

func (e *CertificateError) Error() string {
	return fmt.Sprintf("certificate %s: %v; run: make certs", e.File, e.Err)
}

func (e *CertificateError) Unwrap() error { return e.Err }

// CheckCertificates checks that the CA, the server's certificate and its key exist and belong together, and that a
// client would accept the certificate at that time.
func CheckCertificates(root string, now time.Time) error {
	roots, err := authority(filepath.Join(root, kinds.CAFile))
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(root, kinds.CertFile), filepath.Join(root, kinds.KeyFile))
	if err == nil {
		_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, DNSName: "127.0.0.1"})
	}
	if err != nil {
		return &CertificateError{File: kinds.CertFile, Err: plain(err)}
	}
	return nil
}

// authority reads the certificate of a CA.
func authority(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &CertificateError{File: file, Err: plain(err)}
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, &CertificateError{File: file, Err: errors.New("no PEM certificate in it")}
	}
	return roots, nil
}

// plain removes the path from a file system error: the message already has it.
func plain(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
