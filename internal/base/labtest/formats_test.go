package labtest

import (
	"slices"
	"testing"
)

func TestVerbsAreReadInTheOrderOfTheirArguments(t *testing.T) {
	for format, want := range map[string][]string{
		"%s in %s where %d":         {"s", "s", "d"},
		"%[2]s 内 %[1]d 个":           {"d", "s"},
		"%.1[2]f %[1]s %%, 95 % of": {"s", ".1f"},
	} {
		if got := Verbs(format); !slices.Equal(got, want) {
			t.Errorf("%q has verbs %q, read %q", format, want, got)
		}
	}
}
