package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"

	"h2lab/internal/base/await"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/program"
	"h2lab/internal/base/texts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/runs"
)

// pinned runs the tests in English, so that they pass under every locale.
type pinned struct{ *testing.M }

func (p pinned) Run() int {
	if err := os.Setenv("LC_ALL", "C"); err != nil {
		panic(err)
	}
	return p.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(pinned{m}, map[string]func(){"h2lab": main})
}

// h2lab runs the command in this process.
func h2lab(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	return h2labOn(ctx, runtime.GOOS, args...)
}

// h2labOn runs it as if it were on another system.
func h2labOn(ctx context.Context, system string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = runOn(ctx, system, args, &out, &errs)
	return status, out.String(), errs.String()
}

// TestCommand runs the scripts of testdata/script, which check the command's output and exit
// statuses. None of them starts a server.
func TestCommand(t *testing.T) {
	dir, err := filepath.Abs("testdata/script")
	labtest.Check(t, err)
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			// The h2lab under test is in bin/ of each script's directory, which is a checkout,
			// unless the script copies it elsewhere.
			bin := filepath.Join(e.WorkDir, "bin")
			if err := labtest.CopySelf(filepath.Join(bin, "h2lab")); err != nil {
				return err
			}
			e.Setenv("H2LAB_BIN", bin) // for scripts that empty the PATH
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("NO_COLOR", "1")
			for name, text := range map[string]string{"go.mod": "module h2lab\n", "versions.env": ""} {
				path := filepath.Join(e.WorkDir, name)
				if _, err := os.Stat(path); err == nil {
					continue // the script has its own
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "install": install},
	})
}

// install DIR copies the h2lab under test into a directory.
func install(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: install directory")
	}
	ts.Check(labtest.CopySelf(filepath.Join(ts.MkAbs(args[0]), "h2lab")))
}

// status N CMD ARGS… runs a command and compares its exit status. A last argument <FILE is the command's input.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got, stderr := 0, ""
	if args[1] == "h2lab" && !slices.Contains(processes, ts.Name()) {
		got, stderr = inThisProcess(ts, args[2:])
	} else {
		var exit interface{ ExitCode() int }
		if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
			got = exit.ExitCode()
		} else {
			ts.Check(err)
		}
		stderr = ts.ReadFile("stderr")
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	for line := range strings.Lines(stderr) {
		if ugly := uglyMessage(strings.TrimSuffix(line, "\n")); ugly != "" && filepath.Base(args[1]) == "h2lab" {
			ts.Fatalf("a message of h2lab %s: %s", ugly, line)
		}
	}
}

// processes are the scripts in which h2lab is a process: its input, its signals, its place and the programs that it starts
// matter there. In the others it runs in this process, for a tenth of what a process costs.
var processes = []string{"delay", "docker", "down", "limits", "live", "places", "signals", "step", "tools-hang", "tools-missing"}

// one is held while this process has a script's environment and working directory.
var one sync.Mutex

