package native

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
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
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

// command is a server's program and arguments. It runs in the project's root, so every path in it
// is relative to that.
type command struct {
	program string
	args    []string
}

// Certificates, relative to the project's root, as certs/make.sh writes them.
const (
	caFile   = "certs/out/ca.crt"
	certFile = "certs/out/server.crt"
	keyFile  = "certs/out/server.key"
)

// commandOf is the command of a server.
func commandOf(ctx context.Context, root string, tools Tools, s facts.Server) (command, error) {
	var c command
	switch s.Kind {
	case facts.Nginx:
		path, reason := chooseNginx(ctx, tools, s)
		if reason != "" {
			return command{}, &UnsupportedError{Server: s.Name, Reason: reason}
		}
		// Without -e nginx prints a warning about its compiled-in error log before it reads the
		// file.
		c = command{path, []string{"-p", root + string(filepath.Separator), "-c", s.Config, "-e", "stderr"}}
	case facts.Envoy:
		// Hot restart is off: several Envoys then need no base ids, and none leaves shared memory
		// behind in /dev/shm, as with --use-dynamic-base-id (measured on 1.40.0).
		c = command{tools.Envoy,
			[]string{"-c", s.Config, "--concurrency", "1", "--disable-hot-restart", "--log-level", "warning"}}
	case facts.Backend:
		c = command{tools.Backend, []string{"--listen", s.Front, "--counters", s.Counters,
			"--cert", certFile, "--key", keyFile}}
	case facts.Gateway, facts.Service:
		return serviceCommand(root, s)
	default:
		return command{}, fmt.Errorf("%s: unknown kind of server %q", s.Name, s.Kind)
	}
	if c.program == "" {
		return command{}, &ToolError{Tool: string(s.Kind), Need: minVersions[string(s.Kind)].String()}
	}
	return c, nil
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
	args := append(slices.Clone(s.Argv[1:]), "--port", strconv.Itoa(port), "--ca", caFile)
	if s.Kind == facts.Gateway {
		counters, err := portOf(s.Counters)
		if err != nil {
			return command{}, fmt.Errorf("%s: %w", s.Name, err)
		}
		args = append(args, "--counters", strconv.Itoa(counters), "--cert", certFile, "--key", keyFile)
	}
	for _, u := range s.Upstreams {
		args = append(args, "--upstream", u.Name+"="+u.Front)
	}
	return command{program, args}, nil
}

// onJVM reports whether a server is a program of services/. It runs without a CPU budget: half a
// processor would make a JVM's start and its compiler, not the proxies, the slowest part.
func onJVM(s facts.Server) bool { return s.Kind == facts.Gateway || s.Kind == facts.Service }

// UnsupportedError means that a server can't run here, because of the given version.
type UnsupportedError struct {
	Server string
	Reason string
}

func (e *UnsupportedError) Error() string { return e.Reason + "; run: make tools" }

// askTimeout bounds one request to a server that accepts and doesn't answer.
const askTimeout = 2 * time.Second

// healthURLs are the URLs that a ready server answers: its front over TLS, without a request to its
// upstream, and its counters.
func healthURLs(s facts.Server) []string {
	switch s.Kind {
	case facts.Nginx:
		return []string{"https://" + s.Front + "/lab/health", "http://" + s.Counters + "/stub_status"}
	case facts.Envoy:
		return []string{"https://" + s.Front + "/lab/health", "http://" + s.Counters + "/ready"}
	case facts.Gateway:
		return []string{"https://" + s.Front + "/lab/health", "http://" + s.Counters + "/lab/ready"}
	case facts.Service:
		return []string{"http://" + s.Front + "/lab/ready"}
	default:
		return []string{"https://" + s.Front + "/healthz", "http://" + s.Counters + "/healthz"}
	}
}

// healthClient trusts the lab's CA and leaves no connection open that a server would have to wait
// for.
func healthClient(root string) (*http.Client, error) {
	text, err := os.ReadFile(filepath.Join(root, caFile))
	if err != nil {
		return nil, &CertificateError{File: caFile, Err: plain(err)}
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, &CertificateError{File: caFile, Err: errors.New("no PEM certificate in it")}
	}
	return &http.Client{Timeout: askTimeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}, nil
}

// healthy sends one request to each health URL of a server.
func healthy(ctx context.Context, client *http.Client, s facts.Server) error {
	for _, url := range healthURLs(s) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		_ = resp.Body.Close()
		if err != nil {
			return fmt.Errorf("GET %s: %w", url, err)
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s: status %d", url, resp.StatusCode)
		}
	}
	return nil
}

// waitReady sends requests until the server answers. It stops when any server has died, when the
// context ends, and after within.
func (s *Site) waitReady(ctx context.Context, client *http.Client, p *process, within time.Duration) error {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := healthy(ctx, client, p.server)
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
			return fmt.Errorf("waiting for %s: %w", p.server.Name, ctx.Err())
		case <-deadline.C:
			return fmt.Errorf("%s is not ready after %v: %w; its output: cat %s", p.server.Name, within, err, p.log)
		case <-again.C:
		}
	}
}

// configDir has the servers' effective configurations, relative to results.json.
const configDir = "config"

