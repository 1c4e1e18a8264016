// Package sarif writes a lint report as SARIF 2.1.0, which code hosts show beside the lines of a
// change: every rule with its help, every finding with its place.
package sarif

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report"
	v210 "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"h2lab/internal/field/lint"
)

// base is the URI base id of relative paths: the directory that lint ran in. Code hosts resolve it to
// the checkout (SARIF section 3.14.14).
const base = "%SRCROOT%"

// Write writes the findings with all rules of their kind. dir is the directory that lint ran in: a
// file below it gets a relative URI.
func Write(w io.Writer, dir string, r lint.Report, rules []lint.Rule) error {
	doc, err := build(dir, r, rules)
	if err != nil {
		return err
	}
	if err := doc.PrettyWrite(w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

func build(dir string, r lint.Report, rules []lint.Rule) (*v210.Report, error) {
	doc := report.NewV210Report()
	run := v210.NewRunWithInformationURI("h2lab lint", "https://www.rfc-editor.org/rfc/rfc9113.html#section-6.8")
	run.WithColumnKind("unicodeCodePoints")
	for _, rule := range rules {
		addRule(run, rule)
	}
	for _, f := range r.Findings {
		if run.GetRuleIndex(f.Rule) < 0 {
			return nil, fmt.Errorf("the finding at %s:%d is of rule %q, which is not in the list of rules", f.File,
				f.Line, f.Rule)
		}
		addFinding(run, dir, f)
	}
	doc.AddRun(run)
	return doc, nil
}

func addRule(run *v210.Run, rule lint.Rule) {
	d := run.AddRule(rule.ID).WithName(pascal(rule.ID)).WithDescription(rule.Title)
	d.WithFullDescription(v210.NewMultiformatMessageString().WithText(rule.Help))
	d.WithHelp(v210.NewMultiformatMessageString().WithText(rule.Help + "\n\nSource: " + rule.Docs).
		WithMarkdown(rule.Help + "\n\nSource: " + rule.Docs))
	d.WithDefaultConfiguration(v210.NewReportingConfiguration().WithLevel(string(rule.Severity)))
	if u := link(rule.Docs); u != "" {
		d.WithHelpURI(u)
	}
}

func addFinding(run *v210.Run, dir string, f lint.Finding) {
	text := f.Title + ". " + f.Why.String()
	if f.Fix != "" {
		text += " Write: " + strings.ReplaceAll(f.Fix, "\n", " ")
	}
	where := location(dir, f.File)
	place := v210.NewPhysicalLocation().WithArtifactLocation(where)
	if f.Line > 0 {
		region := v210.NewRegion().WithStartLine(f.Line)
		if f.Column > 0 {
			region.WithStartColumn(f.Column)
		}
		place.WithRegion(region)
	}
	run.CreateResultForRule(f.Rule).WithLevel(string(f.Severity)).
		WithMessage(v210.NewTextMessage(lint.Plain(text))).
		AddLocation(v210.NewLocationWithPhysicalLocation(place)).
		// The fingerprint stays the same when lines move.
		WithPartialFingerprints(map[string]string{"ruleAndText/v1": f.Rule + " " + lint.Plain(f.Found)})
	if uri := *where.URI; !slices.ContainsFunc(run.Artifacts,
		func(a *v210.Artifact) bool { return *a.Location.URI == uri }) {
		run.AddDistinctArtifact(uri)
	}
}

// location is a file's URI: relative when the file is below dir.
func location(dir, name string) *v210.ArtifactLocation {
	if name == "-" {
		return v210.NewSimpleArtifactLocation("stdin")
	}
	abs := name
	if !filepath.IsAbs(abs) && !path.IsAbs(abs) { // a dump of another system has names with slashes
		abs = filepath.Join(dir, name)
	}
	rel, err := filepath.Rel(dir, abs)
	if err == nil && filepath.IsLocal(rel) {
		return v210.NewSimpleArtifactLocation((&url.URL{Path: filepath.ToSlash(rel)}).String()).WithURIBaseID(base)
	}
	abs = filepath.ToSlash(abs)
	if !path.IsAbs(abs) {
		abs = "/" + abs // file:///C:/nginx/nginx.conf (RFC 8089, appendix E.2)
	}
	return v210.NewSimpleArtifactLocation((&url.URL{Scheme: "file", Path: abs}).String())
}

// link is the first URL in a rule's Docs; "" when there is none.
func link(docs string) string {
	for _, word := range strings.Fields(docs) {
		if strings.HasPrefix(word, "https://") {
			return strings.TrimRight(word, ";,.")
		}
	}
	return ""
}

// pascal is a rule's id as a SARIF name: "nginx/limit-low" becomes NginxLimitLow.
func pascal(id string) string {
	var out strings.Builder
	for _, part := range strings.FieldsFunc(id, func(r rune) bool { return strings.ContainsRune("/-._", r) }) {
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}
