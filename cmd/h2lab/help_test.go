package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/labtest"
)

func parserOf(t *testing.T) (*kong.Kong, *knobs) {
	t.Helper()
	ks := &knobs{}
	parser, err := newParser(&cli{}, ks)
	labtest.Check(t, err)
	return parser, ks
}

// visible returns the verbs that the help shows.
func visible(parser *kong.Kong) (out []*kong.Node) {
	for _, node := range parser.Model.Children {
		if !node.Hidden {
			out = append(out, node)
		}
	}
	return out
}

func TestVerbsAreGroupedByWhatAReaderWants(t *testing.T) {
	parser, _ := parserOf(t)
	for _, node := range visible(parser) {
		if node.Group == nil || node.Group.Title == "" {
			t.Errorf("%s is in no group of the help", node.Name)
		}
	}
	var out, errs bytes.Buffer
	if status := run(context.Background(), []string{"--help"}, &out, &errs); status != statusDone {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	at := -1
	for _, g := range groups {
		next := strings.Index(out.String(), "\n"+g.Title+"\n")
		if next <= at {
			t.Errorf("%q isn't in its place in the help", g.Title)
		}
		at = next
	}
	for _, plumbing := range []string{"hold", "healthcheck", "hand", "reach"} {
		if strings.Contains(out.String(), "\n  "+plumbing+" ") {
			t.Errorf("the help shows %s, which only the pod calls", plumbing)
		}
	}
}

// words splits a line as a shell does, without the programs before h2lab in a pipe and without
// redirections.
func words(t *testing.T, line string) []string {
	t.Helper()
	_, command, found := strings.Cut(" "+line, " h2lab ")
	if !found {
		t.Fatalf("%q has no h2lab", line)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "set -f; told() { printf '%s\\n' \"$@\" >&2; }; told "+command)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = t.TempDir(), &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v: %s", line, err, said.String())
	}
	return strings.Split(strings.TrimSuffix(said.String(), "\n"), "\n")
}

func TestEveryVerbShowsTwoExamplesThatParse(t *testing.T) {
	for _, name := range []string{"RUN", "N", "HINT"} {
		t.Setenv(name, "")
	}
	listing, _ := parserOf(t)
	for _, node := range visible(listing) {
		shown := 0
		for line := range strings.Lines(node.Detail) {
			if line = strings.TrimSpace(line); !strings.Contains(" "+line, " h2lab ") {
				continue
			}
			shown++
			args := words(t, line)
			ks := &knobs{verb: verbOf(args)}
			parser, err := newParser(&cli{}, ks)
			labtest.Check(t, err)
			parsed, err := parser.Parse(args)
			if err != nil {
				t.Errorf("%s: the example %q doesn't parse: %v", node.Name, line, err)
				continue
			}
			if err := ks.given(parsed).Conflict(); err != nil {
				t.Errorf("%s: the example %q: %v", node.Name, line, err)
			}
		}
		if shown < 2 {
			t.Errorf("%s shows %d examples, want 2", node.Name, shown)
		}
	}
}

// kong uses a backquoted word in a help text as the placeholder and changes the sentence; a word with
// a capital letter in its middle shows where.
func TestHelpTextsAreWhole(t *testing.T) {
	glued := regexp.MustCompile(`[a-z][A-Z]`)
	parser, _ := parserOf(t)
	texts := 0
	for _, node := range parser.Model.Children {
		for _, v := range values(node) {
			texts++
			if strings.Contains(v.OrigHelp, "`") {
				t.Errorf("%s, %s: a backquote in %q", node.Name, v.Name, v.OrigHelp)
			}
			for _, w := range strings.Fields(v.Help) {
				if glued.MatchString(w) && !strings.HasPrefix(w, "-") {
					t.Errorf("%s, %s: %q in %q", node.Name, v.Name, w, v.Help)
				}
			}
			if v.Help == "" || !strings.HasSuffix(v.Help, ".") {
				t.Errorf("%s, %s: %q is no sentence", node.Name, v.Name, v.Help)
			}
		}
	}
	if texts < 100 {
		t.Fatalf("only %d help texts found", texts)
	}
}

