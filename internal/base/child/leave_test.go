// Only Linux was seen to end what a child leaves behind: macOS doesn't (system_other.go), and wine's jobs don't.

//go:build linux

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