func inThisProcess(ts *testscript.TestScript, args []string) (status int, stderr string) {
	one.Lock()
	defer one.Unlock()
	dir, err := os.Getwd()
	ts.Check(err)
	text, err := os.ReadFile(filepath.Join(dir, "testdata", "script", ts.Name()+".txtar"))
	ts.Check(err)
	was, input := os.Environ(), os.Stdin
	defer func() {
		os.Clearenv()
		for _, kv := range was {
			name, value, _ := strings.Cut(kv, "=")
			ts.Check(os.Setenv(name, value))
		}
		ts.Check(os.Chdir(dir))
		os.Stdin = input
	}()
	os.Clearenv()
	for _, name := range append([]string{"PATH=", "HOME=", "TMPDIR=", "NO_COLOR="}, variable.FindAllString(string(text), -1)...) {
		name = strings.TrimSuffix(name, "=")
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	if n := len(args) - 1; n > 0 && strings.HasPrefix(args[n], "<") {
		os.Stdin, err = os.Open(ts.MkAbs(args[n][1:]))
		ts.Check(err)
		args = args[:n]
	}
	ts.Check(os.Chdir(ts.MkAbs(".")))
	self = func() (program.Origin, error) {
		return program.Origin{Path: filepath.Join(ts.Getenv("WORK"), "bin", "h2lab"), Dir: ts.MkAbs(".")}, nil
	}
	var errs bytes.Buffer
	status = guarded(context.Background(), args, ts.Stdout(), io.MultiWriter(ts.Stderr(), &errs))
	return status, errs.String()
}

// variable matches the name of a variable that a script may set.
var variable = regexp.MustCompile(`\b[A-Z][A-Z_]*=`)

// goisms matches text that only a Go programmer understands.
var goisms = regexp.MustCompile(`exit status \d+$|%!|<nil>|\(nil\)|0x[0-9a-f]{6,}|goroutine |signal: killed$|context ` +
	`canceled`)

// uglyMessage returns what is wrong with a message, or "": text of Go's own, or a chain of errors
// that repeats itself.
func uglyMessage(line string) string {
	if m := goisms.FindString(line); m != "" {
		return fmt.Sprintf("has %q", m)
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(strings.TrimPrefix(line, "h2lab: "), ": ") {
		if len(part) > 8 && seen[part] {
			return fmt.Sprintf("says %q twice", part)
		}
		seen[part] = true
	}
	path := twice.FindString(line)
	if path != "" && strings.Count(line, path) > 1 && strings.Contains(line, "open "+path) {
		return fmt.Sprintf("names %s twice", path)
	}
	return ""
}

// twice matches the file that an error of the operating system names.
var twice = regexp.MustCompile(`[^ ]*/[^ :]+\.(json|txt|crt)\b`)

func TestUglyMessagesAreSeen(t *testing.T) {
	for _, line := range []string{"h2lab: exit status 1", "h2lab: lint: exit status 3", "h2lab: %!v(MISSING)",
		"h2lab: reading x: <nil>",
		"h2lab: writing the report: writing the report: no space left",
		"h2lab: a/b.json is not there: open a/b.json: no such file"} {
		if uglyMessage(line) == "" {
			t.Errorf("%q passes", line)
		}
	}
	for _, line := range []string{"h2lab: tools/get.sh k6 failed with status 1; its messages are above",
		"tools: no network", ""} {
		if ugly := uglyMessage(line); ugly != "" {
			t.Errorf("%q %s", line, ugly)
		}
	}
}

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
	_, help, _ := h2lab(t.Context(), "--help")
	at := -1
	for _, g := range groups {
		next := strings.Index(help, "\n"+g.Title+"\n")
		if next <= at {
			t.Errorf("%q isn't in its place in the help", g.Title)
		}
		at = next
	}
	for _, plumbing := range []string{"hold", "healthcheck", "pod-exec-serve", "pod-exec"} {
		if strings.Contains(help, "\n  "+plumbing+" ") {
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

func makeKnobsOf(t *testing.T) makeKnobs {
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

// The option wins over the locale, in which LC_ALL wins over LC_MESSAGES and that over LANG.
func TestTheLanguageIsThatOfTheOptionOrOfTheLocale(t *testing.T) {
	for _, c := range []struct {
		all, messages, lang, option string
		want                        texts.Language
	}{
		{"", "", "", "", "en"}, {"", "", "C.UTF-8", "", "en"}, {"", "", "en_US.UTF-8", "", "en"}, {"", "", "zhx", "", "en"},
		{"", "", "zh_CN.UTF-8", "", "zh-CN"}, {"", "", "zh", "", "zh-CN"}, {"", "zh_TW", "en_US.UTF-8", "", "zh-CN"},
		{"C", "zh_CN", "zh_CN", "", "en"}, {"zh_CN.UTF-8", "C", "C", "", "zh-CN"},
		{"zh_CN.UTF-8", "", "", "en", "en"}, {"zh_CN.UTF-8", "", "", "EN_us", "en"}, {"zh_CN.UTF-8", "", "", "en.zh", "en"},
		{"C", "", "", "zh", "zh-CN"}, {"C", "", "", "zh-TW", "zh-CN"}, {"zh_CN", "", "", "fr", ""}, {"zh_CN", "", "", "z", ""},
		{"zh_CN", "", "", "zhx", ""},
	} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_MESSAGES", c.messages)
		t.Setenv("LANG", c.lang)
		got, named, err := languageFlag{Lang: c.option}.language()
		if got != c.want || named != (c.option != "") || (err != nil) != (c.want == "") {
			t.Errorf("%+v is %q, %v, %v", c, got, named, err)
		}
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
			if status, _, said := h2lab(t.Context(), "repro"); status != statusUsage || !strings.Contains(said, c.says) {
				t.Errorf("status %d: %s", status, said)
			}
		})
	}
	// What looks like a flag is no value.
	_, _, said := h2lab(t.Context(), "delay", "--rtt", "-1ms", "--", "true")
	if want := `expected duration value but got "-1ms"`; !strings.Contains(said, want) {
		t.Errorf("the error lacks %s: %s", want, said)
	}
}

// evil has every kind of control sequence that a terminal interprets: a title, a colour, CR, BS,
// C1, a bidirectional override.
const evil = "\x1b]0;title\a\x1b[31m\r\b\u009b2J\u202e\u200b"

// verb runs h2lab and fails when its output contains control sequences.
func verb(t *testing.T, ctx context.Context, args ...string) (status int, printed string) {
	t.Helper()
	status, out, said := h2lab(ctx, args...)
	printable(t, "stdout of "+args[0], []byte(out))
	printable(t, "stderr of "+args[0], []byte(said))
	return status, out + said
}

func saved(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	labtest.Write(t, path, text)
	return path
}

func TestNoVerbPassesTerminalControlsOn(t *testing.T) {
	const goaway = "http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug="
	f := labtest.NewFaults(t, labtest.HostileText)
	for _, c := range []struct {
		what, shows string
		args        []string
	}{
		{"the text that decode is given", "GOAWAY", []string{"decode", goaway + evil}},
		{"a log that decode reads", "GOAWAY",
			[]string{"decode", saved(t, "a.log", goaway+evil+"\n"+evil+" something else\n")}},
		{"a log that decode reads, as JSON", "go-goaway",
			[]string{"decode", "--json", saved(t, "a.log", goaway+evil+"\n")}},
		{"a log that logs reads", "",
			[]string{"logs", saved(t, "access.log", strings.Repeat("1.2.3.4 - - [x] "+evil+"\n", 50))}},
		{"a format for logs", "no $connection",
			[]string{"logs", "--format", "$remote_addr " + evil, saved(t, "access.log", "x\n")}},
		{"an nginx configuration that lint reads", `not seen: \u001b]0`,
			[]string{"lint",
				saved(t, "nginx.conf", "http { include "+evil+".conf; server { listen 443 ssl http2; } }\n")}},
		{"an nginx configuration that lint reads, as JSON", "",
			[]string{"lint", "--json",
				saved(t, "nginx.conf",
					"events {}\nhttp { keepalive_requests 10; # "+evil+"\nserver { server_name \""+evil+
						"\"; listen 443 ssl http2; } }\n")}},
		{"an Envoy configuration that lint reads", "",
			[]string{"lint", saved(t, "envoy.yaml",
				"static_resources: {listeners: [{name: \"a\\e[31m\\u202e\"}], \""+"x\\r"+"\": 1}\n")}},
		{"the name of a file that is not there", `\u001b`, []string{"lint", "no\x1b[31mfile.conf"}},
		{"an argument that no verb has", `\u001b`, []string{"decode", "--no-such\x1b[31mflag"}},
		{"the name of a run that is not there", `\u001b`, []string{"report", "no\x1b[31mrun"}},
	} {
		f.Try("terminal controls in "+c.what, func(t *testing.T) {
			_, printed := verb(t, t.Context(), c.args...)
			if !strings.Contains(printed, c.shows) || slices.Contains(c.args, "--json") && json.NewDecoder(strings.NewReader(printed)).Decode(new(any)) != nil {
				t.Errorf("it doesn't show %q, or is no JSON: %.500q", c.shows, printed)
			}
		})
	}
}

// TestServersCanNotWriteToTheTerminal covers headers and the counters of watch, which any server
// can set.
func TestServersCanNotWriteToTheTerminal(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Server", "evil \u009b31m\u202e")
		w.Header().Set("Location", "https://\u202e")
		_, _ = w.Write([]byte("Active connections: " + evil))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	f.Try("terminal controls in the headers of a server that probe asks", func(t *testing.T) {
		_, printed := verb(t, t.Context(), "probe", "--insecure", "--max-streams", "20", "--connections", "1", s.URL)
		if !strings.Contains(printed, `\u202e`) && !strings.Contains(printed, "evil") {
			t.Errorf("the header is not shown at all: %.500q", printed)
		}
	})
	f.Try("terminal controls in the headers of a server that trace asks", func(t *testing.T) {
		verb(t, t.Context(), "trace", "--insecure", "--limit", "3", s.URL)
	})
	plain := httptest.NewServer(s.Config.Handler)
	defer plain.Close()
	f.Try("terminal controls in the counters that watch reads", func(t *testing.T) {
		verb(t, t.Context(), "watch", plain.URL)
	})
}

// TestPipesAreGivenUp checks that a verb waiting for a pipe ends when it is interrupted.
func TestPipesAreGivenUp(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	pipe := filepath.Join(t.TempDir(), "pipe")
	labtest.Mkfifo(t, pipe)
	for _, args := range [][]string{{"decode", pipe}, {"logs", pipe}, {"lint", pipe},
		{"logs", "--format-from", pipe, "/dev/null"}} {
		f.Try("a pipe that nobody writes to, read by "+
			strings.Join(slices.DeleteFunc(slices.Clone(args), filepath.IsAbs), " "), func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			stop()
			if status, printed := verb(t, ctx, args...); status != statusCouldNot ||
				!strings.Contains(printed, "interrupted") {
				t.Errorf("exit status %d: %s", status, printed)
			}
		})
	}
	for _, args := range [][]string{{"report", pipe}, {"replay", "--no-serve", pipe}} {
		f.Try("a pipe in the place of a run's directory, for "+args[0], func(t *testing.T) {
			if status, printed := verb(t, t.Context(), append(args, "--root", labtest.Root(t))...); status != statusCouldNot ||
				!strings.Contains(printed, "pipe") {
				t.Errorf("exit status %d: %s", status, printed)
			}
		})
	}
}

// printable fails on characters that a terminal interprets or that a reader can't see.
func printable(t *testing.T, name string, b []byte) {
	t.Helper()
	for _, r := range string(b) {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Errorf("%s has %U", name, r)
			return
		}
	}
}

