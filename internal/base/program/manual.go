package program

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/alecthomas/kong"
)

// Section is a section of the manual page; each line of its text begins a new one.
type Section struct{ Name, Text string }

// WriteManual prints the page, in the macros of man(7). A date that isn't known is left out: the page of a commit must be
// the same whenever it is made.
func WriteManual(w io.Writer, app *kong.Application, version string, date *time.Time, more ...Section) error {
	day := ""
	if date != nil {
		day = date.UTC().Format(time.DateOnly)
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %q %q \"User Commands\"\n", strings.ToUpper(app.Name), day, app.Name+" "+version)
	summary, _, _ := strings.Cut(app.Help, ": ")
	section := func(s Section) { fmt.Fprintf(&b, ".SH %s\n%s\n", strings.ToUpper(s.Name), roff(s.Text)) }
	section(Section{"Name", app.Name + " - " + summary})
	section(Section{"Synopsis", app.Name + " COMMAND [OPTIONS] [ARGUMENTS]"})
	section(Section{"Description", app.Help})
	fmt.Fprintln(&b, ".SH OPTIONS")
	manualFlags(&b, app.Node)
	fmt.Fprintln(&b, ".SH COMMANDS")
	for _, node := range app.Children {
		if node.Hidden {
			continue
		}
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n.RS\n", roff(node.Summary()), roff(node.Help))
		manualFlags(&b, node)
		fmt.Fprintf(&b, ".PP\n%s\n.RE\n", roff(node.Detail))
	}
	for _, s := range more {
		section(s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func manualFlags(b *strings.Builder, node *kong.Node) {
	for _, f := range node.Flags {
		if f.Hidden {
			continue
		}
		name := f.Summary()
		if f.Short != 0 {
			name = "-" + string(f.Short) + ", " + name
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", roff(name), roff(f.Help))
	}
}

// roff escapes a text: a backslash, a hyphen, which groff_man(7) draws as another character than the one to type, a line
// that would be a request, and, since troff reads Latin-1, other characters as groff_char(7) names them.
func roff(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i > 0 {
			b.WriteString("\n.br\n")
		}
		if line = strings.TrimSpace(line); strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			b.WriteString(`\&`)
		}
		for _, r := range line {
			switch {
			case r == '\\':
				b.WriteString(`\e`)
			case r == '-':
				b.WriteString(`\-`)
			case r > unicode.MaxASCII:
				fmt.Fprintf(&b, `\[u%04X]`, r)
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
