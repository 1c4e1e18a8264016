package results

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"h2lab/internal/base/rooted"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

// The names of the files in a run's directory.
const (
	File         = "results.json"
	VerdictsFile = "verdicts.json"
)

// Write saves a result as results.json in dir, which it creates if necessary. It writes nil slices
// and maps as empty ones and cuts texts to the schema's maximum; r itself isn't changed.
func Write(dir string, r *facts.Result) error {
	if r == nil {
		return fmt.Errorf("nothing to write to %s: the result is nil", filepath.Join(dir, File))
	}
	whole := filled(*r)
	if whole.SchemaVersion == 0 {
		whole.SchemaVersion = facts.SchemaVersion
	}
	return save(dir, File, whole, "  ", createPending)
}

// WriteVerdicts saves a judgement as verdicts.json in dir.
func WriteVerdicts(dir string, j facts.Judgement) error {
	return save(dir, VerdictsFile, filled(j), "  ", createPending)
}

// WriteSeries saves the timeline of one trial as dir/rel, where rel is the trial's Series.
func WriteSeries(dir, rel string, s facts.Series) error {
	return save(dir, rel, filled(s), "", createPending)
}

// pending is a file that gets its name only when it is complete.
type pending interface {
	Write([]byte) (int, error)
	CloseAtomicallyReplace() error
	Cleanup() error
}

// creator begins a file of a directory; tests replace it to simulate a failing disk.
type creator func(d *rooted.Dir, name string) (pending, error)

func createPending(d *rooted.Dir, name string) (pending, error) { return d.Create(name) }

// save writes v as JSON to a file of dir, whole or not at all.
func save(dir, name string, v any, indent string, create creator) error {
	path := filepath.Join(dir, name)
	data, err := encode(v, indent)
	if err != nil {
		return fmt.Errorf("writing %s: %w; the previous file, if any, is unchanged", path, err)
	}
	if err := replace(dir, name, data, create); err != nil {
		return fmt.Errorf("writing %s: %w; %s", path, err, nextStep(path, err))
	}
	return nil
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read the messages too
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

func replace(dir, name string, data []byte, create creator) (err error) {
	d, err := rooted.Make(dir)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // what was written is synced already
	f, err := create(d, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Cleanup()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// nextStep is the advice to the user after a failed write.
func nextStep(path string, err error) string {
	const kept = "the previous file, if any, is unchanged"
	dir := filepath.Dir(path)
	switch {
	case system.DiskFull.Is(err):
		return fmt.Sprintf("%s; make room (df -h %s) and run again", kept, dir)
	case system.NoDirectory.Is(err):
		return fmt.Sprintf("a part of that path is a file: move it away or choose another directory (ls -ld %s)", dir)
	case errors.Is(err, os.ErrPermission), system.ReadOnly.Is(err):
		return fmt.Sprintf("%s; choose a directory you may write to (ls -ld %s)", kept, dir)
	default:
		return kept + "; run again or choose another directory"
	}
}

// Kinds of document, for Validate.
const (
	ResultsSchema  = "results"
	VerdictsSchema = "verdicts"
	SeriesSchema   = "series"
)

//go:embed *.schema.json
var schemas embed.FS

// Schema is the JSON Schema (draft 2020-12) of a kind of file, or nil.
func Schema(kind string) []byte {
	text, err := schemas.ReadFile(kind + ".schema.json")
	if err != nil {
		return nil
	}
	return text
}

// compiled holds each schema, compiled on first use, since most commands read no file.
var compiled = func() map[string]func() (*jsonschema.Schema, error) {
	out := map[string]func() (*jsonschema.Schema, error){}
	for _, kind := range []string{ResultsSchema, VerdictsSchema, SeriesSchema} {
		out[kind] = sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(kind) })
	}
	return out
}()

func compile(kind string) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(kind)))
	if err != nil {
		return nil, fmt.Errorf("the built-in %s schema: %w", kind, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat() // checks the format date-time
	// An absolute URL: the compiler would resolve a relative one against the working directory,
	// whose name may be invalid in a URL.
	url := "h2lab:///" + kind + ".schema.json"
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("the built-in %s schema: %w", kind, err)
	}
	return c.Compile(url)
}

// Validate checks a document against the schema of its kind, ResultsSchema, VerdictsSchema or
// SeriesSchema. The error names the first place that doesn't match.
func Validate(kind string, data []byte) error {
	schema, err := compiled[kind]()
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(doc); errors.As(err, &invalid) {
		return errors.New(firstPlace(invalid))
	} else if err != nil {
		return err
	}
	return nil
}

// firstPlace is the message of the innermost first cause, such as "at '/cells/3': missing property
// 'limit'".
func firstPlace(e *jsonschema.ValidationError) string {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	says := text.Line(e.Error()) // it quotes the file
	return text.Clip(strings.ToLower(says[:1])+says[1:], 300)
}
