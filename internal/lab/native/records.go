package native

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

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
