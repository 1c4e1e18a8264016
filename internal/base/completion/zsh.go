package completion

import (
	"fmt"
	"strings"
)

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
