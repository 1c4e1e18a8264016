// Package program is about the h2lab program itself: which checkout it belongs to, its completion scripts and its manual page.
package program

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

// WriteCompletion prints the script for one of Shells. Hidden verbs and flags are not offered.
func WriteCompletion(w io.Writer, shell string, app *kong.Application, offered Offered) error {
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

// bashHead begins the script. It works in bash 3.2, the version of macOS: compopt is newer, and
// without it files are offered where nothing is known. Bash splits --flag=value at the =
// (COMP_WORDBREAKS).
const bashHead = `# bash completion for @program@, made by: @program@ completion bash
_@program@_offer() { # kind words
	case $1 in
	words) COMPREPLY=($(compgen -W "$2" -- "$cur")) ;;
	dirs) compopt -o dirnames +o default 2>/dev/null; return ;;
	files) return ;;
	esac
	compopt +o default 2>/dev/null
}

_@program@() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb= i
	COMPREPLY=()
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		ROOTFLAGS)
			[[ ${COMP_WORDS[i + 1]} != = ]] || ((i++))
			((i++))
			;;
		-*) ;;
		*)
			verb=${COMP_WORDS[i]}
			break
			;;
		esac
	done
`

const bashTail = `}

complete -o default -F _@program@ @program@
`

func (p program) bash() string {
	var b strings.Builder
	var taking []string
	for _, f := range p.flags {
		if f.takes != nil {
			taking = append(taking, f.name)
		}
	}
	b.WriteString(strings.ReplaceAll(bashHead, "ROOTFLAGS", strings.Join(taking, " | ")))
	b.WriteString("\tcase $verb:$prev in\n")
	for _, f := range p.flags {
		b.WriteString(bashValue("*", f))
	}
	for _, v := range p.verbs {
		for _, f := range v.flags[:len(v.flags)-len(p.flags)] {
			b.WriteString(bashValue(v.name, f))
		}
	}
	b.WriteString("\tesac\n\tcase $verb:$cur in\n")
	for _, v := range p.verbs {
		fmt.Fprintf(&b, "\t%s:-*) _@program@_offer words %s ;;\n", v.name, single(typed(v.flags)))
		fmt.Fprintf(&b, "\t%s:*) %s ;;\n", v.name, bashOffer(v.argument))
	}
	fmt.Fprintf(&b, "\t:-*) _@program@_offer words %s ;;\n", single(typed(p.flags)))
	var names []string
	for _, v := range p.verbs {
		names = append(names, v.name)
	}
	fmt.Fprintf(&b, "\t:*) _@program@_offer words %s ;;\n\tesac\n", single(strings.Join(names, " ")))
	b.WriteString(bashTail)
	return strings.ReplaceAll(b.String(), "@program@", p.name)
}

// bashValue is the case of a flag's value, empty for a switch.
func bashValue(verb string, f flag) string {
	if f.takes == nil {
		return ""
	}
	pattern := verb + ":" + f.name
	if f.short != "" {
		pattern += " | " + verb + ":" + f.short
	}
	return fmt.Sprintf("\t%s) %s; return ;;\n", pattern, bashOffer(f.takes))
}

func bashOffer(v *value) string {
	switch {
	case v == nil || v.kind == anything:
		return "_@program@_offer nothing"
	case v.kind == words:
		return "_@program@_offer words " + single(strings.Join(v.words, " "))
	}
	return "_@program@_offer " + string(v.kind)
}

// typed is every form of the flags that a user may type.
func typed(flags []flag) string {
	var out []string
	for _, f := range flags {
		out = append(out, f.name)
		if f.short != "" {
			out = append(out, f.short)
		}
	}
	return strings.Join(out, " ")
}

func (p program) fish() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion for %s, made by: %s completion fish\n", p.name, p.name)
	fmt.Fprintf(&b, "complete -c %s -f\n", p.name)
	for _, f := range p.flags {
		fmt.Fprintf(&b, "complete -c %s%s\n", p.name, fishFlag(f))
	}
	for _, v := range p.verbs {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", p.name, v.name, fishText(v.help))
	}
	for _, v := range p.verbs {
		condition := fmt.Sprintf("complete -c %s -n '__fish_seen_subcommand_from %s'", p.name, v.name)
		for _, f := range v.flags[:len(v.flags)-len(p.flags)] {
			b.WriteString(condition + fishFlag(f) + "\n")
		}
		if v.argument != nil && v.argument.kind != anything {
			b.WriteString(condition + fishValue(v.argument) + "\n")
		}
	}
	return b.String()
}

