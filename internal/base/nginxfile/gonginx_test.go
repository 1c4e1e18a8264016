package nginxfile

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	theirs "github.com/tufanbarisyildirim/gonginx/config"
	"github.com/tufanbarisyildirim/gonginx/parser"

	"h2lab/internal/base/labtest"
)

// gonginx is a second parser: it must find the same directives with the same arguments in every
// configuration that it can read. h2lab can't use it instead: it reports the line of a block's
// closing brace as the block's line, and drops the second half of some files without an error
// (TestWhatGonginxMisreads).
func TestGonginxFindsTheSameDirectives(t *testing.T) {
	stumbles := map[string]bool{
		corpusDir + "/lua.conf":       true, // it takes # in Lua for a comment, and counts a brace in a string
		corpusDir + "/lua-plain.conf": true,
		corpusDir + "/quotes.conf":    true, // it doesn't find the end of "x\\"
		corpusDir + "/brace.conf":     true, // it takes the brace in x}y for the end of a block
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
		labtest.Check(t, err)
		ours := map[string]int{}
		count(top, ours)
		if diff := cmp.Diff(them, ours); diff != "" {
			t.Errorf("%s (- gonginx, + here):\n%s", name, diff)
		}
	}
}

// gonginx misreads each of these without an error: a linter based on it would check another
// configuration than nginx reads.
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

// gonginx counts the directives of a text instead of listing them, since gonginx moves the servers
// of an http block to the end. ok is false when it can't parse the text.
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

// bare removes quotes that gonginx keeps.
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
	if name == "location" || IsLua(name) { // gonginx moves a location's modifier
		return name
	}
	slices.Sort(args) // gonginx sorts the parameters of an upstream's server
	return name + " " + strings.Join(args, " ")
}
