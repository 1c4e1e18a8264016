package labtest

import (
	"os"
	"runtime"
	"testing"
)

// onWine is set in test programs that run under wine, which are built with the tag wine.
var onWine bool

// NotOnWine skips a test of something that Windows has and wine 8 lacks.
func NotOnWine(t *testing.T, what string) {
	t.Helper()
	if onWine {
		t.Skipf("needs %s", what)
	}
}

// Symlink makes a symbolic link. Windows allows that only to administrators and in developer mode, so
// that the test is skipped there where it fails.
func Symlink(t *testing.T, target, path string) {
	t.Helper()
	NotOnWine(t, "a symbolic link, for which wine 8's CreateSymbolicLinkW reports success and makes nothing")
	if err := os.Symlink(target, path); err != nil {
		if runtime.GOOS == "windows" {
			t.Skipf("needs a symbolic link: %v", err)
		}
		t.Fatal(err)
	}
}

// OnlyOn skips a test of what only one system has.
func OnlyOn(t *testing.T, system, what string) {
	t.Helper()
	if runtime.GOOS != system {
		t.Skipf("needs %s, which only %s has; this is %s", what, system, runtime.GOOS)
	}
}
