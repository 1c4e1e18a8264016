//go:build integration

package nginxfile

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	stdtime "time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

// crossplane is one file as parsed by crossplane, nginx's own parser in Python.
type crossplane struct {
	Directives [][4]any `json:"directives"`
	Error      string   `json:"error"`
}

// crossplaned installs crossplane, pinned by version and hash, and parses the files with it.
func crossplaned(t *testing.T, files []string) map[string]crossplane {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*stdtime.Minute)
	defer cancel()
	venv := filepath.Join(t.TempDir(), "venv")
	run := func(name string, args ...string) []byte {
		out, err := exec.CommandContext(ctx, name, args...).Output()
		if err != nil {
			said := ""
			if exit, ok := err.(*exec.ExitError); ok {
				said = string(exit.Stderr)
			}
			t.Fatalf("%s %v: %v\n%s", name, args, err, said)
		}
		return out
	}
	run("python3", "-m", "venv", venv)
	run(filepath.Join(venv, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "--require-hashes",
		"-r", "testdata/crossplane/requirements.txt")
	var out map[string]crossplane
	labtest.Check(t, json.Unmarshal(run(filepath.Join(venv, "bin", "python"),
		append([]string{"testdata/crossplane/read.py"}, files...)...), &out))
	return out
}

// beyond are configurations that nginx reads and crossplane rejects; their first lines say why.
var beyond = map[string]bool{"lua.conf": true, "brace.conf": true}

// Both parsers must find the same directives with the same arguments on the same lines, in every
// configuration of the corpus and of the lab.
func TestCrossplaneReadsTheSame(t *testing.T) {
	files, _ := filepath.Glob("../../../nginx/*.conf")
	files = append(files, corpus(t)...)
	files = append(files, corpusDir+"/conf.d/a.inc", corpusDir+"/conf.d/b.inc", corpusDir+"/conf.d/deep/tls.part")
	slices.Sort(files)
	theirs := crossplaned(t, files)
	for _, name := range files {
		if refused := theirs[name].Error; refused != "" || beyond[filepath.Base(name)] {
			if refused == "" || !beyond[filepath.Base(name)] {
				t.Errorf("%s: crossplane says %q", name, refused)
			}
			continue
		}
		left := mostDirectives
		top, err := parse(File{Name: name, Data: read(t, name)}, &left)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		var ours, them [][]any
		flatten(top, 0, &ours)
		for _, d := range theirs[name].Directives {
			them = append(them, theirDirective(d))
		}
		if diff := cmp.Diff(them, ours); diff != "" {
			t.Errorf("%s (- crossplane, + here):\n%s", name, diff)
		}
		if len(ours) == 0 {
			t.Errorf("%s: nothing read", name)
		}
	}
}

func flatten(list []*Directive, depth int, out *[][]any) {
	for _, d := range list {
		args := []string{}
		for _, w := range d.Args {
			args = append(args, w.Text)
		}
		*out = append(*out, []any{depth, d.Name, strings.Join(shown(d.Name, args), "\x1f"), d.Line})
		flatten(d.Block, depth+1, out)
	}
}

func theirDirective(d [4]any) []any {
	args := []string{}
	for _, a := range d[2].([]any) {
		args = append(args, a.(string))
	}
	name := d[1].(string)
	return []any{int(d[0].(float64)), name, strings.Join(shown(name, args), "\x1f"), int(d[3].(float64))}
}

// shown undoes crossplane's changes to arguments: it strips the parentheses of an if, keeps Lua as
// an argument, and leaves backslashes that nginx removes.
func shown(name string, args []string) []string {
	if IsLua(name) {
		return nil
	}
	joined := strings.Join(args, " ")
	if name == "if" {
		joined = strings.TrimSuffix(strings.TrimPrefix(joined, "("), ")")
		joined = strings.TrimSpace(joined)
	}
	return []string{Unescape(joined)}
}
