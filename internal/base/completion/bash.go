package completion

import (
	"fmt"
	"strings"
)

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