// explodes panics with a nil pointer dereference.
func explodes() (report string) {
	defer func() { report = bugReport(await.Caught(recover()), []string{"repro", "--quick"}) }()
	var a *app
	return a.root
}

func TestAPanicIsOneLineThatSaysWhereAndHowToReportIt(t *testing.T) {
	said := explodes()
	for _, part := range []string{
		"h2lab: this is a bug: runtime error: invalid memory address or nil pointer dereference",
		"explodes, command_test.go:", "h2lab repro --quick", "report it"} {
		if strings.Contains(said, "\n") || !strings.Contains(said, part) {
			t.Errorf("%q doesn't say %q in one line", said, part)
		}
	}
}

// broken panics when it is written to, which no verb does.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("a bug in a writer") }

func TestAPanicOfAVerbEndsInStatus1(t *testing.T) {
	var stderr bytes.Buffer
	if status := guarded(t.Context(), []string{"--help"}, broken{}, &stderr); status != statusCouldNot {
		t.Errorf("status %d", status)
	}
	said := stderr.String()
	if !strings.HasPrefix(said, "h2lab: this is a bug: a bug in a writer") || strings.Count(said, "\n") != 1 {
		t.Errorf("it says %q", said)
	}
}

// speakers are verbs that write to stdout and need no server.
var speakers = [][]string{
	{"--help"}, {"repro", "--help"}, {"decode", "--list"}, {"decode", "--list", "--json"},
	{"decode", "the printer is on fire"},
	{"advise", "--rate", "9900", "--in-flight", "100", "--handshake-ms", "1.48"},
	{"advise", "--rate", "9900", "--in-flight", "100", "--handshake-ms", "1.48", "--json"},
	{"lint", "nginx.conf"}, {"lint", "--json", "nginx.conf"}, {"lint", "--sarif", "nginx.conf"},
	{"logs", "--format", "$connection $connection_requests $msec", "access.log"},
	{"workshop"}, {"step", "11"}, {"report", "recorded"}, {"replay", "--no-serve", "recorded"},
	{"version"}, {"--version", "--json"}, {"completion", "zsh"}, {"man"},
}

