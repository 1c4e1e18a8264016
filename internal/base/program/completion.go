// Package program is about the h2lab program itself: which checkout it belongs to, its completion scripts and its manual page.
package program

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are the shells that have a script.
var Shells = []string{"bash", "zsh", "fish"}

//go:embed completion
var scripts embed.FS

// WriteCompletion prints the script for one of Shells. It asks `h2lab complete` for what can follow a line.
func WriteCompletion(w io.Writer, shell string) error {
	script, err := scripts.ReadFile("completion/h2lab." + shell)
	if err != nil {
		return fmt.Errorf("no completions for %q: choose from %s", shell, strings.Join(Shells, ", "))
	}
	_, err = w.Write(script)
	return err
}

// Offered returns the words of a value whose type doesn't list them, or nil. The value is one of
// the verb's flags or arguments.
type Offered func(verb *kong.Node, v *kong.Value) []string

// Files and Dirs are offered alone where a shell knows the words.
const (
	Files = ":files"
	Dirs  = ":dirs"
)

// Complete returns what can stand in place of the last word of a line without the program's name: words, some with a tab
// and a description, or Files or Dirs. Hidden verbs and flags are not offered.
func Complete(app *kong.Application, line []string, offered Offered) (out []string) {
	node, taking := app.Node, (*kong.Value)(nil) // the verb, and the flag whose value follows
	arguments := 0
	line, cur := line[:len(line)-1], line[len(line)-1]
	if cur == "=" { // bash splits --flag=value (COMP_WORDBREAKS)
		cur = ""
	}
	for _, word := range line {
		switch {
		case word == "=" && taking != nil:
		case taking != nil:
			taking = nil
		case strings.HasPrefix(word, "-"):
			if f := flagOf(node, app.Node, word); f != nil && !f.IsBool() && !f.IsCounter() {
				taking = f.Value
			}
		case node == app.Node:
			if node = childOf(node, word); node == nil {
				return nil
			}
		default:
			arguments++
		}
	}
	name, _, isValue := strings.Cut(cur, "=")
	switch {
	case taking != nil:
		out = valuesOf(node, taking, "", offered)
	case strings.HasPrefix(cur, "-") && isValue:
		if f := flagOf(node, app.Node, name); f != nil {
			out = valuesOf(node, f.Value, name+"=", offered)
		}
	case strings.HasPrefix(cur, "-"):
		out = flagsOf(node, app.Node)
	case node == app.Node:
		for _, child := range node.Children {
			if !child.Hidden {
				out = append(out, described(child.Name, child.Help))
			}
		}
	case len(node.Positional) > 0:
		if first := node.Positional[0]; arguments == 0 || first.IsCumulative() {
			out = valuesOf(node, first, "", offered)
		}
	}
	if len(out) == 1 && strings.HasPrefix(out[0], ":") {
		return out
	}
	return slices.DeleteFunc(out, func(offer string) bool { return !strings.HasPrefix(offer, cur) })
}

func described(word, help string) string {
	return word + "\t" + strings.Join(strings.Fields(help), " ")
}

func childOf(node *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == name && !c.Hidden })
	if i < 0 {
		return nil
	}
	return node.Children[i]
}

// flagOf is a verb's or the program's flag with that name, --kind or -k.
func flagOf(node, root *kong.Node, typed string) *kong.Flag {
	for _, f := range append(node.Flags, root.Flags...) {
		if typed == "--"+f.Name || f.Short != 0 && typed == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

func flagsOf(node, root *kong.Node) (out []string) {
	all := slices.Clone(node.Flags)
	if node != root {
		all = append(all, root.Flags...)
	}
	for _, f := range all {
		if f.Hidden {
			continue
		}
		out = append(out, described("--"+f.Name, f.Help))
		if f.Short != 0 {
			out = append(out, described("-"+string(f.Short), f.Help))
		}
		if f.Tag.Negatable != "" {
			out = append(out, described("--no-"+f.Name, "The opposite of --"+f.Name+"."))
		}
	}
	return out
}

// valuesOf are what a value may be: an enum, words that the caller knows, alternatives in the placeholder (1|2|3), else
// the kind of file that its placeholder or name says.
func valuesOf(node *kong.Node, v *kong.Value, before string, offered Offered) (out []string) {
	placeholder := v.Tag.PlaceHolder
	words := offered(node, v)
	switch {
	case v.Enum != "":
		words = v.EnumSlice()
	case len(words) == 0 && strings.Contains(placeholder, "|"):
		words = strings.Split(placeholder, "|")
	case strings.Contains(placeholder, "FILE"), v.Flag == nil && (strings.Contains(v.Name, "file") || v.Name == "path"):
		return []string{Files}
	case strings.Contains(placeholder, "DIR"), v.Flag == nil && v.Name == "run":
		return []string{Dirs}
	}
	for _, w := range words {
		if w != "" {
			out = append(out, before+w)
		}
	}
	return out
}
