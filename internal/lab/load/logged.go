package load

import (
	"encoding/json"
	"fmt"

	"h2lab/internal/facts"
)

// Logged is a VU's tally as it stands in a log, with its window by its machine's clock, in ms since
// 1970. Began and Ended are nil where the VU sent no request.
type Logged struct {
	Where        string
	Tally        json.RawMessage
	Began, Ended *float64
}

// FromLogs makes one answer from the tallies of VUs, which may have run on several machines.
func FromLogs(all []Logged, p facts.Protocol) (Answer, error) {
	var tallies []tally
	var where []string
	var early int64 // requests of VUs that sent some in the warm-up only
	for _, l := range all {
		var t tally
		if err := json.Unmarshal(l.Tally, &t); err != nil {
			return Answer{}, fmt.Errorf("the tally at %s: %w", l.Where, err)
		}
		if t.Attempts != nil && *t.Attempts == 0 && (l.Began == nil || l.Ended == nil) {
			if t.WarmupRequests == nil || *t.WarmupRequests < 0 {
				return Answer{}, fmt.Errorf("the tally at %s has no number of warm-up requests", l.Where)
			}
			early += *t.WarmupRequests
			continue
		}
		t.BeganMS, t.EndedMS = l.Began, l.Ended
		tallies, where = append(tallies, t), append(where, l.Where)
	}
	a, err := mergeTallies(tallies, p)
	for i := 0; err != nil && i < len(tallies); i++ { // find the one that is wrong by itself
		if _, own := mergeTallies(tallies[i:i+1], p); own != nil {
			return a, fmt.Errorf("the tally at %s: %w", where[i], own)
		}
	}
	a.WarmupRequests += early
	return a, err
}