// fishFlag is the part of a complete command that describes a flag.
func fishFlag(f flag) string {
	out := " -l " + strings.TrimPrefix(f.name, "--")
	if f.short != "" {
		out += " -s " + strings.TrimPrefix(f.short, "-")
	}
	if f.takes != nil {
		out += " -r" + fishValue(f.takes)
	}
	return out + " -d " + fishText(f.help)
}

func fishValue(v *value) string {
	switch v.kind {
	case files:
		return " -F"
	case dirs:
		return " -f -a '(__fish_complete_directories)'"
	case words:
		return " -f -a " + fishText(strings.Join(v.words, " "))
	}
	return " -f"
}

// fishText quotes a text: fish knows two escapes between single quotes.
func fishText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

// The end works both in a file of $fpath, where the shell calls the whole file as the function, and
// after: source <(h2lab completion zsh).
const (
	zshHead = `#compdef @program@
# zsh completion for @program@, made by: @program@ completion zsh
_@program@() {
	local curcontext=$curcontext state line ret=1
	typeset -A opt_args
`
	zshTail = `	return ret
}

if [[ $funcstack[1] == _@program@ ]]; then
	_@program@ "$@"
else
	compdef _@program@ @program@
fi
`
)

func (p program) zsh() string {
	var b strings.Builder
	b.WriteString(zshHead)
	b.WriteString("\t_arguments -C \\\n")
	for _, f := range p.flags {
		b.WriteString(zshFlag("\t\t", f))
	}
	b.WriteString("\t\t'1: :->verb' \\\n\t\t'*:: :->rest' && ret=0\n\tcase $state in\n\tverb)\n\t\tlocal -a verbs=(\n")
	for _, v := range p.verbs {
		fmt.Fprintf(&b, "\t\t\t%s\n", single(v.name+":"+v.help))
	}
	b.WriteString("\t\t)\n\t\t_describe -t commands '@program@ command' verbs && ret=0\n\t\t;;\n\trest)\n\t\tcase $words[1] in\n")
	for _, v := range p.verbs {
		fmt.Fprintf(&b, "\t\t%s)\n\t\t\t_arguments \\\n", v.name)
		for _, f := range v.flags {
			b.WriteString(zshFlag("\t\t\t\t", f))
		}
		b.WriteString("\t\t\t\t" + single(zshArgument(v)) + " && ret=0\n\t\t\t;;\n")
	}
	b.WriteString("\t\tesac\n\t\t;;\n\tesac\n")
	b.WriteString(zshTail)
	return strings.ReplaceAll(b.String(), "@program@", p.name)
}

// zshFlag is a flag's specs for _arguments, one a line.
func zshFlag(indent string, f flag) string {
	forms := []string{f.name}
	if f.short != "" {
		forms = append(forms, f.short)
	}
	again := "(" + strings.Join(forms, " ") + ")"
	if f.repeats {
		again = "*"
	}
	var b strings.Builder
	for _, form := range forms {
		spec := again + form
		if f.takes != nil {
			if form == f.name {
				spec += "="
			} else {
				spec += "+"
			}
		}
		spec += "[" + zshText(f.help) + "]"
		if f.takes != nil {
			spec += zshValue(f.takes)
		}
		b.WriteString(indent + single(spec) + " \\\n")
	}
	return b.String()
}

// zshArgument is what stands after a verb. A verb without arguments gets a spec that offers nothing,
// since _arguments would offer files.
func zshArgument(v verb) string {
	switch {
	case v.argument == nil:
		return "*: :()"
	case v.repeats:
		return "*" + zshValue(v.argument)
	}
	return "1" + zshValue(v.argument)
}

// zshValue is the message and the action of a value.
func zshValue(v *value) string {
	actions := map[kind]string{anything: " ", files: "_files", dirs: "_files -/"}
	action, ok := actions[v.kind]
	if !ok {
		action = "(" + strings.Join(v.words, " ") + ")"
	}
	return ":" + v.name + ":" + action
}

// zshText escapes what ends a description.
func zshText(text string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
}
