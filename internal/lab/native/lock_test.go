//go:build linux

package native

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestASecondRunIsRefusedAndToldThePidOfTheFirst(t *testing.T) {
	root := t.TempDir()
	release, err := Lock(root)
	labtest.Check(t, err)
	_, err = Lock(root)
	var held *LockError
	if !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Fatalf("error %v, want a LockError with pid %d", err, os.Getpid())
	}
	if want := fmt.Sprintf("kill -INT %d", os.Getpid()); !strings.Contains(err.Error(), want) {
		t.Errorf("error %q doesn't say %q", err, want)
	}
	labtest.Check(t, release())
	release, err = Lock(root)
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	labtest.Check(t, release())
}

func TestTheLocksHolderIsDescribed(t *testing.T) {
	root := t.TempDir()
	release, err := Lock(root)
	labtest.Check(t, err)
	defer func() { _ = release() }()
	_, err = Lock(root)
	for _, part := range []string{"a measurement is running in " + root, os.Args[0][:20], "since ", "wait until it ends"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v doesn't say %q", err, part)
		}
	}
	labtest.Write(t, root+"/"+LockFile, "garbage")
	if _, err = Lock(root); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("error %v", err)
	}
}
