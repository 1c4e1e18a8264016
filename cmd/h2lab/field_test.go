package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/system"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	advice "h2lab/internal/field/advise/document"
	"h2lab/internal/field/probe/document"
	"h2lab/internal/lab/native"
)

// goServer is a real HTTP/2 server that ends connections after a number of requests with
// Connection: close, as Traefik's keepAliveMaxRequests does.
func goServer(t *testing.T, limit int) (url, ca string) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.UserAgent(), "h2lab-probe/") || r.Header.Get("X-Ask") != "yes" {
			w.WriteHeader(http.StatusTeapot)
		}
		if n := r.Context().Value(connection{}).(*atomic.Int64).Add(1); limit > 0 && n >= int64(limit) {
			w.Header().Set("Connection", "close")
		}
	}))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, connection{}, new(atomic.Int64))
	}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	labtest.Write(t, ca, string(pem.EncodeToMemory(&pem.Block{
		Type:  "CERTIFICATE",
		Bytes: server.Certificate().Raw,
	})))
	return server.URL, ca
}

// connection is the key of a connection's counter of requests.
type connection struct{}

func TestProbeAnswersInWordsAndInJSON(t *testing.T) {
	url, ca := goServer(t, 0)
	var out, errs bytes.Buffer
	args := []string{"probe", "--cacert", ca, "-H", "X-Ask: yes", "--max-streams", "300", "--max-time", "1s", url}
	if status := run(t.Context(), args, &out, &errs); status != statusDone {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	for _, want := range []string{"No limit was met: one connection got 300 requests", " with status 200",
		"HTTP/2 over TLS 1.3", "this is", "\nnext: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if want := "sending up to 300 GET requests on a connection, as fast as it answers, to " + url; !strings.Contains(errs.String(), want) {
		t.Errorf("stderr %q, want %q", errs.String(), want)
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > 110 && !strings.HasPrefix(line, "next: ") {
			t.Errorf("a long line: %q", line)
		}
	}
	out.Reset()
	if status := run(t.Context(), append(args, "--json"), &out, &errs); status != statusDone {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	var d document.Document
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil || d.SchemaVersion != 2 || d.Endpoint.Budget.Least != 300 ||
		d.Endpoint.Budget.Most != nil || d.Price != nil || dec.More() {
		t.Errorf("%v: %+v", err, d)
	}
}

func TestProbePricesTheLimitThatItFound(t *testing.T) {
	url, ca := goServer(t, 50)
	var out, errs bytes.Buffer
	status := run(t.Context(),
		[]string{"probe", "--json", "--cacert", ca, "-H", "X-Ask: yes", "--rps", "1000",
			"--in-flight", "40", url}, &out, &errs)
	var d document.Document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil || status != statusDone {
		t.Fatalf("status %d, %v: %s", status, err, errs.String())
	}
	if d.Endpoint.Budget.Most == nil || d.Endpoint.Ending.How != facts.EndedByGoaway || d.Price == nil ||
		d.Price.Stampede.Limit != 50 || d.Price.TLS != "1.3" {
		t.Errorf("%+v, price %+v", d.Endpoint, d.Price)
	}
	if d.Price != nil && d.Price.Stampede.HandshakesPerS < d.Price.SingleDial.HandshakesPerS {
		t.Errorf("a stampede for less than one dial: %+v", d.Price)
	}
}

// jsonNames returns the JSON names of a type's fields and of those of its fields' types, each type once.
func jsonNames(of reflect.Type, seen map[reflect.Type]bool) (out []string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return nil
	}
	seen[of] = true
	for f := range of.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			out = append(out, name)
		}
		if f.Anonymous || f.Tag.Get("json") != "" {
			out = append(out, jsonNames(f.Type, seen)...)
		}
	}
	return out
}

func TestThePageOfAVerbNamesEveryFlagAndField(t *testing.T) {
	parser, _ := parserOf(t)
	for verb, types := range map[string][]reflect.Type{
		"advise": {reflect.TypeFor[advice.Document]()},
		"probe":  {reflect.TypeFor[facts.Endpoint]()},
		"trace":  {reflect.TypeFor[facts.FrameTrace](), reflect.TypeFor[facts.Head]()},
	} {
		page := labtest.Read(t, "../../docs/"+verb+".md")
		at := slices.IndexFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == verb })
		for _, f := range parser.Model.Children[at].Flags {
			if !strings.Contains(page, "`--"+f.Name) && f.Name != "help" {
				t.Errorf("docs/%s.md doesn't name --%s", verb, f.Name)
			}
		}
		for _, of := range types {
			seen := map[reflect.Type]bool{ // explained in words, or in docs/results.md
				reflect.TypeFor[texts.Sentence](): true, reflect.TypeFor[facts.Renewal](): true, reflect.TypeFor[facts.HField](): true}
			for _, name := range jsonNames(of, seen) {
				if !strings.Contains(page, "`"+name+"`") {
					t.Errorf("docs/%s.md doesn't name the field %s", verb, name)
				}
			}
		}
	}
}

