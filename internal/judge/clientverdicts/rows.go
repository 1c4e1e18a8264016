package clientverdicts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// highLimit is the topology whose limit is never reached.
const highLimit = "nginx-100000"

// LowerLimit is the limit of the servers that measure a client again if it reached the run's limit
// too seldom.
const LowerLimit = 100

// lowLimit and envoy name the topologies of one low limit.
func lowLimit(limit int) string { return fmt.Sprintf("nginx-%d", limit) }
func envoy(limit int) string    { return fmt.Sprintf("envoy-%d", limit) }

// candidate is a row with the cells that may decide its verdict, by their topologies.
type candidate struct {
	Row
	at    map[string]*facts.Cell
	place int // among the planned cells
}

// Rows judges every client program of a run, in the planned order (that of the manifests), not in
// the random order of measurement. Cells without a program make no row.
func Rows(r *facts.Result) []Row {
	rows := []Row{}
	if r == nil {
		return rows
	}
	var all []*candidate
	of := map[facts.Client]*candidate{}
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Program == nil {
			continue
		}
		row := of[c.Client]
		if row == nil {
			row = &candidate{Row{Client: c.Client, Program: *c.Program, Protocol: c.Protocol}, map[string]*facts.Cell{}, len(r.Run.Planned)}
			of[c.Client], all = row, append(all, row)
		}
		if p := slices.Index(r.Run.Planned, c.ID()); p >= 0 {
			row.place = min(row.place, p)
		}
		row.at[role(c.Topology)] = c
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(a.place, b.place) })
	for _, c := range all {
		rows = append(rows, c.judge(r.Run.Limit))
	}
	setCures(rows)
	return rows
}

// role strips the protocol mark from a topology's name: gRPC clients have servers of their own with
// the same limits.
func role(topology string) string {
	return strings.TrimPrefix(strings.TrimSuffix(topology, "-grpc"), "grpc-")
}

// judge makes the row. It uses the cells at the run's limit. If these don't decide, or show a fault at
// few renewals, and cells at a lower limit exist, it uses those and adds a note with the first result. A
// fault seen at the run's limit stays a fault.
func (c *candidate) judge(limit int) Row {
	r := c.judgeAt(limit)
	if low := c.at[lowLimit(LowerLimit)]; low == nil || len(low.Trials) == 0 || !r.Lower && r.Low != nil {
		return r
	}
	lower := c.judgeAt(LowerLimit)
	if r.Verdict.Faulty() && slices.Index(Verdicts, r.Verdict) < slices.Index(Verdicts, lower.Verdict) {
		return r // the worse fault, or the only one
	}
	if r.At != nil {
		lower.Notes = append(lower.Notes, facts.T("clientverdict.at", lowLimit(limit), r.Reasons[0]))
	}
	return lower
}

// judgeAt fills a row from the cells of one limit.
func (c *candidate) judgeAt(limit int) Row {
	r := c.Row
	r.Limit, r.Low, r.High, r.Envoy = limit, c.at[lowLimit(limit)], c.at[highLimit], c.at[envoy(limit)]
	r.At, r.Without, r.ByEnvoy = figuresOf(r.Low), figuresOf(r.High), figuresOf(r.Envoy)
	for _, c := range []*facts.Cell{r.Low, r.High, r.Envoy} {
		r.addVersions(c)
	}
	if r.At != nil && r.Without != nil && r.Low.Workload.Concurrency == r.High.Workload.Concurrency {
		r.Relative = relative(r.At.Goodput, r.Without.Goodput)
	}
	if r.At == nil {
		r.unmeasured()
		return r
	}
	j := judge(r.cellFacts(r.At, r.Low))
	r.Verdict, r.Also, r.Reasons, r.Notes, r.Near, r.FailsAnyway = j.verdict, j.also, j.reasons, j.notes, j.near, j.own
	r.Lower = j.lower && limit > LowerLimit && r.Program.AssumesLimit <= LowerLimit
	if r.ByEnvoy != nil {
		e := judge(r.cellFacts(r.ByEnvoy, r.Envoy))
		r.SavedByEnvoy, r.EnvoyReasons = e.verdict, e.reasons
	}
	return r
}

func (r *Row) cellFacts(f *Figures, c *facts.Cell) cellFacts {
	return cellFacts{Figures: *f, base: r.Without, limit: limitOf(c), protocol: r.Protocol, high: highLimit,
		inFlight: c.Workload.Concurrency}
}

// unmeasured fills a row whose cell at the low limit has no trial.
func (r *Row) unmeasured() {
	r.Verdict = Inconclusive
	reason := facts.T("clientverdict.not-measured-run-ended", lowLimit(r.Limit))
	for _, c := range []*facts.Cell{r.Low, r.High, r.Envoy} {
		if c != nil && !c.Unsupported.IsZero() {
			r.Verdict, reason = Unsupported, c.Unsupported
			break
		}
	}
	r.Reasons = []facts.Text{reason}
}

// addVersions copies the versions from the first trial that has them.
func (r *Row) addVersions(c *facts.Cell) {
	if c == nil {
		return
	}
	for _, t := range c.Trials {
		r.Library, r.Runtime = cmp.Or(r.Library, t.Library), cmp.Or(r.Runtime, t.Runtime)
	}
}

func relative(low, high *float64) *float64 {
	if low == nil || high == nil || *high == 0 {
		return nil
	}
	return new(*low / *high)
}

// Tally is the number of rows with a verdict.
type Tally struct {
	Verdict Verdict
	Rows    int
}

