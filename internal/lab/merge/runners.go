package merge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"h2lab/internal/lab/load"
)

// runner is one k6 process.
type runner struct {
	number, of int // its place in the sequence of segments, from 1
	segment    string
	vus        []line
	planned    int // the VUs that it says it has
	end        *line
}

func (r *runner) String() string {
	if r.of == 1 {
		return "the runner"
	}
	return fmt.Sprintf("runner %d of %d (segment %s)", r.number, r.of, r.segment)
}

// files names the runner's logs.
func (r *runner) files() string {
	named := map[string]bool{}
	all := r.vus
	if r.end != nil {
		all = append(slices.Clone(all), *r.end)
	}
	for _, l := range all {
		named[l.where[:strings.LastIndex(l.where, ":")]] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(named)), ", ")
}

func (r *runner) tallies() []load.Logged {
	var out []load.Logged
	for _, l := range r.vus {
		out = append(out, load.Logged{Where: l.where, Tally: l.Tally, Began: l.Began, Ended: l.Ended})
	}
	return out
}

// place is a segment's place in its sequence. k6 prints both in lowest terms.
func place(segment, sequence string) (number, of int, err error) {
	if segment == "" {
		return 1, 1, nil
	}
	from, to, _ := strings.Cut(segment, ":")
	bounds := strings.Split(sequence, ",")
	for i := range len(bounds) - 1 {
		if bounds[i] == from && bounds[i+1] == to {
			return i + 1, len(bounds) - 1, nil
		}
	}
	return 0, 0, fmt.Errorf("segment %q is not in the sequence %q", segment, sequence)
}

// group sorts the lines by runner, in the order of the sequence. All runners must have had the same
// script, knobs and sequence, and no VU may have two tallies.
func group(lines []line) ([]*runner, error) {
	bySegment := map[string]*runner{}
	vus := map[int]string{}
	usual := mostCommon(lines)
	for _, l := range lines {
		if err := sameTest(usual, l); err != nil {
			return nil, err
		}
		r := bySegment[l.Segment]
		if r == nil {
			number, of, err := place(l.Segment, l.Sequence)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.where, err)
			}
			r = &runner{number: number, of: of, segment: l.Segment}
			bySegment[l.Segment] = r
		}
		first, twice := vus[l.VU]
		switch {
		case l.End && r.end != nil:
			first, twice = r.end.where, true
		case l.End:
			twice = false
			r.end = &l
		default:
			vus[l.VU] = l.where
			r.vus, r.planned = append(r.vus, l), l.VUs
		}
		if twice {
			return nil, fmt.Errorf("%s has two logs, at %s and %s: give the logs of one test, each of them once",
				r, first, l.where)
		}
	}
	return slices.SortedFunc(maps.Values(bySegment), func(a, b *runner) int { return cmp.Compare(a.number, b.number) }), nil
}

// mostCommon returns a line of the test that most lines belong to.
func mostCommon(lines []line) line {
	count := map[string]int{}
	best := 0
	for i, l := range lines {
		key := keyOf(l)
		if count[key]++; count[key] > count[keyOf(lines[best])] {
			best = i
		}
	}
	return lines[best]
}

func keyOf(l line) string { return l.Script + "\x00" + l.Sequence + "\x00" + string(l.Knobs) }

// sameTest returns an error if a line belongs to another test than the usual one.
func sameTest(usual, l line) error {
	const advice = "runners of different tests can't be merged: give the logs of one test"
	switch {
	case l.Script != usual.Script:
		return fmt.Errorf("%s is of the script %s, %s of %s; %s", l.where, l.Script, usual.where, usual.Script, advice)
	case l.Sequence != usual.Sequence:
		return fmt.Errorf("%s has the sequence of segments %q, %s %q; %s", l.where, l.Sequence, usual.where,
			usual.Sequence, advice)
	case bytes.Equal(l.Knobs, usual.Knobs):
		return nil
	}
	var a, b map[string]any
	if json.Unmarshal(l.Knobs, &a) != nil || json.Unmarshal(usual.Knobs, &b) != nil {
		return fmt.Errorf("%s has no knobs: use the scripts and the h2lab of one version", l.where)
	}
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if fmt.Sprint(a[name]) != fmt.Sprint(b[name]) {
			return fmt.Errorf("%s ran with %s = %v, %s with %v; %s", l.where, name, a[name], usual.where, b[name], advice)
		}
	}
	return fmt.Errorf("%s ran with other knobs than %s; %s", l.where, usual.where, advice)
}

// gaps names what is missing of a test with so many VUs.
func gaps(runners []*runner, cut []string, vus int) []string {
	var out []string
	for _, where := range cut {
		out = append(out, "the line at "+where+" is cut")
	}
	present := map[int]bool{}
	total := 0
	for _, r := range runners {
		present[r.number] = true
		total += len(r.vus)
		if len(r.vus) < r.planned {
			out = append(out, fmt.Sprintf("%s has the tallies of %d of its %d VUs in %s", r, len(r.vus), r.planned, r.files()))
		}
		if r.end == nil {
			out = append(out, fmt.Sprintf("%s has no line of its end in %s: it was stopped, or its log is cut", r, r.files()))
		}
	}
	bounds := strings.Split(sequenceOf(runners), ",")
	for n := 1; n < len(bounds); n++ {
		if !present[n] {
			out = append(out, fmt.Sprintf("runner %d of %d (segment %s:%s) has no log", n, len(bounds)-1, bounds[n-1], bounds[n]))
		}
	}
	if len(out) == 0 && total != vus {
		out = append(out, fmt.Sprintf("%d of %d VUs have a tally", total, vus))
	}
	return out
}

func sequenceOf(runners []*runner) string {
	r := runners[0]
	if r.end != nil {
		return r.end.Sequence
	}
	return r.vus[0].Sequence
}
