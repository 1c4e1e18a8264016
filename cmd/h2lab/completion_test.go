//go:build !windows

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/program"
	"h2lab/internal/field/advise"
	"h2lab/internal/lab/plan"
)

// script saves the completions for a shell and returns the file.
func script(t *testing.T, shell string) string {
	t.Helper()
	status, out, said := h2lab(t.Context(), "completion", shell)
	if status != statusDone {
		t.Fatalf("status %d: %s", status, said)
	}
	return saved(t, "h2lab."+shell, out)
}

// offers are the words that follow a line; its last word is the one to complete, _ an empty one.
func offers(t *testing.T, line string) (out []string) {
	t.Helper()
	model, ks, err := ownModel()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(strings.TrimPrefix(line, "h2lab "))
	if last := len(words) - 1; words[last] == "_" {
		words[last] = ""
	}
	for _, offer := range program.Complete(model, words, ks.offered) {
		word, _, _ := strings.Cut(offer, "\t")
		out = append(out, word)
	}
	return out
}

func verbs(t *testing.T) (out []string) {
	parser, _ := parserOf(t)
	for _, node := range visible(parser) {
		out = append(out, node.Name)
	}
	return out
}

func TestVerbsFlagsAndValuesAreCompleted(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"h2lab _", verbs(t)},
		{"h2lab li", []string{"live", "lint"}},
		{"h2lab --ro", []string{"--root"}},
		{"h2lab ho", nil},
		{"h2lab lint --k", []string{"--kind"}},
		{"h2lab lint --kind _", []string{"nginx", "envoy", "haproxy", "traefik", "ingress-nginx"}},
		{"h2lab lint --kind =", []string{"nginx", "envoy", "haproxy", "traefik", "ingress-nginx"}},
		{"h2lab lint --kind = ha", []string{"haproxy"}},
		{"h2lab lint --kind nginx --s", []string{"--sarif"}},
		{"h2lab lint --kind=ha", []string{"--kind=haproxy"}},
		{"h2lab lint ngin", []string{program.Files}},
		{"h2lab report x", []string{program.Dirs}},
		{"h2lab --root lint repro --key _", []string{"rsa", "ecdsa"}},
		{"h2lab --root = lint repro --protocol _", []string{"h1", "h2"}},
		{"h2lab repro --no", []string{"--no-timeline"}},
		{"h2lab story --runtime _", []string{"auto", "native"}},
		{"h2lab fixed --runtime _", []string{"auto", "docker", "native"}},
		{"h2lab matrix --topology nginx-1000-", []string{"nginx-1000-envoy", "nginx-1000-h2-upstream"}},
		{"h2lab step --hint _", []string{"1", "2", "3"}},
		{"h2lab step 1", []string{"1", "10", "11"}},
		{"h2lab trace --format _", []string{"text", "json", "har"}},
		{"h2lab probe --ins", []string{"--insecure"}},
		{"h2lab probe -k --cacert _", []string{program.Files}},
		{"h2lab probe --rate _", nil},
		{"h2lab advise --client _", []string{string(advise.Stampede), string(advise.SingleDial), string(advise.HTTP1)}},
		{"h2lab mystery --", []string{"--stop", "--help", "--lang", "--root"}},
		{"h2lab completion _", []string{"bash", "zsh", "fish"}},
		{"h2lab inside --", nil},
		{"h2lab mystery --ho", nil},
	} {
		got := offers(t, c.line)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: offered are\n%q, want\n%q", c.line, got, c.want)
		}
	}
}

// Readline splits a line at =, and it completes with files where the function offers nothing and leaves -o default set, so only
// an interactive bash shows whether files are completed.
func TestBashCompletes(t *testing.T) {
	file := script(t, "bash")
	dir := filepath.Dir(saved(t, "unlikely-name.conf", ""))
	for _, c := range []struct {
		typed, want string
		found       bool
	}{
		{"h2lab lin", "h2lab lint", true},
		{"h2lab lint --kind=ha", "--kind=haproxy", true},
		{"h2lab lint unlikely", "unlikely-name.conf", true},
		{"h2lab probe --cacert unlikely", "unlikely-name.conf", true},
		{"h2lab probe --cacert=unlikely", "unlikely-name.conf", true},
		{"h2lab decode unlikely", "unlikely-name.conf", true},
		{"h2lab probe --rate unlikely", "unlikely-name.conf", false},
	} {
		if got := typedInBash(t, dir, file, c.typed); strings.Contains(got, c.want) != c.found {
			t.Errorf("%s and a TAB: want %q: %t, bash shows %q", c.typed, c.want, c.found, got)
		}
	}
}

// typedInBash types a line and a TAB into an interactive bash, makes a comment of the completed line
// (C-a, #) so that nothing is run, and returns what bash shows.
func typedInBash(t *testing.T, dir, file, line string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=dumb", "PS1=", "HISTFILE=", "INPUTRC=/dev/null"}
	cmd.Stdin = strings.NewReader(". " + file + "\n" + line + "\t\x01#\nexit\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("bash: %v\n%s", err, out)
	}
	return string(out)
}

func TestHiddenVerbsAndFlagsAreNotInThePage(t *testing.T) {
	_, page, _ := h2lab(t.Context(), "man")
	parser, _ := parserOf(t)
	for _, node := range parser.Model.Children {
		if found := strings.Contains(page, "\n\\fB"+node.Name+" "); found == node.Hidden {
			t.Errorf("%s: hidden %t, in the page %t", node.Name, node.Hidden, found)
		}
	}
	if strings.Contains(page, "--hold") || strings.Contains(page, "%!") {
		t.Errorf("the page has the hidden flag --hold, or a formatting error")
	}
}

// What is offered must be accepted: the words are those of the knobs' own checks.
func TestOfferedWordsAreAccepted(t *testing.T) {
	tried := 0
	for name, set := range map[string]func(*plan.Knobs, string){
		"KEY":      func(k *plan.Knobs, w string) { k.Key = w },
		"TLS":      func(k *plan.Knobs, w string) { k.TLS = w },
		"METHOD":   func(k *plan.Knobs, w string) { k.Method = w },
		"PROTOCOL": func(k *plan.Knobs, w string) { k.Protocols = []string{w} },
		"TOPOLOGY": func(k *plan.Knobs, w string) { k.Topologies = []string{w} },
		"CLIENT":   func(k *plan.Knobs, w string) { k.Clients = []string{w} },
	} {
		for _, word := range choices()[name] {
			k := plan.UsualFor(plan.Matrix)
			set(&k, word)
			tried++
			if err := k.Validate(); err != nil {
				t.Errorf("%s=%s is offered: %v", name, word, err)
			}
		}
	}
	for _, word := range choices()["SWEEP"] {
		if _, err := plan.SweepsOf(word); err != nil {
			t.Errorf("SWEEP=%s is offered: %v", word, err)
		}
	}
	if tried < 20 {
		t.Errorf("only %d words tried", tried)
	}
}
