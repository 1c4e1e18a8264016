package facts

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Text is a text as a value: a key of the catalogue (internal/base/texts) and its arguments. An argument is a Text, a
// string that is the same in every language (a name, a number with its unit, a quotation) or an int.
type Text struct {
	Key  string `json:"key"`
	Args []any  `json:"args,omitempty"`
}

// T makes a text. Its key is "topic.name"; a test of internal/base/texts looks each up in the catalogue.
func T(key string, args ...any) Text { return Text{key, args} }

// Verbatim is a name, a number or a quotation: the same in every language.
func Verbatim(s string) Text { return Text{Args: []any{s}} }

// InBoth is the key of a text that has its words with it.
const InBoth = "="

// Both is a text of a data file that has its words in both languages beside what it describes.
func Both(english, chinese string, args ...any) Text {
	return Text{InBoth, append([]any{english, chinese}, args...)}
}

// Join makes one text of those that aren't empty, with a text of the catalogue between each two ("join.semicolon"); ""
// joins without.
func Join(between string, parts ...Text) Text {
	var args []any
	for _, p := range parts {
		switch {
		case p.Key == "+"+between:
			args = append(args, p.Args...)
		case !p.IsZero():
			args = append(args, p)
		}
	}
	if len(args) == 1 {
		return args[0].(Text)
	}
	if args == nil {
		return Text{}
	}
	return Text{Key: "+" + between, Args: args}
}

// Add appends texts to this one.
func (t *Text) Add(more ...Text) { *t = Join("", append([]Text{*t}, more...)...) }

// UnmarshalText reads a text without arguments, as data files write it: its key.
func (t *Text) UnmarshalText(key []byte) error { *t = T(string(key)); return nil }

// IsZero reports whether there is no text.
func (t Text) IsZero() bool { return t.Key == "" && len(t.Args) == 0 }

// UnmarshalJSON reads the arguments back as what they were: texts, strings and ints.
func (t *Text) UnmarshalJSON(b []byte) error {
	var raw struct {
		Key  string            `json:"key"`
		Args []json.RawMessage `json:"args"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*t = Text{Key: raw.Key}
	for _, a := range raw.Args {
		v, err := argument(a)
		if err != nil {
			return fmt.Errorf("an argument of the text %q: %w", raw.Key, err)
		}
		t.Args = append(t.Args, v)
	}
	return nil
}

func argument(raw json.RawMessage) (any, error) {
	switch raw[0] {
	case '{':
		var t Text
		err := json.Unmarshal(raw, &t)
		return t, err
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	}
	return strconv.Atoi(string(raw))
}
