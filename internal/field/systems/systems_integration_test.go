//go:build integration

package systems

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proved"
	"h2lab/internal/facts"
	"h2lab/internal/field/probe/document"
)

var (
	hold   = flag.Duration("hold", 0, "leave the systems that -run selects up for that long, instead of asking them")
	asker  = flag.String("h2lab", "", "the h2lab to ask with; built from this checkout unless given")
	record = flag.String("record", "", "write what the probe saw of each system to `DIR`/NAME.json")
	with   = flag.String("with", "", "more arguments for h2lab probe, such as those of its default for other hosts: "+
		"'--rate 200 --max-streams 2500'")
	atOnce = flag.Int("at-once", 6, "systems at a time")
)

// TestMain lets more systems run side by side than there are processors: most of their time is waiting.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(*atOnce)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestSystems starts every system, asks it with h2lab probe and compares the answer with the truth.
func TestSystems(t *testing.T) {
	c := list(t)
	h2lab := *asker
	if h2lab == "" && *hold == 0 {
		h2lab = build(t)
	}
	var mu sync.Mutex
	answers := map[string]answer{}
	chosen := due(t, c)
	t.Run("all", func(t *testing.T) {
		for _, s := range chosen {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				up := s.start(t, c)
				if *hold > 0 {
					s.hold(t, up)
					return
				}
				a := s.ask(t, up, h2lab)
				s.compare(t, a)
				mu.Lock()
				answers[s.Name] = a
				mu.Unlock()
			})
		}
	})
	if *hold == 0 && len(answers) > 0 {
		tally(t, c, answers)
	}
}

// due are the systems to ask: all that -run selects, or else what isn't proved.
func due(t *testing.T, c catalogue) []system {
	t.Helper()
	asked := strings.HasPrefix(strings.TrimPrefix(flag.Lookup("test.run").Value.String(), "^"), "TestSystems")
	if asked || *hold > 0 || *record != "" {
		return c.Systems
	}
	p := proved.Open(t, labtest.Root(t), "systems")
	if p.Whole("systems", "internal/field/systems", "internal/field/probe", "internal/field/family", "internal/field/cause",
		"internal/field/cure", "tools/get/servers_list.sh", "versions.env") {
		return c.Systems
	}
	return slices.DeleteFunc(slices.Clone(c.Systems), func(s system) bool { return !p.Picks(s.Name) })
}

// build makes h2lab from this checkout.
func build(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "h2lab")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", out, "./cmd/h2lab")
	cmd.Dir = labtest.Root(t)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/h2lab: %v\n%s", err, said)
	}
	return out
}

// hold prints how to ask a system and leaves it up.
func (s system) hold(t *testing.T, up running) {
	fmt.Fprintf(os.Stderr, "%s: %s\n\tbin/h2lab probe --cacert %s %s %s\n", s.Name, s.What, up.ca,
		strings.Join(s.Ask, " "), up.url())
	select {
	case <-time.After(*hold):
	case <-t.Context().Done():
	}
}

func (r running) url() string { return "https://" + r.addr + "/lab/health" }

