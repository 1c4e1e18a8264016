package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"h2lab/internal/base/await"
	"h2lab/internal/base/versions"
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
