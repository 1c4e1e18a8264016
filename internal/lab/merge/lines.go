package merge

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"h2lab/internal/base/text"
)

// mark precedes what a runner logs for this package; format is its version (k6/lib/runner.js).
const (
	mark   = "h2lab-tally "
	format = 1
)

// longestLine bounds a line of a log: the tally of a VU with every bucket in use has 1 MB, more with a
// log format's quotes.
const longestLine = 16 << 20

// line is one of a runner's lines: a VU's tally, or the runner's end.
type line struct {
	Format   int             `json:"format"`
	Script   string          `json:"script"`
	Segment  string          `json:"segment"`
	Sequence string          `json:"sequence"`
	Knobs    json.RawMessage `json:"knobs"`
	// VU is unique over all runners, VUs is how many this runner has.
	VU  int `json:"vu"`
	VUs int `json:"vus"`
	// Began and Ended are the VU's window by its machine's clock, in ms since 1970; nil without a request.
	Began *float64        `json:"began"`
	Ended *float64        `json:"ended"`
	Tally json.RawMessage `json:"tally"`
	End   bool            `json:"end"`
	// Dropped is how many arrivals found every VU busy, warm-up included.
	Dropped int64 `json:"dropped"`

	where string // file:line
}

// logs has the lines of all files. cut names the lines that are incomplete.
type logs struct {
	lines []line
	cut   []string
	files []opened
}

// opened is a file that has been read.
type opened struct {
	name string
	info fs.FileInfo
}

const whatToGive = "give the logs of all runners, or directories with nothing else"

// read reads the files, and all files below the directories.
func read(paths []string) (logs, error) {
	var all logs
	for _, path := range paths {
		before := len(all.lines) + len(all.cut)
		if err := all.readPath(path); err != nil {
			return all, err
		}
		if len(all.lines)+len(all.cut) == before {
			return all, fmt.Errorf("%s has no line with %q: run the scripts of k6/ with -e TALLY=log and keep what they "+
				"log, such as k6 run --console-output=runner-1.log -e TALLY=log …, or kubectl logs POD > runner-1.log",
				path, strings.TrimSpace(mark))
		}
	}
	return all, nil
}

// readPath reads a file or what is below a directory. Both may be symbolic links, as those of kubelet in
// /var/log/containers are. Links to directories below a directory aren't followed: they may lead back.
func (all *logs) readPath(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return unread(err)
	case !info.IsDir():
		return all.readFile(path) // a pipe, too, such as <(kubectl logs POD)
	}
	return fs.WalkDir(os.DirFS(path), ".", func(below string, d fs.DirEntry, err error) error {
		if err != nil {
			return unread(err)
		}
		file := filepath.Join(path, filepath.FromSlash(below))
		info, err := os.Stat(file)
		switch {
		case err != nil:
			return unread(err)
		case info.Mode().IsRegular():
			return all.readFile(file)
		}
		return nil
	})
}

func unread(err error) error { return fmt.Errorf("reading the runners' logs: %w; %s", err, whatToGive) }

// once returns an error if the file has been read before, by this name or another.
func (all *logs) once(name string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	for _, x := range all.files {
		if info.Mode().IsRegular() && os.SameFile(x.info, info) {
			return fmt.Errorf("%s and %s are the same file: give each log once", x.name, name)
		}
	}
	all.files = append(all.files, opened{name, info})
	return nil
}

func (all *logs) readFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return unread(err)
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	if err := all.once(name, f); err != nil {
		return err
	}
	s := bufio.NewScanner(text.UTF8(f)) // Windows PowerShell redirects to UTF-16
	s.Buffer(make([]byte, 64<<10), longestLine)
	for n := 1; s.Scan(); n++ {
		_, found, ok := strings.Cut(s.Text(), mark)
		if !ok || !strings.HasPrefix(found, "{") {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, n)
		l, err := parse(found)
		switch {
		case err != nil:
			all.cut = append(all.cut, where)
		case l.Format != format:
			return fmt.Errorf("%s has format %d of a runner's lines, and this h2lab reads format %d: use the scripts and "+
				"the h2lab of one version", where, l.Format, format)
		default:
			l.where = where
			all.lines = append(all.lines, l)
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s has a line of more than %d MiB, which no runner logs; %s", name, longestLine>>20, whatToGive)
	case err != nil:
		return unread(fmt.Errorf("%s: %w", name, err))
	}
	return nil
}

// deepest is how many log formats may have quoted a line, one inside the other: k6's own, and that of a
// container engine.
const deepest = 3

// parse reads the JSON after the mark, whatever log formats quoted it.
func parse(s string) (l line, err error) {
	for range deepest {
		if !strings.HasPrefix(s, `{\`) {
			break
		}
		if s, err = unquote(s); err != nil {
			return l, err
		}
	}
	return l, json.NewDecoder(strings.NewReader(s)).Decode(&l) // a log format may continue the line
}

// unquote undoes the quoting of one log format, up to the closing quote.
func unquote(s string) (string, error) {
	var b strings.Builder
	for {
		plain := strings.IndexAny(s, `\"`)
		if plain < 0 {
			return "", errors.New("no closing quote")
		}
		b.WriteString(s[:plain])
		if s = s[plain:]; s[0] == '"' {
			return b.String(), nil
		}
		r, _, rest, err := strconv.UnquoteChar(s, '"')
		if err != nil {
			return "", err
		}
		b.WriteRune(r)
		s = rest
	}
}
