// Package intake prepares the files that the verbs read: it tells what a file holds by its beginning (kinds.go), makes
// text of its bytes, and takes off what containers and collectors put around the lines of a program (wrapping.go).
package intake

import (
	"bufio"
	"compress/gzip"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/text"
)

//go:embed data/intake.toml
var data string

// tables are those of data/intake.toml, read when the first file is examined.
var tables = sync.OnceValue(func() (all struct {
	Packed   []Packed
	Kind     []Kind
	Wrapping []Wrapping
}) {
	if err := toml.Unmarshal([]byte(data), &all); err != nil {
		panic("intake: " + err.Error()) // embedded, and tests read it
	}
	return all
})

// marked reports whether bytes begin with a mark in hexadecimal digits.
func marked(head []byte, mark string) bool {
	return strings.HasPrefix(hex.EncodeToString(head[:min(len(head), len(mark))]), mark)
}

// pattern is an expression of the file.
type pattern struct{ *regexp.Regexp }

var parts = strings.NewReplacer(
	"{stamp}", `(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,\d]*(?:Z|[-+]\d\d:?\d\d)?)[ \t]`,
	"{tag}", `[^\s"{\[|:]{1,64}(?:\[\d+\])?: `)

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *pattern) UnmarshalText(text []byte) (err error) {
	p.Regexp, err = regexp.Compile(parts.Replace(string(text)))
	return err
}

// Packed is a file that a program has to make text of.
type Packed struct {
	What    string // "a zstd file"
	At      int
	Mark    string
	Unpack  string // commands, before the file's name
	Command string `toml:"extract"`
}

// PackedAs tells a packed file by its beginning.
func PackedAs(head []byte) (Packed, bool) {
	for _, p := range tables().Packed {
		if p.At < len(head) && marked(head[p.At:], p.Mark) {
			return p, true
		}
	}
	return Packed{}, false
}

// Next is the command that makes text of the file for a verb, or takes the files out of it; "" for a program.
func (p Packed) Next(file, verb string) string {
	if p.Unpack != "" {
		return p.Unpack + " " + text.ShellWord(file) + " | h2lab " + verb + " -"
	}
	return p.Extract(file)
}

// Extract is the command that takes files out of an archive with this packing; "" if there are none in it.
func (p Packed) Extract(file string) string {
	if p.Command == "" {
		return ""
	}
	return p.Command + " " + text.ShellWord(file)
}

// Text is a log as UTF-8, whatever its bytes are: gzip is unpacked, UTF-16 is converted, and for another packing the
// error has the command. Gzip says that it was unpacked, so that a cut-off file can be called that.
func Text(src *bufio.Reader, name, verb string) (out *bufio.Reader, gzipped bool, err error) {
	head, _ := src.Peek(6)
	p, packed := PackedAs(head)
	switch {
	case text.Marked(head):
		return bufio.NewReaderSize(text.UTF8(src), src.Size()), false, nil
	case packed && p.Unpack == "gzip -dc":
		z, err := gzip.NewReader(src)
		if err != nil {
			return nil, true, fmt.Errorf("%s begins as gzip does, and is not: %w", name, err)
		}
		return bufio.NewReaderSize(z, src.Size()), true, nil
	case packed && p.Unpack != "":
		return nil, false, fmt.Errorf("%s is %s, which isn't read here; next: %s", name, p.What, p.Next(name, verb))
	}
	return src, false, nil
}

// Broken describes an error within a text; nil at its end. Read is how much was read before it: "line 7".
func Broken(err error, name, read string, gzipped bool) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case gzipped && errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s is cut off in the middle of its gzip data after %s", name, read)
	case gzipped && (errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader)):
		return fmt.Errorf("%s is damaged gzip after %s: %w", name, read, err)
	}
	return fmt.Errorf("%s after %s: %w", name, read, err)
}
