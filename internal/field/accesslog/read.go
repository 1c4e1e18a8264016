// Package accesslog reads access logs of nginx, Envoy and others and finds how many requests each
// connection carried: whether connections end at a request limit, how often, and what that costs.
//
// It needs no server and no network: its input is a log, its output a Result. Every line passes
// through one type, Record:
//
//	read.go ▶ recognise.go ▶ format.go (a compiled log_format) or json.go ▶ Record ▶ count.go ▶ result.go ▶ judge.go ▶ text.go
//
// Memory is limited, whatever the length of the log. table.go has a table of the connections that
// may be open, one bit per connection that records that it occurred, and histograms that count the
// others by where they ended. If a limit of memory costs exactness, the Result says how much.
package accesslog

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"h2lab/internal/base/rooted"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/intake"
)

// reading is the state of reading one or several logs as one.
type reading struct {
	opts    Options
	chosen  chosen
	count   *counter
	out     Result
	skipped uint64
	cut     bool // a log ended early
}

// Read reads logs as one, the oldest first, whatever order they are named in; "-" is stdin. Of a log that ends early it
// returns an error and the result of what was read.
func Read(ctx context.Context, names []string, stdin io.Reader, o Options) (*Result, error) {
	names, err := inOrder(names, o)
	if err != nil {
		return nil, err
	}
	r := &reading{opts: o}
	var early error
	for _, name := range names {
		if early = r.file(ctx, name, stdin); early != nil {
			break
		}
	}
	if early != nil && !r.cut {
		return nil, early
	}
	if r.count == nil {
		return nil, fmt.Errorf("%s: no line in it", strings.Join(names, ", "))
	}
	if err := r.enough(); err != nil {
		return nil, err
	}
	r.count.finish()
	r.out.Files = names
	r.fill()
	return &r.out, early
}

// file reads one log. The first file with a line determines the format.
func (r *reading) file(ctx context.Context, name string, stdin io.Reader) error {
	in, err := open(name, stdin)
	if err != nil {
		return err
	}
	defer func() { _ = in.close() }()
	if r.count == nil {
		head := in.head()
		if len(head) == 0 {
			return r.ended(in, name)
		}
		if r.chosen, err = r.opts.reader(head); err != nil {
			var missing *MissingError
			if k, known := intake.Of(head); known && !(k.Log && errors.As(err, &missing)) {
				return fmt.Errorf("%s is %s and no access log; next: %s", name, k.What, k.Next(name))
			}
			if filter := inLines(head); filter != "" {
				return fmt.Errorf("%s has no JSON record on each line; next: jq -c '%s' %s | h2lab logs -", name, filter,
					text.ShellWord(name))
			}
			return fmt.Errorf("%s: %w", name, err)
		}
		r.count = newCounter(r.opts, r.chosen)
	}
	return r.lines(ctx, in)
}

// ended distinguishes an empty log from one that can't be read at all.
func (r *reading) ended(in *input, name string) error {
	_, _, err := in.next()
	if err = in.broken(err); err != nil {
		return err
	}
	r.out.Warnings = append(r.out.Warnings, texts.Sentence(facts.T("logs.warn-empty", name)))
	return nil
}

func (r *reading) lines(ctx context.Context, in *input) error {
	var rec Record
	for {
		line, kind, err := in.next()
		if err != nil {
			broken := in.broken(err)
			r.cut = broken != nil
			return broken
		}
		if r.out.Lines&0xfff == 0 && ctx.Err() != nil { // not for every line
			return ctx.Err()
		}
		if len(line) == 0 && kind != lineTooLong {
			continue
		}
		r.out.Lines++
		if kind == lineTooLong || !r.chosen.line(line, &rec) {
			r.malformed(in, line, kind)
			continue
		}
		if !r.wanted(&rec) {
			r.skipped++
			continue
		}
		if err := r.count.add(&rec); err != nil {
			return fmt.Errorf("%s, line %d: %w", in.name, in.number, err)
		}
	}
}

// wanted applies --since and --until.
func (r *reading) wanted(rec *Record) bool {
	return !rec.Timed || (r.opts.Since.IsZero() || rec.Time >= r.opts.Since.UnixMilli()) &&
		(r.opts.Until.IsZero() || rec.Time < r.opts.Until.UnixMilli())
}

// shown is how much of a line is shown.
const shown = 160

