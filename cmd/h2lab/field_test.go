package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
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
	status, out, said := h2lab(t.Context(), "probe", "--cacert", ca, "-H", "X-Ask: yes", "--max-streams", "300", "--max-time", "1s", url)
	for _, want := range []string{"No limit was met: one connection got 300 requests", " with status 200",
		"HTTP/2 over TLS 1.3", "this is", "\nnext: "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	want := "sending up to 300 GET requests on a connection, as fast as it answers, to " + url
	if !strings.Contains(said, want) || status != statusDone {
		t.Errorf("status %d, stderr %q, want %q", status, said, want)
	}
	for line := range strings.Lines(out) {
		if len([]rune(line)) > 110 && !strings.HasPrefix(line, "next: ") {
			t.Errorf("a long line: %q", line)
		}
	}
	url, ca = goServer(t, 50)
	status, out, said = h2lab(t.Context(), "probe", "--json", "--cacert", ca, "-H", "X-Ask: yes", "--rps", "1000", "--in-flight", "40", url)
	var d document.Document
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil || dec.More() || status != statusDone || d.SchemaVersion != 2 || d.Price == nil {
		t.Fatalf("status %d, %v: %s%s", status, err, out, said)
	}
	if d.Endpoint.Budget.Most == nil || d.Endpoint.Ending.How != facts.EndedByGoaway || d.Price.Stampede.Limit != 50 ||
		d.Price.TLS != "1.3" || d.Price.Stampede.HandshakesPerS < d.Price.SingleDial.HandshakesPerS {
		t.Errorf("%+v, price %+v", d.Endpoint, d.Price)
	}
}

// jsonNames returns the JSON names of a type's fields and of those of its fields' types, each type once.
func jsonNames(of reflect.Type, seen map[reflect.Type]bool) (out []string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[facts.Note]() || seen[of] { // a note is words here
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
		status, out, said := h2lab(t.Context(), "watch", h.URL, "--every", "100ms", "--window", "200ms", "--for", "600ms")
		if status != c.status || !strings.Contains(out, c.out) || !strings.Contains(out, "next: ") {
			t.Errorf("%s: status %d, %s%s", name, status, out, said)
		}
	}
}

// Ctrl-C ends watch with the summary and without a failure.
func TestWatchEndsWithASummary(t *testing.T) {
	h := counting(t, 100, 1000)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	status, out, said := h2lab(ctx, "watch", h.URL, "--json", "--every", "100ms")
	if status != statusDone {
		t.Errorf("status %d, %s", status, said)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
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
func on(t *testing.T, root, system string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	return h2labOn(t.Context(), system, append([]string{"--root", root}, args...)...)
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
				status, out, errs := on(t, root, theSystem, append([]string{verb}, required[verb]...)...)
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
			status, _, errs := on(t, emptyCheckout(t), system.MacOS, strings.Fields(c.args)...)
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
		status, _, errs := on(t, root, system.MacOS, "down")
		if status != statusDone || !strings.Contains(errs, "run in the lab container; stop them there") {
			t.Errorf("status %d: %s", status, errs)
		}
		if left, err := os.ReadFile(state); err != nil || string(left) != text {
			t.Errorf("the state file is %q, %v", left, err)
		}
	})
}

func TestDoctorTellsWhatRunsOnAMac(t *testing.T) {
	status, out, errs := on(t, emptyCheckout(t), system.MacOS, "doctor")
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

func TestAPipeThatNobodyWritesToEndsWithTheInterrupt(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	labtest.Mkfifo(t, pipe)
	for _, verb := range []string{"merge", "decode", "lint", "logs", "report"} {
		ctx, interrupt := context.WithTimeout(t.Context(), 100*time.Millisecond)
		ended := make(chan int, 1)
		go func() { ended <- run(ctx, []string{verb, pipe}, io.Discard, io.Discard) }()
		select {
		case status := <-ended:
			if status == statusDone {
				t.Errorf("%s of a pipe without a writer is done", verb)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s of a pipe without a writer doesn't end with the interrupt", verb)
		}
		interrupt()
	}
}
