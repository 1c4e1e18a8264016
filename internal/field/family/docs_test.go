package family

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

const page = "../../../docs/servers.md"

// familiesTable is the first table in docs/servers.md.
func familiesTable() string {
	var b strings.Builder
	b.WriteString("| server | requests a connection gets by default | at the limit, or at a stop | streams in flight " +
		"| unused | who says so |\n|---|---|---|---|---|---|\n")
	for _, s := range servers() {
		r := s.Row
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r[rowServer], r[rowLimit], r[rowEnding], r[rowInFlight], r[rowIdle], r[rowSource])
	}
	return b.String()
}

// settingsTable is the second table in docs/servers.md.
func settingsTable() string {
	var b strings.Builder
	b.WriteString("| server | SETTINGS, in this order | who says so |\n|---|---|---|\n")
	for _, s := range servers() {
		for _, sh := range s.Settings {
			var fields []string
			for _, f := range sh.Fields {
				value := fmt.Sprint(f.value)
				if f.fixed {
					value = "**" + value + "**"
				}
				fields = append(fields, f.name+" "+value)
			}
			if sh.AnyOrder {
				fields[0] = "in any order: " + fields[0]
			}
			if len(fields) == 0 {
				fields = []string{"none: the frame is empty"}
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", s.Short, strings.Join(fields, ", "), sh.Source)
		}
	}
	return b.String()
}

func TestThePageShowsTheTablesOfTheCode(t *testing.T) {
	text := labtest.Read(t, page)
	for name, table := range map[string]string{"families": familiesTable(), "settings": settingsTable()} {
		opening := "<!-- " + name + " -->\n"
		before, rest, found := strings.Cut(text, opening)
		shown, after, ends := strings.Cut(rest, "<!-- end -->")
		if !found || !ends {
			t.Fatalf("%s has no place for the table %s", page, name)
		}
		if *update {
			text = before + opening + table + "<!-- end -->" + after
		} else if diff := cmp.Diff(table, shown); diff != "" {
			t.Errorf("table %s of docs/servers.md (-code +page); go test ./internal/field/family -update:\n%s", name,
				diff)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
