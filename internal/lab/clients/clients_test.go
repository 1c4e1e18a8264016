package clients

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// project makes a project root with one ecosystem from files by name.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, "clients", name)
		labtest.WriteProgram(t, path, text)
	}
	return root
}

// shell is an ecosystem of two clients, the second a cure of the first.
const shell = `{"ecosystem": "shell", "title": "Shell", "needs": [], "build": ["./build.sh"], "clients": [
  {"name": "shell-1.0", "library": "sh", "says": "as it comes", "run": ["out/run", "plain"], "protocol": "h2"},
  {"name": "shell-1.0-cured", "library": "sh", "says": "cured", "run": ["sh"], "protocol": "h1", "ids": false,
   "cures": "shell-1.0", "snippet": "cure.sh#one", "price": "none"}]}`

func shellFiles() map[string]string {
	return map[string]string{
		"clients.txt":       "# in the order of the page\nshell # the only one\n\n",
		"shell/client.json": shell,
		"shell/cure.sh": "if true; then\n    # snippet:one (what to set)\n    export CURE=1\n      run\n\n  " +
			"  # snippet:end\nfi\n",
		"shell/build.sh": "#!/bin/sh\nmkdir -p out && echo built >> out/log && cp cure.sh out/run\n",
	}
}

func TestOneFolderAndOneLineAreAClient(t *testing.T) {
	root := project(t, shellFiles())
	all, err := Read(root, "clients")
	labtest.Check(t, err)
	if len(all) != 1 || len(all[0].Clients) != 2 {
		t.Fatalf("read %+v", all)
	}
	e := all[0]
	if got, want := e.Argv(e.Clients[0])[0], filepath.Join(root, "clients", "shell", "out", "run"); got != want {
		t.Errorf("starts %s, want %s", got, want)
	}
	if got := e.Argv(e.Clients[1])[0]; got != "sh" {
		t.Errorf("a tool of PATH becomes %s", got)
	}
	p := e.Program(e.Clients[1])
	want := facts.Snippet{File: "clients/shell/cure.sh", Language: "sh", Text: "export CURE=1\n  run\n"}
	if p.Snippet != want || p.IDs || p.Cures != "shell-1.0" {
		t.Errorf("the cure's program is %+v, want the snippet %+v and no ids", p, want)
	}
	if first := e.Program(e.Clients[0]); !first.IDs || first.Snippet.Text != "" {
		t.Errorf("the first row's program is %+v", first)
	}
}

func TestABuildIsMadeOnceForEachStateOfItsFolder(t *testing.T) {
	root := project(t, shellFiles())
	builds := func() int {
		t.Helper()
		all, err := Read(root, "clients")
		labtest.Check(t, err)
		labtest.Check(t, all[0].Make(t.Context(), Env(root)))
		log := labtest.Read(t, filepath.Join(root, "clients", "shell", "out", "log"))
		return strings.Count(log, "built")
	}
	if n := builds(); n != 1 {
		t.Fatalf("the first time it was built %d times", n)
	}
	if n := builds(); n != 1 {
		t.Errorf("unchanged it was built again: %d", n)
	}
	file := filepath.Join(root, "clients", "shell", "cure.sh")
	text, _ := os.ReadFile(file)
	labtest.WriteProgram(t, file, string(append(text, "# changed\n"...)))
	if n := builds(); n != 2 {
		t.Errorf("changed it was built %d times in all, want 2", n)
	}
}

func TestABuildThatFailsQuotesItselfAndIsTriedAgain(t *testing.T) {
	files := shellFiles()
	files["shell/build.sh"] = "#!/bin/sh\necho no compiler for you >&2\nexit 9\n"
	all, err := Read(project(t, files), "clients")
	labtest.Check(t, err)
	var failed *BuildError
	if err := all[0].Make(t.Context(), Env("")); !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), "no compiler for you") || !strings.Contains(err.Error(), "clients/shell") {
		t.Errorf("error %v", err)
	}
	if all[0].Current() {
		t.Error("a failed build counts as current")
	}
}

func TestAnInterruptedBuildEndsWithItsChildren(t *testing.T) {
	files := shellFiles()
	files["shell/build.sh"] = "#!/bin/sh\nsleep 600\n"
	all, err := Read(project(t, files), "clients")
	labtest.Check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := all[0].Make(ctx, Env("")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, not that of the context", err)
	}
}

