package rooted

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// place is a directory beside another one that must not be changed.
func place(t *testing.T) (d *Dir, victim string) {
	t.Helper()
	base := t.TempDir()
	victim = filepath.Join(base, "victim")
	for _, dir := range []string{victim, filepath.Join(base, "run", "cells")} {
		labtest.Check(t, os.MkdirAll(dir, 0o755))
	}
	put(t, filepath.Join(victim, "keep.txt"))
	put(t, filepath.Join(base, "run", "cells", "a.json"))
	d, err := Open(filepath.Join(base, "run"))
	labtest.Check(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d, victim
}

func put(t *testing.T, name string) {
	t.Helper()
	labtest.Write(t, name, "kept")
}

func link(t *testing.T, to, name string) {
	t.Helper()
	labtest.Symlink(t, to, name)
}

// untouched checks that the other directory is unchanged.
func untouched(t *testing.T, victim string) {
	t.Helper()
	entries, err := os.ReadDir(victim)
	if err != nil || len(entries) != 1 {
		t.Fatalf("beside the directory there is %v (%v), want keep.txt alone", entries, err)
	}
	if b, _ := os.ReadFile(filepath.Join(victim, "keep.txt")); string(b) != "kept" {
		t.Errorf("keep.txt says %q", b)
	}
}

// refused reads, writes and creates name; each must fail.
func refused(t *testing.T, d *Dir, name, says string) {
	t.Helper()
	_, readErr := d.Read(name, 1<<20)
	for what, err := range map[string]error{"read": readErr, "written": d.Write(name, []byte("over"))} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s was %s: %v, want %q", name, what, err, says)
		}
	}
}

func TestADirectoryCanNotBeLeft(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	f.Try("a file's name in a run leads out of its directory (..)", func(t *testing.T) {
		d, victim := place(t)
		for _, name := range []string{"../victim/keep.txt", "cells/../../victim/keep.txt", victim + "/keep.txt", "",
			`..\victim`} {
			refused(t, d, name, "lies outside of")
		}
		untouched(t, victim)
	})
	f.Try("a file of a run is a symbolic link out of its directory", func(t *testing.T) {
		d, victim := place(t)
		link(t, filepath.Join(victim, "keep.txt"), d.Path("report.md"))
		refused(t, d, "report.md", "is a symbolic link")
		untouched(t, victim)
	})
	f.Try("a directory of a run is a symbolic link", func(t *testing.T) {
		d, victim := place(t)
		link(t, victim, d.Path("charts"))
		link(t, "cells", d.Path("inside"))
		refused(t, d, "charts/keep.txt", "is a symbolic link")
		refused(t, d, "inside/a.json", "is a symbolic link")
		if _, err := d.Files(); !errors.As(err, new(*LinkError)) {
			t.Errorf("the files are listed: %v", err)
		}
		untouched(t, victim)
	})
	f.Try("what is to be removed is a symbolic link, or no name of one element", func(t *testing.T) {
		d, victim := place(t)
		link(t, victim, d.Path("old"))
		if err := d.Remove("old"); err != nil {
			t.Error(err)
		}
		for _, name := range []string{"../victim", "cells/../../victim", "", ".", "..", "/", "a/b", "-rf", "a\nb"} {
			if err := d.Remove(name); err == nil {
				t.Errorf("%q was removed", name)
			}
		}
		untouched(t, victim)
	})
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	f.Try("a file of a run is a named pipe that nobody writes to", func(t *testing.T) {
		d, _ := place(t)
		labtest.Mkfifo(t, d.Path("pipe"))
		if _, err := d.Read("pipe", 1); err == nil ||
			!strings.Contains(err.Error(), "pipe is a named pipe, and only regular files are read") {
			t.Errorf("error %v", err)
		}
		if _, err := ReadFile(d.Path("pipe"), 1); err == nil {
			t.Error("the pipe was read")
		}
		if _, err := Open(d.Path("pipe")); err == nil {
			t.Error("the pipe was opened as a directory")
		}
	})
	f.Try("a file of a run is a socket", func(t *testing.T) {
		labtest.NotOnWine(t, "AF_UNIX, which Windows has and wine 8 lacks (wine merge request 2786)")
		d, _ := place(t)
		t.Chdir(d.Path()) // a socket's path is short (unix(7))
		l, err := net.Listen("unix", "socket")
		labtest.Check(t, err)
		defer l.Close() //nolint:errcheck // nothing was sent
		if _, err := d.Read("socket", 1); err == nil || !strings.Contains(err.Error(), "socket is a socket") {
			t.Errorf("error %v", err)
		}
	})
	f.Try("a file of a run is a directory", func(t *testing.T) {
		d, _ := place(t)
		if _, err := d.Read("cells", 1); err == nil || !strings.Contains(err.Error(), "cells is a directory") {
			t.Errorf("error %v", err)
		}
	})
	f.Try("a file of a run is a device", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("needs /dev/zero")
		}
		if _, err := ReadFile("/dev/zero", 1<<20); err == nil ||
			!strings.Contains(err.Error(), "/dev/zero is a device") {
			t.Errorf("error %v", err)
		}
	})
	f.Try("a file of a run is larger than anything the lab writes", func(t *testing.T) {
		d, _ := place(t)
		labtest.Check(t, os.Truncate(d.Path("cells", "a.json"), 1<<40))
		if _, err := d.Read("cells/a.json", 1<<20); err == nil ||
			!strings.Contains(err.Error(), "has more than the 1 MB that are read") {
			t.Errorf("error %v", err)
		}
	})
}

