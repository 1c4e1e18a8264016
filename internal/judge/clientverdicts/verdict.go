package clientverdicts

// Verdict is a word for what a client does at a renewal. Its value is the word
// in clients.json.
type Verdict string

// The verdicts.
const (
	Lies         Verdict = "lies"
	Crashes      Verdict = "crashes"
	Hangs        Verdict = "hangs"
	Duplicates   Verdict = "duplicates"
	Loses        Verdict = "loses"
	Storms       Verdict = "storms"
	Inconclusive Verdict = "inconclusive"
	Sound        Verdict = "sound"
	Unsupported  Verdict = "unsupported"
)

// Verdicts lists them, the worst first. A lie stands before everything, since
// no other number of that client can be believed; a request that ran twice is
// worse than one that failed, and its caller knows nothing of it.
var Verdicts = []Verdict{Lies, Crashes, Hangs, Duplicates, Loses, Storms, Inconclusive, Sound, Unsupported}

// Words is the verdict as a reader finds it in a sentence about the client.
func (v Verdict) Words() string {
	switch v {
	case Loses:
		return "loses requests"
	case Duplicates:
		return "duplicates requests"
	case "":
		return "not measured"
	}
	return string(v)
}

// Faulty reports whether the verdict is a fault, one that a cure may take away.
func (v Verdict) Faulty() bool {
	switch v {
	case Sound, Inconclusive, Unsupported, "":
		return false
	}
	return true
}
