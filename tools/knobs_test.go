package tools_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// makefile is a directory with the files that make reads before it runs a recipe, and programs that
// print their arguments and environment.
func makefile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"Makefile", "tools/knobs.sh", "tools/knobs.txt"} {
		labtest.WriteProgram(t, filepath.Join(dir, name), labtest.Read(t, filepath.Join("..", name)))
	}
	show := "#!/bin/sh\nprintf '%s|' \"${0##*/}\" \"$@\"\nprintf 'RUN=%s KEY=%s N=%s HINT=%s\\n' \"$RUN\" " +
		"\"$KEY\" \"$N\" \"$HINT\"\n"
	for _, name := range []string{"certs/make.sh", "tools/get.sh", "tools/bundle.sh"} {
		labtest.WriteProgram(t, filepath.Join(dir, name), show)
	}
	labtest.WriteProgram(t, filepath.Join(dir, "bin/h2lab"), strings.Replace(show, "\n", `
[ "$1" != knobs ] || { for name in $3; do case $name in RUN|KEY|N|HINT) ;; *) echo "$name is unknown"; exit ;; esac; done; exit; }
`, 1))
	labtest.WriteProgram(t, filepath.Join(dir, "tools/build.sh"), "#!/bin/sh\n")
	return dir
}

// runMake runs make as a user does, not as a sub-make of the make that runs this test.
func runMake(t *testing.T, dir string, args ...string) (said string, status int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "make", args...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "RUN", "KEY", "N", "STEP", "step", "HINT"}, name)
	})
	return ended(t, cmd)
}

func targets(t *testing.T) (out []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(labtest.Read(t, "../Makefile"), -1) {
		out = append(out, m[1])
	}
	if len(out) < 20 {
		t.Fatalf("only %d targets found: %v", len(out), out)
	}
	return out
}

func TestVariablesOfMakeAreChecked(t *testing.T) {
	dir := makefile(t)
	f := labtest.NewFaults(t, labtest.Knobs)
	refused := map[string]string{
		"LIMIT=5":         "LIMIT is unknown",
		"check STEP=3":    "make check runs all checks of CI, and make step N=1 checks an exercise",
		"check step=3":    "make check runs all checks of CI, and make step N=1 checks an exercise",
		"step STEP=3":     "make step N=1 checks an exercise",
		"repro a;b=1":     "a variable whose name is no name",
		"repro LIMT=":     "LIMT is unknown",
		"repro RATE=70 %": "no such target: %; make help lists them, and a knob has no spaces",
		"nosuch":          "no such target: nosuch; make help lists them",
	}
	for _, target := range targets(t) {
		refused[target+" LIMT=100"] = "LIMT is unknown"
	}
	for _, args := range slices.Sorted(maps.Keys(refused)) {
		f.Try("make "+args, func(t *testing.T) {
			said, status := runMake(t, dir, strings.Split(args, " ")...)
			if status != 2 || !strings.Contains(said, refused[args]) || strings.Count(said, "\n") != 1 {
				t.Errorf("status %d, want 2 and one line with %q:\n%s", status, refused[args], said)
			}
		})
	}
	// Below another make, variables are not checked: they are for the outer make's targets.
	cmd := exec.CommandContext(t.Context(), "make", "repro", "PREFIX=/usr")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "MAKELEVEL=1", "MAKEFLAGS=")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("below another make: %v:\n%s", err, said)
	}
}

// Without Go and without h2lab, as before make shell, the names are looked up.
func TestVariablesAreCheckedWithoutGo(t *testing.T) {
	dir, bin := makefile(t), t.TempDir()
	labtest.Check(t, os.Remove(filepath.Join(dir, "bin/h2lab")))
	for _, name := range []string{"sh", "dirname", "sed", "find", "head"} {
		path, err := exec.LookPath(name)
		labtest.Check(t, err)
		labtest.Check(t, os.Symlink(path, filepath.Join(bin, name)))
	}
	for given, want := range map[string]string{"CMD WITH GOFLAGS": "", "WITH WTIH": "WTIH is unknown to make shell"} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "tools/knobs.sh"), "shell", given)
		cmd.Env = []string{"PATH=" + bin}
		said, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(said), want) || want == "" && len(said) > 0 {
			t.Errorf("%s: %v, %q", given, err, said)
		}
	}
}

