package workshop

import (
	"errors"
	"strings"
	"testing"
)

// finds compares a judgement with the expected state, and checks that the exercise has hints for
// that state.
func finds(t *testing.T, e Exercise, what string, got Finding, want State) {
	t.Helper()
	if got.State != want {
		t.Errorf("exercise %d, %s: %s (%s), want %s", e.Number, what, got.State, got.Says, want)
	}
	if got.State != Done && e.Hints[got.State] == (Hints{}) {
		t.Errorf("exercise %d has no hints for %s", e.Number, got.State)
	}
	if strings.Contains(got.Says, "%!") || strings.HasSuffix(got.Says, ".") || strings.Contains(got.Says, "\n") {
		t.Errorf("exercise %d, %s: %q is no sentence", e.Number, what, got.Says)
	}
}

func TestAMissingFileNamesTheCommandThatMakesIt(t *testing.T) {
	d := &Desk{Root: t.TempDir()}
	for _, e := range Exercises() {
		_, err := e.Verify(t.Context(), d)
		var missing *MissingError
		if !errors.As(err, &missing) || missing.Next != "make workshop" {
			t.Errorf("exercise %d: %v", e.Number, err)
		}
	}
}
