// Package intake prepares the files that the verbs read: it tells what a file holds by its beginning (kinds.go), makes
// text of its bytes, and takes off what containers and collectors put around the lines of a program (wrapping.go).
package intake

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"h2lab/internal/base/text"
)

// Packed is a file that a program has to make text of.
type Packed struct {
	What            string // "a zstd file"
	unpack, extract string // commands, before the file's name
}

var magic = []struct {
	at   int
	mark string
	Packed
}{
	{0, "\x1f\x8b", Packed{"a gzip file", "gzip -dc", "tar xzf"}},
	{0, "PK\x03\x04", Packed{"a zip archive", "", "unzip"}},
	{0, "\xfd7zXZ\x00", Packed{"an xz file", "xz -dc", "tar xJf"}},
	{0, "BZh", Packed{"a bzip2 file", "bzip2 -dc", "tar xjf"}},
	{0, "\x28\xb5\x2f\xfd", Packed{"a zstd file", "zstd -dc", "tar --zstd -xf"}},
	{257, "ustar", Packed{"a tar archive", "", "tar xf"}},
	{0, "\xff\xfe", Packed{"text in UTF-16", "iconv -f UTF-16 -t UTF-8", ""}},
	{0, "\xfe\xff", Packed{"text in UTF-16", "iconv -f UTF-16 -t UTF-8", ""}},
	{0, "\x7fELF", Packed{"a program", "", ""}},
}

// PackedAs tells a packed file by its beginning.
func PackedAs(head []byte) (Packed, bool) {
	for _, m := range magic {
		if m.at < len(head) && bytes.HasPrefix(head[m.at:], []byte(m.mark)) {
			return m.Packed, true
		}
	}
	return Packed{}, false
}

// Next is the command that makes text of the file for a verb, or takes the files out of it; "" for a program.
func (p Packed) Next(file, verb string) string {
	switch file = text.ShellWord(file); {
	case p.unpack != "":
		return p.unpack + " " + file + " | h2lab " + verb + " -"
	case p.extract != "":
		return p.extract + " " + file
	}
	return ""
}

// Extract is the command that takes files out of an archive with this packing; "" if there are none in it.
func (p Packed) Extract(file string) string {
	if p.extract == "" {
		return ""
	}
	return p.extract + " " + text.ShellWord(file)
}

// Text is a log as UTF-8, whatever its bytes are: gzip is unpacked, UTF-16 is converted, and for another packing the
// error has the command. Gzip says that it was unpacked, so that a cut-off file can be called that.
func Text(src *bufio.Reader, name, verb string) (out *bufio.Reader, gzipped bool, err error) {
	head, _ := src.Peek(6)
	p, packed := PackedAs(head)
	switch {
	case text.Marked(head):
		return bufio.NewReaderSize(text.UTF8(src), src.Size()), false, nil
	case packed && p.unpack == magic[0].unpack:
		z, err := gzip.NewReader(src)
		if err != nil {
			return nil, true, fmt.Errorf("%s begins as gzip does, and is not: %w", name, err)
		}
		return bufio.NewReaderSize(z, src.Size()), true, nil
	case packed && p.unpack != "":
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
