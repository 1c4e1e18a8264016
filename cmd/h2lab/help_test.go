package main

import (
	"bytes"
	"context"
	"errors"
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
	"h2lab/internal/report/translations"
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
	for _, plumbing := range []string{"hold", "healthcheck", "pod-exec-serve", "pod-exec"} {
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

// The next step of an error is run in the checkout only if it is a command of make.
func TestOnlyACommandOfMakeIsRunInTheCheckout(t *testing.T) {
	for text, want := range map[string]bool{
		"results can't be written to x: no space left on device; make room or choose another place": false,
		"the runners' logs make no result":                           false,
		"certs/out is missing: make certs":                           true,
		"it isn't built; build it with: make check-clients":          true,
		"use the lab container: make shell":                          true,
		"the window is too short: make repro LIMIT=100 and wait":     true,
		"no checks: these figures make checks of the report useless": false,
	} {
		var stderr bytes.Buffer
		a := &app{root: filepath.Join(t.TempDir(), "checkout"), stderr: &stderr}
		a.fail(errors.New(text))
		if got := strings.Contains(stderr.String(), "make is run in"); got != want {
			t.Errorf("%v: %s", got, &stderr)
		}
	}
}

func TestEveryTargetOfTheMakefileIsKnown(t *testing.T) {
	text := labtest.Read(t, filepath.Join(labtest.Root(t), "Makefile"))
	targets := regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):.* ## `).FindAllStringSubmatch(text, -1)
	if len(targets) < 20 {
		t.Fatalf("the Makefile has %d targets", len(targets))
	}
	for _, m := range targets {
		if got := makeTargets.FindString("try: make " + m[1]); got != "make "+m[1] {
			t.Errorf("make %s is not known: %q", m[1], got)
		}
	}
}

func TestTheLocaleDecidesTheLanguage(t *testing.T) {
	for _, c := range []struct {
		all, messages, lang string
		want                bool
	}{
		{"", "", "", false}, {"", "", "C.UTF-8", false}, {"", "", "en_US.UTF-8", false}, {"", "", "zhx", false},
		{"", "", "zh_CN.UTF-8", true}, {"", "", "zh", true}, {"", "zh_TW", "en_US.UTF-8", true},
		{"C", "zh_CN", "zh_CN", false}, {"zh_CN.UTF-8", "C", "C", true},
	} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_MESSAGES", c.messages)
		t.Setenv("LANG", c.lang)
		if got := chineseLocale(); got != c.want {
			t.Errorf("%+v is %v", c, got)
		}
	}
}

func TestTheOptionWinsOverTheLocale(t *testing.T) {
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	for given, want := range map[string]translations.Language{
		"": translations.Chinese, "en": translations.English, "EN_us": translations.English, "zh-TW": translations.Chinese,
		"zh": translations.Chinese, "fr": "", "z": "", "zhx": "", "en.zh": translations.English,
	} {
		got, named, err := languageFlag{Lang: given}.language()
		if got != want || named != (given != "") || (err != nil) != (want == "") {
			t.Errorf("--lang %q is %q, %v, %v", given, got, named, err)
		}
	}
}

func TestADurationThatLooksLikeAFlagIsNoNumber(t *testing.T) {
	var out, err bytes.Buffer
	run(t.Context(), []string{"delay", "--rtt", "-1ms", "--", "true"}, &out, &err)
	if want := `expected duration value but got "-1ms"`; !strings.Contains(err.String(), want) {
		t.Errorf("the error lacks %s: %s", want, err.String())
	}
}

// A number that isn't one ends with a sentence that shows how to write it.
func TestANumberThatIsNoneEndsWithAnExample(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Knobs)
	for _, c := range []struct{ knob, value, says string }{
		{"LIMIT", "1e3", `--limit: "1e3" is not a whole number written in digits, for example 1000`},
		{"LIMIT", "0x10", `"0x10" is not a whole number`},
		{"LIMIT", "99999999999999999999", "is too large a number"},
		{"CONCURRENCY", "ten", `"ten" is not a whole number`},
		{"SEED", "-1", `"-1" is not a whole number`},
		{"DURATION", "5", `--duration: "5" is not a duration with its unit, for example 300ms, 5s or 2m`},
	} {
		f.Try(c.knob+"="+c.value, func(t *testing.T) {
			t.Setenv(c.knob, c.value)
			var out, err bytes.Buffer
			if status := run(t.Context(), []string{"repro"}, &out, &err); status != 2 || !strings.Contains(err.String(), c.says) {
				t.Errorf("status %d: %s", status, err.String())
			}
		})
	}
}
