package clientverdicts

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

// Words returns the verdict as a verb phrase for a sentence about the client.
func (v Verdict) Words() string {
	switch v {
	case Loses:
		return "loses requests"
	case Duplicates:
		return "duplicates requests"
	case Stampedes:
		return "stampedes"
	case "":
		return "not measured"
	}
	return string(v)
}

// Faulty reports whether the verdict is a fault, which a cure may remove.
func (v Verdict) Faulty() bool {
	switch v {
	case Sound, Inconclusive, Unsupported, "":
		return false
	}
	return true
}
