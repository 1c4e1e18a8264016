package accesslog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"h2lab/internal/base/shell"
	"h2lab/internal/field/recorded"
)

// reading is the state of reading one or several logs as one.
type reading struct {
	opts    Options
	chosen  chosen
	count   *counter
	out     Result
	skipped uint64
	parts   *parts // nil unless the log is CRI's
}

// TruncatedError reports a log that ended early. The result covers what was read.
type TruncatedError struct{ Err error }

func (e *TruncatedError) Error() string { return e.Err.Error() }
func (e *TruncatedError) Unwrap() error { return e.Err }

// Read reads logs, the oldest first; "-" is stdin. With a *TruncatedError it returns a result as
// well.
func Read(ctx context.Context, names []string, stdin io.Reader, o Options) (*Result, error) {
	if err := inOrder(names, o); err != nil {
		return nil, err
	}
	r := &reading{opts: o}
	var early error
	for _, name := range names {
		if early = r.file(ctx, name, stdin); early != nil {
			break
		}
	}
	var truncated *TruncatedError
	if early != nil && !errors.As(early, &truncated) {
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
		if r.opts.Format != nil {
			r.chosen = textReader(r.opts.Format)
		} else if r.chosen, err = recognise(head, r.opts.Keys); err != nil {
			var missing *MissingError
			if k, known := recorded.Of(head); known && !(k.Log && errors.As(err, &missing)) {
				return fmt.Errorf("%s is %s and no access log; next: %s", name, k.What, k.Next(name))
			}
			return fmt.Errorf("%s: %w", name, err)
		}
		r.count = newCounter(r.opts, r.chosen)
		if u, is := r.chosen.reader.(unwrapping); is && u.name == criLog {
			r.parts = &parts{}
		}
	}
	return r.lines(ctx, in)
}

// ended distinguishes an empty log from one that can't be read at all.
func (r *reading) ended(in *input, name string) error {
	_, _, err := in.next()
	if err = in.broken(err); err != nil {
		return err
	}
	r.out.Warnings = append(r.out.Warnings, name+" is empty")
	return nil
}

func (r *reading) lines(ctx context.Context, in *input) error {
	var rec Record
	whole := true
	for {
		line, kind, err := in.next()
		if err != nil {
			if broken := in.broken(err); broken != nil {
				return &TruncatedError{broken}
			}
			return nil
		}
		if err := cancelled(ctx, r.out.Lines); err != nil {
			return err
		}
		if len(line) == 0 && kind != lineTooLong || r.directive(line) {
			continue
		}
		if r.parts != nil {
			if line, whole = r.parts.whole(line); !whole {
				continue
			}
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

// directive reports whether a line of the W3C's extended log file format is none of a request.
func (r *reading) directive(line []byte) bool {
	p, is := r.chosen.reader.(*placesReader)
	if is = is && p.w3c && startsWith(line, "#"); is {
		p.fields(line)
	}
	return is
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
		r.out.Warnings = append(r.out.Warnings, fmt.Sprintf("%s: its last line is cut off and was left out", in.name))
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
			r.chosen.name, b.Number, b.File, b.Text)
	}
	if r.count.lines > 0 {
		return nil
	}
	if r.skipped > 0 {
		return fmt.Errorf("none of %d lines lies between --since and --until", r.skipped)
	}
	return errors.New("no whole line in it")
}

// inOrder checks the first line of every file: in the wrong order, rotated logs would look like a
// restarted server.
func inOrder(names []string, o Options) error {
	var first []dated
	var wrong *OrderError
	for _, name := range names {
		if name == Stdin {
			continue
		}
		at, known, err := begins(name, o)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		if n := len(first); n > 0 && at < first[n-1].at && wrong == nil {
			wrong = &OrderError{Earlier: name, Later: first[n-1].name}
		}
		first = append(first, dated{name, at})
	}
	if wrong == nil {
		return nil
	}
	slices.SortStableFunc(first, func(a, b dated) int { return cmp.Compare(a.at, b.at) })
	for _, d := range first {
		wrong.Order = append(wrong.Order, d.name)
	}
	return wrong
}

// dated is a file with the time of its first line.
type dated struct {
	name string
	at   int64
}

// OrderError reports files that are not in order, the oldest first.
type OrderError struct {
	Earlier, Later string
	Order          []string // all files, as far as their lines have times
}

func (e *OrderError) Error() string {
	names := make([]string, len(e.Order))
	for i, name := range e.Order {
		names[i] = shell.Word(name)
	}
	return fmt.Sprintf("%s begins before %s, which was given before it: give the oldest first, as in: h2lab logs %s; "+
		"logs of several servers are read one at a time", e.Earlier, e.Later, strings.Join(names, " "))
}

// begins is the time of a file's first line with a time.
func begins(name string, o Options) (at int64, known bool, err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return 0, false, nil // a pipe can be read only once
	}
	in, err := open(name, nil)
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = in.close() }()
	head := in.head()
	var how reader
	if o.Format != nil {
		how = textReader(o.Format)
	} else if c, err := recognise(head, o.Keys); err == nil {
		how = c
	} else {
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
