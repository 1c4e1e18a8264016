package traefikconf

import (
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

// An age of seconds costs more connections than a limit of 1000 requests.
func TestTheNextStepIsTheAgeOfSeconds(t *testing.T) {
	const text = "entryPoints:\n  web:\n    transport:\n      keepAliveMaxRequests: 1000\n      keepAliveMaxTime: "
	for age, line := range map[string]string{"2s": "t.yml:5", "10s": "t.yml:4"} {
		r, err := Lint([]lint.File{{Name: "t.yml", Data: []byte(text + age + "\n")}}, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if next := lint.Next("t.yml", r); !strings.HasSuffix(next, line) {
			t.Errorf("%s: %s, want %s", age, next, line)
		}
	}
}