func TestAManifestThatCouldOnlyFailLaterIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ from, to, says string }{
		"an unknown field":        {`"title"`, `"titel"`, `unknown field "titel"`},
		"another folder's name":   {`"ecosystem": "shell"`, `"ecosystem": "bash"`, "its folder is called"},
		"a name with a space":     {`"shell-1.0-cured"`, `"shell cured"`, "a-z, 0-9"},
		"no protocol":             {`"protocol": "h1"`, `"protocol": "h3"`, "choose h1 or h2"},
		"no program":              {`["sh"]`, `[]`, "run is empty"},
		"nothing to say":          {`"says": "cured"`, `"says": ""`, "says must not be empty"},
		"a cure without a price":  {`"price": "none"`, `"price": ""`, "its price"},
		"a cure of nobody":        {`"cures": "shell-1.0"`, `"cures": "shell-2.0"`, "which is no client"},
		"a name twice":            {`"shell-1.0-cured"`, `"shell-1.0"`, "there twice"},
		"a snippet without end":   {`#one`, `#two`, "no line has snippet:two"},
		"a snippet in no file":    {`cure.sh#one`, `cure.py#one`, "no such file"},
		"a snippet out of bounds": {`cure.sh#one`, `../clients.txt#one`, "is not FILE#MARK"},
		"no JSON":                 {`{"eco`, `{eco`, "invalid character"},
	} {
		files := shellFiles()
		files["shell/client.json"] = strings.Replace(shell, c.from, c.to, 1)
		_, err := Read(project(t, files), "clients")
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "shell/client.json") {
			t.Errorf("%s: error %v, want one of shell/client.json that says %q", name, err, c.says)
		}
	}
	files := shellFiles()
	files["clients.txt"] = "nobody\n"
	if _, err := Read(project(t, files), "clients"); err == nil || !strings.Contains(err.Error(), `names "nobody"`) {
		t.Errorf("a folder that isn't there: error %v", err)
	}
}

func TestOnlyChoosesByEcosystemClientOrTheBeginningOfAName(t *testing.T) {
	all, err := Read(project(t, shellFiles()), "clients")
	labtest.Check(t, err)
	for _, c := range []struct {
		only string
		rows int
	}{{"shell", 2}, {"shell-1", 2}, {"shell-1.0", 2}, {"shell-1.0-cured", 1}} {
		got, err := Only(all, []string{c.only})
		if err != nil || len(got) != 1 || len(got[0].Clients) != c.rows {
			t.Errorf("ONLY=%s keeps %+v, %v", c.only, got, err)
		}
	}
	if _, err := Only(all, []string{"shell", "she"}); err == nil || !strings.Contains(err.Error(), "ONLY=she ") {
		t.Errorf("a part of a word: error %v", err)
	}
	if len(all[0].Clients) != 2 {
		t.Error("choosing changed what was chosen from")
	}
}

func TestANeedSaysWhatIsMissingAndHowToGetIt(t *testing.T) {
	env := Env("")
	for _, c := range []struct {
		need Need
		says string
	}{
		{Need{Tool: "sh", Args: []string{"-c", "echo openjdk version '\"17.0.15\"'"}, Least: "17"}, ""},
		{Need{Tool: "sh", Args: []string{"-c", "echo v20.1.0 >&2"}, Least: "20.1"}, ""},
		{Need{Tool: "sh", Args: []string{"-c", "echo h2load nghttp2/1.52.0"}, Least: "1.40"}, ""},
		{Need{Tool: "sh", Args: []string{"-c", "echo openjdk version '\"21\"'"}, Least: "17"}, ""},
		{Need{Tool: "sh", Args: []string{"-c", "echo v18.20"}, Least: "20", Install: "apt-get install nodejs"},
			"sh is 18.20, but 20 or newer is required; install it with: apt-get install nodejs"},
		{Need{Tool: "sh", Args: []string{"-c", "echo none"}, Least: "1"}, "of an unknown version"},
		{Need{Tool: "sh", Args: []string{"-c", "exit 3"}, Install: "apt-get install dash"}, "ended with status 3"},
		{Need{Tool: "no-such-tool", Install: "apt-get install it"},
			"no-such-tool is missing; install it with: apt-get install it"},
	} {
		got := Client{Needs: []Need{c.need}}.Lacks(t.Context(), env)
		if c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%+v: %q, want %q", c.need, got, c.says)
		}
	}
}

func TestEveryLibraryOfTheLabHasOneRowAsItComes(t *testing.T) {
	all, err := Read("../../..", "clients")
	labtest.Check(t, err)
	defaults := map[string]int{}
	for _, e := range all {
		for _, c := range e.Clients {
			defaults[c.Library] += map[bool]int{true: 1}[e.Program(c).Default]
		}
	}
	if len(defaults) < 30 {
		t.Fatalf("only %d libraries", len(defaults))
	}
	for library, n := range defaults {
		if n != 1 {
			t.Errorf("%s: %d rows are the library as it comes; mark one \"default\": true", library, n)
		}
	}
}

func TestTheClientsThatTakeARate(t *testing.T) {
	all, err := Read("../../..", "clients")
	labtest.Check(t, err)
	takes, without := TakingRate(all)
	var names []string
	every := 0
	for _, e := range all {
		every += len(e.Clients)
	}
	for _, e := range takes {
		for _, c := range e.Clients {
			names = append(names, string(c.Name))
			if !e.Program(c).TakesRate {
				t.Errorf("%s takes a rate, and its program doesn't say so", c.Name)
			}
		}
	}
	for name, want := range map[string]bool{"go-once": true, "k6-shared-pool": true, "grpc-go": true,
		"k6-connection-per-vu": false, "okhttp-5": false, "hey": false} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s takes a rate: %t, want %t", name, !want, want)
		}
	}
	if len(names)+without != every {
		t.Errorf("%d and %d of %d clients", len(names), without, every)
	}
}
