package core

import (
	"encoding/json"
	"strconv"
	"strings"

	"h2lab/internal/facts"
)

// The files that evidence points into: the measurements and their summaries.
const (
	InResults  = "results.json#"
	InVerdicts = "verdicts.json#"
)

// document returns a file as its readers parse it.
func document(file any) any {
	data, err := json.Marshal(file)
	if err != nil {
		return nil
	}
	var doc any
	if json.Unmarshal(data, &doc) != nil {
		return nil
	}
	return doc
}

// lookup follows a JSON pointer (RFC 6901; no name in these files needs escaping).
func lookup(doc any, pointer string) (any, bool) {
	for _, step := range strings.Split(pointer, "/")[1:] {
		switch at := doc.(type) {
		case map[string]any:
			next, ok := at[step]
			if !ok {
				return nil, false
			}
			doc = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			doc = at[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// Evidence makes evidence of the values at the pointers.
func (f Run) Evidence(pointers ...string) []facts.Evidence {
	out := []facts.Evidence{}
	for _, p := range pointers {
		file, inside, _ := strings.Cut(p, "#")
		if v, ok := lookup(f.documents[file+"#"], inside); ok {
			out = append(out, facts.Evidence{Pointer: p, Value: v})
		}
	}
	return out
}
