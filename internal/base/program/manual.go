package program

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/alecthomas/kong"
	"github.com/muesli/mango"
	"github.com/muesli/roff"
)

// WriteManual prints the page. A date that isn't known is left out: the page of a commit must be the same
// whenever it is made.
func WriteManual(w io.Writer, app *kong.Application, version string, date *time.Time, more ...mango.Section) error {
	summary, _, _ := strings.Cut(app.Help, ": ")
	page := mango.NewManPage(1, app.Name, summary).WithLongDescription(app.Help)
	for _, f := range manualFlags(app.Node) {
		if err := page.Root.AddFlag(f); err != nil {
			return err
		}
	}
	for _, node := range app.Children {
		if node.Hidden {
			continue
		}
		c, err := command(node)
		if err == nil {
			err = page.Root.AddCommand(c)
		}
		if err != nil {
			return err
		}
	}
	for _, s := range more {
		page = page.WithSection(s.Name, s.Text)
	}
	_, body, _ := strings.Cut(page.Build(&document{roff.NewDocument()}), "\n")
	body = ascii(body)
	// mango writes the current date, and the fields of .TH in another order than man(7).
	day := ""
	if date != nil {
		day = date.UTC().Format(time.DateOnly)
	}
	_, err := fmt.Fprintf(w, ".TH %s 1 %q %q \"User Commands\"\n%s\n", strings.ToUpper(app.Name), day,
		app.Name+" "+version, body)
	return err
}

// command describes a verb: its flags, its arguments and its examples.
func command(node *kong.Node) (*mango.Command, error) {
	c := mango.NewCommand(node.Summary(), node.Help, "")
	for _, f := range manualFlags(node) {
		if err := c.AddFlag(f); err != nil {
			return nil, err
		}
	}
	var lines []string
	for line := range strings.Lines(strings.TrimPrefix(node.Detail, "Examples:\n")) {
		lines = append(lines, strings.TrimSpace(line))
	}
	c.Example = strings.Join(lines, "\n")
	return c, nil
}

func manualFlags(node *kong.Node) (out []mango.Flag) {
	for _, f := range node.Flags {
		if f.Hidden {
			continue
		}
		one := mango.Flag{Name: strings.TrimPrefix(f.Summary(), "--"), Usage: f.Help, PFlag: true}
		if f.Short != 0 {
			one.Short = string(f.Short)
		}
		out = append(out, one)
	}
	return out
}

// document is a roff document whose texts may hold a percent sign, a hyphen and a leading quote: roff
// 0.1 uses a text as the format of a Printf, and leaves a quote, which starts a request, and hyphens,
// which groff_man(7) draws as another character than the one to type.
type document struct{ *roff.Document }

// ascii writes other characters as groff_char(7) names them, since troff reads Latin-1.
func ascii(body string) string {
	var b strings.Builder
	for _, r := range body {
		switch {
		case string(r) == hyphen:
			b.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hyphen stands for \- until roff has escaped the backslashes: a character of Unicode's private use.
const hyphen = "\ue000"

func (d *document) Text(text string)       { d.Document.Text(escaped(text)) }
func (d *document) TextBold(text string)   { d.Document.TextBold(escaped(text)) }
func (d *document) TextItalic(text string) { d.Document.TextItalic(escaped(text)) }

func escaped(text string) string {
	lines := strings.Split(strings.NewReplacer("%", "%%", "-", hyphen).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "'") {
			lines[i] = "\u2019" + line[1:]
		}
	}
	return strings.Join(lines, "\n")
}
