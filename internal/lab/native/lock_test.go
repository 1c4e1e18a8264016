//go:build linux

package native

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestASecondRunIsRefusedAndToldThePidOfTheFirst(t *testing.T) {
	root := t.TempDir()
	release, err := Lock(root)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lock(root)
	var held *LockError
	if !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Fatalf("error %v, want a LockError with pid %d", err, os.Getpid())
	}
	if want := fmt.Sprintf("kill -INT %d", os.Getpid()); !strings.Contains(err.Error(), want) {
		t.Errorf("error %q doesn't say %q", err, want)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	release, err = Lock(root)
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

func TestTheLocksHolderIsDescribed(t *testing.T) {
	root := t.TempDir()
	release, err := Lock(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = release() }()
	_, err = Lock(root)
	for _, part := range []string{"a measurement is running in " + root, os.Args[0][:20], "since ", "wait until it ends"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v doesn't say %q", err, part)
		}
	}
	if err := os.WriteFile(root+"/"+LockFile, []byte("garbage"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err = Lock(root); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("error %v", err)
	}
}
