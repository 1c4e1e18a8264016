package decode

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// Input says how much of one input was read.
type Input struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Lines int    `json:"lines"`
	// LongLines counts lines longer than 64 KiB, which are read in pieces.
	LongLines int `json:"long_lines"`
}

const (
	piece   = 64 << 10
	cutOff  = 512
	overlap = 2 << 10 // of two pieces of a line, so that a message across the boundary is found
)

// reader splits an input into messages.
type reader struct {
	tally   *Tally
	decoder *Decoder
	message message
	in      *Input
	index   int // of the input
	// long is set within a line that is read in pieces. seen are the diagnoses of that line: each
	// counts once per line.
	long bool
	seen map[string]bool
	tail []byte
	both []byte // tail and piece
	held held
}

// Read decodes everything in r and adds it to the tally. Its memory doesn't grow with the input.
func Read(ctx context.Context, name string, r io.Reader, t *Tally) error {
	t.Inputs = append(t.Inputs, Input{Name: name})
	index := len(t.Inputs) - 1
	rd := &reader{tally: t, decoder: NewDecoder(), in: &t.Inputs[index], index: index, seen: map[string]bool{}}
	err := rd.all(ctx, bufio.NewReaderSize(r, piece))
	rd.flush()
	rd.release()
	return err
}

func (r *reader) all(ctx context.Context, b *bufio.Reader) error {
	for n := 0; ; n++ {
		if n%512 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := b.ReadSlice('\n')
		r.in.Bytes += int64(len(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			r.piece(line, false)
			continue
		case r.long:
			r.piece(line, true)
		case len(line) > 0:
			r.line(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line handles a whole line.
func (r *reader) line(line []byte) {
	if bytes.IndexByte(line, 0) >= 0 { // UTF-16, or garbage
		if line = bytes.ReplaceAll(line, []byte{0}, nil); len(line) == 0 {
			return
		}
	}
	r.in.Lines++
	if !r.message.goesOn(line) {
		r.flush()
		r.message.begin(r.in.Lines)
	}
	r.message.add(line)
}

// piece handles a part of a line that is longer than the buffer.
func (r *reader) piece(part []byte, last bool) {
	if !r.long {
		r.flush()
		r.release()
		r.long = true
		r.in.Lines++
		r.in.LongLines++
		clear(r.seen)
		r.tally.Events++
	}
	r.both = append(append(r.both[:0], r.tail...), part...)
	text := r.both
	// What stands at the end of a piece may be cut off: the next piece has it whole.
	if f := r.decoder.find(text); f != nil && !r.seen[key(f)] && (last || f.at[aboutEvent].to < f.size-cutOff) {
		r.seen[key(f)] = true
		r.tally.add(f, text, r.index, r.in.Lines)
	}
	r.tail = append(r.tail[:0], text[max(0, len(text)-overlap):]...)
	if last {
		if len(r.seen) == 0 {
			r.tally.Other++
		}
		r.long, r.tail = false, r.tail[:0]
	}
}

// flush decodes the message that is complete.
func (r *reader) flush() {
	if len(bytes.TrimSpace(r.message.text)) > 0 {
		r.tally.Events++
		if f := r.decoder.find(r.message.text); f != nil {
			r.found(f, r.message.text, r.message.line)
		} else {
			r.tally.Other++
			if !r.decoder.settled {
				r.tally.unread(r.message.text, r.decoder.signed, r.index, r.message.line)
			} else if plainly().Match(r.message.text) {
				r.tally.told = true
			}
		}
	}
	r.message.begin(0)
}
