package decode

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func FuzzDecode(f *testing.F) {
	for _, r := range publicReports {
		for _, text := range r.texts {
			f.Add([]byte(text))
		}
	}
	for _, frame := range frames {
		f.Add([]byte(frame(publicReports[0].texts[0])))
	}
	for _, s := range Known() {
		f.Add([]byte(s.Example))
	}
	f.Add([]byte("\\u00"))
	f.Add([]byte("%"))
	f.Add([]byte("\x1b["))
	f.Add([]byte("last_stream_id: 0xffffffff GOAWAY frame"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var tally Tally
		if err := Read(t.Context(), "fuzz", bytes.NewReader(in), &tally); err != nil {
			t.Fatal(err)
		}
		r := tally.Report()
		if got := r.Recognised + r.Unrelated + r.Unknown + r.Other; got != r.Events && r.Inputs[0].LongLines == 0 {
			t.Errorf("%d messages, and %d of them counted", r.Events, got)
		}
		var b strings.Builder
		if err := r.WriteText(&b, nil); err != nil {
			t.Fatal(err)
		}
		for _, c := range b.String() {
			if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) {
				t.Fatalf("%q reaches the terminal", c)
			}
		}
		if strings.ContainsAny(r.Next, "`$;&|<>\"'\\") {
			t.Errorf("not safe to paste: %q", r.Next)
		}
		doc, err := json.Marshal(r)
		if err != nil || !json.Valid(doc) {
			t.Errorf("%v", err)
		}
	})
}
