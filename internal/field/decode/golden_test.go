package decode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	format "h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

var update = flag.Bool("update", false, "write the golden files and the table of docs/decode.md")

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := godiff.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), -update writes it:\n%s", file, diff)
	}
}

func TestALogDecodedIsAsItWas(t *testing.T) {
	log, err := os.Open("testdata/app.log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var tally Tally
	if err := Read(t.Context(), "app.log", log, &tally); err != nil {
		t.Fatal(err)
	}
	r := tally.Report()
	var b bytes.Buffer
	if err := r.WriteText(&b, texts.English); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/app.txt", b.String())
	doc, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/app.json", string(doc)+"\n")
}

const docsPage = "../../../docs/decode.md"

// link formats a report as a Markdown link.
func link(where string) string {
	issue := regexp.MustCompile(`^([\w.-]+/[\w.-]+)#(\d+)$`)
	switch m := issue.FindStringSubmatch(where); {
	case m != nil:
		return fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", where, m[1], m[2])
	case strings.HasPrefix(where, "nginx trac #"):
		return fmt.Sprintf("[%s](https://trac.nginx.org/nginx/ticket/%s)", where, where[len("nginx trac #"):])
	case strings.Contains(where, " discussion #"):
		repo, n, _ := strings.Cut(where, " discussion #")
		return fmt.Sprintf("[%s](https://github.com/%s/discussions/%s)", where, repo, n)
	}
	return where
}

// The page's table of public reports is generated from the tested reports.
func TestThePageHasTheTestedReports(t *testing.T) {
	var table strings.Builder
	table.WriteString("| Client | Report | Text | Read as | Executed? |\n|:--|:--|:--|:--|:--|\n")
	for _, r := range publicReports {
		g := decoded(t, r.Texts[0])[0].reported("")
		executed := "–"
		if g.Executed != nil {
			executed = inWords(*g.Executed)
		}
		content := strings.ReplaceAll(format.ClipLine(r.Texts[0], 90), "|", `\|`)
		fmt.Fprintf(&table, "| %s | %s | `%s`%s | `%s` `%s` | %s |\n", r.Client, link(r.Where),
			strings.ReplaceAll(content, "`", "'"), map[bool]string{true: " (made up)"}[r.Made], g.ID, g.Kind, executed)
	}
	between(t, "reports", table.String())
}

// inWords is an answer without its reason.
func inWords(a Answer) string {
	if a == "" {
		return ""
	}
	return strings.TrimSuffix(said(executedText(a, facts.Verbatim(""))).String(), ": ")
}

func TestThePagesSessionIsReal(t *testing.T) {
	text := `http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug=""`
	var tally Tally
	if err := Read(t.Context(), "the text", strings.NewReader(text), &tally); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tally.Report().WriteText(&b, texts.English); err != nil {
		t.Fatal(err)
	}
	between(t, "session", "```console\n$ h2lab decode '"+text+"'\n"+b.String()+"```\n")
}

func TestThePageHasEveryKind(t *testing.T) {
	var table strings.Builder
	table.WriteString("| Kind | What it is | Executed? | On whose word |\n|:--|:--|:--|:--|\n")
	for _, k := range slices.Sorted(maps.Keys(rules())) {
		r := rules()[k]
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", k, said(r.Title.Text), cmp.Or(inWords(r.Executed), "–"),
			cmp.Or(said(r.Why.Text).String(), "–"))
	}
	between(t, "kinds", table.String())
}

// between compares the text between two marks of the page.
func between(t *testing.T, mark, want string) {
	t.Helper()
	b, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+mark+" -->\n", "<!-- end of "+mark+" -->\n"
	head, rest, ok := strings.Cut(string(b), begin)
	got, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no part %q", docsPage, mark)
	}
	if *update {
		if err := os.WriteFile(docsPage, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		got = want
	}
	if diff := godiff.Diff(got, want); diff != "" {
		t.Errorf("%s: %s is not as tested (-page +tested), -update writes it:\n%s", docsPage, mark, diff)
	}
}

func TestThePageNamesEveryFieldOfTheAnswer(t *testing.T) {
	b, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]bool{}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Report](),
		reflect.TypeFor[Input](),
		reflect.TypeFor[Reported](),
		reflect.TypeFor[Facts](),
		reflect.TypeFor[Change](),
		reflect.TypeFor[IDCount](),
		reflect.TypeFor[Listed](),
	} {
		for i := range typ.NumField() {
			fields[typ.Field(i).Tag.Get("json")] = true
		}
	}
	for f := range fields {
		if !strings.Contains(string(b), "`"+f+"`") {
			t.Errorf("%s doesn't name the field %s", docsPage, f)
		}
	}
}
