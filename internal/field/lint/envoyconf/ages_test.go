package envoyconf

import (
	"os"
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

// An age of seconds ends every connection, a limit of 1000 requests those that have so many.
func TestTheNextStepIsTheAgeOfSeconds(t *testing.T) {
	data, err := os.ReadFile("testdata/corpus/ages.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for age, line := range map[string]string{"2s": ":14", "60s": ":13"} {
		text := strings.Replace(string(data), "max_connection_duration: 2s", "max_connection_duration: "+age, 1)
		r, err := Lint([]lint.File{{Name: "e.yaml", Data: []byte(text)}}, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if next := lint.Next("e.yaml", r); !strings.HasSuffix(next, "e.yaml"+line) {
			t.Errorf("age %s: %s, want line %s", age, next, line)
		}
	}
}
