package fix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/rooted"
)

// Patch writes the changes as a unified diff.
func (r *Result) Patch(w io.Writer) error {
	for _, f := range r.Files {
		if _, err := w.Write(unified(f)); err != nil {
			return err
		}
	}
	return nil
}

// unified is the diff of one file, without the line "diff OLD NEW" that patch(1) doesn't need.
func unified(f File) []byte {
	text := diff.Diff(f.Name, f.Old, f.Name, f.New)
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok && bytes.HasPrefix(text, []byte("diff ")) {
		return rest
	}
	return text
}

// Written is a file that was changed, and its backup.
type Written struct{ Name, Backup string }

// Write replaces the files, each as a whole. First all new files are written, then they are renamed, each behind its
// backup, so that an error before that leaves everything as it was.
func (r *Result) Write() (out []Written, err error) {
	var ready []*rooted.Pending
	defer func() {
		for _, p := range ready {
			err = errors.Join(err, p.Cleanup())
		}
	}()
	for _, f := range r.Files {
		p, err := prepared(f.Real, f, f.New)
		if err != nil {
			return nil, fmt.Errorf("lint: %s can't be written, so nothing was changed: %w", f.Name, err)
		}
		ready = append(ready, p)
	}
	for i, f := range r.Files {
		backup, err := f.backUp()
		if err == nil {
			err = ready[i].CloseAtomicallyReplace()
		}
		if err != nil {
			return out, fmt.Errorf("lint: %s can't be written: %w; %d of %d files are changed already, their backups lie beside "+
				"them", f.Name, err, len(out), len(ready))
		}
		out = append(out, Written{f.Name, filepath.Join(filepath.Dir(f.Name), filepath.Base(backup))})
	}
	return out, nil
}

// prepared begins a file with the content, the mode and the owner that f has.
func prepared(path string, f File, data []byte) (*rooted.Pending, error) {
	info, err := os.Stat(f.Real)
	if err != nil {
		return nil, err
	}
	p, err := rooted.CreateFile(path, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err = p.Write(data); err == nil {
		err = p.Like(info)
	}
	if err != nil {
		return nil, errors.Join(err, p.Cleanup())
	}
	return p, nil
}

// backUp writes the backup. Its name begins with a dot: nginx's patterns, such as sites-enabled/*, don't match it.
func (f File) backUp() (name string, err error) {
	now, err := rooted.ReadFile(f.Real, nginxfile.MostBytes)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(now, f.Old) {
		return "", errors.New("another program changed it meanwhile: lint again")
	}
	first := filepath.Join(filepath.Dir(f.Real), "."+filepath.Base(f.Real)+".before-lint")
	name = first
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			break
		}
		name = fmt.Sprintf("%s-%d", first, n)
	}
	p, err := prepared(name, f, f.Old)
	if err != nil {
		return "", err
	}
	return name, errors.Join(p.CloseAtomicallyReplace(), p.Cleanup())
}