func TestFilesAreWrittenWholeAndListed(t *testing.T) {
	d, _ := place(t)
	for _, content := range []string{"one", "two"} {
		labtest.Check(t, d.Write("config/x/limit.diff", []byte(content)))
		if b, err := d.Read("config/x/limit.diff", 3); err != nil || string(b) != content {
			t.Errorf("%q (%v), want %q", b, err, content)
		}
	}
	p, err := d.Create("half.json")
	labtest.Check(t, err)
	labtest.Check(t, p.Cleanup())
	names, err := d.Files()
	if err != nil || !slices.Equal(names, []string{"cells/a.json", "config/x/limit.diff"}) {
		t.Errorf("files %q (%v)", names, err)
	}
	if _, err := d.Read("none", 1); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), d.Path("none")) {
		t.Errorf("a file that is not there: %v", err)
	}
	labtest.Check(t, d.Remove("config"))
	if names, _ := d.Files(); len(names) != 1 {
		t.Errorf("left after it was removed: %q", names)
	}
	made, err := Make(d.Path("new", "run"))
	labtest.Check(t, err)
	_ = made.Close()
}

// A server renames its log and begins a new one while h2lab reads it. On Windows that requires
// FILE_SHARE_DELETE.
func TestALogThatIsReadCanBeRotated(t *testing.T) {
	log := filepath.Join(t.TempDir(), "access.log")
	put(t, log)
	f, err := OpenLog(log)
	labtest.Check(t, err)
	defer f.Close() //nolint:errcheck // opened for reading only
	if err := os.Rename(log, log+".1"); err != nil {
		t.Errorf("the log can't be rotated: %v", err)
	}
	put(t, log)
	if b, err := io.ReadAll(f); err != nil || string(b) != "kept" {
		t.Errorf("the rest of the old log is %q, %v", b, err)
	}
	if _, err := OpenLog(log + ".none"); !os.IsNotExist(err) {
		t.Errorf("a log that isn't there: %v", err)
	}
}

func TestAFileAnywhereIsWrittenWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	for _, text := range []string{"one", "two"} {
		labtest.Check(t, WriteFile(path, []byte(text)))
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("%q, %v", b, err)
		}
	}
	p, err := CreateFile(filepath.Join(dir, "keys"), 0o600)
	labtest.Check(t, err)
	if err := p.Cleanup(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if err := WriteFile(filepath.Join(dir, "none", "x"), nil); !os.IsNotExist(err) {
		t.Errorf("a directory that isn't there: %v", err)
	}
}

func TestALinkIsReplacedAndNotFollowed(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	put(t, kept)
	for name, write := range map[string]func(path string) error{
		"a link": func(path string) error {
			d, err := Open(dir)
			labtest.Check(t, err)
			defer d.Close() //nolint:errcheck // nothing was written
			return d.Link("two", filepath.Base(path))
		},
		"a file": func(path string) error { return WriteFile(path, []byte("two")) },
		"a log": func(path string) error {
			f, err := CreateLog(path)
			if err == nil {
				err = f.Close()
			}
			return err
		},
	} {
		path := filepath.Join(dir, "latest")
		_ = os.Remove(path)
		link(t, kept, path)
		if err := write(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if to, _ := os.Readlink(path); to == kept {
			t.Errorf("%s: the link is still there", name)
		}
		if b, _ := os.ReadFile(kept); string(b) != "kept" {
			t.Errorf("%s: the file behind the link has %q", name, b)
		}
	}
}
