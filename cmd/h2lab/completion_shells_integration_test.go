//go:build integration

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// What zsh and fish offer, where bash's test has the same lines. A script that a shell rejects, or
// a verb that it takes for a file, shows at once.
var completedLines = []struct {
	line string
	want []string // all that is offered
}{
	{"h2lab lint --ki", []string{"--kind"}},
	{"h2lab lint --kind ", []string{"envoy", "haproxy", "ingress-nginx", "nginx", "traefik"}},
	{"h2lab lint --kind=ha", []string{"haproxy"}},
	{"h2lab --root . repro --key ", []string{"ecdsa", "rsa"}},
	{"h2lab step --hint ", []string{"1", "2", "3"}},
	{"h2lab completion ", []string{"bash", "fish", "zsh"}},
	{"h2lab probe --cacert unlikely-n", []string{"unlikely-name.conf"}},
	{"h2lab decode unlikely-n", []string{"unlikely-name.conf"}},
	{"h2lab report unlikely", []string{"unlikely-dir"}},
	{"h2lab hol", nil},
}

// completed compares a shell's answers; ask returns the words that it offers.
func completed(t *testing.T, ask func(dir, line string) []string) {
	t.Helper()
	dir := filepath.Dir(saved(t, "unlikely-name.conf", ""))
	labtest.Check(t, os.Mkdir(filepath.Join(dir, "unlikely-dir"), 0o755))
	for _, c := range completedLines {
		if got := ask(dir, c.line); !slices.Equal(got, c.want) {
			t.Errorf("%q: it offers %q, want %q", c.line, got, c.want)
		}
	}
	got := ask(dir, "h2lab ")
	want := verbs(t)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the verbs are %q, it offers %q", want, got)
	}
}

func TestFishCompletes(t *testing.T) {
	file := script(t, "fish")
	completed(t, func(dir, line string) []string {
		cmd := exec.CommandContext(t.Context(), "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", file, line)
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || errs.Len() > 0 {
			t.Fatalf("fish: %v: %s", err, errs.String())
		}
		var words []string
		for offer := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(offer), "\t")
			if _, value, found := strings.Cut(word, "="); found {
				word = value // fish offers the whole word --kind=haproxy
			}
			words = append(words, strings.TrimSuffix(word, "/"))
		}
		slices.Sort(words)
		return words
	})
}

func TestZshCompletes(t *testing.T) {
	scripts := t.TempDir()
	labtest.Write(t, filepath.Join(scripts, "_h2lab"), labtest.Read(t, script(t, "zsh")))
	asker, err := filepath.Abs("testdata/zsh/ask.zsh")
	labtest.Check(t, err)
	completed(t, func(dir, line string) []string {
		cmd := exec.CommandContext(t.Context(), "zsh", "-f", asker, scripts, line)
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || errs.Len() > 0 {
			t.Fatalf("zsh: %v: %s", err, errs.String())
		}
		words := strings.Fields(string(out))
		slices.Sort(words)
		return slices.Compact(words)
	})
}

func TestTheManualPageIsSound(t *testing.T) {
	var page, errs bytes.Buffer
	if status := run(context.Background(), []string{"man"}, &page, &errs); status != statusDone {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	cmd := exec.CommandContext(t.Context(), "groff", "-man", "-ww", "-Tutf8", "-P-cbou")
	cmd.Stdin = &page
	var warnings bytes.Buffer
	cmd.Stderr = &warnings
	out, err := cmd.Output()
	if err != nil || warnings.Len() > 0 {
		t.Fatalf("groff: %v: %s", err, warnings.String())
	}
	text := string(out)
	parser, _ := parserOf(t)
	for _, node := range visible(parser) {
		if !strings.Contains(text, "\n       "+node.Name+" ") {
			t.Errorf("the page lacks %s", node.Name)
		}
		for _, f := range node.Flags {
			if !f.Hidden && !strings.Contains(text, "--"+f.Name) {
				t.Errorf("the page lacks --%s of %s", f.Name, node.Name)
			}
		}
	}
	for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS"} {
		if !strings.Contains(text, "\n"+section+"\n") {
			t.Errorf("the page has no section %s", section)
		}
	}
}
