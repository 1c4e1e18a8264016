package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"h2lab/internal/base/labtest"
)

func TestPostSumsTheLengthsOfTheStringValues(t *testing.T) {
	r := startBackend(t, time.Second)
	for body, want := range map[string]string{
		`{}`: "0", `17`: "0", `null`: "0", `""`: "0", `"text"`: "4",
		`{"name":"value"}`:                       "5",
		`{"a":"1","b":["22",{"c":"333"}],"d":4}`: "6",
		`{"name" : "1", "other"	:"22"}`:          "3",
		`["a:b", "c" , "d"]`:                     "5",
		`"\"\\\n"`:                               "3",
		`"中文"`:                                   "2",
		`"\u4e2d"`:                               "1",
		`"😀"`:                                    "2", // as "😀".length() in Java
		`"\ud83d\ude00"`:                         "2",
	} {
		for _, h2 := range []bool{false, true} {
			a := r.must(r.client(h2), "POST", "/post/0/2", "", body)
			var fields map[string]string
			if err := json.Unmarshal([]byte(a.body), &fields); err != nil || len(fields) != 2 {
				t.Errorf("%s: %d fields, %v", body, len(fields), err)
			}
			if got := a.header.Values(textLengthHeader); len(got) != 1 || got[0] != want {
				t.Errorf("%s over h2 %v: %s is %q, want %s", body, h2, textLengthHeader, got, want)
			}
		}
	}
	if a := r.must(r.client(true), "POST", "/post/0/2", "", "{"); a.header.Get(textLengthHeader) != "" {
		t.Errorf("a refused body has the length %s", a.header.Get(textLengthHeader))
	}
}

// byDecoder is textLength by the standard library's decoder.
func byDecoder(t *testing.T, document []byte) (sum int) {
	t.Helper()
	type level struct{ object, value bool } // value: the next token of the object is a value
	var levels []level
	for d := json.NewDecoder(bytes.NewReader(document)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return sum
		}
		labtest.Check(t, err)
		last := len(levels) - 1
		text, isText := token.(string)
		isName := last >= 0 && levels[last].object && !levels[last].value
		if isText && !isName {
			sum += len(utf16.Encode([]rune(text)))
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			levels = levels[:last]
			continue
		}
		if last >= 0 && levels[last].object {
			levels[last].value = !levels[last].value
		}
		if delim, opens := token.(json.Delim); opens {
			levels = append(levels, level{object: delim == '{'})
		}
	}
}

func FuzzTextLength(f *testing.F) {
	for _, seed := range []string{`{"a":"b"}`, `[{"a":["b",{"c\"":"d\\"}]}]`, `"\ud800\u0041"`, "\"\xff\xed\xa0\x80\"",
		"{\"a\"\r\n\t :\"b\"}", strings.Repeat("[", 999) + strings.Repeat("]", 999)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		if !json.Valid(document) {
			return
		}
		if got, want := textLength(document), byDecoder(t, document); got != want {
			t.Errorf("%q: %d, want %d", document, got, want)
		}
	})
}

// The longest body that nests as deep as json.Valid allows must not cost more than a flat one.
func TestTheTextLengthOfALongAndDeepBodyAllocatesNothing(t *testing.T) {
	deep := strings.Repeat(`[`, 9999) + `"` + strings.Repeat("x", maxBodyBytes-2*9999-2) + `"` + strings.Repeat(`]`, 9999)
	if wantJSON([]byte(deep)) != nil || len(deep) != maxBodyBytes {
		t.Fatalf("%d bytes that are no longest body", len(deep))
	}
	body, got := []byte(deep), 0
	if n := testing.AllocsPerRun(1, func() { got = textLength(body) }); n > 0 || got != maxBodyBytes-2*9999-2 {
		t.Errorf("%v allocations, length %d", n, got)
	}
}