// ask runs h2lab probe.
func (s system) ask(t *testing.T, up running, h2lab string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args := slices.Concat([]string{"probe", "--json", "--cacert", up.ca}, s.Ask, strings.Fields(*with))
	cmd := exec.CommandContext(ctx, h2lab, append(args, up.url())...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	reloads := make(chan struct{})
	go func() { s.reload(ctx, up); close(reloads) }()
	err := cmd.Wait()
	took := time.Since(began)
	cancel()
	<-reloads
	var d document.Document
	if problem := json.Unmarshal(out.Bytes(), &d); problem != nil {
		t.Fatalf("h2lab probe ended after %v: %v; stdout is no document: %v\n%s", took, err, problem, said.String())
	}
	if *record != "" {
		s.record(t, out.Bytes())
	}
	s.compareEnd(t, d.Endpoint)
	t.Logf("asked in %.1f s: %s", took.Seconds(), d.Verdict.Limit)
	return answerOf(d)
}

// reload sends SIGHUP to the front at the system's times.
func (s system) reload(ctx context.Context, up running) {
	began := time.Now()
	for _, at := range s.Reload {
		select {
		case <-ctx.Done():
			return
		case <-time.After(at - time.Since(began)):
			_ = up.front.Process.Signal(syscall.SIGHUP)
		}
	}
}

// record keeps the endpoint without the address, which differs from run to run.
func (s system) record(t *testing.T, out []byte) {
	t.Helper()
	var d struct {
		Endpoint map[string]any `json:"endpoint"`
	}
	if err := json.Unmarshal(out, &d); err != nil {
		t.Fatal(err)
	}
	d.Endpoint["url"], d.Endpoint["address"] = "https://127.0.0.1:8443/lab/health", "127.0.0.1:8443"
	b, err := json.MarshalIndent(d.Endpoint, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(*record, s.Name+".json"), string(b)+"\n")
}

// compareEnd compares what the probe saw of the end at the limit with the truth.
func (s system) compareEnd(t *testing.T, e facts.Endpoint) {
	t.Helper()
	w := s.Truth
	if w.Ends == "" {
		return
	}
	if e.Ending == nil || e.Ending.How != w.Ends || e.Crossing == nil {
		t.Errorf("connections end by %s, and the probe saw %+v, %+v", w.Ends, e.Ending, e.Crossing)
		return
	}
	x := e.Crossing
	dropped, answered := x.InFlight.Dropped+x.After.Dropped, x.InFlight.Answered+x.After.Answered
	if w.Loses != (dropped > 0) || w.Loses && answered > 0 {
		t.Errorf("streams above the last id: %+v and, after the GOAWAY, %+v; want them lost: %v", x.InFlight, x.After, w.Loses)
	}
	if x.Covered.Answered != x.Covered.Sent {
		t.Errorf("streams up to the last id: %+v, want them answered", x.Covered)
	}
}

// compare fails for an answer that is wrong and sure.
func (s system) compare(t *testing.T, a answer) {
	t.Helper()
	t.Logf("%s: cause %s, family %s, idle %s, change %s", gradeAll(s.Truth, a), gradeCause(s.Truth, a),
		gradeFamily(s.Truth, a), gradeIdle(s.Truth, a), gradeChange(s.Truth, a))
	if gradeAll(s.Truth, a) != wrongSure {
		return
	}
	b, _ := json.MarshalIndent(a, "", "  ")
	t.Errorf("wrong and sure: cause %s, family %s, idle %s, change %s; the truth is %+v; the answer\n%s",
		gradeCause(s.Truth, a), gradeFamily(s.Truth, a), gradeIdle(s.Truth, a), gradeChange(s.Truth, a), s.Truth, b)
}

// tally writes the answers with -update, and otherwise requires as many right ones as the table in
// docs/systems.md has, less a few that a busy machine makes unknown.
func tally(t *testing.T, c catalogue, answers map[string]answer) {
	t.Helper()
	if *update {
		keep(t, c, answers)
		return
	}
	if len(answers) < len(c.Systems) {
		return // -run selected some
	}
	const leeway = 6
	before, now := count(c, kept(t)), count(c, answers)
	t.Logf("now %v, in docs/systems.md %v; %d processors", now, before, runtime.NumCPU())
	if now[right] < before[right]-leeway {
		t.Errorf("%d answers are right, in docs/systems.md %d; see each with -v", now[right], before[right])
	}
}

// running is a system that runs until its test ends.
type running struct {
	addr, ca string
	front    *exec.Cmd // the process that the probe asks; nil for one of this process
}

// start runs all processes of a system, those behind first.
func (s system) start(t *testing.T, c catalogue) running {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // a server that root started may read it as nobody
		t.Fatal(err)
	}
	cert := labtest.WriteCert(t, dir)
	words := s.words(t, dir)
	out := running{addr: "127.0.0.1:" + words["PORT"], ca: cert.File}
	for i, p := range s.Start {
		if p.Go != "" {
			serveGo(t, p, cert.Pair, out.addr, words)
			continue
		}
		own := maps.Clone(words)
		maps.Copy(own, p.Set)
		own["HERE"] = filepath.Join(dir, fmt.Sprint(i))
		if p.Port != "" {
			own["PORT"] = words[p.Port]
		}
		out.front = p.run(t, c, own)
	}
	awaitTLS(t, out.addr)
	return out
}

