package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// measuring are the commands whose runs have a results.json.
var measuring = []string{plan.Repro, plan.Fixed, plan.Matrix, plan.Clients, plan.Story, plan.Sweep}

// Bounds of file sizes. A run of a hundred client programs has 2 MB, ten minutes of timeline at 20
// Hz have 1 MB.
const (
	mostResult = 64 << 20
	mostSeries = 16 << 20
)

// Read reads dir/results.json. It ignores unknown fields: a later h2lab may add some under the same
// version. Any other problem is one error with the problem, its place in the file and a next step.
func Read(dir string) (*facts.Result, error) {
	path := filepath.Join(dir, File)
	data, err := readJSON(dir, File, mostResult, `name another directory, or measure with "make repro"`)
	if err != nil {
		return nil, err
	}
	if err := readable(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r, err := decode[facts.Result](ResultsSchema, data)
	if err != nil {
		return nil, fmt.Errorf("%s has the wrong shape: %w; measure again with \"make repro\"", path, err)
	}
	return &r, nil
}

// ReadSeries reads the timeline dir/rel, where rel is a trial's Series.
func ReadSeries(dir, rel string) (facts.Series, error) {
	path := filepath.Join(dir, rel)
	data, err := readJSON(dir, rel, mostSeries, "that trial can be drawn only without its timeline")
	if err != nil {
		return facts.Series{}, err
	}
	s, err := decode[facts.Series](SeriesSchema, data)
	if err != nil {
		return facts.Series{}, fmt.Errorf("%s is no timeline: %w", path, err)
	}
	for name, n := range map[string]int{"accepted": len(s.Accepted), "requests": len(s.Requests)} {
		// A source that can't count a value leaves its column empty.
		if n != len(s.TMS) && n != 0 {
			return facts.Series{}, fmt.Errorf("%s is no timeline: column %s has %d values, t_ms has %d", path, name,
				n, len(s.TMS))
		}
	}
	return s, nil
}

// readJSON reads a file of dir and checks that it is one whole JSON document.
func readJSON(dir, name string, most int64, next string) ([]byte, error) {
	path := filepath.Join(dir, name)
	data, err := readFile(dir, name, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &absentError{fmt.Sprintf("%s is not there; %s", path, next)}
	case err != nil:
		return nil, fmt.Errorf("reading a run: %w", err) // err names the file
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s is empty; %s", path, next)
	}
	var whole json.RawMessage
	d := json.NewDecoder(bytes.NewReader(data))
	err = d.Decode(&whole)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%s is cut off after %d bytes; %s: %w", path, len(data), next, err)
	case err != nil:
		return nil, fmt.Errorf("%s is not JSON: at byte %d: %w; %s", path, offset(err), err, next)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s is not JSON: something follows the document at byte %d; %s", path,
			d.InputOffset(), next)
	}
	return data, nil
}

// absentError is fs.ErrNotExist with a message about the file.
type absentError struct{ words string }

func (e *absentError) Error() string { return e.words }

// Unwrap lets callers test for fs.ErrNotExist.
func (e *absentError) Unwrap() error { return fs.ErrNotExist }
func readFile(dir, name string, most int64) ([]byte, error) {
	d, err := rooted.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close() //nolint:errcheck // opened for reading only
	return d.Read(name, most)
}

func offset(err error) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Offset
	}
	return 0
}

// readable checks the version first, before any other part of the file.
func readable(data []byte) error {
	var head struct {
		SchemaVersion *int `json:"schema_version"`
	}
	err := json.Unmarshal(data, &head)
	switch {
	case err != nil || head.SchemaVersion == nil || *head.SchemaVersion < 1:
		return errors.New("no results file of h2lab: it has no schema_version that is a whole number from 1; " +
			"name another directory")
	case *head.SchemaVersion > facts.SchemaVersion:
		return fmt.Errorf("written with schema_version %d, and this h2lab reads %d: update h2lab (git pull) and "+
			"run the command again",
			*head.SchemaVersion, facts.SchemaVersion)
	case *head.SchemaVersion < facts.SchemaVersion:
		return fmt.Errorf("written with schema_version %d by an older h2lab, and this one reads %d: measure "+
			"again with \"make %s\"",
			*head.SchemaVersion, facts.SchemaVersion, commandOf(data))
	}
	return nil
}

// commandOf is the command in a file of any version; repro where the file has no measuring command.
func commandOf(data []byte) string {
	var file struct {
		Run struct {
			Command string `json:"command"`
		} `json:"run"`
	}
	if err := json.Unmarshal(data, &file); err == nil && slices.Contains(measuring, file.Run.Command) {
		return file.Run.Command
	}
	return measuring[0]
}

// decode checks the document against the schema before it fills the type, so that a missing field
// is an error and not a zero. It then checks the filled value again: of names that differ only in
// case, or that occur twice, encoding/json uses the last one, which may not be the one that the
// schema checked.
func decode[T any](kind string, data []byte) (T, error) {
	var v, none T
	if err := bounded(data); err != nil {
		return none, err
	}
	if err := Validate(kind, data); err != nil {
		return none, err
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return none, err
	}
	v = filled(v)
	taken, err := json.Marshal(v)
	if err == nil {
		err = Validate(kind, taken)
	}
	if err != nil {
		return none, err
	}
	return v, nil
}

// The longest number that JSON needs for a float64 or a uint64 has 24 characters.
const longestNumber = 40

// bounded rejects numbers that no field can hold before the schema validator computes them in
// arbitrary precision: 1e999999 has a million digits.
func bounded(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		n, ok := token.(json.Number)
		if !ok {
			continue
		}
		if _, err := n.Float64(); len(n) > longestNumber || err != nil {
			return fmt.Errorf("at byte %d: %.40s is out of range for a number", d.InputOffset(), n)
		}
	}
}
