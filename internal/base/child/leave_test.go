// Other systems don't kill what a child leaves (system_other.go).

//go:build linux || windows

package child

import (
	"testing"
	"time"
)

func TestWhatAChildLeavesIsEnded(t *testing.T) {
	r, err := Run(t.Context(), played("leave"), Limits{Within: time.Minute})
	if err != nil {
		t.Error(err)
	}
	ended(t, r.Stdout)
}
