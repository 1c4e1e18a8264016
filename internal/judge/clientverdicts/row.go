package clientverdicts

import "h2lab/internal/facts"

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
