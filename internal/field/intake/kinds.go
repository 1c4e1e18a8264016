package intake

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"h2lab/internal/base/rooted"
	"h2lab/internal/base/text"
)

// Kind is what a file holds.
type Kind struct {
	What              string // "a packet capture"
	Log, Most, Sealed bool
	NextStep          string `toml:"next"` // the line that reads it, with the file in the place of FILE
	Marks             []string
	Shape             *pattern
}

// Next is the command that reads a file of this kind.
func (k Kind) Next(file string) string {
	if k.NextStep == "" {
		return Log(text.ShellWord(file))
	}
	return strings.ReplaceAll(k.NextStep, "FILE", text.ShellWord(file))
}

// Log is the command that reads a log of errors or frames.
func Log(file string) string { return "h2lab decode " + file }

// HeadSize is how much of a file's beginning Of examines.
const HeadSize = 1 << 14

// OfFile is Of for a file; an error says why it can't be read.
func OfFile(name string) (Kind, bool, error) {
	f, err := rooted.OpenLog(name)
	if err != nil {
		return Kind{}, false, err
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, HeadSize))
	if err != nil {
		return Kind{}, false, err
	}
	k, known := Of(head)
	return k, known, nil
}

// Of tells what a file holds by its beginning.
func Of(head []byte) (Kind, bool) {
	head = head[:min(len(head), HeadSize)]
	i := slices.IndexFunc(tables().Kind, func(k Kind) bool {
		switch {
		case k.Shape == nil:
			return slices.ContainsFunc(k.Marks, func(mark string) bool { return marked(head, mark) })
		case k.Most:
			return 2*len(k.Shape.FindAll(head, -1)) > bytes.Count(head, []byte("\n"))
		}
		return k.Shape.Match(head)
	})
	if i < 0 {
		return Kind{}, false
	}
	return tables().Kind[i], true
}

// Sealed is Of for what is no text to read until tshark opens it.
func Sealed(head []byte) (Kind, bool) {
	k, known := Of(head)
	return k, known && k.Sealed
}
