package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/report/translations"
)

// quoted are statements that end in a quotation of the input.
var quoted = []string{"debug data java.lang.OutOfMemoryError: Java heap space", "debug data client transport shutdown"}

// untranslated collects the texts of which Chinese output has English prose, or other numbers than the English.
type untranslated map[string]string

var figureIn = regexp.MustCompile(`\d+(?:[.,]\d+)*`)

// months are numbers in Chinese.
var months = strings.NewReplacer("January 2", "1 2", "March 2", "3 2", "September 2", "9 2", "November 2", "11 2")

// say translates as the command does and notes what stays English.
func (u untranslated) say(english string) string {
	zh := translations.Chinese.Field(english)
	if found := labtest.English(zh); found != "" && !slices.Contains(quoted, english) {
		u[english] = found
	}
	of, in := figureIn.FindAllString(months.Replace(english), -1), figureIn.FindAllString(zh, -1)
	if slices.Sort(of); !slices.Equal(of, slices.Sorted(slices.Values(in))) {
		u[english] = zh
	}
	return zh
}

// report fails for each text.
func (u untranslated) report(t *testing.T) {
	t.Helper()
	for english, found := range u {
		t.Errorf("no Chinese for %q: %q", english, found)
	}
}
