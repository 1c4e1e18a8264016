package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/system"
	"h2lab/internal/lab/native"
)

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
