// Package results reads and writes results.json and the files beside it (verdicts.json and the
// trials' timelines). These files are the only data that the packages below internal/lab pass to
// those below internal/judge and internal/report.
//
// The lab writes after every trial, so that a crash loses at most one trial. A file is written
// under another name, synced and renamed: a full disk or a power failure leaves the previous file
// unchanged. results.schema.json and verdicts.schema.json define the format, and every read checks
// a file against them.
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
	"reflect"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/rooted"
	"h2lab/internal/base/text"
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

// AllSeries has all timelines of a recorded run (testdata/record.sh): an object from each trial's Series to its timeline.
const AllSeries = "series.json"

// ReadSeries reads the timeline dir/rel, where rel is a trial's Series.
func ReadSeries(dir, rel string) (facts.Series, error) {
	path := filepath.Join(dir, rel)
	data, err := readJSON(dir, rel, mostSeries, "that trial can be drawn only without its timeline")
	if errors.Is(err, fs.ErrNotExist) {
		if all, none := readJSON(dir, AllSeries, mostSeries, ""); none == nil {
			kept := map[string]json.RawMessage{}
			if json.Unmarshal(all, &kept) == nil && kept[rel] != nil {
				data, err = kept[rel], nil
			}
		}
	}
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
	data, err := read(dir, name, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not there (%w); %s", path, fs.ErrNotExist, next)
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

// Missing lists what was planned and isn't in the result: trials, or whole cells. A cell that can't
// run here is not missing: its Unsupported says why. The list is empty when nothing is missing.
func Missing(r *facts.Result) []string {
	out := []string{}
	if r.Run.Interrupted {
		out = append(out, "the run was interrupted before its last trial")
	}
	present := map[string]bool{}
	for i := range r.Cells {
		c := &r.Cells[i]
		present[c.ID()] = true
		if c.Unsupported.IsZero() && len(c.Trials) < r.Run.Trials {
			out = append(out, trialsMissing(c, r.Run.Trials))
		}
	}
	for _, id := range r.Run.Planned {
		if !present[id] {
			out = append(out, fmt.Sprintf("cell %s is missing, with all of its %d trials", id, r.Run.Trials))
		}
	}
	return out
}

// trialsMissing names the missing trials by number where the cell has some.
func trialsMissing(c *facts.Cell, planned int) string {
	if len(c.Trials) == 0 {
		return fmt.Sprintf("cell %s has none of its %d trials", c.ID(), planned)
	}
	var lacks []int
	for n := 1; n <= planned; n++ {
		if !slices.ContainsFunc(c.Trials, func(t facts.Trial) bool { return t.Index == n }) {
			lacks = append(lacks, n)
		}
	}
	return fmt.Sprintf("cell %s has %d of its %d trials (without %v)", c.ID(), len(c.Trials), planned, lacks)
}

// DiffFile is the difference between the two nginx configurations, kept beside results.json.
const DiffFile = "config/limit.diff"

// MaxFileSize limits the size of a run's file that is read: ten times the largest file that the lab
// writes, Envoy's config dump.
const MaxFileSize = 128 << 20

// WriteFile writes a file inside a run's directory (package rooted rejects any other path).
func WriteFile(dir, name string, b []byte) error {
	d, err := rooted.Make(dir)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // what was written is synced already
	if err := d.Write(name, b); err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

// ReadFile reads a file inside a run's directory and rejects any other path.
func ReadFile(dir, name string) ([]byte, error) { return read(dir, name, MaxFileSize) }

func read(dir, name string, most int64) ([]byte, error) {
	d, err := rooted.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close() //nolint:errcheck // opened for reading only
	return d.Read(name, most)
}

// filled is a copy of v in which every nil slice and map is an empty one, so that JSON has [] and
// {} where the schemas require array and object. It walks the types by reflection, so it also
// covers fields added later. It keeps nil pointers and interfaces: there nil means "unknown". It
// cuts texts to the longest that the schemas allow, so that a client program's output can't make
// the file unreadable.
func filled[T any](v T) T {
	return fill(reflect.ValueOf(v)).Interface().(T)
}

var timeType = reflect.TypeFor[time.Time]()

func fill(v reflect.Value) reflect.Value {
	switch {
	case v.Type() == timeType: // its fields are internal
		return v
	case v.Kind() == reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			out.Field(i).Set(fill(v.Field(i)))
		}
		return out
	case v.Kind() == reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(fill(v.Index(i)))
		}
		return out
	case v.Kind() == reflect.Map:
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, fill(v.MapIndex(k)))
		}
		return out
	case v.Kind() == reflect.String:
		out := reflect.New(v.Type()).Elem()
		out.SetString(text.Clip(strings.ToValidUTF8(v.String(), "\ufffd"), longestText))
		return out
	default:
		return v
	}
}

// longestText is the schemas' maximum, in characters.
const longestText = 65536

// Latest is the link in the results directory to the newest run.
const Latest = "latest"

// Link points resultsDir/latest at the run called id, in one step: a reader finds either the old
// run or the new one. The link is relative, so that the results directory can be moved.
func Link(resultsDir, id string) error {
	if !filepath.IsLocal(id) || filepath.Base(id) != id || id == Latest || id == "." {
		return fmt.Errorf("run %q is not a directory in %s, so %s can't point to it", id, resultsDir, Latest)
	}
	link := filepath.Join(resultsDir, Latest)
	if info, err := os.Lstat(link); err == nil && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("%s is not a link and is not replaced: move it away (mv %s %s.old)", link, link, link)
	}
	d, err := rooted.Open(resultsDir)
	if err != nil {
		return fmt.Errorf("pointing %s at %s: %w", link, id, err)
	}
	defer d.Close() //nolint:errcheck // nothing is written through it any more
	if err := d.Link(id, Latest); err != nil {
		return fmt.Errorf("pointing %s at %s: %w", link, id, err)
	}
	return nil
}