// spoken writes a speaker's output to a file.
func spoken(t *testing.T, args []string, stdout *os.File) (status int, said string) {
	t.Helper()
	var errs bytes.Buffer
	status = run(t.Context(), args, stdout, &errs)
	return status, errs.String()
}

// speaking is a checkout in which the speakers have something to say; it becomes the working directory.
func speaking(t *testing.T) {
	t.Helper()
	root := emptyCheckout(t)
	for name, text := range map[string]string{
		"nginx.conf":                         "events {}\nhttp { server { listen 443 ssl http2; } }\n",
		"access.log":                         "1 1 1790071200.000\n1 2 1790071201.000\n",
		"docs/workshop/start/11/question.md": "## Question\n## Prediction\n",
		"workshop/11/question.md":            "## Question\n## Prediction\n",
	} {
		labtest.Write(t, filepath.Join(root, name), text)
	}
	recorded := filepath.Join(labtest.Root(t), "testdata", "recorded", "repro")
	labtest.Check(t, os.CopyFS(filepath.Join(root, "recorded"), os.DirFS(recorded)))
	was := self
	self = func() (program.Origin, error) {
		return program.Origin{Path: filepath.Join(root, "bin", "h2lab"), Dir: root}, nil
	}
	t.Cleanup(func() { self = was })
	labtest.Write(t, filepath.Join(root, "bin", "h2lab"), "")
	t.Chdir(root)
}

