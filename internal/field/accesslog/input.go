package accesslog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"h2lab/internal/base/rooted"
	marks "h2lab/internal/base/text"
	"h2lab/internal/field/accesslog/jsonlines"
)

// Stdin is the file name that means stdin.
const Stdin = "-"

const (
	bufferSize  = 1 << 18
	longestLine = bufferSize // a longer line is not from an access log
	headSize    = 1 << 16    // how much is examined to recognise the format
)

// input is one open log.
type input struct {
	name   string
	buf    *bufio.Reader
	gz     bool
	pipe   bool // can't be read twice, and may deliver slowly
	close  func() error
	number uint64 // of the last line that was read
}

// open opens a file or stdin, and decompresses it if it is gzip.
func open(name string, stdin io.Reader) (*input, error) {
	in := &input{name: name, pipe: name == Stdin, close: func() error { return nil }}
	src := stdin
	if name != Stdin {
		f, err := rooted.OpenLog(name)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		in.pipe = err != nil || !info.Mode().IsRegular()
		if err == nil && info.IsDir() {
			_ = f.Close()
			return nil, fmt.Errorf("%s is a directory: name the files, the oldest first, as in %s/access.log.1 "+
				"%s/access.log", name, name, name)
		}
		src, in.close = f, f.Close
	}
	in.buf = bufio.NewReaderSize(src, bufferSize)
	magic, _ := in.buf.Peek(6)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		zr, err := gzip.NewReader(in.buf)
		if err != nil {
			_ = in.close()
			return nil, fmt.Errorf("%s begins as gzip does, and is not: %w", name, err)
		}
		in.buf, in.gz = bufio.NewReaderSize(zr, bufferSize), true
	case marks.Marked(magic):
		in.buf = bufio.NewReaderSize(marks.UTF8(in.buf), bufferSize)
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return nil, packed(in, "zstd -dc")
	case bytes.HasPrefix(magic, []byte("\xfd7zXZ\x00")):
		return nil, packed(in, "xz -dc")
	case bytes.HasPrefix(magic, []byte("BZh")):
		return nil, packed(in, "bzip2 -dc")
	}
	if form := jsonlines.Begins(in.head()); form != jsonlines.Lines {
		in.buf = bufio.NewReaderSize(jsonlines.Reader(in.buf, form), bufferSize)
	}
	return in, nil
}

func packed(in *input, with string) error {
	_ = in.close()
	return fmt.Errorf("%s is packed in a way that isn't read here; next: %s %s | h2lab logs -", in.name, with, in.name)
}

// head is the beginning, without consuming it. A pipe returns what has arrived so far.
func (in *input) head() []byte {
	b, _ := in.buf.Peek(1)
	if len(b) == 0 {
		return nil
	}
	if in.pipe { // don't wait for more: the writer may be slow
		b, _ = in.buf.Peek(min(in.buf.Buffered(), headSize))
		return b
	}
	b, _ = in.buf.Peek(headSize)
	return b
}

// lineKind says how a line ended.
type lineKind uint8

const (
	lineWhole   lineKind = iota
	lineCut              // the last one, without its newline
	lineTooLong          // dropped
)

// next returns the next line without its newline, or io.EOF.
func (in *input) next() ([]byte, lineKind, error) {
	line, err := in.buf.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		return nil, lineWhole, err
	}
	in.number++
	switch {
	case err == nil:
		line = line[:len(line)-1]
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		return line, lineWhole, nil
	case errors.Is(err, bufio.ErrBufferFull):
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.buf.ReadSlice('\n')
		}
		return nil, lineTooLong, nil // the next call returns the error
	}
	return line, lineCut, nil // likewise
}

// broken describes an error within a log; nil at its end.
func (in *input) broken(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case in.gz && errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s is cut off in the middle of its gzip data after line %d", in.name, in.number)
	case in.gz && (errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader)):
		return fmt.Errorf("%s is damaged gzip after line %d: %w", in.name, in.number, err)
	case errors.Is(err, io.ErrUnexpectedEOF): // of records that are no lines
		return fmt.Errorf("%s is cut off in the middle of a JSON record after %d whole ones", in.name, in.number)
	}
	return fmt.Errorf("%s after line %d: %w", in.name, in.number, err)
}

// cancelled checks the context from time to time, not for every line.
func cancelled(ctx context.Context, n uint64) error {
	if n&0xfff == 0 {
		return ctx.Err()
	}
	return nil
}
