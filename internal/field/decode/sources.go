package decode

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"h2lab/internal/base/await"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	format "h2lab/internal/base/text"
	"h2lab/internal/field/intake"
)

// Source is a text or a file; if both are empty, it is stdin.
type Source struct{ text, file string }

// Sources tells files from pasted text: an argument is a file if it exists, an error if it looks
// like a file name, and text otherwise. Without arguments the source is stdin.
func Sources(what []string) ([]Source, error) {
	if len(what) == 0 {
		return []Source{{}}, nil
	}
	var files []Source
	var missing *string
	for _, w := range what {
		if w == "-" {
			files = append(files, Source{})
		} else if _, err := os.Stat(w); err == nil {
			files = append(files, Source{file: w})
		} else if missing == nil {
			missing = &w
		}
	}
	if missing == nil {
		return files, nil
	}
	if looksLikeFile(*missing) ||
		len(files) > 0 && !strings.ContainsAny(*missing, " \t\n") && len(what) == len(files)+1 {
		return nil, fmt.Errorf("decode: %s: no such file; give a file that is there, or the error text in quotes",
			format.ClipLine(*missing, 120))
	}
	content := strings.Join(what, " ")
	if strings.TrimSpace(content) == "" {
		return nil, exitstatus.WrongUsage(errors.New("decode: the text is empty: h2lab decode 'the error text'"))
	}
	return []Source{{text: content}}, nil
}

// looksLikeFile reports whether an argument that names no file was probably meant as one.
func looksLikeFile(s string) bool {
	volume := filepath.VolumeName(s) // C: on Windows
	if strings.ContainsAny(s[len(volume):], " \t\n:(") {
		return false
	}
	switch filepath.Ext(s) {
	case ".log", ".gz", ".txt", ".json", ".out", ".err", ".ndjson":
		return true
	}
	s = filepath.ToSlash(s)
	return volume != "" || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../")
}

// ReadAll reads the sources in order and reports on them. The report is nil if nothing was read
// before an error or before the context ended.
func ReadAll(ctx context.Context, sources []Source) (*Report, error) {
	t, err := await.Result(ctx, func() (*Tally, error) {
		var t Tally
		for _, s := range sources {
			if err := s.read(ctx, &t); err != nil {
				return &t, err
			}
		}
		return &t, nil
	})
	switch {
	case t == nil:
		return nil, err
	case err != nil && t.Events == 0:
		return nil, fmt.Errorf("decode: %w", err)
	case err != nil:
		err = fmt.Errorf("decode: %w; what was read before is above", err)
	}
	r := t.Report()
	return &r, err
}

func (s Source) read(ctx context.Context, t *Tally) error {
	switch {
	case s.text != "":
		return Read(ctx, "the text", strings.NewReader(s.text), t)
	case s.file == "":
		return readMaybeGzip(ctx, "stdin", os.Stdin, t)
	}
	f, err := rooted.OpenLog(s.file)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; name the logs in it: h2lab decode %s/*", s.file, s.file)
	}
	return readMaybeGzip(ctx, s.file, f, t)
}

// readMaybeGzip decompresses an input that begins with gzip's magic number.
func readMaybeGzip(ctx context.Context, name string, r io.Reader, t *Tally) error {
	b := bufio.NewReaderSize(r, intake.HeadSize)
	if head, _ := b.Peek(4); len(head) == 4 { // packets, or secrets as text
		begin, _ := b.Peek(b.Buffered())
		if k, known := intake.Sealed(begin); known {
			return fmt.Errorf("%s is %s and no log; next: %s", name, k.What, k.Next(name))
		}
	}
	plain, _, err := intake.Text(b, name, "decode")
	if err != nil {
		return err
	}
	return named(name, Read(ctx, name, plain, t))
}

func named(name string, err error) error {
	var path *os.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s ends in the middle of its gzip data", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}
