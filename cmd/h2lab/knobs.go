package main

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/text"
	"h2lab/internal/lab/plan"
)

// verbOf finds the verb among the arguments before they are parsed.
func verbOf(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--root", args[i] == "--lang":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// knobs maps kong's values to the environment variables that set them.
type knobs struct {
	verb  string
	names map[*kong.Value]string
	all   []string // of every verb
	taken []string // of this one
}

// values returns a verb's flags and arguments.
func values(verb *kong.Node) []*kong.Value {
	out := slices.Clone(verb.Positional)
	for _, f := range verb.Flags {
		out = append(out, f.Value)
	}
	return out
}

// read records the knobs of every verb, and hides from kong every variable that isn't a knob of
// this verb or is empty (an empty variable counts as unset). kong would otherwise read the
// variables of all verbs, so that PORT=tcp://… of another program would end `h2lab decode`.
func (ks *knobs) read(k *kong.Kong) error {
	ks.names = map[*kong.Value]string{}
	for _, node := range k.Model.Children {
		for _, v := range values(node) {
			if len(v.Tag.Envs) == 0 {
				continue
			}
			name := v.Tag.Envs[0]
			ks.names[v], ks.all = name, append(ks.all, name)
			if node.Name == ks.verb {
				ks.taken = append(ks.taken, name)
			}
			if value, set := os.LookupEnv(name); node.Name != ks.verb || set && value == "" {
				v.Tag.Envs = nil
				if v.Flag != nil {
					v.Flag.Envs = nil
				}
			}
		}
	}
	return nil
}

// given returns the knobs that the user set for this verb, by flag or by variable.
func (ks *knobs) given(parsed *kong.Context) plan.Given {
	g := plan.Given{}
	for _, name := range ks.taken {
		if value := os.Getenv(name); value != "" {
			g[name] = value
		}
	}
	for _, p := range parsed.Path {
		if p.Flag != nil && ks.names[p.Flag.Value] != "" {
			g[ks.names[p.Flag.Value]] = fmt.Sprint(reflect.Indirect(p.Flag.Target).Interface())
		}
	}
	return g
}

var capitals = regexp.MustCompile(`^[A-Z]{4,}$`)

// nearMisses returns the environment variables whose names differ by one letter from a knob of five
// letters or more: LIMT, but not PATH. They may belong to other programs, so h2lab only prints a
// warning; make rejects them on its command line (tools/knobs.sh).
func (ks *knobs) nearMisses(environ []string) (out []string) {
	long := slices.DeleteFunc(slices.Clone(ks.taken), func(k string) bool { return len(k) < 5 })
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if value == "" || !capitals.MatchString(name) || slices.Contains(ks.all, name) {
			continue
		}
		if knob := text.Nearest(name, long, 1); knob != "" {
			out = append(out, fmt.Sprintf("the environment has %s=%s, which nothing reads; the nearest knob is %s",
				name, value, knob))
		}
	}
	return out
}
