//go:build integration

package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/rundir"
)

// smallRun is a small run in JSON's types: some cells of a recorded run, or an invented story, with a value in the fields
// that no recorded run has.
func smallRun(t *testing.T, command string) any {
	t.Helper()
	r := labtest.Story("envoy", 2)
	if command != plan.Story {
		r = recorded(t, command)
		r.Cells, r.Run.Planned = r.Cells[:8], nil
		for i, c := range r.Cells {
			r.Cells[i].Trials = c.Trials[:min(2, len(c.Trials))]
			r.Run.Planned = append(r.Run.Planned, c.ID())
		}
	}
	said := []facts.Text{facts.T("verdict.recorded", "word")}
	r.Run.Warnings, r.Environment.LabMaxRSSMB = said, new(40.5)
	first, last := &r.Cells[0].Trials[0], &r.Cells[len(r.Cells)-1]
	first.Hung, first.Warnings, first.Fault = new(int64(1)), said, &facts.Fault{Kind: facts.FaultCrashed, Message: "word"}
	first.Errors = []facts.Error{{Class: facts.ErrOther, Count: 600, Message: "word"}}
	last.Trials, last.Unsupported = nil, said[0]
	for _, c := range r.Cells {
		for j := range c.Trials {
			c.Trials[j].Series = fmt.Sprintf("cells/%s/%d/series.json", c.ID(), c.Trials[j].Index)
		}
	}
	dir := t.TempDir()
	labtest.Check(t, results.Write(dir, r))
	return readJSON[any](t, filepath.Join(dir, results.File))
}

// leaf is one value of a document: its path, and a function that changes it.
type leaf struct {
	at    string
	value any
	set   func(v any)
}

// leaves returns the strings and numbers of a document, in their order.
func leaves(at string, v any, set func(any)) (out []leaf) {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			out = append(out, leaves(at+"/"+k, x[k], func(v any) { x[k] = v })...)
		}
	case []any:
		for i := range x {
			out = append(out, leaves(fmt.Sprintf("%s/%d", at, i), x[i], func(v any) { x[i] = v })...)
		}
	case string, float64:
		out = append(out, leaf{at, v, set})
	}
	return out
}

// schemaOf is what the schema says of a value in one place of a document.
func schemaOf(t *testing.T, doc any, l leaf, v any) error {
	t.Helper()
	l.set(v)
	b, err := json.Marshal(doc)
	labtest.Check(t, err)
	l.set(l.value)
	return results.Validate(results.ResultsSchema, b)
}

// runOf writes a document and its timelines to a run's directory.
func runOf(t *testing.T, doc any, word string) string {
	t.Helper()
	dir := t.TempDir()
	b, err := json.Marshal(doc)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, results.File), b, 0o644)
	}
	labtest.Check(t, err)
	r, err := results.Read(dir)
	labtest.Check(t, err)
	for _, c := range r.Cells {
		for _, trial := range c.Trials {
			s := facts.Series{TMS: []float64{-50, 0, 50, 100}, Accepted: []int64{0, 9, 9, 10},
				Requests: []int64{0, 9, 90, 100},
				Source:   map[string]string{"accepted": word}}
			labtest.Check(t, results.WriteSeries(dir, trial.Series, s))
		}
	}
	return dir
}

// free returns the leaves of a document in which the schema takes any text. It refuses another text by name.
func free(t *testing.T, doc any) (out []leaf) {
	t.Helper()
	taken := map[string]bool{} // by the field, whatever cell and trial it is in
	for _, l := range leaves("", doc, nil) {
		if _, text := l.value.(string); !text {
			continue
		}
		field := numbered.ReplaceAllString(l.at, "/*")
		if _, tried := taken[field]; !tried {
			err := schemaOf(t, doc, l, hostile["a very long word"]+"<meta http-equiv=refresh>")
			taken[field] = err == nil
			if err != nil && !strings.Contains(err.Error(), "'"+l.at+"'") {
				t.Errorf("%s is refused with %v", l.at, err)
			}
		}
		if taken[field] {
			out = append(out, l)
		}
	}
	return out
}

