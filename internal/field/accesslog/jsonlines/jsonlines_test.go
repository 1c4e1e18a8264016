package jsonlines

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// A log that has an object on each line, or none, is left alone.
func TestOrdinaryLinesStayAsTheyAre(t *testing.T) {
	for _, head := range []string{
		"", "{", "[", `{"a":1}` + "\n" + `{"a":2}`, `{"a":[{"b":1},{"b":2}],"c":"a line with its own list of events and much else"}` + "\n",
		`{"events":[{"b":1}],"message":"10.0.0.1 - - [22/Sep/2026:10:00:00 +0000] \"GET / HTTP/2.0\" 200 5","time":"2026-09-22T10:00:00Z"}` + "\n",
		`[22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0"` + "\n", `{web} 10.0.0.1 "GET / HTTP/2.0" 200` + "\n",
		`{"a":1,"cut` + "\n" + `{"a":2}` + "\n", `["a","b"]` + "\n", `{"hits":5,"uri":"/"}` + "\n", `{"values":[[1,2],[3,4]]}` + "\n",
	} {
		if got := Begins([]byte(head)); got != Lines {
			t.Errorf("%q: %d", head, got)
		}
	}
}

func TestObjectsOnALineEach(t *testing.T) {
	for _, c := range []struct {
		log, want string
		form      Form
	}{
		{"\n [ {\"a\":1} ,\n{\"a\":\"x\\ny\"}]\n", "{\"a\":1}\n{\"a\":\"x\\ny\"}\n", Array},
		{`{"a":1}{"a":2} {"a":3}`, "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", Objects},
		{"{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}\n", "{\"a\":1}\n{\"a\":2}\n", Objects},
		{`{"x":"y","records":[{"a":1},{"a":2},{},{"a":1},{"a":2},{}],"z":[1,{"w":[]}]}` + "\n" + `{"records":[{"a":3}]}`, "{\"a\":1}\n{\"a\":2}\n{}\n{\"a\":1}\n{\"a\":2}\n{}\n{\"a\":3}\n", Lists},
		{`{"logStream":"web-1","logEvents":[{"message":"m"}]}`, "{\"logStream\":\"web-1\",\"message\":\"m\"}\n", Lists},
	} {
		form := Begins([]byte(c.log))
		got, err := io.ReadAll(Reader(bufio.NewReader(strings.NewReader(c.log)), form))
		if form != c.form || err != nil || string(got) != c.want {
			t.Errorf("%q: %d, %v\n%s", c.log, form, err, got)
		}
	}
}

// What ends too early, never ends or has endless levels is an error after what was read before it.
func TestWhatIsNoJSONEndsTheLog(t *testing.T) {
	for name, c := range map[string]struct {
		form Form
		log  string
	}{
		"cut off": {Array, `[{"a":1},{"a":`}, "not JSON": {Array, `[{"a":1},hello]`},
		"a long one": {Objects, `{"a":1}` + `{"a":"` + strings.Repeat("x", 3*longest) + `"}`},
		"levels":     {Lists, `{"records":[{"a":1}],"b":` + strings.Repeat("[", 4*mostOpen)},
	} {
		got, err := io.ReadAll(Reader(bufio.NewReader(strings.NewReader(c.log)), c.form))
		if err == nil || string(got) != "{\"a\":1}\n" {
			t.Errorf("%s: %v, %.40q", name, err, got)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add(`{"records":[{"a":1}]}`, uint8(3))
	f.Add(`[[{"a":1}],{"values":[[1,2],[],{}]}]`, uint8(2))
	f.Add(`{"records":[["7"],["8","n",[]],{}],"logStream":{}}`, uint8(3))
	f.Fuzz(func(t *testing.T, log string, form uint8) {
		_ = Begins([]byte(log))
		got, _ := io.ReadAll(Reader(bufio.NewReader(strings.NewReader(log)), Form(form%4)))
		if len(got) > 0 && got[len(got)-1] != '\n' {
			t.Errorf("%q", got)
		}
	})
}
