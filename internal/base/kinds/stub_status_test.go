package kinds

import (
	"maps"
	"strings"
	"testing"
)

const stubText = "Active connections: 3 \nserver accepts handled requests\n 20 20 41 \nReading: 0 Writing: 1 Waiting: 2 \n"

func whole() StubStatus {
	return StubStatus{"active": 3, "accepts": 20, "handled": 20, "requests": 41, "reading": 0, "writing": 1, "waiting": 2}
}

func TestPagesThatServersPrint(t *testing.T) {
	tengine := whole()
	tengine["request_time"] = 75806
	wrapped := whole()
	delete(wrapped, "waiting")
	for name, c := range map[string]struct {
		text string
		want StubStatus
	}{
		"nginx":                 {stubText, whole()},
		"behind a CRLF proxy":   {strings.ReplaceAll(stubText, "\n", "\r\n"), whole()},
		"no newline at the end": {strings.TrimSpace(stubText), whole()},
		"Tengine's request_time": {strings.NewReplacer("requests\n", "requests request_time\n", " 41 ",
			" 41 75806 ").Replace(stubText), tengine},
		"a gauge wrapped below 0": {strings.Replace(stubText, "Waiting: 2", "Waiting: 18446744073709551615", 1), wrapped},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseStubStatus([]byte(c.text))
			if err != nil || !maps.Equal(got, c.want) || !IsStubStatus([]byte(c.text)) {
				t.Errorf("got %v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestPagesThatAreMalformed(t *testing.T) {
	for name, c := range map[string]struct{ old, new, says string }{
		"another page":        {stubText, "<html>hello</html>", "not a stub_status page"},
		"empty":               {stubText, "", "not a stub_status page"},
		"cut short":           {"Reading: 0 Writing: 1 Waiting: 2 \n", "", "not a stub_status page"},
		"a line more":         {"Waiting: 2 \n", "Waiting: 2\nand: 1\n", "not a stub_status page"},
		"no number":           {"41", "many", `requests: "many" is not a count`},
		"a negative counter":  {" 20 20 41", " -1 20 41", `accepts: "-1" is not a count`},
		"a counter too large": {"41", "99999999999999999999", "requests"},
		"a column less":       {" 41 ", "", "not one number for each"},
		"a number more":       {" 41 ", " 41 42 ", "not one number for each"},
		"columns swapped":     {"accepts handled", "handled accepts", "not a stub_status page"},
		"a column's prefix":   {"handled requests", "handled requestsx", "not a stub_status page"},
		"states swapped":      {"Reading: 0 Writing: 1", "Writing: 0 Reading: 1", "not a stub_status page"},
		"a state missing":     {" Waiting: 2", "", "not a stub_status page"},
		"a state's number":    {"Waiting: 2", "Waiting: x", `waiting: "x" is not a count`},
		"active's number":     {"connections: 3", "connections: 3 4", "active"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(stubText, c.old, c.new, 1)
			if text == stubText {
				t.Fatal("the replacement changed nothing")
			}
			got, err := ParseStubStatus([]byte(text))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q: got %v, %v; want an error with %q", text, got, err, c.says)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(stubText))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ParseStubStatus(text)
		if err != nil {
			return
		}
		for _, name := range strings.Fields("accepts handled requests") {
			if _, known := p[name]; !known {
				t.Errorf("%q was taken without %s", text, name)
			}
		}
		for name, v := range p {
			if v < 0 {
				t.Errorf("%q: %s is %d", text, name, v)
			}
		}
	})
}