// TestNoNumberOfAFileIsDrawnAsInfinite sets every number to the largest, then to the smallest,
// value that the schema accepts.
func TestNoNumberOfAFileIsDrawnAsInfinite(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	largest := []any{1e308, 1e18, 1e15, 1e12, 1e9, 4294967295.0, 1e7, 1e6, 86400.0, 1e5, 65536.0, 4096.0, 3600.0,
		100.0, 1.0}
	smallest := []any{-1e308, -1e15, -1e12, -1e9, -1.0, 0.0, 1.0}
	tiny := []any{1e-300, 0.0, 1.0}
	for _, x := range []struct {
		name     string
		extremes []any
	}{{"largest", largest}, {"smallest", smallest}, {"tiniest", tiny}} {
		f.Try("every number of results.json is the "+x.name+" that its field takes", func(t *testing.T) {
			found := map[string]int{} // by the field, whatever cell and trial it is in
			for _, command := range []string{plan.Repro, plan.Clients, plan.Story} {
				drawExtreme(t, command, x.extremes, found)
			}
		})
	}
}

var numbered = regexp.MustCompile(`/\d+`)

func drawExtreme(t *testing.T, command string, extremes []any, found map[string]int) {
	t.Helper()
	doc := smallRun(t, command)
	var set []func()
	for _, l := range leaves("", doc, nil) {
		if _, ok := l.value.(float64); !ok || strings.HasSuffix(l.at, "/schema_version") {
			continue
		}
		kind := numbered.ReplaceAllString(l.at, "/*")
		i, known := found[kind]
		if !known {
			i = slices.IndexFunc(extremes, func(v any) bool { return schemaOf(t, doc, l, v) == nil })
			found[kind] = i
		}
		if i < 0 || extremes[i] == 1e308 || extremes[i] == -1e308 {
			t.Errorf("%s has no bound", l.at)
			continue
		}
		set = append(set, func() { l.set(extremes[i]) })
	}
	for _, s := range set {
		s()
	}
	dir := runOf(t, doc, "word")
	if _, err := rundir.Draw(dir); err != nil {
		t.Fatal(err)
	}
	for _, path := range globs(t, dir, "*.md", "charts/*.svg", "*.html") {
		for _, bad := range []string{"Inf", "NaN"} {
			if text := labtest.Read(t, path); strings.Contains(text, bad) {
				at := strings.Index(text, bad)
				t.Errorf("%s says %s: %.200q", filepath.Base(path), bad, text[max(0, at-100):])
			}
		}
	}
}

// TestErrorsThatQuoteAFileAreCleanToo runs the verb on files that it rejects.
func TestErrorsThatQuoteAFileAreCleanToo(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	evil := "\x1b]0;title\a\u202e\r" + strings.Repeat("x", 5000)
	for _, change := range []string{"id", "command", "repeat", "started"} {
		f.Try("terminal controls in run."+change+", which the error quotes", func(t *testing.T) {
			doc := smallRun(t, plan.Repro)
			doc.(map[string]any)["run"].(map[string]any)[change] = evil
			b, _ := json.Marshal(doc)
			dir := t.TempDir()
			labtest.Write(t, filepath.Join(dir, results.File), string(b))
			status, said := verb(t, t.Context(), "report", dir)
			if status != statusCouldNot || len(said) > 1000 || !strings.Contains(said, fmt.Sprintf("'/run/%s'", change)) {
				t.Errorf("exit status %d, %d bytes: %.300q", status, len(said), said)
			}
		})
	}
}

// hostile maps the purpose of an attack to its text, which reports must show as text.
var hostile = map[string]string{
	"a page of another site (meta refresh)": `<meta http-equiv="refresh" content="0;url=https://example.invalid/"> x`,
	"a script element":                      `</script><script>alert(1)</script> x`,
	"a handler in an element":               `"><img src=x onerror=alert(1)><svg onload='alert(1)'> x`,
	"a link that runs a script": `[x](javascript:alert(1)) <javascript:alert(1)> ` +
		`![x](data:text/html,x) <https://example.invalid>`,
	"the end of a table's cell and of a line": "a | b\n|:--|\n\n# heading\n\n- item\n1. item\n\n> " +
		"quote\n\n<picture>\n\n<b>",
	"the end of a code span":          "a ` b `` c ``` <b>d</b> \\` e `<i>` `` ``<u>`` \\| <s>f</s> \\\\| <s>g",
	"the end of a code block":         "```\n<b>x</b>\n````\n~~~\n</pre></code></details></summary>",
	"a code span over two paragraphs": "`x\n\n<b>y</b>` z",
	"terminal controls":               "\x1b]0;title\a\x1b[2J\x1b[31m \u009b31m over\rwritten\b\b\x00\x7f x",
	"text that runs from right to left": "\u202etxt.exe\u202c \u2066x\u2069 zero\u200b\ufeff\u00ad \U000E0041 " +
		"\u3164",
	"a template and an entity": `{{.Run}} ${x} %s %d %!v &lt;b&gt; &#60;b&#62; <!-- x --> ` +
		`<![CDATA[x]]> <?x?>`,
	"a very long word": strings.Repeat("W", 5000),
	"very many words":  strings.Repeat("ab <b> ", 700),
}

