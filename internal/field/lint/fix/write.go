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

// Write replaces the files, each as a whole. First all new files and backups are written, then the
// files are renamed, so that an error before that leaves everything as it was.
func (r *Result) Write() (out []Written, err error) {
	var ready []*pending
	defer func() {
		for _, p := range ready {
			err = errors.Join(err, p.close())
		}
	}()
	for _, f := range r.Files {
		p, err := prepare(f)
		if p != nil {
			ready = append(ready, p)
		}
		if err != nil {
			return nil, fmt.Errorf("lint: %s can't be written, so nothing was changed: %w", f.Name, err)
		}
	}
	for _, p := range ready {
		backup, err := p.replace()
		if err != nil {
			return out, fmt.Errorf("lint: %s can't be written: %w; %d of %d files are changed already, their backups lie beside "+
				"them", p.file.Name, err, len(out), len(ready))
		}
		out = append(out, Written{p.file.Name, filepath.Join(filepath.Dir(p.file.Name), backup)})
	}
	return out, nil
}

// pending is one file that is ready to be replaced.
type pending struct {
	file File
	dir  *rooted.Dir
	new  *rooted.Pending
	info fs.FileInfo
}

func prepare(f File) (*pending, error) {
	info, err := os.Stat(f.Real)
	if err != nil {
		return nil, err
	}
	dir, err := rooted.Open(filepath.Dir(f.Real))
	if err != nil {
		return nil, err
	}
	p := &pending{file: f, dir: dir, info: info}
	p.new, err = p.create(filepath.Base(f.Real), f.New)
	return p, err
}

// create begins a file with the content, the mode and the owner that the replaced one has.
func (p *pending) create(name string, data []byte) (*rooted.Pending, error) {
	out, err := p.dir.Create(name)
	if err != nil {
		return nil, err
	}
	_, err = out.Write(data)
	if err == nil {
		err = out.Like(p.info)
	}
	if err != nil {
		return nil, errors.Join(err, out.Cleanup())
	}
	return out, nil
}

// replace writes the backup and renames the new file. The backup's name begins with a dot: nginx's
// patterns, such as sites-enabled/*, don't match it.
func (p *pending) replace() (backup string, err error) {
	now, err := os.ReadFile(p.file.Real)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(now, p.file.Old) {
		return "", errors.New("another program changed it meanwhile: lint again")
	}
	backup = p.backupName()
	old, err := p.create(backup, p.file.Old)
	if err != nil {
		return "", err
	}
	if err := old.CloseAtomicallyReplace(); err != nil {
		return "", errors.Join(err, old.Cleanup())
	}
	return backup, p.new.CloseAtomicallyReplace()
}

func (p *pending) backupName() string {
	name := "." + filepath.Base(p.file.Real) + ".before-lint"
	for n := 2; ; n++ {
		if _, err := os.Lstat(p.dir.Path(name)); errors.Is(err, fs.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf(".%s.before-lint-%d", filepath.Base(p.file.Real), n)
	}
}

func (p *pending) close() error {
	var err error
	if p.new != nil {
		err = p.new.Cleanup()
	}
	return errors.Join(err, p.dir.Close())
}
