//go:build integration

package k6

import (
	"strings"
	"testing"
)

// A script's event loop ends without an error when nothing can wake it any more, and k6 then reports success.
func TestAWindowThatEndsBetweenTwoReadings(t *testing.T) {
	_, stderr, err := newSite(t, noPage).k6(t, "testdata/open_ends.js")
	if err != nil || !strings.Contains(stderr, "ended after 1 request") {
		t.Fatalf("%v\n%s", err, stderr)
	}
}