// TestHostileTextsStayText puts each text into every field that accepts it, draws every report, and
// compares the result with that for a harmless word.
func TestHostileTextsStayText(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	plain := map[string]*drawing{}
	for _, command := range []string{plan.Repro, plan.Clients, plan.Story} {
		plain[command] = drawnOf(t, command, "word")
	}
	for _, what := range slices.Sorted(maps.Keys(hostile)) {
		f.Try("every text of results.json holds "+what, func(t *testing.T) {
			for command, want := range plain {
				want.compare(t, drawnOf(t, command, hostile[what]))
			}
		})
	}
}

// drawing is the reports of one run.
type drawing struct {
	dir      string
	html, md map[string][]string // elements with the names of their attributes, in their order
	links    map[string]bool
	svg      map[string]bool
}

// drawnOf draws a run in which every field that accepts a text contains it.
func drawnOf(t *testing.T, command, word string) *drawing {
	t.Helper()
	doc := smallRun(t, command)
	taken := free(t, doc)
	if len(taken) < 40 {
		t.Fatalf("only %d fields hold %.60q: what is tried here?", len(taken), word)
	}
	for _, l := range taken {
		l.set(word)
	}
	dir := runOf(t, doc, word)
	if _, err := rundir.Draw(dir); err != nil {
		t.Fatal(err)
	}
	return examined(t, dir, command, word)
}

func examined(t *testing.T, dir, command, word string) *drawing {
	t.Helper()
	d := &drawing{dir, map[string][]string{}, map[string][]string{}, map[string]bool{}, map[string]bool{}}
	for _, path := range globs(t, dir, "*.html", "*.md", "charts/*.svg", "*.json") {
		b := []byte(labtest.Read(t, path))
		name := filepath.Base(path)
		switch filepath.Ext(path) {
		case ".html":
			d.html[name] = d.elements(t, b)
		case ".md":
			d.md[name] = d.elements(t, asGitHub(t, b))
			printable(t, name, b)
		case ".svg":
			d.pictured(t, name, b)
			printable(t, name, b)
		case ".json":
			if !json.Valid(b) {
				t.Errorf("%s is no JSON", name)
			}
		}
	}
	run, err := rundir.Read(dir)
	labtest.Check(t, err)
	printable(t, "the short report", []byte(run.Short(word, texts.English, false)))
	return d
}

func globs(t *testing.T, dir string, patterns ...string) (out []string) {
	t.Helper()
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil || len(found) == 0 {
			t.Fatalf("nothing was drawn as %s (%v)", p, err)
		}
		out = append(out, found...)
	}
	return out
}

// asGitHub renders Markdown and keeps raw HTML: the reports must escape HTML themselves.
func asGitHub(t *testing.T, md []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	g := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(ghtml.WithUnsafe()))
	labtest.Check(t, g.Convert(md, &out))
	return out.Bytes()
}

// elements returns the elements of a page; the data that a page embeds must be JSON.
func (d *drawing) elements(t *testing.T, page []byte) (out []string) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	labtest.Check(t, err)
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			out = append(out, "comment")
		}
		if n.Type != html.ElementNode {
			continue
		}
		tag, data := n.Data, false
		for _, a := range n.Attr {
			tag += " " + a.Key
			data = data || a.Key == "type" && a.Val == "application/json"
			if a.Key == "href" || a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/svg+xml;base64,") {
				d.links[a.Val] = true
			}
		}
		if data && !json.Valid([]byte(n.FirstChild.Data)) {
			t.Error("a page carries data that is no JSON")
		}
		out = append(out, tag)
	}
	return out
}

// pictured parses a chart with a strict XML parser.
func (d *drawing) pictured(t *testing.T, name string, b []byte) {
	t.Helper()
	x := xml.NewDecoder(bytes.NewReader(b))
	for {
		token, err := x.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s is no XML: %v", name, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			tag := name + " " + e.Name.Local
			for _, a := range e.Attr {
				tag += " " + a.Name.Local
			}
			d.svg[tag] = true
		}
	}
}

