package clientverdicts

import "h2lab/internal/report/translations"

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

var verdictWords = map[Verdict]translations.Phrase{
	Lies: "lies", Crashes: "crashes", Hangs: "hangs", Duplicates: "duplicates requests", Loses: "loses requests",
	Stampedes: "stampedes", Inconclusive: "inconclusive", Sound: "sound", Unsupported: "unsupported", "": "not measured",
}

// Words returns the verdict as a verb phrase for a sentence about the client.
func (v Verdict) Words() string { return v.In(translations.English) }

// In returns these words in a language.
func (v Verdict) In(l translations.Language) string { return l.Say(verdictWords[v]) }

// Faulty reports whether the verdict is a fault, which a cure may remove.
func (v Verdict) Faulty() bool {
	switch v {
	case Sound, Inconclusive, Unsupported, "":
		return false
	}
	return true
}
