package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// measuring are the commands whose runs have a results.json.
var measuring = []string{plan.Repro, plan.Fixed, plan.Matrix, plan.Clients}

// Read takes in dir/results.json. Fields it doesn't know are passed over: a
// later h2lab may add some under the same version. Anything else that is wrong
// with the file is one error that says what, where and what next.
func Read(dir string) (*facts.Result, error) {
	path := filepath.Join(dir, File)
	data, err := readJSON(path, `name another directory, or measure with "make repro"`)
	if err != nil {
		return nil, err
	}
	if err := readable(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := facts.Result{}
	if err := decode(ResultsSchema, data, &r); err != nil {
		return nil, fmt.Errorf("%s has the wrong shape: %w; measure again with \"make repro\"", path, err)
	}
	r = filled(r)
	return &r, nil
}

// ReadVerdicts takes in dir/verdicts.json. One that another version of h2lab
// wrote can be made again, so its error needs no version: it has the wrong shape.
func ReadVerdicts(dir string) (*facts.Judgement, error) {
	path := filepath.Join(dir, VerdictsFile)
	data, err := readJSON(path, `judge the run again with "make report"`)
	if err != nil {
		return nil, err
	}
	var j facts.Judgement
	if err := decode(VerdictsSchema, data, &j); err != nil {
		return nil, fmt.Errorf("%s has the wrong shape: %w; judge the run again with \"make report\"", path, err)
	}
	j = filled(j)
	return &j, nil
}

// ReadSeries takes in the timeline dir/rel, where rel is a trial's Series.
func ReadSeries(dir, rel string) (facts.Series, error) {
	var s facts.Series
	path, err := inside(dir, rel)
	if err != nil {
		return s, err
	}
	data, err := readJSON(path, "that trial can be drawn only without its timeline")
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return facts.Series{}, fmt.Errorf("%s is no timeline: %w", path, err)
	}
	for name, n := range map[string]int{"accepted": len(s.Accepted), "requests": len(s.Requests)} {
		// A source that can't count a thing leaves its column empty.
		if n != len(s.TMS) && n != 0 {
			return facts.Series{}, fmt.Errorf("%s is no timeline: column %s has %d values, t_ms has %d", path, name, n, len(s.TMS))
		}
	}
	return filled(s), nil
}

// readJSON reads a file and makes sure it is one whole JSON document.
func readJSON(path, next string) ([]byte, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &absentError{fmt.Sprintf("%s is not there; %s", path, next)}
	case err != nil:
		return nil, fmt.Errorf("reading a run: %w", err) // which names the file
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
		return nil, fmt.Errorf("%s is not JSON: something follows the document at byte %d; %s", path, d.InputOffset(), next)
	}
	return data, nil
}

// absentError says in one sentence what fs.ErrNotExist says of a file.
type absentError struct{ words string }

func (e *absentError) Error() string { return e.words }

// Unwrap lets callers ask for fs.ErrNotExist.
func (e *absentError) Unwrap() error { return fs.ErrNotExist }

func offset(err error) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Offset
	}
	return 0
}

// readable looks at the version alone, before anything else in the file is
// believed.
func readable(data []byte) error {
	var head struct {
		SchemaVersion *int `json:"schema_version"`
	}
	err := json.Unmarshal(data, &head)
	switch {
	case err != nil || head.SchemaVersion == nil || *head.SchemaVersion < 1:
		return errors.New("no results file of h2lab: it has no schema_version that is a whole number from 1; name another directory")
	case *head.SchemaVersion > facts.SchemaVersion:
		return fmt.Errorf("written with schema_version %d, and this h2lab reads %d: update h2lab (git pull) and run the command again",
			*head.SchemaVersion, facts.SchemaVersion)
	case *head.SchemaVersion < facts.SchemaVersion:
		return fmt.Errorf("written with schema_version %d by an older h2lab, and this one reads %d: measure again with \"make %s\"",
			*head.SchemaVersion, facts.SchemaVersion, commandOf(data))
	}
	return nil
}

// commandOf is the command that a file of any version is the run of; repro
// where the file names none that measures.
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

// decode checks the shape before it fills the type, so that a field which is
// missing is an error and not a zero.
func decode(kind string, data []byte, into any) error {
	if err := Validate(kind, data); err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
