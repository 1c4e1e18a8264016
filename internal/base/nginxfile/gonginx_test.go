package nginxfile

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	theirs "github.com/tufanbarisyildirim/gonginx/config"
	"github.com/tufanbarisyildirim/gonginx/parser"
)

// gonginx is a second reader: it must find the same directives with the same
// arguments wherever it can read a configuration. It can't be the first one:
// the line it gives a block is that of the closing brace, and
// TestWhatGonginxMisreads shows files whose second half it drops in silence.
func TestGonginxFindsTheSameDirectives(t *testing.T) {
	stumbles := map[string]bool{
		corpusDir + "/lua.conf":       true, // # is a comment to it in Lua, and a brace in a string counts
		corpusDir + "/lua-plain.conf": true,
		corpusDir + "/quotes.conf":    true, // "x\\" doesn't end for it
		corpusDir + "/brace.conf":     true, // x}y closes a block for it
	}
	for _, name := range corpus(t) {
		text := string(read(t, name))
		them, ok := gonginx(text)
		if stumbles[name] {
			continue
		}
		if !ok {
			t.Errorf("%s: gonginx can't read it", name)
			continue
		}
		left := mostDirectives
		top, err := parse(File{Name: name, Data: []byte(text)}, &left)
		if err != nil {
			t.Fatal(err)
		}
		ours := map[string]int{}
		count(top, ours)
		if diff := cmp.Diff(them, ours); diff != "" {
			t.Errorf("%s (- gonginx, + here):\n%s", name, diff)
		}
	}
}

// Each of these is read wrongly, without a word: a linter built on it would
// look at another configuration than nginx does.
func TestWhatGonginxMisreads(t *testing.T) {
	for _, c := range []struct{ text, nginx string }{
		{"events {} } http { gzip on; }", "error"},
		{"events {} ; { http { gzip on; } }", "error"},
		{`a "x"y;`, "error"},
		{`a x\;y;`, `a x\;y`},
		{"a `x y; b `;", "a `x y|b `"},
	} {
		got, ok := gonginx(c.text)
		want := map[string]int{}
		top, err := parseText(c.text)
		if (err != nil) != (c.nginx == "error") {
			t.Fatalf("%s: %v", c.text, err)
		}
		count(top, want)
		if c.nginx != "error" && len(want) != len(strings.Split(c.nginx, "|")) {
			t.Errorf("%s: %v", c.text, want)
		}
		if ok && cmp.Equal(got, want) {
			t.Errorf("gonginx reads %s as nginx does: it may serve for more than a comparison", c.text)
		}
	}
}

// gonginx reads a text into its directives, counted, since it puts the servers
// of an http block last. ok is false when it can't.
func gonginx(text string) (out map[string]int, ok bool) {
	defer func() {
		if recover() != nil {
			out, ok = nil, false
		}
	}()
	c, err := parser.NewStringParser(text, parser.WithSkipValidDirectivesErr(), parser.WithSkipComments()).Parse()
	if err != nil {
		return nil, false
	}
	out = map[string]int{}
	countTheirs(c.Block, out)
	return out, true
}

func countTheirs(b theirs.IBlock, out map[string]int) {
	if b == nil {
		return
	}
	for _, d := range b.GetDirectives() {
		var args []string
		for _, p := range d.GetParameters() {
			args = append(args, bare(p.GetValue()))
		}
		out[key(bare(d.GetName()), args)]++
		if !IsLua(d.GetName()) && d.GetBlock() != nil {
			countTheirs(d.GetBlock(), out)
		}
	}
}

// bare takes off the quotes that gonginx leaves on.
func bare(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	return Unescape(s)
}

func count(list []*Directive, out map[string]int) {
	for _, d := range list {
		var args []string
		for _, w := range d.Args {
			args = append(args, w.Text)
		}
		out[key(d.Name, args)]++
		count(d.Block, out)
	}
}

func key(name string, args []string) string {
	if name == "location" || IsLua(name) { // it moves a location's modifier
		return name
	}
	slices.Sort(args) // it orders the parameters of an upstream's server
	return name + " " + strings.Join(args, " ")
}
