package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/lint"
)

// directories are the packages of the kinds, whose testdata has a corpus and goldens.
var directories = map[string]string{lint.Nginx: "nginxconf", lint.Envoy: "envoyconf", lint.HAProxy: "haproxyconf",
	lint.Traefik: "traefikconf", lint.Ingress: "ingressconf"}

// options are those of files of the corpus that need some and whose first line states no version.
var options = map[string]lint.Options{"old.yaml": {Version: "1.30"}, "sound.yaml": {InFlight: 200}, "old.cfg": {Version: "2.6.12"},
	"sound.cfg": {InFlight: 50}, "old.yml": {Version: "v2.10.7"}, "compose.yml": {InFlight: 5}, "old.json": {Version: "1.5.1"},
	"umbrella.yaml": {InFlight: 10}}

var versionLine = regexp.MustCompile(`^# version (\S+)`)

// eachKind runs a test in the directory of each kind.
func eachKind(t *testing.T, test func(t *testing.T, k lint.Kind)) {
	for _, k := range kinds {
		t.Run(k.Name, func(t *testing.T) {
			t.Chdir(filepath.Join("..", directories[k.Name]))
			test(t, k)
		})
	}
}

// corpus has the files of a kind's corpus, and the lab's own.
func corpus(t testing.TB, k lint.Kind) (files []lint.File) {
	t.Helper()
	own := map[string]string{lint.Nginx: "../../../../nginx/*.conf", lint.Envoy: "../../../../envoy/*.yaml"}[k.Name]
	for _, pattern := range []string{"testdata/corpus/*.*", own} {
		names, err := filepath.Glob(pattern)
		labtest.Check(t, err)
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && !info.IsDir() {
				files = append(files, lint.File{Name: filepath.ToSlash(name), Data: []byte(labtest.Read(t, name))})
			}
		}
	}
	if len(files) < 9 {
		t.Fatalf("%s: %d files", k.Name, len(files))
	}
	return files
}

func optionsOf(f lint.File) lint.Options {
	if m := versionLine.FindSubmatch(f.Data); m != nil {
		return lint.Options{Version: string(m[1])}
	}
	return options[filepath.Base(f.Name)]
}

// said is the report as its golden has it, nginx's as a person sees it and the others as JSON.
func said(t testing.TB, k lint.Kind, f lint.File, r lint.Report, err error) string {
	t.Helper()
	if _, refused := errors.AsType[*lint.SyntaxError](err); err != nil && !refused || err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("not an error of one line with a place: %v", err)
	}
	var b bytes.Buffer
	switch {
	case err != nil:
		b.WriteString(err.Error() + "\n")
	case k.Name == lint.Nginx:
		lint.Text(&b, texts.English, f.Name, r)
	default:
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		labtest.Check(t, e.Encode(r))
	}
	return b.String()
}

