package sarif

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

var rules = []lint.Rule{
	{ID: "nginx/limit-low", Severity: lint.Warning, Title: "Low", Help: "Raise it.", Docs: "https://nginx.org/x; more"},
	{ID: "nginx/before-1.19.7", Severity: lint.Note, Title: "Old", Help: "Upgrade.", Docs: "RFC 9113"},
}

func sample() lint.Report {
	return lint.Report{Kind: lint.Nginx, Findings: []lint.Finding{
		rules[0].New("conf/my site.conf", 3, facts.Verbatim("because")),
		{Rule: "nginx/before-1.19.7", Severity: lint.Error, File: "/etc/nginx/nginx.conf", Line: 7, Column: 5,
			Title: "T", Why: texts.Sentence(facts.Verbatim("W")), Found: "a;", Fix: "b;\nc;"},
		{Rule: "nginx/before-1.19.7", Severity: lint.Note, File: "-", Title: "T", Why: texts.Sentence(facts.Verbatim("\x1b\xff"))},
		{Rule: "nginx/limit-low", Severity: lint.Note, File: "../up.conf", Line: 1, Title: "T", Why: texts.Sentence(facts.Verbatim("W"))},
	}}
}

// The SARIF library contains the schema of SARIF 2.1.0 and validates against it.
func TestTheSchemaTakesIt(t *testing.T) {
	for _, r := range []lint.Report{sample(), {Kind: lint.Envoy}} {
		doc, err := build("/work", r, rules)
		labtest.Check(t, err)
		if err := doc.Validate(); err != nil {
			t.Error(err)
		}
	}
	doc, _ := build("/work", sample(), rules)
	doc.Version = "9"
	if doc.Validate() == nil {
		t.Error("the schema takes any version: it checks nothing")
	}
}

type log struct {
	Schema string `json:"$schema"`
	Runs   []struct {
		Tool struct {
			Driver struct{ Rules []map[string]any }
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
					Region           struct{ StartLine, StartColumn int }
				}
			}
		}
	}
}

func TestPlacesAndRules(t *testing.T) {
	var b bytes.Buffer
	labtest.Check(t, Write(&b, "/work", sample(), rules))
	var got log
	labtest.Check(t, json.Unmarshal(b.Bytes(), &got))
	if n := len(got.Runs[0].Tool.Driver.Rules); n != 2 {
		t.Errorf("%d rules", n)
	}
	if r := got.Runs[0].Tool.Driver.Rules[0]; r["helpUri"] != "https://nginx.org/x" || r["name"] != "NginxLimitLow" {
		t.Errorf("%v", r)
	}
	for i, want := range []struct {
		rule, level, uri, base string
		index, line, column    int
	}{
		{"nginx/limit-low", "warning", "conf/my%20site.conf", base, 0, 3, 0},
		{"nginx/before-1.19.7", "error", "file:///etc/nginx/nginx.conf", "", 1, 7, 5},
		{"nginx/before-1.19.7", "note", "stdin", "", 1, 0, 0},
		{"nginx/limit-low", "note", "file:///up.conf", "", 0, 1, 0},
	} {
		r := got.Runs[0].Results[i]
		p := r.Locations[0].PhysicalLocation
		if r.RuleID != want.rule || r.RuleIndex != want.index || r.Level != want.level ||
			p.ArtifactLocation.URI != want.uri ||
			p.ArtifactLocation.URIBaseID != want.base || p.Region.StartLine != want.line ||
			p.Region.StartColumn != want.column {
			t.Errorf("%d: %+v\nwant %+v", i, r, want)
		}
	}
	if !strings.Contains(got.Runs[0].Results[1].Message.Text, "Write: b; c;") {
		t.Errorf("%s", got.Runs[0].Results[1].Message.Text)
	}
}

func TestAFindingOfNoRuleIsAnError(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, "/", lint.Report{Findings: []lint.Finding{{Rule: "x/y", File: "a", Line: 2}}},
		rules); err == nil || b.Len() > 0 {
		t.Errorf("%v %s", err, &b)
	}
}
