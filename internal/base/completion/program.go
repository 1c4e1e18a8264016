package completion

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are the shells that have a script.
var Shells = []string{"bash", "zsh", "fish"}

// kind is what a shell offers for a value.
type kind string

const (
	anything kind = "anything" // nothing is offered
	files    kind = "files"
	dirs     kind = "dirs"
	words    kind = "words"
)

// A value is what follows a flag, or stands alone.
type value struct {
	name  string
	kind  kind
	words []string
}

type flag struct {
	name, help string // the name has its hyphens: --kind
	short      string // -k, or empty
	repeats    bool
	takes      *value // nil for a switch
}

type verb struct {
	name, help string
	flags      []flag
	argument   *value // nil for a verb without arguments
	repeats    bool   // whether the argument may be given again
}

type program struct {
	name  string
	flags []flag // those of every verb
	verbs []verb
}

// Offered returns the words of a value whose type doesn't list them, or nil. The value is one of
// the verb's flags or arguments.
type Offered func(verb *kong.Node, v *kong.Value) []string

// Write prints the script for one of Shells. Hidden verbs and flags are not offered.
func Write(w io.Writer, shell string, app *kong.Application, offered Offered) error {
	p := read(app, offered)
	var script string
	switch shell {
	case "bash":
		script = p.bash()
	case "zsh":
		script = p.zsh()
	case "fish":
		script = p.fish()
	default:
		return fmt.Errorf("no completions for %q: choose from %s", shell, strings.Join(Shells, ", "))
	}
	_, err := io.WriteString(w, script)
	return err
}

func read(app *kong.Application, offered Offered) program {
	p := program{name: app.Name, flags: flags(app.Node, offered)}
	for _, node := range app.Children {
		if node.Hidden || node.Type != kong.CommandNode {
			continue
		}
		v := verb{name: node.Name, help: plain(node.Help), flags: append(flags(node, offered), p.flags...)}
		if len(node.Positional) > 0 {
			first := node.Positional[0]
			v.argument, v.repeats = valueOf(node, first, offered), first.IsCumulative()
		}
		p.verbs = append(p.verbs, v)
	}
	return p
}

// flags returns a node's flags as they are typed, --no-NAME included.
func flags(node *kong.Node, offered Offered) (out []flag) {
	for _, f := range node.Flags {
		if f.Hidden {
			continue
		}
		one := flag{name: "--" + f.Name, help: plain(f.Help), repeats: f.IsCumulative()}
		if f.Short != 0 {
			one.short = "-" + string(f.Short)
		}
		if !f.IsBool() && !f.IsCounter() {
			one.takes = valueOf(node, f.Value, offered)
		}
		out = append(out, one)
		if f.Tag.Negatable != "" {
			out = append(out, flag{name: "--no-" + f.Name, help: "The opposite of --" + f.Name + "."})
		}
	}
	return out
}

// valueOf reads what a value may be: an enum, words that the caller knows, alternatives in the
// placeholder (1|2|3), else the kind of file that its placeholder or name says.
func valueOf(node *kong.Node, v *kong.Value, offered Offered) *value {
	out := &value{name: v.Name, kind: anything}
	placeholder := v.Tag.PlaceHolder
	switch known := offered(node, v); {
	case v.Enum != "":
		out.words = v.EnumSlice()
	case len(known) > 0:
		out.words = known
	case strings.Contains(placeholder, "|"):
		out.words = strings.Split(placeholder, "|")
	case strings.Contains(placeholder, "FILE"), v.Flag == nil && (strings.Contains(v.Name, "file") || v.Name == "path"):
		out.kind = files
	case strings.Contains(placeholder, "DIR"), v.Flag == nil && v.Name == "run":
		out.kind = dirs
	}
	out.words = slices.DeleteFunc(out.words, func(w string) bool { return w == "" })
	if len(out.words) > 0 {
		out.kind = words
	}
	return out
}

// plain is a help text on one line.
func plain(help string) string { return strings.Join(strings.Fields(help), " ") }

// single quotes a text for a shell in which \' ends no quote (bash, zsh).
func single(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
