package textwrap

import (
	"bytes"
	"io"
	"strings"
	"text/tabwriter"
)

// filler takes a column beside each wide character while the table is laid out: text/tabwriter counts characters. It is
// of Unicode's private use area, which no text here uses.
const filler = "\ue000"

// Table aligns cells that end with a tab, as text/tabwriter, and counts a Chinese character as two columns.
type Table struct{ tab *tabwriter.Writer }

// NewTable makes a table with two spaces between columns.
func NewTable(to io.Writer) Table { return newTable(to, 0) }

// RightTable is NewTable with cells that end at the same column.
func RightTable(to io.Writer) Table { return newTable(to, tabwriter.AlignRight) }

func newTable(to io.Writer, flags uint) Table {
	return Table{tabwriter.NewWriter(unfilled{to}, 0, 8, 2, ' ', flags)}
}

// Write implements io.Writer. A call has whole characters.
func (t Table) Write(b []byte) (int, error) {
	var s strings.Builder
	for _, r := range string(b) {
		s.WriteRune(r)
		if Wide(r) {
			s.WriteString(filler)
		}
	}
	if _, err := io.WriteString(t.tab, s.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes the table.
func (t Table) Flush() error { return t.tab.Flush() }

type unfilled struct{ to io.Writer }

func (u unfilled) Write(b []byte) (int, error) {
	if _, err := u.to.Write(bytes.ReplaceAll(b, []byte(filler), nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}