func (r *reading) malformed(in *input, line []byte, kind lineKind) {
	if kind == lineCut { // being written, or copied while being written
		r.out.Lines--
		r.out.Warnings = append(r.out.Warnings, texts.Sentence(facts.T("logs.warn-cut", in.name)))
		return
	}
	r.out.Malformed++
	if r.out.FirstMalformed == nil {
		r.out.FirstMalformed = &BadLine{
			File:   in.name,
			Number: in.number,
			Text:   strings.ToValidUTF8(string(line[:min(len(line), shown)]), "?"),
		}
		if kind == lineTooLong {
			r.out.FirstMalformed.Text = fmt.Sprintf("(longer than %d bytes)", longestLine)
		}
	}
}

// enough rejects a log of another format, and one without any remaining line.
func (r *reading) enough() error {
	o := &r.out
	if b := o.FirstMalformed; 2*o.Malformed > o.Lines {
		return fmt.Errorf("%d of %d lines are not of the format %q; the first is line %d of %s: %q; "+
			"name the right one: h2lab logs --format-from /etc/nginx/nginx.conf#NAME FILE", o.Malformed, o.Lines,
			texts.English.In(r.chosen.name), b.Number, b.File, b.Text)
	}
	if r.count.lines > 0 {
		return nil
	}
	if r.skipped > 0 {
		return fmt.Errorf("none of %d lines lies between --since and --until", r.skipped)
	}
	return errors.New("no whole line in it")
}

// listed is the beginning of records in a list: Azure's and CloudWatch's.
var listed = regexp.MustCompile(`^\{[^\[]*"(records|Records|logEvents)"\s*:\s*\[\s*\{`)

// inLines is the filter of jq that puts JSON records on lines of their own; "" where they are, or where there are none.
func inLines(head []byte) string {
	head = bytes.TrimSpace(head)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch list := listed.FindSubmatch(head); {
	case list != nil:
		return "." + string(list[1]) + "[]"
	case bytes.HasPrefix(head, []byte("[")) && bytes.HasPrefix(bytes.TrimSpace(head[1:]), []byte("{")):
		return ".[]"
	case bytes.HasPrefix(head, []byte("{")) && !gjson.ValidBytes(line):
		return "."
	}
	return ""
}

// reader is the way to read a log that begins like that.
func (o *Options) reader(head []byte) (chosen, error) {
	if o.Format != nil {
		return textReader(o.Format), nil
	}
	return recognise(head, o.Keys)
}

// inOrder sorts the files by the times of their first lines, if all have one: in the wrong order, rotated logs would look
// like a restarted server.
func inOrder(names []string, o Options) ([]string, error) {
	if len(names) < 2 {
		return names, nil
	}
	first := map[string]int64{}
	for _, name := range names {
		at, known, err := begins(name, o)
		if err != nil || !known {
			return names, err
		}
		first[name] = at
	}
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(first[a], first[b]) })
	return names, nil
}

// begins is the time of a file's first line with a time.
func begins(name string, o Options) (at int64, known bool, err error) {
	if info, err := os.Stat(name); name == Stdin || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return 0, false, nil // stdin and a pipe can be read only once
	}
	in, err := open(name, nil)
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = in.close() }()
	head := in.head()
	how, err := o.reader(head)
	if err != nil {
		return 0, false, nil // the reading itself reports the error
	}
	var rec Record
	for _, l := range firstLines(head) {
		if how.line(l, &rec) && rec.Timed {
			return rec.Time, true, nil
		}
	}
	return 0, false, nil
}

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
			return nil, fmt.Errorf("%s is a directory: name its files, as in %s/access.log*", name, name)
		}
		src, in.close = f, f.Close
	}
	var err error
	if in.buf, in.gz, err = intake.Text(bufio.NewReaderSize(src, bufferSize), name, "logs"); err != nil {
		_ = in.close()
		return nil, err
	}
	return in, nil
}

// head is the beginning, without consuming it. A pipe returns what has arrived so far.
func (in *input) head() []byte {
	b, _ := in.buf.Peek(1)
	size := headSize
	if in.pipe { // don't wait for more: the writer may be slow
		size = min(in.buf.Buffered(), headSize)
	}
	if len(b) > 0 {
		b, _ = in.buf.Peek(size)
	}
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
	return intake.Broken(err, in.name, fmt.Sprintf("line %d", in.number), in.gz)
}
