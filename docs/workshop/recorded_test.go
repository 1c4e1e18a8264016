package workshop

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/judge/core"
	"h2lab/internal/lab/results"
)

// A number from a recorded run has a comment below its paragraph:
//
//	<!-- recorded: RUN TOPOLOGY.PROTOCOL.CLIENT FIELD VALUE -->
//	<!-- recorded: verdict RUN RULE "WORDS" -->
//
// The first names a median of a cell's summary, as in verdicts.json; its value, written as here,
// must be in the paragraph. The second is a part of a verdict's text.
var recorded = regexp.MustCompile(`<!-- recorded: (.*) -->`)

// recordedRuns is where the recorded runs are.
const recordedRuns = "../../testdata/recorded"

// median returns the median of a cell's field, as verdicts.json names it.
func median(t *testing.T, run, cell, field string) (float64, bool) {
	t.Helper()
	r, err := results.Read(filepath.Join(recordedRuns, run))
	labtest.Check(t, err)
	for _, c := range core.Summaries(r) {
		b, err := json.Marshal(c.Summary)
		labtest.Check(t, err)
		var fields map[string]json.RawMessage
		labtest.Check(t, json.Unmarshal(b, &fields))
		var v struct{ Median *float64 }
		if c.Cell == cell && json.Unmarshal(fields[field], &v) == nil && v.Median != nil {
			return *v.Median, true
		}
	}
	return 0, false
}

// verdict returns a rule's verdict on a run.
func verdict(t *testing.T, run, rule string) string {
	t.Helper()
	for _, v := range labtest.Judgement(t, filepath.Join(recordedRuns, run)).Verdicts {
		if v.ID == rule {
			return texts.English.In(v.Actual)
		}
	}
	return ""
}

// holds returns what is wrong with a quotation in a paragraph, or "".
func holds(t *testing.T, quotation, paragraph string) string {
	t.Helper()
	if rest, ok := strings.CutPrefix(quotation, "verdict "); ok {
		parts := strings.SplitN(rest, " ", 3)
		words, err := strconv.Unquote(parts[len(parts)-1])
		switch {
		case len(parts) != 3 || err != nil:
			return "is not: verdict RUN RULE \"WORDS\""
		case !strings.Contains(verdict(t, parts[0], parts[1]), words):
			return "is not in the verdict's words: " + verdict(t, parts[0], parts[1])
		case !strings.Contains(strings.Join(strings.Fields(paragraph), " "), words):
			return "is not in the paragraph above it"
		}
		return ""
	}
	parts := strings.Fields(quotation)
	if len(parts) != 4 {
		return "is not: RUN CELL FIELD VALUE"
	}
	m, ok := median(t, parts[0], parts[1], parts[2])
	said, err := strconv.ParseFloat(strings.ReplaceAll(parts[3], ",", ""), 64)
	switch {
	case !ok:
		return "names no median"
	case err != nil ||
		strconv.FormatFloat(m, 'f', decimals(parts[3]), 64) != strconv.FormatFloat(said, 'f', decimals(parts[3]), 64):
		return "was " + strconv.FormatFloat(m, 'f', -1, 64)
	case !regexp.MustCompile(`(^|[^\d.,])` + regexp.QuoteMeta(parts[3]) +
		`($|[^\d]*[^\d.,]|[.,]([^\d]|$))`).MatchString(paragraph):
		return "is not in the paragraph above it"
	}
	return ""
}

// decimals returns how many decimals a number is written with.
func decimals(s string) int {
	_, after, _ := strings.Cut(s, ".")
	return len(after)
}

func TestEveryRecordedNumberIsThatOfItsRun(t *testing.T) {
	checked := 0
	for _, name := range pages(t) {
		b := labtest.Read(t, name)
		for _, paragraph := range strings.Split(b, "\n\n") {
			found := recorded.FindAllStringSubmatch(paragraph, -1)
			words := recorded.ReplaceAllString(paragraph, "")
			for _, m := range found {
				checked++
				if wrong := holds(t, m[1], words); wrong != "" {
					t.Errorf("%s: %s: it %s", name, m[1], wrong)
				}
			}
			if strings.Contains(words, "recorded run") && regexp.MustCompile(`\d{2}`).MatchString(words) &&
				len(found) == 0 {
				t.Errorf("%s quotes a recorded run without saying which cell:\n%s", name, paragraph)
			}
		}
	}
	if checked < 8 {
		t.Errorf("only %d quotations found: the pattern is broken", checked)
	}
}

func TestAWrongQuotationIsNoticed(t *testing.T) {
	for _, c := range []struct{ quotation, paragraph, want string }{
		{"repro nginx-1000.h2.k6-shared-pool accepted 926", "accepted 926 in 5 s", ""},
		{"repro nginx-1000.h2.k6-shared-pool accepted 926", "accepted 926.", ""},
		{"repro nginx-1000.h2.k6-shared-pool accepted 927", "accepted 927", "was 926"},
		{"repro nginx-1000.h2.k6-shared-pool accepted 926", "accepted 9260", "is not in the paragraph"},
		{"repro nginx-1000.h2.k6-shared-pool opened 926", "926", "names no median"},
		{"repro nginx-1000.h2.k6-shared-pool goodput_rps 2,816", "2,816 requests/s", ""},
		{`verdict repro client-undercount "43 of 5,433 connections"`, "43 of 5,433\nconnections", ""},
		{`verdict repro client-undercount "44 of 5,433 connections"`, "44 of 5,433 connections",
			"is not in the verdict"},
		{`verdict repro client-undercount "43 of 5,433 connections"`, "few", "is not in the paragraph"},
	} {
		if got := holds(t, c.quotation, c.paragraph); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s in %q: %q, want %q", c.quotation, c.paragraph, got, c.want)
		}
	}
}
