package clientverdicts

import "h2lab/internal/facts"

// Row is one client program in one variant, judged.
type Row struct {
	Client   facts.Client
	Program  facts.Program
	Protocol facts.Protocol
	// Low, High and Envoy are its cells at nginx-N, nginx-100000 and envoy-N;
	// nil where the run has none. N is Limit.
	Low, High, Envoy *facts.Cell
	// Limit is the limit that the verdict is from: the run's, or a lower one where
	// the run's was met too seldom.
	Limit int
	// Lower says that it is inconclusive, and that a lower limit would tell.
	Lower bool
	// Library and Runtime are the versions as the program told them, or empty.
	Library, Runtime string

	Verdict Verdict   // the worst that holds
	Also    []Verdict // the others that hold, the worst first
	// Reasons say in words and numbers why, first for Verdict, then for Also.
	Reasons []string
	// Notes are worth knowing and make no verdict.
	Notes []string
	// Near names the numbers that come near a threshold, where another run may
	// say otherwise.
	Near []string
	// OwnTrouble is true where the program fails without the limit as well.
	OwnTrouble bool

	// At are the figures of the cell at the low limit, Without those at the high
	// one, ByEnvoy those at envoy-N; nil where nothing was measured.
	At, Without, ByEnvoy *Figures
	// Relative is the goodput at the low limit over that at the high one; nil
	// where either is not known.
	Relative *float64

	// SavedByEnvoy is the verdict on the cell at envoy-N, whose server announces
	// its limit before it is in force; empty where that was not measured.
	SavedByEnvoy Verdict
	EnvoyReasons []string

	// Cures are the variants that mean to cure this client, as they turned out.
	Cures []Cure
}

// CuredBy are the variants that cured this client in this run.
func (r *Row) CuredBy() []facts.Client {
	out := []facts.Client{}
	for _, c := range r.Cures {
		if c.Outcome == Cured {
			out = append(out, c.Client)
		}
	}
	return out
}

// all are the verdict and the others that hold.
func (r *Row) all() []Verdict { return append([]Verdict{r.Verdict}, r.Also...) }

// Outcome is what became of a cure.
type Outcome string

// The outcomes, as clients.json names them.
const (
	Cured  Outcome = "cured"
	Partly Outcome = "partly"
	Failed Outcome = "did-not-cure"
	Untold Outcome = "cant-be-told"
)

// Cure is a variant that means to cure another row.
type Cure struct {
	Client  facts.Client
	Outcome Outcome
	Words   string // the outcome in words
}