func TestOutputThatCanNotBeWrittenIsAFailure(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Disks)
	speaking(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	labtest.Check(t, err)
	defer full.Close() //nolint:errcheck // nothing was written
	for _, args := range speakers {
		f.Try("stdout is full: h2lab "+strings.Join(args, " "), func(t *testing.T) {
			status, said := spoken(t, args, full)
			const line = "h2lab: the output can't be written: no space left on device; make room, or send it to another place\n"
			if status != statusCouldNot || !strings.HasSuffix(said, line) || strings.Count(said, "no space left") != 1 {
				t.Errorf("status %d, want %d, with the line %q once:\n%s", status, statusCouldNot, line, said)
			}
		})
	}
}

// The last speaker is a process too: SIGPIPE would end it at once.
func TestAReaderThatHasGoneEndsAVerbQuietly(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Signals)
	program := filepath.Join(t.TempDir(), "h2lab")
	labtest.Check(t, labtest.CopySelf(program))
	speaking(t)
	r, w, err := os.Pipe()
	labtest.Check(t, err)
	labtest.Check(t, r.Close())
	defer w.Close() //nolint:errcheck // nobody reads it
	for _, args := range speakers {
		f.Try("nobody reads stdout: h2lab "+strings.Join(args, " "), func(t *testing.T) {
			if status, said := spoken(t, args, w); status != statusReaderGone || strings.Contains(said, "pipe") {
				t.Errorf("status %d, want %d, without a message:\n%s", status, statusReaderGone, said)
			}
		})
	}
	cmd := exec.CommandContext(t.Context(), program, "man")
	cmd.Stdout = w
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != statusReaderGone {
		t.Errorf("a process ends with %v", err)
	}
}

func TestInsideIsRefusedOnTheHost(t *testing.T) {
	for _, c := range []struct {
		order, says string
		status      int
	}{
		{"", "on the host use: make repro RUNTIME=docker", statusUsage},
		{"{", "the image is older than this checkout", statusCouldNot},
		{`{"Command":"bench"}`, "CONCURRENCY=0 is out of range", statusUsage},
	} {
		t.Setenv(runs.OrderVariable, c.order)
		got, _, said := h2lab(t.Context(), "inside", "--root", labtest.Root(t))
		if got != c.status || !strings.Contains(said, c.says) {
			t.Errorf("order %q: status %d, %s", c.order, got, said)
		}
	}
	got, _, said := h2lab(t.Context(), plan.Repro, "--runtime", "pod", "--root", labtest.Root(t))
	if got != statusUsage || !strings.Contains(said, "choose from docker, native, auto") {
		t.Errorf("RUNTIME=pod: status %d, %s", got, said)
	}
}