// The server accepts the connection and sends nothing.
func TestAHostThatDoesNotAnswerEndsTheTraceInTime(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	dir := t.TempDir()
	var out, said bytes.Buffer
	status := run(t.Context(),
		[]string{"trace", "--limit", "5", "--timeout", "200ms", "--out", filepath.Join(dir, "o"),
			fmt.Sprintf("https://%s/", ln.Addr())}, &out, &said)
	if status != statusCouldNot || !strings.Contains(said.String(), "says nothing to a TLS handshake for 200ms") ||
		out.Len() > 0 {
		t.Errorf("status %d, stdout %q, stderr %q", status, out.String(), said.String())
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if status := run(ctx, []string{"trace", "--limit", "5", fmt.Sprintf("https://%s/", ln.Addr())}, &out,
		&said); status != statusCouldNot {
		t.Errorf("interrupted: status %d", status)
	}
}

// packed is a gzip log with n errors, each followed by an unrelated line.
func packed(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range n {
		if _, err := z.Write([]byte("all is well\nError [ERR_HTTP2_GOAWAY_SESSION]: New streams cannot be created " +
			"after receiving a GOAWAY\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecodePackedLogs(t *testing.T) {
	whole := packed(t, 500)
	for _, tt := range []struct {
		name           string
		content        []byte
		status         int
		stdout, stderr string
	}{
		{"whole.gz", whole, statusDone, "1,000 lines, 1,000 messages: 500 recognised", ""},
		{"gzip-by-another-name", whole, statusDone, "500 recognised", ""},
		{"cut.gz", whole[:len(whole)-12], statusCouldNot, "1. the client did not send the request",
			"ends in the middle of its gzip data; what was read before is above"},
		{"head-only.gz", whole[:2], statusCouldNot, "", "begins as gzip does, and is not"},
		{"log.zst", []byte("\x28\xb5\x2f\xfd1234"), statusCouldNot, "", "is a zstd file, which isn't read here; next: zstd -dc"},
		{"garbage.log", bytes.Repeat([]byte{0xff, 0, 0x9b, '\n', 27}, 9999), statusDone, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), tt.name)
			labtest.Write(t, file, string(tt.content))
			var stdout, stderr bytes.Buffer
			if got := run(t.Context(), []string{"decode", file}, &stdout, &stderr); got != tt.status {
				t.Errorf("status %d, want %d: %s", got, tt.status, stderr.String())
			}
			if !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("stdout:\n%s\nstderr:\n%s", stdout.String(), stderr.String())
			}
		})
	}
}

// counting serves a stub_status whose connections and requests increase by these numbers at every
// reading.
func counting(t *testing.T, accepts, requests int64) *httptest.Server {
	t.Helper()
	var n atomic.Int64
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := n.Add(1)
		fmt.Fprintf(w, "Active connections: 2 \nserver accepts handled requests\n %d %d %d \nReading: 0 Writing: 1 "+
			"Waiting: 1 \n", 1+i*accepts, 1+i*accepts, i*(requests+1))
	}))
	t.Cleanup(h.Close)
	return h
}

func TestWatchEndsWithTheStatusOfItsAlarm(t *testing.T) {
	for name, c := range map[string]struct {
		accepts, requests int64
		status            int
		out               string
	}{
		"wasted": {100, 1000, statusContradicted, "ALARM connections are wasted"},
		"used":   {1, 1000, statusDone, "No alarm: each new connection brought enough requests"},
		"quiet":  {0, 0, statusDone, "No connection was opened"},
	} {
		h := counting(t, c.accepts, c.requests)
		var out, said bytes.Buffer
		status := run(t.Context(), []string{"watch", h.URL, "--every", "100ms", "--window", "200ms", "--for", "600ms"},
			&out, &said)
		if status != c.status || !strings.Contains(out.String(), c.out) || !strings.Contains(out.String(), "next: ") {
			t.Errorf("%s: status %d, %s%s", name, status, out.String(), said.String())
		}
	}
}

