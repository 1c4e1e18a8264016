package clientverdicts

import "h2lab/internal/facts"

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