func makeKnobsOf(t *testing.T) *makeKnobs {
	t.Helper()
	m, err := readMakeKnobs(filepath.Join(labtest.Root(t), "tools", "knobs.txt"))
	labtest.Check(t, err)
	return m
}

func TestVariablesOfMakeAreCheckedByName(t *testing.T) {
	m := makeKnobsOf(t)
	for _, c := range []struct{ goals, name, want string }{
		{"repro", "LIMT", "LIMT is unknown: the nearest is LIMIT"},
		{"repro", "TRAILS", "TRAILS is unknown: the nearest is TRIALS"},
		{"repro", "limit", "limit is unknown: the nearest is LIMIT"},
		{"certs", "KYE", "KYE is unknown: the nearest is KEY"},
		{"replay", "RNU", "RNU is unknown: the nearest is RUN"},
		{"fixed", "ONLY", "ONLY has no effect on make fixed: it is taken by make clients"},
		{"down", "LIMIT", "LIMIT has no effect on make down: it is taken by make repro, fixed, matrix, clients, story, sweep, up"},
		{"test", "N", "N has no effect on make test: it is taken by make step"},
		{"check", "HINT", "HINT has no effect on make check: it is taken by make step"},
		{"down", "PREFIX", "PREFIX is unknown to make down; it takes no variable"},
		{"report", "PREFIX", "PREFIX is unknown to make report; it takes RUN RESULTS"},
		{"help", "LIMTI", "LIMTI is unknown: the nearest is LIMIT, which is taken by make repro, fixed, matrix, clients, story, sweep, up"},
		{"repro", "LIMIT", ""}, {"certs repro", "LIMIT", ""}, {"certs", "CERT_DAYS", ""}, {"repro", "CERT_DAYS", ""},
		{"down", "GOFLAGS", ""}, {"pin", "DOCKER_HOST", ""}, {"pin", "HTTPS_PROXY", ""}, {"repro", "NGINX_IMAGE", ""},
		{"step", "N", ""}, {"shell", "WITH", ""},
	} {
		if got := m.wrong(strings.Fields(c.goals), c.name); got != c.want {
			t.Errorf("make %s %s=: %q, want %q", c.goals, c.name, got, c.want)
		}
	}
}

// make must accept every make command line in the documentation.
func TestRecipesInTheDocsAreTaken(t *testing.T) {
	recipe := regexp.MustCompile(`\bmake ([a-z][a-z-]*)((?: [A-Z_]+=[^\s` + "`" + `)}（），。;"']*)+)`)
	m, seen := makeKnobsOf(t), 0
	err := filepath.WalkDir(labtest.Root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "node_modules", "results", "var", "bundle", "tools"}, d.Name()) {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".md" {
			return nil
		}
		for _, found := range recipe.FindAllStringSubmatch(labtest.Read(t, path), -1) {
			if !makeTargets.MatchString("make " + found[1]) {
				continue
			}
			seen++
			for word := range strings.FieldsSeq(found[2]) {
				name, _, _ := strings.Cut(word, "=")
				if wrong := m.wrong([]string{found[1]}, name); wrong != "" {
					t.Errorf("%s: %s: %s", path, found[0], wrong)
				}
			}
		}
		return nil
	})
	labtest.Check(t, err)
	if seen < 30 {
		t.Fatalf("only %d recipes found", seen)
	}
}

func TestTheEnvironmentIsNoKnobOfAnotherVerb(t *testing.T) {
	ks := &knobs{
		taken: []string{"LIMIT", "KEY", "TRIALS"},
		all:   []string{"LIMIT", "KEY", "TRIALS", "CLIENT", "CLIENTS"},
	}
	env := append(os.Environ(), "KYE=1", "PATH=/bin", "LIMIT=5", "TRAILS=6", "limt=3", "LIMT=")
	want := "the environment has TRAILS=6, which nothing reads; the nearest knob is TRIALS"
	if got := strings.Join(ks.nearMisses(env), "\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