// Ctrl-C ends watch with the summary and without a failure.
func TestWatchEndsWithASummary(t *testing.T) {
	h := counting(t, 100, 1000)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var out, said bytes.Buffer
	if status := run(ctx, []string{"watch", h.URL, "--json", "--every", "100ms"}, &out, &said); status != statusDone {
		t.Errorf("status %d, %s", status, said.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, line := range lines {
		var e struct {
			SchemaVersion int `json:"schema_version"`
			Kind          string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.SchemaVersion != 2 || e.Kind == "" {
			t.Errorf("%s: %v", line, err)
		}
		if last := i == len(lines)-1; last != (e.Kind == "summary") {
			t.Errorf("line %d of %d is a %s", i+1, len(lines), e.Kind)
		}
	}
}

// on runs h2lab in a checkout as if it were on another system, where PATH has no program.
func on(t *testing.T, system string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	root := emptyCheckout(t)
	return onIn(t, root, system, args...)
}

// emptyCheckout is a directory that h2lab takes for a checkout.
func emptyCheckout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module h2lab\n", "versions.env": ""} {
		labtest.Write(t, filepath.Join(root, name), text)
	}
	return root
}

func onIn(t *testing.T, root, system string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = runOn(t.Context(), system, append([]string{"--root", root}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

// platforms is the table of docs/platforms.md.
func platforms(verbs []*kong.Node) string {
	words := map[system.Way]string{system.Here: "yes", system.Docker: "`RUNTIME=docker`", system.LabContainer: "lab container"}
	out := "| command |"
	for _, s := range system.Systems {
		out += " " + system.Name(s) + " |"
	}
	out += "\n|---|" + strings.Repeat("---|", len(system.Systems)) + "\n"
	rows := map[string]system.Needs{system.Capture: system.OnLinux}
	for _, verb := range verbs {
		rows[verb.Name] = needs(verb)
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		out += "| `" + name + "` |"
		for _, s := range system.Systems {
			out += " " + words[rows[name].On(s)] + " |"
		}
		out += "\n"
	}
	return out
}

func TestThePageOfSystemsShowsWhereEveryVerbRuns(t *testing.T) {
	parser, _ := parserOf(t)
	if table := platforms(visible(parser)); !strings.Contains(labtest.Read(t, "../../docs/platforms.md"), table) {
		t.Errorf("docs/platforms.md has another table; put this one there:\n%s", table)
	}
}

// required are the arguments that a verb requires.
var required = map[string][]string{"step": {"1"}, "delay": {"true"}, "hold": nil, "healthcheck": {"https://127.0.0.1:1", "--ca", "cli.go"},
	"pod-exec-serve": {"--socket", "@x"}, "pod-exec": {"--socket", "@x", "true"},
	"become": {"--owner-of", "cli.go", "true"}}

func TestAVerbThatNeedsLinuxStartsNothingElsewhere(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	for _, theSystem := range []string{system.MacOS, system.Windows} {
		f.Try("commands that need Linux, on "+system.Name(theSystem), func(t *testing.T) {
			parser, _ := parserOf(t)
			for _, node := range parser.Model.Children {
				if needs(node).On(theSystem) != system.LabContainer {
					continue
				}
				verb := node.Name
				root := emptyCheckout(t)
				status, out, errs := onIn(t, root, theSystem, append([]string{verb}, required[verb]...)...)
				if status != statusMissing || out != "" || strings.Count(errs, "\n") != 1 ||
					!strings.Contains(errs, verb+" requires Linux") || !strings.Contains(errs, "lab container") {
					t.Errorf("%s on %s: status %d, %q, %q", verb, theSystem, status, out, errs)
				}
				if made, _ := os.ReadDir(root); len(made) != 2 {
					t.Errorf("%s on %s made files: %v", verb, theSystem, made)
				}
			}
		})
	}
}

func TestOnlyDockerRunsTheLabOnAMac(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct{ what, args, want string }{
		{"RUNTIME=native on macOS", "repro --runtime native", "RUNTIME=native requires Linux"},
		{"RUNTIME=auto on macOS without Docker", "fixed", "on macOS the lab requires Docker, and no Docker engine"},
		{"up on macOS without Docker", "up", "on macOS the lab requires Docker"},
		{"RESULTS in another place on macOS", "repro --results runs", "leave it out, or use the lab container: make shell"},
		{"a distance for up on macOS", "up --rtt 20ms", "leave it out, or use the lab container: make shell WITH=distance"},
	} {
		f.Try(c.what, func(t *testing.T) {
			t.Chdir(t.TempDir())
			status, _, errs := on(t, system.MacOS, strings.Fields(c.args)...)
			if status != statusMissing && status != statusUsage || !strings.Contains(errs, c.want) {
				t.Errorf("status %d: %s", status, errs)
			}
			if strings.Contains(errs, "use RUNTIME=native") {
				t.Errorf("the native runtime is no way here: %s", errs)
			}
		})
	}
}

func TestDownEndsOnAMac(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("down on macOS finds the state file of a lab container", func(t *testing.T) {
		root := emptyCheckout(t)
		state := filepath.Join(root, native.StateFile)
		labtest.Check(t, os.MkdirAll(filepath.Dir(state), 0o755))
		text := `{"version":1,"boot":"x","root":"/lab","servers":[{"pid":1,"started":1}]}`
		labtest.Write(t, state, text)
		t.Setenv("PATH", t.TempDir())
		status, _, errs := onIn(t, root, system.MacOS, "down")
		if status != statusDone || !strings.Contains(errs, "run in the lab container; stop them there") {
			t.Errorf("status %d: %s", status, errs)
		}
		if left, err := os.ReadFile(state); err != nil || string(left) != text {
			t.Errorf("the state file is %q, %v", left, err)
		}
	})
}

func TestDoctorTellsWhatRunsOnAMac(t *testing.T) {
	status, out, errs := on(t, system.MacOS, "doctor")
	for _, want := range []string{"native runtime", "macOS has no /proc", "run here", "decode", "with Docker", "repro",
		"in the lab container", "story", "not usable"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor lacks %q:\n%s", want, out)
		}
	}
	for _, other := range []string{"nginx\t", "cgroup", "make tools"} {
		if strings.Contains(out, other) {
			t.Errorf("doctor lists what is of no use on macOS, %q:\n%s", other, out)
		}
	}
	if status != statusMissing || !strings.Contains(errs, "on macOS the lab requires Docker") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// rewritten copies a directory with every file changed.
func rewritten(t *testing.T, dir string, change func(string) string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		if e.IsDir() {
			return os.Mkdir(filepath.Join(to, rel), 0o755)
		}
		return os.WriteFile(filepath.Join(to, rel), []byte(change(labtest.Read(t, path))), 0o644)
	})
	labtest.Check(t, err)
	return to
}

// printed runs a verb in a directory and returns its exit status and stdout.
func printed(t *testing.T, dir string, args ...string) (status int, out string) {
	t.Helper()
	t.Chdir(dir)
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), args, &stdout, &stderr)
	return status, stdout.String()
}

