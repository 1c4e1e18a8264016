package completion

import (
	"fmt"
	"strings"
)

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