// Records returns the configuration that each server runs with. It writes the server's own dump
// (nginx -T; Envoy's config dump) below dir, as config/NAME.effective.conf or .json, to keep it
// beside the results. The dump has ROOT in place of the project's root, so that the same
// configuration has the same hash on every machine (for Envoy: see envoyAccount). The backend has
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
			return nil, fmt.Errorf("recording the configuration of %s: %w", p.server.Name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (s *Site) record(ctx context.Context, dir *rooted.Dir, p *process) (facts.ServerRecord, error) {
	r := facts.ServerRecord{Name: p.server.Name, Config: p.server.Config, CPUs: p.cpus}
	if p.server.Config != "" {
		config, err := os.ReadFile(filepath.Join(s.root, p.server.Config))
		if err != nil {
			return r, err
		}
		r.ConfigHash = hash(config)
	}
	var account []byte
	var ext string
	var err error
	switch p.server.Kind {
	case facts.Nginx:
		ext = ".conf"
		r.Version, account, err = s.nginxAccount(ctx, p)
	case facts.Envoy:
		ext = ".json"
		r.Version, account, err = envoyAccount(ctx, p.server.Counters)
	case facts.Gateway, facts.Service:
		r.Version = javaVersion(p.PID)
	default:
		r.Version, err = builtWith(p.file())
	}
	if err != nil && p.adopted {
		// Its program is in another container.
		s.warnings = append(s.warnings,
			fmt.Sprintf("%s can't be asked for its own account of its configuration: %v", p.server.Name, err))
		return r, nil
	}
	if err != nil || account == nil {
		return r, err
	}
	account = s.withoutRoot(account)
	r.Effective, r.EffectiveHash = path.Join(configDir, p.server.Name+".effective"+ext), hash(account)
	return r, dir.Write(r.Effective, account)
}

// file is the path of the server's program; through /proc when h2lab did not start it.
func (p *process) file() string {
	if p.program != "" {
		return p.program
	}
	return fmt.Sprintf("/proc/%d/exe", p.PID)
}

// nginxAccount returns the version and the output of -T: every file, as nginx reads it.
func (s *Site) nginxAccount(ctx context.Context, p *process) (version string, account []byte, err error) {
	said := p.account
	if !p.adopted {
		if said, err = s.askNginx(ctx, p); err != nil {
			return "", nil, err
		}
	}
	if said.Problem != "" {
		return "", nil, errors.New(said.Problem)
	}
	version, err = findVersion("nginx", []byte(said.Version))
	return version, []byte(said.Config), err
}

// NginxAccount are the arguments that make nginx describe itself, for a checkout and a configuration in
// it: first its version, to stderr, then its whole configuration, to stdout.
func NginxAccount(root, config string) (version, account []string) {
	return []string{"-v"}, []string{"-T", "-p", root + "/", "-c", filepath.ToSlash(config), "-e", "stderr"}
}

// accountTime bounds one run of nginx -v or -T, on a busy machine.
const accountTime = 15 * time.Second

// askNginx runs the program that h2lab started.
func (s *Site) askNginx(ctx context.Context, p *process) (a Account, err error) {
	limits := child.Limits{Within: accountTime, Stdout: adminLimit}
	version, account := NginxAccount(s.root, p.server.Config)
	r, err := child.Run(ctx, child.Spec{Argv: append([]string{p.program}, version...), Dir: s.root}, limits)
	if err != nil {
		return a, err
	}
	a.Version = r.Stderr
	r, err = child.Run(ctx, child.Spec{Argv: append([]string{p.program}, account...), Dir: s.root}, limits)
	a.Config = r.Stdout
	return a, err
}

// adminLimit bounds an answer of Envoy's admin interface; a config dump is well under 1 MB.
const adminLimit = 32 << 20

// envoyAccount returns the version and the config dump. It removes two parts so that one
// configuration has one hash: the load times (last_updated), and the list of compiled-in
// extensions, which the version determines and which is longer than the rest.
func envoyAccount(ctx context.Context, admin string) (version string, account []byte, err error) {
	text, err := get(ctx, "http://"+admin+"/server_info")
	if err != nil {
		return "", nil, err
	}
	if version, err = findVersion("envoy", text); err != nil {
		return "", nil, err
	}
	if text, err = get(ctx, "http://"+admin+"/config_dump"); err != nil {
		return "", nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // keeps numbers as Envoy wrote them
	var dump any
	if err := decoder.Decode(&dump); err != nil {
		return "", nil, fmt.Errorf("the config dump: %w", err)
	}
	drop(dump, "last_updated", "extensions")
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

// get reads one page from a server's loopback listener.
func get(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout*5)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: status %d", url, resp.StatusCode)
	}
	return io.ReadAll(io.LimitReader(resp.Body, adminLimit))
}

// withoutRoot replaces the project's root with ROOT, but only before the directories that servers
// name: under Compose the root is /lab, and /lab/health is no file.
func (s *Site) withoutRoot(text []byte) []byte {
	for _, dir := range []string{"nginx/", "envoy/", "certs/", "var/"} {
		text = bytes.ReplaceAll(text, []byte(s.root+"/"+dir), []byte("ROOT/"+dir))
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
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return ""
	}
	return releaseOf(program)
}

// releaseOf is the version of the JDK that a program bin/java belongs to.
func releaseOf(program string) string {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(program), "..", "release"))
	if err != nil {
		return ""
	}
	if m := javaRelease.FindSubmatch(text); m != nil {
		return "Java " + string(m[1])
	}
	return ""
}
