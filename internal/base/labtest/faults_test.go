package labtest

import (
	"os"
	"testing"
)

func TestFaultsAreListedAndCompared(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("UPDATE_FAULTS", "1")
	t.Run("write", func(t *testing.T) {
		f := NewFaults(t, Disks)
		f.Try("a full disk", func(t *testing.T) {})
		f.Try("a read-only directory", func(t *testing.T) {})
	})
	got, err := os.ReadFile("testdata/faults.txt")
	if err != nil || string(got) != "# TestFaultsAreListedAndCompared/write: disks\na full disk\na read-only directory\n" {
		t.Fatalf("%q %v", got, err)
	}
}
