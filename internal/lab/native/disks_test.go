//go:build linux

package native

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestAVarThatCannotBeWrittenIsOneLineWithANextStep(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Disks)
	f.Try("var is a file", func(t *testing.T) {
		root := newRoot(t)
		write(t, root, "var", "in the way")
		servers, opts := topology(t, root, "")
		_, lockErr := Lock(root)
		_, err := Up(t.Context(), opts, servers)
		for _, err := range []error{lockErr, err} {
			if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "var") {
				t.Errorf("error %v, want one line that names var", err)
			}
		}
		labtest.Check(t, os.Remove(filepath.Join(root, "var")))
		nothingLeft(t, root, servers)
	})
	f.Try("the state of what up started can't be saved", func(t *testing.T) {
		root := newRoot(t)
		servers, opts := topology(t, root, "")
		opts.Detach, opts.State = true, filepath.Join(root, "nowhere", "up.json")
		_, err := Up(t.Context(), opts, servers)
		if err == nil || !strings.Contains(err.Error(), "can't be written to") {
			t.Errorf("error %v", err)
		}
		nothingLeft(t, root, servers)
	})
	f.Try("a server's log is a directory", func(t *testing.T) {
		root := newRoot(t)
		servers, opts := topology(t, root, "")
		labtest.Check(t, os.MkdirAll(filepath.Join(root, "var", "nginx-1000.stderr.log"), 0o755))
		if _, err := Up(t.Context(), opts, servers); err == nil ||
			!strings.Contains(err.Error(), "a log for nginx-1000") {
			t.Errorf("error %v", err)
		}
		nothingLeft(t, root, servers)
	})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"full": {syscall.ENOSPC,
			"no space left on device; make room; see how much there is with: df -h '/a b/var'"},
		"read-only":  {syscall.EROFS, "mounted read-only; see where with: findmnt -T '/a b/var'"},
		"another's":  {syscall.EACCES, "make it yours: sudo chown -R $(id -un) '/a b/var'"},
		"over quota": {syscall.EDQUOT, "make room"},
	} {
		err := advised("/a b", &os.PathError{Op: "write", Path: "/a b/var/lock", Err: c.err})
		if !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if other := errors.New("x"); advised("/", other) != other {
		t.Error("an error of another kind is changed")
	}
}
