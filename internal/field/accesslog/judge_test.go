package accesslog

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/cure"
)

var update = flag.Bool("update", false, "write the golden files")

func TestWhereConnectionsEnd(t *testing.T) {
	type counts map[uint32]int
	for _, c := range []struct {
		name string
		of   counts
		want uint32
	}{
		{"all end at 1000", counts{1000: 20}, 1000},
		{"two at 1000 are enough", counts{1000: 2, 400: 5}, 1000},
		{"one isn't", counts{1000: 1, 400: 1}, 0},
		{"leaving anywhere", counts{1: 500, 2: 300, 3: 100}, 0},
		{"two small ones alike", counts{7: 2, 3: 1}, 0},
		{"a small limit", counts{50: 30, 49: 2, 12: 5}, 50},
		{"many leave below it", counts{1: 900, 700: 1, 850: 2, 999: 1, 1000: 100}, 1000},
		{"a spread without a limit", counts{91: 3, 95: 2, 97: 4, 99: 3, 100: 3}, 0},
		{"one server block has another limit", counts{100: 40, 2000: 1, 1500: 1}, 100},
		{"beyond what is counted one by one", counts{1_000_000: 3, 20: 2}, 1_000_000},
		{"one request each", counts{1: 100}, 0},
		{"nothing", counts{}, 0},
	} {
		h := newHistogram()
		for v, n := range c.of {
			for range n {
				h.add(v)
			}
		}
		if got := commonEnd(h, false); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// limited is a result with a limit that so many connections reached.
func limited(ended uint64, empty *Opened, usedUp float64) *Result {
	return &Result{Requests: ended * 1000, Connections: ended, Opened: empty, Server: cure.Nginx,
		Limit: &Limit{Requests: 1000, UpTo: 1000, How: "found", EndedBy: byServer, EndedExactly: ended, ShareOfRequests: 1, UsedUpP50S: &usedUp,
			UsedUpP10S: &usedUp, UsedUpResolutionS: .001}}
}

func TestJudge(t *testing.T) {
	number := func(v uint64) *uint64 { return &v }
	for _, c := range []struct {
		name   string
		result *Result
		id     string
		says   string
		limit  *uint64
	}{
		{"stampede", limited(20, &Opened{EmptyAtLeast: 943, EmptyAtMost: 943}, 3), Stampede,
			"at least 47 empty connections for each", number(100_000)},
		{"perhaps", limited(20, &Opened{EmptyAtMost: 943}, 36), PerhapsIt, "up to 47 empty connections",
			number(100_000)},
		{"orderly", limited(20, &Opened{EmptyAtLeast: 1, EmptyAtMost: 1}, 36), AtLimit, "It is no stampede",
			number(100_000)},
		{"serials unknown", limited(20, nil, 360), AtLimit,
			"Connections end at a request limit: 20 connections ended at exactly 1,000 requests", number(100_000)},
		{"slow", limited(20, nil, 7200), SlowLimit, "Each lasts for 2 h", nil},
		{"one request each", &Result{Requests: 500, Connections: 500, PerConnection: Distribution{Max: 1}}, OneEach,
			"keepalive_timeout 0", nil},
		{"churn", &Result{Requests: 500, Connections: 100, PerConnection: Distribution{Max: 9}}, Churn,
			"Connections end early: 5 requests each", nil},
		{"calm", &Result{Requests: 500, Connections: 5, PerConnection: Distribution{Max: 190}}, Calm,
			"100 requests each", nil},
		{"too little", &Result{Requests: 5, Connections: 5}, TooLittle, "Too little to judge: 5 requests.", nil},
	} {
		got := judge(c.result)
		if got.ID != c.id || !strings.Contains(strings.Join(got.Says, " "), c.says) ||
			!cmp.Equal(got.KeepaliveRequests, c.limit) || len(got.Next) == 0 {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// The complete text and JSON document of a stampede.
func TestGolden(t *testing.T) {
	for name, g := range map[string]*traffic{
		"stampede": {lines: 120_000, limit: 1000, alive: 2, empty: 20, perSec: 500},
		"churn":    {lines: 3_000, limit: 1000, alive: 10, perSec: 10, churn: .3},
	} {
		got := read(t, g, Options{NoUpstreams: name == "stampede"})
		var text, doc bytes.Buffer
		if err := got.WriteText(&text, nil); err != nil {
			t.Fatal(err)
		}
		e := json.NewEncoder(&doc)
		e.SetIndent("", "  ")
		if err := e.Encode(got); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", text.Bytes())
		golden(t, name+".json", doc.Bytes())
		for _, line := range strings.Split(text.String(), "\n") {
			if len(line) > 110 {
				t.Errorf("%s: %d columns: %s", name, len(line), line)
			}
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	labtest.Golden(t, name, got, *update)
}

// docs/logs.md explains every field of the JSON document, and every verdict.
func TestTheDocumentIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../../docs/logs.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	fieldNames(reflect.TypeFor[Result](), &names)
	names = append(names, Stampede, AtLimit, PerhapsIt, SlowLimit, Churn, OneEach, Calm, TooLittle, SameCount, ClientsStop, Aged, CountOrAge,
		Reloaded, Idled, Empties, MaybeEmpty, Mixed, HealthChecks)
	if len(names) < 60 {
		t.Errorf("only %d names found", len(names))
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/logs.md does not explain `%s`", name)
		}
	}
	if !strings.Contains(string(page), combined) || !strings.Contains(string(page), added) {
		t.Error("docs/logs.md offers another log_format than the command")
	}
}

func fieldNames(t reflect.Type, into *[]string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[Result]().PkgPath() {
		return
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		*into = append(*into, name)
		fieldNames(t.Field(i).Type, into)
	}
}