// Count returns the tallies of some rows in the order of Verdicts, without zeros.
func Count(rows []Row) []Tally {
	out := []Tally{}
	for _, v := range Verdicts {
		n := 0
		for _, r := range rows {
			if r.Verdict == v {
				n++
			}
		}
		if n > 0 {
			out = append(out, Tally{v, n})
		}
	}
	return out
}

// AsTheyCome splits rows in two: the libraries with default settings, one row each, and their
// variants, including cures. In runs recorded before defaults were marked, the first row of each
// library that isn't a cure counts as its default.
func AsTheyCome(rows []Row) (defaults, variants []Row) {
	named := slices.ContainsFunc(rows, func(r Row) bool { return r.Program.Default })
	seen := map[string]bool{}
	for _, r := range rows {
		library := cmp.Or(r.Program.Library, string(r.Client))
		first := !seen[library] && r.Program.Cures == ""
		if first {
			seen[library] = true
		}
		if named && r.Program.Default || !named && first {
			defaults = append(defaults, r)
		} else {
			variants = append(variants, r)
		}
	}
	return defaults, variants
}

// Row is one client program in one variant with its verdict.
type Row struct {
	Client   facts.Client
	Program  facts.Program
	Protocol facts.Protocol
	// Low, High and Envoy are its cells at nginx-N, nginx-100000 and envoy-N, where N is Limit; nil
	// if the run has no such cell.
	Low, High, Envoy *facts.Cell
	// Limit is the limit at which the verdict was reached: the run's, or a lower one if the client
	// reached the run's limit too seldom.
	Limit int
	// Lower is true if a run with a lower limit would decide, or show more renewals of a client with a fault.
	Lower bool
	// Library and Runtime are the versions that the program reported; they may be empty.
	Library, Runtime string

	Verdict Verdict   // the worst that holds
	Also    []Verdict // the others that hold, the worst first
	// Reasons explain the verdicts with their numbers, first Verdict, then Also.
	Reasons []facts.Text
	// Notes are remarks that don't affect the verdict.
	Notes []facts.Text
	// Near lists the numbers close to a threshold, for which another run may give a different
	// verdict.
	Near []facts.Text
	// FailsAnyway is true if the program fails without the limit as well.
	FailsAnyway bool

	// At are the figures of the cell at the low limit, Without those at the high limit, ByEnvoy
	// those at envoy-N; nil if nothing was measured.
	At, Without, ByEnvoy *Figures
	// Relative is the goodput at the low limit divided by that at the high limit; nil if either is
	// unknown.
	Relative *float64

	// SavedByEnvoy is the verdict on the cell at envoy-N, whose server announces its limit (GOAWAY)
	// before enforcing it; empty if that was not measured.
	SavedByEnvoy Verdict
	EnvoyReasons []facts.Text

	// Cures are the variants that are meant to cure this client, with their outcomes.
	Cures []Cure
}

// CuredBy returns the variants that cured this client in this run.
func (r *Row) CuredBy() []facts.Client {
	out := []facts.Client{}
	for _, c := range r.Cures {
		if c.Outcome == Cured {
			out = append(out, c.Client)
		}
	}
	return out
}

// all returns Verdict, then Also.
func (r *Row) all() []Verdict { return append([]Verdict{r.Verdict}, r.Also...) }

// Outcome says whether a cure worked.
type Outcome string

// The outcomes, as clients.json names them.
const (
	Cured  Outcome = "cured"
	Partly Outcome = "partly"
	Failed Outcome = "did-not-cure"
	Untold Outcome = "cant-be-told"
)

// Cure is a variant that is meant to cure another row.
type Cure struct {
	Client  facts.Client
	Outcome Outcome
	Words   facts.Text // the outcome as text
}

// Verdict names a client's behaviour at a renewal. Its value is the one in clients.json, which says
// "storms" for Stampedes in every schema_version so far; Words has the text for readers.
type Verdict string

// The verdicts.
const (
	Lies         Verdict = "lies"
	Crashes      Verdict = "crashes"
	Hangs        Verdict = "hangs"
	Duplicates   Verdict = "duplicates"
	Loses        Verdict = "loses"
	Stampedes    Verdict = "storms"
	Inconclusive Verdict = "inconclusive"
	Sound        Verdict = "sound"
	Unsupported  Verdict = "unsupported"
)

// Verdicts lists them, the worst first. Lies comes first, since no other number of such a client
// can be trusted. A duplicated request is worse than a failed one, since its caller doesn't notice.
var Verdicts = []Verdict{Lies, Crashes, Hangs, Duplicates, Loses, Stampedes, Inconclusive, Sound, Unsupported}

var verdictWords = map[Verdict]facts.Text{
	Lies: facts.T("clientverdict.lies"), Crashes: facts.T("clientverdict.crashes"), Hangs: facts.T("clientverdict.hangs"),
	Duplicates: facts.T("clientverdict.duplicates-requests"), Loses: facts.T("clientverdict.loses-requests"),
	Stampedes: facts.T("clientverdict.stampedes"), Inconclusive: facts.T("verdict.inconclusive"),
	Sound: facts.T("clientverdict.sound"), Unsupported: facts.T("verdict.unsupported"),
	"": facts.T("sweepverdict.not-measured"),
}

// Words returns the verdict as a verb phrase for a sentence about the client.
func (v Verdict) Words() facts.Text { return verdictWords[v] }

// Faulty reports whether the verdict is a fault, which a cure may remove.
func (v Verdict) Faulty() bool {
	switch v {
	case Sound, Inconclusive, Unsupported, "":
		return false
	}
	return true
}