// awaitTLS makes a handshake, which takes a cold JVM on a busy machine longer than the probe waits.
func awaitTLS(t *testing.T, addr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}}}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		t.Fatalf("no TLS handshake with %s: %v", addr, err)
	}
	_ = conn.Close()
}

// words are the names that configurations may use.
func (s system) words(t *testing.T, dir string) map[string]string {
	t.Helper()
	both := labtest.Read(t, filepath.Join(dir, "server.crt")) + labtest.Read(t, filepath.Join(dir, "server.key"))
	write(t, filepath.Join(dir, "both.pem"), both)
	write(t, filepath.Join(dir, "www", "lab", "health"), "ok\n")
	for _, name := range []string{"server.crt", "server.key"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	origin := origin(t)
	root := labtest.Root(t)
	return map[string]string{
		"DIR": dir, "CERT": filepath.Join(dir, "server.crt"), "KEY": filepath.Join(dir, "server.key"),
		"BOTH": filepath.Join(dir, "both.pem"), "WWW": filepath.Join(dir, "www"),
		"PORT": fmt.Sprint(labtest.FreePort(t)), "PORT1": fmt.Sprint(labtest.FreePort(t)),
		"PORT2": fmt.Sprint(labtest.FreePort(t)), "PORT3": fmt.Sprint(labtest.FreePort(t)),
		"ORIGIN": origin, "ORIGIN_COMMA": strings.Replace(origin, ":", ",", 1),
		"MODULES": filepath.Join(root, "tools/servers/apache2/usr/lib/apache2/modules"),
		"TREES":   filepath.Join(root, "tools/servers"), "SERVERS": filepath.Join(root, "internal/field/systems/servers"),
		// What a system does not set.
		"LIMITS": "", "SECOND": "", "ZONE": "", "HTTP2": "http2", "ANSWER": `return 200 "ok\n";`,
	}
}

// run starts one process in its own process group and waits until it accepts connections.
func (p process) run(t *testing.T, c catalogue, words map[string]string) *exec.Cmd {
	t.Helper()
	here := words["HERE"]
	// A server that root started may write as nobody.
	if err := errors.Join(os.MkdirAll(here, 0o755), os.Chmod(here, 0o777)); err != nil {
		t.Fatal(err)
	}
	words["CONF"] = p.lay(t, c, words)
	how := c.Programs[p.Program]
	cmd := exec.Command(found(t, p.Program))
	for _, a := range append(how.Args, p.Add...) {
		cmd.Args = append(cmd.Args, filled(a, words, false))
	}
	cmd.Env = os.Environ()
	for _, e := range how.Env {
		cmd.Env = append(cmd.Env, filled(e, words, false))
	}
	log, err := os.Create(filepath.Join(here, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = here, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() { _ = cmd.Wait(); close(over) }()
	t.Cleanup(func() {
		stop(cmd.Process.Pid, over)
		_ = log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("the log of %s:\n%s", p.Program, last(string(text)))
		}
	})
	awaitAccept(t, p.Program, "127.0.0.1:"+words["PORT"], over)
	return cmd
}

// last is the end of a log.
func last(text string) string {
	const enough = 4000
	return text[max(0, len(text)-enough):]
}

// lay writes the process's configuration, one file or a directory, and returns its path.
func (p process) lay(t *testing.T, c catalogue, words map[string]string) string {
	t.Helper()
	name := p.conf(c)
	if name == "" {
		return ""
	}
	from := filepath.Join("testdata", "conf", name)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := filled(labtest.Read(t, path), words, os.Getuid() == 0)
		if rest := leftover.FindString(text); rest != "" {
			t.Fatalf("%s: nothing replaces %s", path, rest)
		}
		write(t, filepath.Join(words["HERE"], filepath.Base(path)), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(words["HERE"], name)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// found returns the path of a program. The test fails without it.
func found(t *testing.T, name string) string {
	t.Helper()
	path, err := find(labtest.Root(t), name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// find looks for a program where tools/servers.sh makes it, then on PATH.
func find(root, name string) (string, error) {
	missing := fmt.Errorf("%s is not there; next: tools/toolchains.sh integration && tools/servers.sh %s", name, name)
	servers := filepath.Join(root, "internal/field/systems/servers")
	switch name {
	case "python", "hypercorn", "granian", "gunicorn":
		return executable(filepath.Join(servers, "python/out/venv/bin", name), missing)
	case "java":
		if _, err := os.Stat(filepath.Join(servers, "java/out/built-from")); err != nil {
			return "", missing
		}
	}
	for _, place := range []string{"tools/servers/bin", "tools/bin"} {
		if path, err := executable(filepath.Join(root, place, name), missing); err == nil {
			return path, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", missing
}

func executable(path string, missing error) (string, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		return "", missing
	}
	return path, nil
}

func TestAMissingProgramNamesTheNextStep(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for name := range list(t).Programs {
		path, err := find(t.TempDir(), name)
		if err == nil || !strings.HasSuffix(err.Error(), "next: tools/toolchains.sh integration && tools/servers.sh "+name) {
			t.Errorf("%s: %q, %v; want the next step", name, path, err)
		}
	}
}

// stop ends the server and its children: the process group has the server's pid.
func stop(pid int, over <-chan struct{}) {
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	select {
	case <-over:
	case <-time.After(2 * time.Second): // a drain may take longer, and nobody waits for it here
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // workers that outlived their master
	<-over
}

func awaitAccept(t *testing.T, name, addr string, over <-chan struct{}) {
	t.Helper()
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-over:
			t.Fatalf("%s ended before it accepted; its log is below", name)
		case <-ctx.Done():
			t.Fatalf("%s does not accept on %s within %v; its log is below", name, addr, patience)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// origin is a plain-HTTP server behind proxies that can only forward requests.
func origin(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n")
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// serveRelay runs a TCP balancer in front of the server on the port that to names. It cuts each connection at an
// age, after so many bytes of answers, or when nothing came for the time idle; rst cuts with a TCP RST. It hangs up at once on
// a connection beyond those that it allows at a time.
func serveRelay(t *testing.T, s setting, ln net.Listener) {
	r := relay{to: "127.0.0.1:" + s.set["to"], age: s.time("age"), idle: s.time("idle"), most: s.number("bytes"),
		allowed: s.number("allowed"), rst: s.set["rst"] != "", open: new(atomic.Int64)}
	accept(t, ln, r.carry)
}

// accept serves each connection until the test ends.
func accept(t *testing.T, ln net.Listener, serve func(net.Conn)) {
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	t.Cleanup(func() { _ = ln.Close(); <-accepting })
}

type relay struct {
	to        string
	age, idle time.Duration
	most      int64
	allowed   int64 // connections at a time; 0 is no limit
	rst       bool
	open      *atomic.Int64
}

// carry copies both ways until the connection is cut.
func (r relay) carry(c net.Conn) {
	defer r.open.Add(-1)
	if r.open.Add(1) > r.allowed && r.allowed > 0 {
		_ = c.Close()
		return
	}
	behind, err := net.Dial("tcp", r.to)
	if err != nil {
		_ = c.Close()
		return
	}
	cut := func() {
		if r.rst {
			_ = c.(*net.TCPConn).SetLinger(0)
		}
		_, _ = c.Close(), behind.Close()
	}
	defer cut()
	if r.age > 0 {
		defer time.AfterFunc(r.age, cut).Stop()
	}
	came := func() {}
	if r.idle > 0 {
		unused := time.AfterFunc(r.idle, cut)
		defer unused.Stop()
		came = func() { unused.Reset(r.idle) }
	}
	go func() { carryAtMost(behind, c, 0, came); cut() }()
	carryAtMost(c, behind, r.most, came)
}

// carryAtMost copies until an end, or until one part more would exceed so many bytes; 0 is no limit. It calls came for each part.
func carryAtMost(to, from net.Conn, most int64, came func()) {
	part, carried := make([]byte, 16<<10), int64(0)
	for {
		n, err := from.Read(part)
		if carried += int64(n); err != nil || most > 0 && carried > most {
			return
		}
		came()
		if _, err := to.Write(part[:n]); err != nil {
			return
		}
	}
}
