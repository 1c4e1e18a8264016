package native

import (
	"bytes"
	"context"
	"crypto/x509"
	"debug/buildinfo"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
)

// Tools are the paths of the programs that the lab runs; empty where not requested.
type Tools struct {
	Nginx, Envoy, K6, Backend, GoClient, Ab string
	// NginxCurrent is a second, newer nginx (tools/bin/nginx-current) for
	// configurations that Nginx is too old for; empty when there is none.
	NginxCurrent string
}

// ToolError means that a program is missing or too old. It ends h2lab with exit status 3.
type ToolError struct {
	Tool  string
	Path  string // empty when it was not found
	Found string // its version, if known
	Need  string // the oldest supported version, or empty
	Cause error  // why it printed no version, or nil
}

func (e *ToolError) Error() string {
	next := "make tools"
	if ours(e.Tool) {
		next = "make build"
	}
	if e.Tool == "ab" {
		return "ab is missing: it is not in PATH; install it with: sudo apt-get install apache2-utils"
	}
	switch {
	case e.Path == "" && ours(e.Tool):
		return fmt.Sprintf("%s is missing: it is neither in bin/ nor in PATH; run: %s", e.Tool, next)
	case e.Path == "":
		return fmt.Sprintf("%s is missing: it is neither in PATH nor in tools/bin; run: %s", e.Tool, next)
	case e.Cause != nil:
		return fmt.Sprintf("%s: %s; replace it with: %s", e.Tool, e.Cause, next)
	case e.Found == "":
		return fmt.Sprintf("%s at %s doesn't print its version; run: %s", e.Tool, e.Path, next)
	default:
		return fmt.Sprintf("%s %s at %s is too old, %s or newer is required; run: %s", e.Tool, e.Found, e.Path,
			e.Need, next)
	}
}

// Unwrap is why it printed no version.
func (e *ToolError) Unwrap() error { return e.Cause }

// minVersions are the oldest supported versions: nginx 1.22.0 is the oldest that accepts the lab's
// configurations, k6 1.8.1 is the one that the scripts were checked with, Envoy 1.37 the first
// whose administration interface can be limited to some paths (Admin.allow_paths).
var minVersions = map[string]versions.Version{
	"nginx": versions.New(1, 22, 0),
	"envoy": versions.New(1, 37, 0),
	"k6":    versions.New(1, 8, 1),
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
	var tools Tools
	errs := make([]error, len(need))
	var group await.Group
	for i, tool := range need {
		place := tools.place(tool)
		if place == nil {
			errs[i] = fmt.Errorf("unknown tool %q", tool)
			continue
		}
		if tool == "nginx" {
			tools.NginxCurrent = executable(filepath.Join(root, "tools", "bin", "nginx-current"))
		}
		group.Go(func() { *place, errs[i] = findTool(ctx, root, tool) })
	}
	group.Wait()
	if ctx.Err() != nil {
		return Tools{}, context.Cause(ctx)
	}
	return tools, errors.Join(errs...)
}

// place is the field with a tool's path.
func (t *Tools) place(tool string) *string {
	switch tool {
	case "nginx":
		return &t.Nginx
	case "envoy":
		return &t.Envoy
	case "k6":
		return &t.K6
	case "backend":
		return &t.Backend
	case "go-client":
		return &t.GoClient
	case "ab":
		return &t.Ab
	}
	return nil
}

// findTool is the first candidate that is new enough.
func findTool(ctx context.Context, root, tool string) (string, error) {
	fault := &ToolError{Tool: tool}
	for _, path := range candidates(root, tool) {
		least, versioned := minVersions[tool]
		if !versioned {
			return path, nil
		}
		found, err := askVersion(ctx, tool, path)
		if err == nil && !found.Less(least) {
			return path, nil
		}
		if fault.Path == "" {
			fault.Path, fault.Need = path, least.String()
			if err == nil {
				fault.Found = found.String()
			} else {
				fault.Cause = err
			}
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

// CheckCertificates checks that the CA, the server's certificate and its key exist, and that a
// client would accept the certificate at that time.
func CheckCertificates(root string, now time.Time) error {
	ca, err := readCertificate(root, caFile)
	if err != nil {
		return err
	}
	leaf, err := readCertificate(root, certFile)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(root, keyFile)); err != nil {
		return &CertificateError{File: keyFile, Err: plain(err)}
	}
	for _, x := range []struct {
		file string
		cert *x509.Certificate
	}{{caFile, ca}, {certFile, leaf}} {
		if now.After(x.cert.NotAfter) {
			return &CertificateError{
				File: x.file,
				Err:  fmt.Errorf("expired on %s", x.cert.NotAfter.UTC().Format(time.DateOnly)),
			}
		}
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, DNSName: "127.0.0.1"}); err != nil {
		return &CertificateError{File: certFile, Err: err}
	}
	return nil
}

// readCertificate reads the first certificate of a PEM file.
func readCertificate(root, file string) (*x509.Certificate, error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, &CertificateError{File: file, Err: plain(err)}
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, &CertificateError{File: file, Err: errors.New("no PEM certificate in it")}
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, &CertificateError{File: file, Err: err}
	}
	return cert, nil
}

// plain removes the path from a file system error: the message already has it.
func plain(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