// Files written on Windows have other line ends, and those redirected by PowerShell another encoding.
func TestAConfigurationWrittenOnWindowsHasTheSameFindings(t *testing.T) {
	corpora, err := filepath.Glob(filepath.Join(labtest.Root(t), "internal/field/lint/*/testdata/corpus"))
	if err != nil || len(corpora) < 5 {
		t.Fatalf("%v, %v", corpora, err)
	}
	checked := 0
	for _, corpus := range corpora {
		plain := rewritten(t, corpus, func(s string) string { return s })
		crlf, powerShell := rewritten(t, corpus, labtest.CRLF), rewritten(t, corpus, labtest.PowerShell)
		files, _ := filepath.Glob(filepath.Join(plain, "*.[cjty]*")) // not conf.d
		for _, file := range files {
			name := filepath.Base(file)
			status, want := printed(t, plain, "lint", name)
			checked++
			if got, out := printed(t, crlf, "lint", name); got != status || out != want {
				t.Errorf("%s with CR LF: status %d, want %d\n%s\nwant\n%s", name, got, status, out, want)
			}
			if strings.Contains(labtest.Read(t, file), "include ") { // nginx itself reads no UTF-16
				continue
			}
			if got, out := printed(t, powerShell, "lint", name); got != status || out != want {
				t.Errorf("%s of PowerShell: status %d, want %d\n%s\nwant\n%s", name, got, status, out, want)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d configurations were checked", checked)
	}
}

func TestALogOfErrorsWrittenOnWindowsIsDecodedTheSame(t *testing.T) {
	dir := "../../internal/field/decode/testdata"
	abs, err := filepath.Abs(dir)
	labtest.Check(t, err)
	status, want := printed(t, abs, "decode", "app.log")
	if status != statusDone || !strings.Contains(want, "recognised") {
		t.Fatalf("status %d: %s", status, want)
	}
	for name, change := range map[string]func(string) string{"CR LF": labtest.CRLF, "PowerShell": labtest.PowerShell} {
		got, out := printed(t, rewritten(t, abs, change), "decode", "app.log")
		if got != status || out != want {
			t.Errorf("%s: status %d\n%s\nwant\n%s", name, got, out, want)
		}
	}
}