// Every report on the corpus is as its golden says, and every rule is broken by some file.
func TestTheCorpusIsJudgedAsTheGoldensSay(t *testing.T) {
	eachKind(t, func(t *testing.T, k lint.Kind) {
		fired := map[string]bool{}
		for _, f := range corpus(t, k) {
			file := f
			golden := filepath.Base(f.Name) + ".json"
			if k.Name == lint.Nginx {
				golden = strings.TrimSuffix(filepath.Base(f.Name), ".conf") + ".txt"
			} else {
				file.Name = filepath.Base(f.Name)
			}
			if strings.HasPrefix(f.Name, "../../../../nginx") {
				golden = "lab-" + golden
			}
			r, err := k.Lint([]lint.File{file}, optionsOf(file))
			for _, finding := range r.Findings {
				fired[finding.Rule] = true
			}
			got, golden := said(t, k, f, r, err), filepath.Join("testdata", "golden", golden)
			if *update {
				labtest.Check(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			if diff := cmp.Diff(labtest.Read(t, golden), got); diff != "" {
				t.Errorf("%s: go test -update writes the golden anew (-want +got):\n%s", f.Name, diff)
			}
		}
		for _, rule := range k.Rules() {
			if !fired[rule.ID] {
				t.Errorf("no file of the corpus breaks %s", rule.ID)
			}
		}
	})
}

// The pages list every rule.
func TestTheDocsListEveryRule(t *testing.T) {
	eachKind(t, func(t *testing.T, k lint.Kind) {
		page := "../../../../docs/lint-others.md"
		if k.Name == lint.Nginx {
			page = "../../../../docs/lint.md"
		}
		text := labtest.Read(t, page)
		for _, r := range k.Rules() {
			if row := fmt.Sprintf("| `%s` | %s | %s |\n", r.ID, r.Severity, r.Title); strings.Count(text, row) != 1 {
				t.Errorf("%s lacks this row: %s", page, row)
			}
			if r.Zh == "" || r.Docs == "" || !strings.HasSuffix(strings.TrimSuffix(r.Help, ")"), ".") && !strings.HasSuffix(r.Help, ")") {
				t.Errorf("%s has no Chinese, help or source", r.ID)
			}
		}
		if rows := strings.Count(text, "| `"+k.Name+"/"); rows != len(k.Rules()) {
			t.Errorf("%s has %d rows, and there are %d rules", page, rows, len(k.Rules()))
		}
	})
}

// mended applies the fixes of a file, all those of different lines together, until there are none left.
// It returns the text and the number of fixes.
func mended(t testing.TB, k lint.Kind, f lint.File) ([]byte, int) {
	t.Helper()
	const rounds = 10
	o, fixes := optionsOf(f), 0
	for range rounds {
		r, err := k.Lint([]lint.File{f}, o)
		if err != nil {
			t.Fatalf("%s doesn't lint once it is changed: %v\n%s", f.Name, err, f.Data)
		}
		todo := slices.DeleteFunc(r.Findings, func(g lint.Finding) bool { return g.Found == "" || g.Fix == "" })
		if len(todo) == 0 {
			return f.Data, fixes
		}
		slices.SortStableFunc(todo, func(a, b lint.Finding) int { return b.Line - a.Line })
		for _, g := range slices.CompactFunc(todo, func(a, b lint.Finding) bool { return a.Line == b.Line }) {
			f.Data = applied(t, f.Data, g)
			fixes++
		}
	}
	t.Fatalf("%s has fixes after %d rounds:\n%s", f.Name, rounds, f.Data)
	return nil, 0
}

// applied is the text with one fix.
func applied(t testing.TB, data []byte, f lint.Finding) []byte {
	t.Helper()
	lines := strings.Split(string(data), "\n")
	line := lines[f.Line-1]
	at := strings.Index(line, f.Found)
	if at < 0 {
		t.Fatalf("line %d is %q, not %q", f.Line, line, f.Found)
	}
	indent := "\n" + strings.Repeat(" ", at)
	lines[f.Line-1] = line[:at] + strings.ReplaceAll(f.Fix, "\n", indent) + line[at+len(f.Found):]
	return []byte(strings.Join(lines, "\n"))
}

// A finding whose fix was applied is gone. nginx's fixes, which --fix applies, have tests of their own.
func TestFixesTogetherLeaveNothingToFix(t *testing.T) {
	eachKind(t, func(t *testing.T, k lint.Kind) {
		fixes := 0
		for _, f := range corpus(t, k) {
			o := optionsOf(f)
			r, err := k.Lint([]lint.File{f}, o)
			if err != nil || k.Name == lint.Nginx {
				continue
			}
			data, n := mended(t, k, f)
			fixes += n
			again, err := k.Lint([]lint.File{{Name: f.Name, Data: data}}, o)
			labtest.Check(t, err)
			for _, before := range r.Findings {
				for _, after := range again.Findings {
					if before.Found != "" && before.Fix != "" && before.Rule == after.Rule && before.Why.String() == after.Why.String() {
						t.Errorf("%s: %q doesn't mend it: %s", f.Name, before.Fix, after.Why)
					}
				}
			}
		}
		if fixes < 5 && k.Name != lint.Nginx {
			t.Errorf("%d fixes were tried: the corpus has more", fixes)
		}
	})
}

// An age or an idle time of seconds costs more connections than a limit of 1000 requests: it is to be changed first.
func TestTheNextStepIsTheTimeOfSeconds(t *testing.T) {
	const traefik = "entryPoints:\n  web:\n    transport:\n      keepAliveMaxRequests: 1000\n      keepAliveMaxTime: "
	const nginx = "events { worker_connections 8192; }\nhttp {\nkeepalive_requests 1000;\n%s;\nserver { listen 443 ssl; http2 on; }\n}\n"
	ages := labtest.Read(t, "../envoyconf/testdata/corpus/ages.yaml")
	for _, c := range []struct{ kind, text, line string }{
		{lint.Traefik, traefik + "2s\n", ":5"}, {lint.Traefik, traefik + "10s\n", ":4"},
		{lint.Envoy, ages, ":14"}, {lint.Envoy, strings.Replace(ages, "max_connection_duration: 2s", "max_connection_duration: 60s", 1), ":13"},
		{lint.Nginx, fmt.Sprintf(nginx, "keepalive_time 2s"), ":4"}, {lint.Nginx, fmt.Sprintf(nginx, "keepalive_time 10s"), ":3"},
		{lint.Nginx, fmt.Sprintf(nginx, "keepalive_timeout 1s"), ":4"}, {lint.Nginx, fmt.Sprintf(nginx, "keepalive_timeout 8s"), ":3"},
	} {
		k := kinds[slices.IndexFunc(kinds, func(k lint.Kind) bool { return k.Name == c.kind })]
		r, err := k.Lint([]lint.File{{Name: "f", Data: []byte(c.text)}}, lint.Options{})
		labtest.Check(t, err)
		var b strings.Builder
		if lint.Text(&b, texts.English, "f", r); !strings.HasSuffix(b.String(), "f"+c.line+"\n") {
			t.Errorf("%s, not %s:\n%s", c.kind, c.line, b.String())
		}
	}
}

// testdata/kinds.txtar has files by the kind that they are recognised as, "-" for none, and their names.
func TestTheKindOfAFile(t *testing.T) {
	all, err := txtar.ParseFile("testdata/kinds.txtar")
	labtest.Check(t, err)
	for _, f := range all.Files {
		want, name, _ := strings.Cut(f.Name, " ")
		for _, k := range kinds {
			if got := k.Looks(lint.File{Name: name, Data: f.Data}); got != (k.Name == want) {
				t.Errorf("%s takes this for its own: %v\n%s", k.Name, got, f.Data)
			}
		}
	}
	eachKind(t, func(t *testing.T, own lint.Kind) {
		for _, f := range corpus(t, own) {
			for _, k := range kinds {
				unclear := strings.HasPrefix(filepath.Base(f.Name), "bad-")
				if got := k.Looks(f); got != (k.Name == own.Name) && !unclear {
					t.Errorf("%s takes %s for its own: %v", k.Name, f.Name, got)
				}
			}
		}
	})
}

// For any file, a linter returns an error that names one of its lines, or a report that can be printed.
func FuzzLint(f *testing.F) {
	for i, k := range kinds[:len(kinds)-1] { // nginxconf has its own, which reads nothing from disk
		names, _ := filepath.Glob(filepath.Join("..", directories[k.Name], "testdata/corpus/*"))
		for _, name := range names {
			f.Add(i, filepath.Base(name), labtest.Read(f, name))
		}
	}
	for i, text := range map[int]string{0: `{"configs":[{"@type":"x/envoy.admin.v3.ListenersConfigDump","dynamic_listeners":[{"active_state":` +
		`{"listener":{"@type":"x/envoy.config.listener.v3.Listener"}}}]}]}`,
		1: "kind: List\nitems: [{kind: List, items: [[], 1, {kind: ConfigMap, data: {keep-alive: [1]}}]}]\n",
		2: "[entryPoints]\nweb={transport={keepAliveMaxRequests=1}}\n[[a]]\n[entryPoints.\"\"]",
		3: "defaults\ndefault-server \\x\\\nlisten a\n bind\n server\nserver-template x\ntimeout\n"} {
		f.Add(i, "a.toml", text)
	}
	f.Fuzz(func(t *testing.T, i int, name, text string) {
		if i < 0 || i >= len(kinds)-1 || strings.ContainsAny(name, "\n\r") {
			return
		}
		k, file := kinds[i], lint.File{Name: name, Data: []byte(text)}
		k.Looks(file)
		r, err := k.Lint([]lint.File{file}, lint.Options{})
		said(t, k, file, r, err)
		for _, found := range r.Findings {
			if found.Line < 0 || found.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("line %d: %s", found.Line, found.Why)
			}
		}
	})
}
