package runs

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
)

// When the last save of a run fails, its directory has an older result: nothing may draw a report of it.
func TestARunThatCantBeSavedAtItsEndHasNoReport(t *testing.T) {
	labtest.NewFaults(t, labtest.Places).Try("the disk is full when a run ends", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		labtest.Write(t, file, "")
		for _, ended := range []error{nil, context.Canceled} {
			var unsaved *conduct.SaveError
			err := recording{result: &facts.Result{}, dir: filepath.Join(file, "run")}.close(ended)
			if !errors.As(err, &unsaved) || !errors.Is(err, ended) && ended != nil {
				t.Errorf("%v: %v", ended, err)
			}
		}
	})
}
