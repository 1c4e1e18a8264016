package native

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// command is a server's program and arguments. It runs in the project's root, so every path in it
// is relative to that.
type command struct {
	program string
	args    []string
}

// commandOf is the command of a server.
func commandOf(ctx context.Context, root string, tools Tools, s facts.Server) (command, error) {
	k := kinds.Of(s.Kind)
	switch {
	case k.JVM:
		return serviceCommand(root, s)
	case k.Program == "":
		return command{}, fmt.Errorf("%s: unknown kind of server %q", s.Name, s.Kind)
	}
	path, reason := choose(ctx, tools, k, s)
	if !reason.IsZero() {
		return command{}, &UnsupportedError{Server: s.Name, Reason: reason}
	}
	if path == "" {
		return command{}, &ToolError{Tool: k.Program, Need: k.Least}
	}
	return command{path, k.Argv(root, s)}, nil
}

// serviceCommand is the command of a program of services/: its own arguments, then those that all of
// them share.
func serviceCommand(root string, s facts.Server) (command, error) {
	if len(s.Argv) == 0 {
		return command{}, fmt.Errorf("%s has no program", s.Name)
	}
	program := s.Argv[0]
	if !filepath.IsAbs(program) {
		program = filepath.Join(root, program)
	}
	if executable(program) == "" {
		return command{}, exitstatus.Lacks(fmt.Errorf("%s is missing: %s is no program; build it with: make story",
			s.Name, program))
	}
	port, err := portOf(s.Front)
	if err != nil {
		return command{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	args := append(slices.Clone(s.Argv[1:]), "--port", strconv.Itoa(port), "--ca", kinds.CAFile)
	if s.Kind == facts.Gateway {
		counters, err := portOf(s.Counters)
		if err != nil {
			return command{}, fmt.Errorf("%s: %w", s.Name, err)
		}
		args = append(args, "--counters", strconv.Itoa(counters), "--cert", kinds.CertFile, "--key", kinds.KeyFile)
	}
	for _, u := range s.Upstreams {
		args = append(args, "--upstream", u.Name+"="+u.Front)
	}
	return command{program, args}, nil
}

// UnsupportedError means that a server can't run here, because of the given version.
type UnsupportedError struct {
	Server string
	Reason facts.Text
}

func (e *UnsupportedError) Error() string {
	said := texts.English.In(e.Reason)
	if e.Reason.Key != "lab.needs-program" { // which has the next step
		said += "; run: make tools"
	}
	return said
}

// askTimeout bounds one request to a server that accepts and doesn't answer.
const askTimeout = 2 * time.Second

// healthURLs are the URLs that a ready server answers: its front, without a request to its upstream, and its counters.
func healthURLs(s facts.Server) []string {
	out := []string{kinds.FrontHealth(s)}
	if ready := kinds.Of(s.Kind).Ready; ready != "" {
		out = append(out, "http://"+s.Counters+ready)
	}
	return out
}

// healthClient trusts the lab's CA.
func healthClient(root string) (*http.Client, error) {
	return Trusting(filepath.Join(root, kinds.CAFile))
}

// Trusting is a client that trusts one CA and leaves no connection open that a server would have to wait for.
func Trusting(file string) (*http.Client, error) {
	roots, err := authority(file)
	if err != nil {
		return nil, err
	}
	return &http.Client{Timeout: askTimeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}, nil
}

// healthy sends one request to each health URL of a server.
func healthy(ctx context.Context, client *http.Client, s facts.Server) error {
	for _, url := range healthURLs(s) {
		if _, err := Get(ctx, client, url); err != nil {
			return err
		}
	}
	return nil
}

// Get reads one page of a server.
func Get(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Close = true
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: status %d", url, resp.StatusCode)
	}
	page, err := io.ReadAll(io.LimitReader(resp.Body, adminLimit))
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", url, err)
	}
	return page, nil
}

// waitReady sends requests until the server answers. It stops when any server has died, when the
// context ends, and after within.
func (s *Site) waitReady(ctx context.Context, client *http.Client, p *process, within time.Duration) error {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := healthy(ctx, client, p.Server)
		// Another server could answer on a dead server's port, so the processes are checked last.
		for _, started := range s.processes {
			if !started.Alive() {
				return started.died()
			}
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", p.Server.Name, ctx.Err())
		case <-deadline.C:
			return fmt.Errorf("%s is not ready after %v: %w; its output: cat %s", p.Server.Name, within, err, p.Log)
		case <-again.C:
		}
	}
}

// configDir has the servers' effective configurations, relative to results.json.
const configDir = "config"

