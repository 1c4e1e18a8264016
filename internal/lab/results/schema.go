package results

import (
	"bytes"
	_ "embed" // embeds the schemas
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"h2lab/internal/base/text"
)

// Kinds of document, for Validate.
const (
	ResultsSchema  = "results"
	VerdictsSchema = "verdicts"
	SeriesSchema   = "series"
)

//go:embed results.schema.json
var resultsSchema []byte

//go:embed verdicts.schema.json
var verdictsSchema []byte

//go:embed series.schema.json
var seriesSchema []byte

// Schema is the JSON Schema (draft 2020-12) of a kind of file, or nil.
func Schema(kind string) []byte {
	switch kind {
	case ResultsSchema:
		return bytes.Clone(resultsSchema)
	case VerdictsSchema:
		return bytes.Clone(verdictsSchema)
	case SeriesSchema:
		return bytes.Clone(seriesSchema)
	}
	return nil
}

// compiled holds each schema, compiled on first use, since most commands read no file.
var compiled = map[string]func() (*jsonschema.Schema, error){
	ResultsSchema:  sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(ResultsSchema) }),
	VerdictsSchema: sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(VerdictsSchema) }),
	SeriesSchema:   sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(SeriesSchema) }),
}

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
	get, ok := compiled[kind]
	if !ok {
		return fmt.Errorf("no schema is called %q: it is %s, %s or %s", kind, ResultsSchema, VerdictsSchema,
			SeriesSchema)
	}
	schema, err := get()
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