// compare compares a hostile drawing with one of harmless words.
func (d *drawing) compare(t *testing.T, got *drawing) {
	t.Helper()
	for _, side := range []struct{ want, got map[string][]string }{{d.html, got.html}, {d.md, got.md}} {
		for name, want := range side.want {
			if diff := cmp.Diff(want, side.got[name]); diff != "" {
				t.Errorf("%s has other elements:\n%.1500s", name, diff)
			}
		}
	}
	for link := range got.links {
		if !d.links[link] {
			t.Errorf("a link to %.100q", link)
		}
	}
	for tag := range got.svg {
		if !d.svg[tag] {
			t.Errorf("a chart has an element of its own: %s", tag)
		}
	}
}

// wholeCheckout copies all files that git tracks or would track, and links the tools.
func wholeCheckout(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), `odd é日 '"$(touch ran)#%20&[a]*?`)
	labtest.Check(t, os.MkdirAll(filepath.Join(root, "tools", "bin"), 0o755))
	in(t, labtest.Root(t), 0, "sh", "-ec", `git ls-files -co --exclude-standard -z | tar -c --null --ignore-failed-read -T - | tar -x -C "$0"`, root)
	for _, tool := range []string{"nginx", "envoy", "k6"} {
		labtest.Check(t, os.Symlink(labtest.Program(t, tool), filepath.Join(root, "tools", "bin", tool)))
	}
	return root
}

// Builds and runs the whole lab in a directory whose name is difficult for the shell, for URLs and
// for patterns. A ':' and a ';' would separate the loader's paths (ld.so(8)), so only the unit
// tests have them.
func TestTheLabRunsInAnOddPlace(t *testing.T) {
	unlock, err := native.Lock(labtest.Root(t)) // the ports are the checkout's
	labtest.Check(t, err)
	defer func() { _ = unlock() }()
	root := wholeCheckout(t)
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("everything is built in the oddest directory", func(t *testing.T) {
		in(t, root, 0, "make", "build", "certs")
	})
	f.Try("nginx, a client and k6 run in the oddest directory", func(t *testing.T) {
		said := in(t, root, 0, "make", "repro", "QUICK=1", "LIMIT=100", "RUNTIME=native",
			"TOPOLOGY=nginx-100", "PROTOCOL=h2", "CLIENT=go-once,k6-shared-pool")
		if !strings.Contains(said, "report: results/") {
			t.Errorf("make repro: %s", said)
		}
		r, err := results.Read(filepath.Join(root, "results", results.Latest))
		if err != nil || len(r.Cells) != 2 || len(results.Missing(r)) > 0 {
			t.Fatalf("%v, %v", r, err)
		}
		if said := in(t, root, 0, "make", "report"); !strings.Contains(said, "/report.md") {
			t.Errorf("make report: %s", said)
		}
	})
	f.Try("Envoy runs in the oddest directory, started from elsewhere", func(t *testing.T) {
		elsewhere := t.TempDir()
		program := filepath.Join(root, "bin", "h2lab")
		said := in(t, elsewhere, 0, program, "matrix", "--quick", "--runtime", "native",
			"--topology", "envoy-1000", "--protocol", "h2", "--client", "go-once")
		if !strings.Contains(said, "report: "+filepath.Join(root, "results")) {
			t.Errorf("h2lab matrix: %s", said)
		}
		in(t, elsewhere, 0, program, "up", "--runtime", "native")
		if said := in(t, elsewhere, 0, program, "down"); !strings.Contains(said, "stopped the native servers") {
			t.Errorf("h2lab down, with servers up: %s", said)
		}
		if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
			t.Errorf("%v was made in the working directory", left)
		}
	})
	if _, err := os.Stat(filepath.Join(root, "ran")); err == nil {
		t.Error("the directory's name was run")
	}
}

// oddNames are names that a checkout's directory may have.
var oddNames = []string{"with spaces", "café", "日本", "it's", `a "quote"`, "$HOME", "$(touch ran)", "a#b", "100%", "a&b",
	"a;b", "a:b", "[a]*?",
	"-rf", "~", "(x)", "a=b,c", "%20", "a\tb", "back`tick`", "!x"}