// Records returns the configuration that each server runs with. It writes the server's own dump
// (nginx -T; Envoy's config dump) below dir, as config/NAME.effective.conf or .json, to keep it
// beside the results. The dump has ROOT in place of the project's root, so that the same
// configuration has the same hash on every machine (for Envoy: see dumpAccount). The backend has
// no configuration file and no dump.
func (s *Site) Records(ctx context.Context, dir string) ([]facts.ServerRecord, error) {
	kept, err := rooted.Make(dir)
	if err != nil {
		return nil, fmt.Errorf("a directory for the servers' configurations: %w", err)
	}
	defer kept.Close() //nolint:errcheck // what was written is synced already
	var out []facts.ServerRecord
	for _, p := range s.processes {
		r, err := s.record(ctx, kept, p)
		if err != nil {
			return nil, fmt.Errorf("recording the configuration of %s: %w", p.Server.Name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (s *Site) record(ctx context.Context, dir *rooted.Dir, p *process) (facts.ServerRecord, error) {
	r := facts.ServerRecord{Name: p.Server.Name, Config: p.Server.Config, CPUs: p.CPUs}
	if p.Server.Config != "" {
		config, err := os.ReadFile(filepath.Join(s.Root, p.Server.Config))
		if err != nil {
			return r, err
		}
		r.ConfigHash = hash(config)
	}
	says := kinds.Of(p.Server.Kind).Account
	var account []byte
	var err error
	switch {
	case says.Java:
		r.Version = javaVersion(p.PID)
	case says.Dump != "":
		r.Version, account, err = dumpAccount(ctx, p)
	case p.Server.Kind == facts.Backend:
		r.Version, err = builtWith(cmp.Or(p.Program, fmt.Sprintf("/proc/%d/exe", p.PID))) // h2lab did not start every one
	default:
		r.Version, account, err = s.printedAccount(ctx, p)
	}
	if err != nil && p.adopted {
		// Its program is in another container.
		s.warnings = append(s.warnings,
			facts.T("lab.no-account", p.Server.Name, err.Error()))
		return r, nil
	}
	if err != nil || account == nil {
		return r, err
	}
	account = s.withoutRoot(account)
	r.Effective, r.EffectiveHash = path.Join(configDir, p.Server.Name+".effective"+says.Extension), hash(account)
	return r, dir.Write(r.Effective, account)
}

// printedAccount returns the version and, where the program can print it, the whole configuration as it reads it.
func (s *Site) printedAccount(ctx context.Context, p *process) (version string, account []byte, err error) {
	said := p.account
	if !p.adopted {
		if said, err = s.askProgram(ctx, p); err != nil {
			return "", nil, err
		}
	}
	if said.Problem != "" {
		return "", nil, errors.New(said.Problem)
	}
	if said.Config != "" {
		account = []byte(said.Config)
	}
	version, err = findVersion(kinds.Of(p.Server.Kind).Program, []byte(said.Version))
	return version, account, err
}

// accountTime bounds one run of a program that describes itself, on a busy machine.
const accountTime = 15 * time.Second

// askProgram runs the program that h2lab started.
func (s *Site) askProgram(ctx context.Context, p *process) (a Account, err error) {
	k, limits := kinds.Of(p.Server.Kind), child.Limits{Within: accountTime, Stdout: adminLimit}
	r, err := child.Run(ctx, child.Spec{Argv: append([]string{p.Program}, k.AskVersion...), Dir: s.Root}, limits)
	if a.Version = r.Stderr + r.Stdout; err != nil || k.Account.Args == nil {
		return a, err
	}
	argv := append([]string{p.Program}, k.Account.Args(s.Root, p.Server.Config)...)
	r, err = child.Run(ctx, child.Spec{Argv: argv, Dir: s.Root}, limits)
	a.Config = r.Stdout
	return a, err
}

// adminLimit bounds an answer of Envoy's admin interface; a config dump is well under 1 MB.
const adminLimit = 32 << 20

// dumpAccount returns the version and the configuration that a server's counters describe, without what would give one
// configuration several hashes.
func dumpAccount(ctx context.Context, p *process) (version string, account []byte, err error) {
	client := &http.Client{Timeout: askTimeout * 5}
	k, at := kinds.Of(p.Server.Kind), "http://"+p.Server.Counters
	text, err := Get(ctx, client, at+k.Account.Version)
	if err != nil {
		return "", nil, err
	}
	if version, err = findVersion(k.Program, text); err != nil {
		return "", nil, err
	}
	if text, err = Get(ctx, client, at+k.Account.Dump); err != nil {
		return "", nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // keeps numbers as the server wrote them
	var dump any
	if err := decoder.Decode(&dump); err != nil {
		return "", nil, fmt.Errorf("the config dump: %w", err)
	}
	drop(dump, k.Account.Drop...)
	account, err = json.MarshalIndent(dump, "", " ")
	return version, append(account, '\n'), err
}

// drop removes the named members from every object in v.
func drop(v any, names ...string) {
	switch x := v.(type) {
	case map[string]any:
		for _, n := range names {
			delete(x, n)
		}
		for _, child := range x {
			drop(child, names...)
		}
	case []any:
		for _, child := range x {
			drop(child, names...)
		}
	}
}

// withoutRoot replaces the project's root with ROOT, but only before the directories that servers
// name: under Compose the root is /lab, and /lab/health is no file.
func (s *Site) withoutRoot(text []byte) []byte {
	for _, dir := range append(kinds.Folders(), "certs", "var") {
		text = bytes.ReplaceAll(text, []byte(s.Root+"/"+dir+"/"), []byte("ROOT/"+dir+"/"))
	}
	return text
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

var javaRelease = regexp.MustCompile(`(?m)^JAVA_VERSION="([^"]{1,40})"`)

// javaVersion is the version of the Java that a process runs on, from the file release of its JDK;
// empty where there is none.
func javaVersion(pid int) string {
	program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return releaseOf(program)
}

// releaseOf is the version of the JDK that a program bin/java belongs to.
func releaseOf(program string) string {
	text, _ := os.ReadFile(filepath.Join(filepath.Dir(program), "..", "release"))
	if m := javaRelease.FindSubmatch(text); m != nil {
		return "Java " + string(m[1])
	}
	return ""
}