// make expands a variable of its command line wherever the Makefile reads one of that name, and when it exports it.
func TestNoNameOfAVariableMakesMakeRunItsValue(t *testing.T) {
	dir := makefile(t)
	names := map[string]bool{"v": true, "MAKEFLAGS": true, "MAKEOVERRIDES": true, "GNUMAKEFLAGS": true, "SHELL": true, ".SHELLFLAGS": true,
		"MAKE": true, "CURDIR": true, "RUN": true}
	for _, m := range regexp.MustCompile(`\$[({]([\w.]+)[)}]|(?m)^(?:export |override )*([\w.]+) *[:+]?=|(?:origin|value|foreach|call) ([\w.]+)`).
		FindAllStringSubmatch(labtest.Read(t, "../Makefile"), -1) {
		names[m[1]+m[2]+m[3]] = true
	}
	for _, name := range []string{"given", "quoted", "refusal", "nowhere", "targets", "MAKECMDGOALS", "MAKEFILE_LIST", ".VARIABLES"} {
		if !names[name] {
			t.Errorf("%s isn't found in the Makefile", name)
		}
	}
	f := labtest.NewFaults(t, labtest.Knobs)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f.Try("make report '"+name+"=$(shell touch ran)'", func(t *testing.T) {
			said, _ := runMake(t, dir, "report", name+"=$(shell touch ran)")
			if os.Remove(filepath.Join(dir, "ran")) == nil {
				t.Errorf("the value was run:\n%s", said)
			}
		})
	}
}

// A variable's value must reach the program unchanged, and the shell must not interpret it.
func TestNoTargetExpandsAVariable(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Knobs)
	for _, value := range []string{"x; touch ran", "$(touch ran)", "`touch ran`", "x' ; touch ran; '",
		"x\" ; touch ran; \"", "x | touch ran",
		"$(shell touch ran)", "$x${HOME}", "my run", "-x", "a#b", "é日%&", "x\ntouch ran"} {
		for _, c := range []struct{ target, name, says string }{
			{"report", "RUN", "h2lab|report|"}, {"certs", "KEY", "make.sh|"}, {"step", "N", "h2lab|step|"},
		} {
			f.Try(strings.ReplaceAll("make "+c.target+" "+c.name+"='"+value+"'", "\n", " (a new line) "),
				func(t *testing.T) {
					dir := makefile(t)
					said, status := runMake(t, dir, c.target, c.name+"="+value)
					if status != 0 || !strings.HasPrefix(said, c.says+"RUN=") ||
						!strings.Contains(said, c.name+"="+value) {
						t.Errorf("status %d, want %q with %s=%s:\n%s", status, c.says, c.name, value, said)
					}
					if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
						t.Error("the value was run")
					}
				})
		}
	}
}

// An exported variable must not make a learner's check the checks of CI.
func TestCheckRefusesAnExportedStep(t *testing.T) {
	dir := makefile(t)
	for _, name := range []string{"STEP", "step"} {
		cmd := exec.CommandContext(t.Context(), "make", "check")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), name+"=1", "MAKEFLAGS=", "MAKELEVEL=")
		if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), "make step N=1") {
			t.Errorf("%s=1 make check: %v:\n%s", name, err, said)
		}
	}
}

// An exercise that isn't done yet is no failure of make; anything else is.
func TestAnExerciseThatIsNotDoneIsNoErrorOfMake(t *testing.T) {
	for status, want := range map[int]int{0: 0, 4: 0, 3: 2, 1: 2} {
		dir := makefile(t)
		labtest.WriteProgram(t, filepath.Join(dir, "bin/h2lab"), fmt.Sprintf("#!/bin/sh\n[ $1 != knobs ] || exit 0\necho said\nexit %d\n", status))
		said, got := runMake(t, dir, "step", "N=1")
		if got != want || want == 0 && said != "said\n" {
			t.Errorf("h2lab ended with %d, make with %d:\n%s", status, got, said)
		}
	}
}

func TestMakeRunsInTheCheckoutOnly(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("make -f of the checkout's Makefile in a foreign directory", func(t *testing.T) {
		dir, foreign := makefile(t), t.TempDir()
		labtest.WriteProgram(t, filepath.Join(foreign, "certs", "make.sh"), "#!/bin/sh\ntouch ran\n")
		said, status := runMake(t, foreign, "-f", filepath.Join(dir, "Makefile"), "certs")
		if status != 2 || !strings.Contains(said, "run make in the checkout: cd to it, or use make -C") {
			t.Errorf("status %d:\n%s", status, said)
		}
		if _, err := os.Stat(filepath.Join(foreign, "ran")); err == nil {
			t.Error("the foreign script was run")
		}
	})
	f.Try("make -C from a foreign directory", func(t *testing.T) {
		if said, status := runMake(t, t.TempDir(), "-C", makefile(t), "certs"); status != 0 ||
			!strings.Contains(said, "\nmake.sh|") {
			t.Errorf("status %d:\n%s", status, said)
		}
	})
}
