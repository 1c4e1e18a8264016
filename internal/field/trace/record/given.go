package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/field/intake"
)

// asks is why a file can't be traced.
const asks = "and trace asks a server itself, so it reads no recording"

// given is the error for a file in the place of a URL; nil where the text names none.
func given(content string) error {
	switch {
	case content == "-":
		return errors.New("- is standard input, " + asks + "; a log goes to: h2lab decode -")
	case content == "" || strings.Contains(content, "://"):
		return nil
	}
	info, err := os.Stat(content)
	switch {
	case errors.Is(err, fs.ErrNotExist) && namesFile(content):
		return fmt.Errorf("there is no file %s, %s; give the address of a server: h2lab trace https://host/path", content, asks)
	case err != nil:
		return nil // a host, rather
	case info.IsDir():
		return fmt.Errorf("%s is a directory, %s; give the address of a server: h2lab trace https://host/path", content, asks)
	case info.Mode().IsRegular(): // of a pipe nobody may write to, a read would not return
		kind, known, err := intake.OfFile(content)
		if err != nil {
			return err
		}
		if known {
			return fmt.Errorf("%s is %s, %s; next: %s", content, kind.What, asks, kind.Next(content))
		}
	}
	return fmt.Errorf("%s is a file, %s; if it is a log of errors or frames: %s", content, asks, intake.Log(text.ShellWord(content)))
}

// namesFile reports whether a text without a scheme is rather a file's name than a host's.
func namesFile(text string) bool {
	return strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/") ||
		slices.Contains([]string{".pcap", ".pcapng", ".cap", ".log", ".har", ".json", ".txt", ".gz"}, filepath.Ext(text))
}
