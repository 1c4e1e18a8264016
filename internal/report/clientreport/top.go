package clientreport

import (
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// What the page counts.
var (
	programs  = parts.Noun{One: "%s client program", Many: "%s client programs"}
	libraries = parts.Noun{One: "%s library", Many: "%s libraries"}
	variants  = parts.Noun{One: "%s variant and cure", Many: "%s variants and cures"}
	clients   = parts.Noun{One: "%s client", Many: "%s clients"}
	messages  = parts.Noun{One: "%s message", Many: "%s messages"}
	cores     = parts.Noun{One: "%s core", Many: "%s cores"}
)

// top writes the first screen: what was measured, the picture, the tallies.
func (p *page) top() {
	p.PrintPhrase("# How HTTP clients behave at a limit on requests per connection\n\n")
	p.Printf("%s\n\n%s\n\n", p.what(), p.circumstances())
	p.PrintPhrase("Repeat with: %s · run %s · %s\n\n", code(or(p.run.Repeat, "make clients")),
		code(or(p.run.ID, "unknown")), p.when())
	for _, w := range p.Language.Recorded(Warnings(p.in.Result)) {
		p.PrintPhrase("> **Note:** %s\n\n", escape(w))
	}
	p.AboutLanguage(parts.Or(p.in.English, Name(translations.English)), "clients.json")
	p.summary()
	if len(p.rows) > 0 {
		p.PrintPhrase("\n[Find your error message](#find-your-error-message) · [the matrix](#the-matrix) · [library by " +
			"library](#library-by-library) · [how it was measured](#how-it-was-measured) · " +
			"[limitations](#limitations)\n")
	}
	p.Printf("\n")
	p.Picture(chartName, p.Say("Chart of every client: accepted connections per renewal, failed, duplicate and "+
		"hung requests, and the verdict. %s The numbers are in the table below.", p.spoken()))
}

// chartName is the name of the page's chart.
const chartName = "clients"

// what describes in one sentence what was measured and how.
func (p *page) what() string {
	measured := p.where(func(r *clientverdicts.Row) bool { return r.At != nil })
	if len(measured) == 0 {
		return p.Say("No client program was measured.")
	}
	w, ok := p.workload()
	load := p.Say("%s requests in flight", whole(p.run.Concurrency))
	if ok {
		load = p.Say("%s requests in flight (%s, a body of %s)", whole(w.Concurrency), escape(w.Method),
			p.Plural(w.BodyBytes, parts.BytesOfBody))
	}
	if ok && p.run.Rate != nil {
		load = p.Say("%s requests a second (%s, a body of %s)", whole(int(p.run.Rate.PerS)), escape(w.Method),
			p.Plural(w.BodyBytes, parts.BytesOfBody))
	}
	return p.Say("%s kept %s on one ordinary client object %s, against nginx with `keepalive_requests %d`, "+
		"which ends every HTTP/2 connection with a GOAWAY after %s requests; what they opened, executed and lost was "+
		"counted at the servers and compared with the same client at a limit of 100,000.",
		p.Plural(len(measured), programs), load, p.lasting(), p.run.Limit, whole(p.run.Limit))
}

// circumstances lists the versions, TLS, the machine and the seed.
func (p *page) circumstances() string {
	e := p.in.Result.Environment
	var out []string
	for _, name := range []string{"nginx", "envoy"} {
		if v := e.Versions[name]; v != "" {
			out = append(out, name+" "+escape(v))
		}
	}
	if v := p.tls(); v != "" {
		out = append(out, "TLS "+v)
	}
	if e.Cores > 0 {
		out = append(out, p.Plural(e.Cores, cores))
	}
	if p.run.CPUs != nil {
		out = append(out, p.Say("%s of a processor for each server", strconv.FormatFloat(*p.run.CPUs, 'g', 3, 64)))
	}
	out = append(out, p.Say("seed %d", p.run.Seed))
	return strings.Join(out, " · ")
}

// tls lists the negotiated versions.
func (p *page) tls() string {
	var seen []string
	for _, r := range p.rows {
		for _, c := range []*facts.Cell{r.Low, r.High, r.Envoy} {
			if c == nil {
				continue
			}
			for _, t := range c.Trials {
				if v := t.TLS.Version; v != "" && !slices.Contains(seen, v) {
					seen = append(seen, v)
				}
			}
		}
	}
	slices.Sort(seen)
	return escape(strings.Join(seen, p.Say(" and ")))
}

func (p *page) workload() (facts.Workload, bool) {
	for _, r := range p.rows {
		if r.Low != nil {
			return r.Low.Workload, true
		}
	}
	return facts.Workload{}, false
}

func (p *page) when() string {
	if p.run.Started.IsZero() {
		return p.Say("date unknown")
	}
	return p.run.Started.UTC().Format("2006-01-02 15:04 UTC")
}

// lasting describes the length of a window. Runs recorded before windows were measured in renewals
// had one length.
func (p *page) lasting() string {
	if p.byRenewals() {
		return p.Say("until at least %d connections were renewed", clientverdicts.FewestRenewals)
	}
	return p.Say("for %s", seconds(p.run.DurationS))
}

// byRenewals reports whether the windows were measured in renewals.
func (p *page) byRenewals() bool {
	return slices.ContainsFunc(p.rows, func(r clientverdicts.Row) bool { return r.At != nil && r.At.Counted })
}

// summary counts the verdicts, the best first. The libraries with default settings have a column of
// their own, since nobody gets a cure or another variant by default.
func (p *page) summary() {
	defaults, others := clientverdicts.AsTheyCome(p.rows)
	tallies := clientverdicts.Count(p.rows)
	if len(tallies) == 0 {
		return
	}
	rows := func(of []clientverdicts.Row, v clientverdicts.Verdict) int {
		for _, t := range clientverdicts.Count(of) {
			if t.Verdict == v {
				return t.Rows
			}
		}
		return 0
	}
	p.PrintPhrase("| Verdict | %s as they come | %s | |\n|:--|--:|--:|:--|\n", p.Plural(len(defaults), libraries),
		p.Plural(len(others), variants))
	for _, sure := range []bool{true, false} { // inconclusive and unsupported come last
		for _, t := range slices.Backward(tallies) {
			if sure == (t.Verdict.Faulty() || t.Verdict == clientverdicts.Sound) {
				p.Printf("| %s | %d | %d | %s |\n", p.verdict(t.Verdict), rows(defaults, t.Verdict),
					rows(others, t.Verdict), p.Say(meanings[t.Verdict]))
			}
		}
	}
}

// spoken is the summary as text.
func (p *page) spoken() string {
	var out []string
	for _, t := range clientverdicts.Count(p.rows) {
		out = append(out, p.Say("%d: %s", t.Rows, t.Verdict.In(p.Language)))
	}
	if len(out) == 0 {
		return p.Say("Nothing was measured.")
	}
	return p.Say("%s.", p.Language.List(out))
}

// meanings explain the verdicts briefly.
var meanings = map[clientverdicts.Verdict]translations.Phrase{
	clientverdicts.Sound:        "at least five connections were renewed and no request failed or ran twice",
	clientverdicts.Stampedes:    "opens many more connections than it renews",
	clientverdicts.Loses:        "requests fail that would not fail without the limit",
	clientverdicts.Duplicates:   "the backend executes a request more than once",
	clientverdicts.Hangs:        "calls never settle",
	clientverdicts.Crashes:      "the program exits during the trial",
	clientverdicts.Lies:         "reports successes that the backend never executed",
	clientverdicts.Inconclusive: "too few renewals, or it fails without the limit too: the row names the missing fact",
	clientverdicts.Unsupported:  "could not run where this was measured",
}