// oddCheckout copies parts of the checkout into a directory of that name.
func oddCheckout(t *testing.T, name string, files ...string) string {
	t.Helper()
	from, to := labtest.Root(t), filepath.Join(t.TempDir(), name)
	for _, file := range files {
		err := os.MkdirAll(filepath.Dir(filepath.Join(to, file)), 0o755)
		labtest.Check(t, err)
		if info, err := os.Stat(filepath.Join(from, file)); err != nil {
			t.Fatal(err)
		} else if info.IsDir() {
			labtest.Check(t, os.CopyFS(filepath.Join(to, file), os.DirFS(filepath.Join(from, file))))
			continue
		}
		b := labtest.Read(t, filepath.Join(from, file))
		labtest.WriteProgram(t, filepath.Join(to, file), b)
	}
	return to
}

// cleanEnvironment is this process's environment without the variables of an outer make.
func cleanEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "KEY", "RUN", "RESULTS", "CDPATH"}, name)
	})
}

// in runs a program in dir and compares its exit status.
func in(t *testing.T, dir string, status int, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, cleanEnvironment()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		t.Fatalf("%s %q in %q: %v, want status %d:\n%s", program, args, dir, err, status, out)
	}
	return string(out)
}

// oddest is one name with every character that is difficult for the shell, for URLs and for patterns.
const oddest = `odd é日 '"$(touch ran)#%20&;:[a]*?` + "`touch ran`"

// oddLab is such a checkout with the program under test in its bin/.
func oddLab(t *testing.T, name string, more ...string) (root, program string) {
	t.Helper()
	root = oddCheckout(t, name, append(more, "Makefile", "go.mod", "versions.env", "certs/make.sh", "certs/openssl.cnf",
		"tools/knobs.sh", "tools/knobs.txt", "docs/workshop/start")...)
	labtest.Check(t, labtest.CopySelf(filepath.Join(root, "bin", "h2lab")))
	return root, filepath.Join(root, "bin", "h2lab")
}

func TestACheckoutMayLieAnywhere(t *testing.T) {
	made, _ := oddLab(t, "plain") // certificates take seconds to make, and none to look at
	in(t, made, 0, "make", "certs")
	f := labtest.NewFaults(t, labtest.Places)
	for _, name := range oddNames {
		f.Try("the checkout's directory is called "+strings.ReplaceAll(name, "\t", "(a tab)"), func(t *testing.T) {
			root, program := oddLab(t, name)
			labtest.Check(t, os.CopyFS(filepath.Join(root, "certs", "out"),
				os.DirFS(filepath.Join(made, "certs", "out"))))
			if said := in(t, root, 0, "make", "certs", "KEY=ecdsa"); !strings.Contains(said,
				"server.crt is the ecdsa one") {
				t.Errorf("make certs: %s", said)
			}
			in(t, root, 2, "make", "certs", "KYE=ecdsa")
			// The schema is found, and its error names what is wrong with the file.
			labtest.Write(t, filepath.Join(root, "results.json"), `{"schema_version": 3}`)
			if said := in(t, root, 1, program, "report", "."); !strings.Contains(said,
				"results.json has the wrong shape: ") {
				t.Errorf("h2lab report: %s", said)
			}
			elsewhere := t.TempDir()
			next := fmt.Sprintf("next: make -C %s up FOR=learner", text.ShellWord(root))
			if got := in(t, elsewhere, 0, program, "workshop"); !strings.Contains(got, next) {
				t.Errorf("h2lab workshop printed %q, want %q", got, next)
			}
			if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
				t.Errorf("%v was made in the working directory", left)
			}
			if _, err := os.Stat(filepath.Join(root, "ran")); err == nil {
				t.Error("the directory's name was run")
			}
		})
	}
	f.Try("certificates are made and a report is drawn in the oddest directory", func(t *testing.T) {
		root, program := oddLab(t, oddest, "testdata/recorded/repro")
		in(t, root, 0, "make", "certs")
		got := in(t, t.TempDir(), 0, program, "replay", "--no-serve")
		if page := strings.TrimSuffix(got, "\n"); !strings.HasPrefix(page, filepath.Join(root, "results", "replay-")) {
			t.Errorf("h2lab replay printed %q", got)
		} else if _, err := os.Stat(page); err != nil {
			t.Error(err)
		}
	})
}

// A shell that parses the quoted path gets the path.
func TestQuotedWordsAreReadBack(t *testing.T) {
	for _, name := range append(oddNames, "", "plain/path.md", "a\nb") {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+text.ShellWord(name)).Output()
		if err != nil || string(out) != name {
			t.Errorf("%q is read back as %q: %v", name, out, err)
		}
	}
}
