package workshop

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// start is the directory of the files that learners begin with, relative to the project's root.
const start = "docs/workshop/start"

// LayOut copies the files that learners begin with into their directory. It keeps files that
// already exist there.
func LayOut(root string) (made, kept []string, err error) { return layOut(root, nil) }

// layOut translates the lines of the files by words, which may be nil.
func layOut(root string, words map[string]string) (made, kept []string, err error) {
	from := filepath.Join(root, filepath.FromSlash(start))
	err = filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(filepath.Join(Learner, rel))
		to := filepath.Join(root, Learner, rel)
		if e.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		switch err := copyNew(path, to, words); {
		case errors.Is(err, fs.ErrExist):
			kept = append(kept, name)
		case err != nil:
			return fmt.Errorf("laying out %s: %w", name, err)
		default:
			made = append(made, name)
		}
		return nil
	})
	return made, kept, err
}

// copyNew copies a file to a name that must not exist yet, completely or not at all.
func copyNew(from, to string, words map[string]string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	text = translated(text, words)
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}
