package compose

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// inputs is a hash of what an image is built from: its Dockerfile, the values of the arguments that
// name its bases, and the files that it copies out of the checkout. Two images with the same hash are
// the same as far as the checkout decides.
func inputs(root, dockerfile, arch string, value func(string) string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, dockerfile))
	if err != nil {
		return "", err
	}
	ignored, err := readIgnored(root)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	sum.Write(text)
	var sources []string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) < 2:
		case words[0] == "ARG":
			name, _, _ := strings.Cut(words[1], "=")
			if strings.HasSuffix(name, "_IMAGE") || strings.HasSuffix(name, "_BASE") {
				fmt.Fprintf(sum, "\x00%s=%s", name, value(name))
			}
		case words[0] == "COPY" && !strings.HasPrefix(words[1], "--from="):
			sources = append(sources, words[1:len(words)-1]...)
		}
	}
	for _, source := range sources {
		if err := addTree(sum, root, strings.ReplaceAll(source, "${TARGETARCH}", arch), ignored); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// addTree adds a file or a directory, in the order of names, with the permissions that an image keeps.
func addTree(sum io.Writer, root, source string, ignored []string) error {
	top := filepath.Join(root, filepath.FromSlash(source))
	return filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("an image's files: %w", err)
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case slices.ContainsFunc(ignored, func(pattern string) bool { return matches(pattern, rel) }):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			fmt.Fprintf(sum, "\x00%s %s", rel, d.Type())
			return nil
		}
		return addFile(sum, p, rel)
	})
}

func addFile(sum io.Writer, file, name string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("an image's files: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("an image's files: %w", err)
	}
	fmt.Fprintf(sum, "\x00%s %o %d\x00", name, info.Mode().Perm()&0o111, info.Size())
	_, err = io.Copy(sum, f)
	return err
}

// readIgnored are the patterns of .dockerignore that exclude files, other than the first, which
// excludes all that is not named.
func readIgnored(root string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && line != "*" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "!") {
			out = append(out, line)
		}
	}
	return out, nil
}

// matches reports whether a pattern of .dockerignore excludes a path. The project's own use two forms:
// **/NAME, anywhere, and a path with * for one name.
func matches(pattern, name string) bool {
	if last, anywhere := strings.CutPrefix(pattern, "**/"); anywhere {
		pattern, name = last, path.Base(name)
	}
	ok, _ := path.Match(pattern, name)
	return ok
}
