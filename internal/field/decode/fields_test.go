package decode

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// spellings are the ways in which programs join the words of a name.
var spellings = []struct {
	name string
	of   func(words string) string
}{
	{"snake", func(w string) string { return strings.ReplaceAll(w, " ", "_") }},
	{"kebab", func(w string) string { return strings.ReplaceAll(w, " ", "-") }},
	{"dotted", func(w string) string { return strings.ReplaceAll(w, " ", ".") }},
	{"camel", func(w string) string {
		words := strings.Fields(w)
		for i := 1; i < len(words); i++ {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
		return strings.Join(words, "")
	}},
}

// records are the ways in which programs write fields.
var recordForms = []string{`{%q: %s, %q: %q}`, `{%q:"%s",%q:%s}`, `level=warn %s=%s %s=%s`, `{"frame": {%q: %s}, "conn": {%q: %s}}`, `Record[%s=%s, %s=%s]`}

// codeValues are the spellings of one code.
var codeValues = []string{"11", "0xb", "ENHANCE_YOUR_CALM", "enhanceYourCalm"}

// The error code of a GOAWAY and its last stream id are read however they are spelled: an error never leads to a limit of requests.
func TestNamesOfFieldsInEverySpelling(t *testing.T) {
	for _, code := range []string{"goaway code", "goaway error code", "go away error", "h2 goaway code", "http2 error code", "goaway reason",
		"close code", "error code", "goaway err num", "h2 error", "goaway error code value", "stream error code", "reset reason"} {
		for _, last := range []string{"last stream id", "goaway last stream id", "last good stream id", "h2 last stream", "last processed stream id"} {
			for _, spelt := range spellings {
				for i, form := range recordForms {
					text := fmt.Sprintf(form, spelt.of(code), codeValues[i%len(codeValues)], spelt.of(last), "1999")
					r := one(t, text)
					if id := r.Facts.LastStreamID; id == nil || *id != 1999 || r.Facts.Code != "ENHANCE_YOUR_CALM" ||
						slices.Contains(classes(r), RequestLimit) {
						t.Errorf("%s\n  %s, %s, %v, %v", text, r.Kind, r.Facts.Code, id, classes(r))
					}
				}
			}
		}
	}
}

// Records in records, and the other facts of a frame.
func TestFieldsOfFrames(t *testing.T) {
	for text, want := range map[string]Kind{
		`{"goaway": {"code": 11, "last_stream_id": 1999}}`:                                            Calm,
		`{"goaway": {"error": {"code": 11}, "lastStreamID": 1999, "debug": "too_many_pings"}}`:        Calm,
		`{"type":"GOAWAY","errorCode":{"value":11,"name":"x"},"lastStreamId":1999}`:                   Calm,
		`{"rst_code": 8, "stream_id": 5}`:                                                             Cancelled,
		`{"rst_stream_code": 7, "h2_stream_id": 5}`:                                                   Refused,
		`{"stream_reset_code":"cancel","http2.stream.id":5}`:                                          Cancelled,
		`{"goaway_code": 0, "last_stream_id": 1999}`:                                                  Ended,
		`level=warn msg="connection closed" goaway_code=11 goaway_debug=too_many_pings`:               Calm,
		`GoAwayRecord[code=2, lastId=1999, debug=boom]`:                                               Failed,
		`{"goaway_received": true, "goaway_error_code": 0, "h2": {"last_stream_id": 1999}, "x": "y"}`: Ended,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%s\n  %s, want %s", text, r.Kind, want)
		}
	}
	areQuiet(t,
		`{"goaway_count": 11, "rst_count": 7, "stream_id": 5}`,
		`grpc_status_code=2 http2_status=200 stream_count=7`,
		`{"status_code": 11, "stream_id": 5, "msg":"http2 request done"}`,
		`{"parent_stream_id": 7, "promised_stream_id": 4, "proto":"http2"}`,
		`first_error_code=1 worst_code=8`,
		`{"rst_code": 0, "goaway_code": 0, "proto": "h2", "msg":"connection stats"}`,
	)
	for _, text := range []string{`{"audio_stream_id": 7, "error_code": 2}`, `{"stream_error_code": 61, "domain": "kCFErrorDomainCFNetwork"}`} {
		if f := provedBy(text); f.StreamID != nil || f.Code == "CANCEL" {
			t.Errorf("%s\n  stream %v, code %s", text, f.StreamID, f.Code)
		}
	}
}
