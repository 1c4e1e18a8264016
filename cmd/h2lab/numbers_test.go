package main

import (
	"bytes"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestADurationThatLooksLikeAFlagIsNoNumber(t *testing.T) {
	var out, err bytes.Buffer
	run(t.Context(), []string{"delay", "--rtt", "-1ms", "--", "true"}, &out, &err)
	if want := `expected duration value but got "-1ms"`; !strings.Contains(err.String(), want) {
		t.Errorf("the error lacks %s: %s", want, err.String())
	}
}

// A number that isn't one ends with a sentence that shows how to write it.
func TestANumberThatIsNoneEndsWithAnExample(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Knobs)
	for _, c := range []struct{ knob, value, says string }{
		{"LIMIT", "1e3", `--limit: "1e3" is not a whole number written in digits, for example 1000`},
		{"LIMIT", "0x10", `"0x10" is not a whole number`},
		{"LIMIT", "99999999999999999999", "is too large a number"},
		{"CONCURRENCY", "ten", `"ten" is not a whole number`},
		{"SEED", "-1", `"-1" is not a whole number`},
		{"DURATION", "5", `--duration: "5" is not a duration with its unit, for example 300ms, 5s or 2m`},
	} {
		f.Try(c.knob+"="+c.value, func(t *testing.T) {
			t.Setenv(c.knob, c.value)
			var out, err bytes.Buffer
			if status := run(t.Context(), []string{"repro"}, &out, &err); status != 2 || !strings.Contains(err.String(), c.says) {
				t.Errorf("status %d: %s", status, err.String())
			}
		})
	}
}
