package limitmap

import (
	"slices"

	"h2lab/internal/facts"
)

// The thresholds from which on a limit matters at a place. Both are choices of this project; no standard
// defines them.
const (
	LostShare  = 0.05
	AddedShare = 0.10
)

// Matter is whether a limit matters at a place.
type Matter int

// The answers. Unsure is a cost above the threshold whose interval doesn't exclude that the limit costs nothing.
const (
	Unknown Matter = iota
	Free
	Unsure
	Matters
)

// Criterion is what a limit may cost.
type Criterion int

// The criteria.
const (
	Both Criterion = iota
	GoodputAlone
	P99Alone
)

// By answers for a criterion.
func (c Cost) By(k Criterion) Matter {
	lost, added := Unknown, Unknown
	if c.Goodput != nil {
		lost = matter(1-c.Goodput.Value >= LostShare, c.Goodput.Told)
	}
	if c.P99 != nil {
		added = matter(c.P99.Value-1 >= AddedShare, c.P99.Told)
	}
	switch {
	case k == GoodputAlone:
		return lost
	case k == P99Alone:
		return added
	case lost == Matters, added == Matters:
		return Matters
	case lost == Unknown, added == Unknown:
		return Unknown
	}
	return max(lost, added)
}

func matter(above, told bool) Matter {
	switch {
	case !above:
		return Free
	case told:
		return Matters
	}
	return Unsure
}

// Shape is the form of a boundary.
type Shape int

// The shapes, from the best known one on.
const (
	NoData Shape = iota
	Everywhere
	FromBackend
	FromDistance
	Stairs
	Nowhere
	Undecided // costs above the thresholds, but within noise
)

// Boundary says from which places on a limit stops mattering to a line.
type Boundary struct {
	Line
	Limit int
	By    Criterion
	Shape Shape
	// BackendMS or RTTMS is where it begins.
	BackendMS int
	RTTMS     float64
	// Steps are the least delays for each distance, of Stairs.
	Steps []Step
	// Backends and Distances span the map.
	Backends  []int
	Distances []facts.Distance
	// Costs are those of the places beyond the boundary: of all places for Everywhere.
	Costs []Cost
}

// Step is the delay of the backend from which on a limit doesn't matter at a distance; nil if there is
// none.
type Step struct {
	Distance  facts.Distance
	BackendMS *int
}

// Boundary finds the largest part of the map beyond a delay or a distance in which the limit matters
// nowhere. A place whose cost is within noise, or that has no numbers, doesn't end the part; the sentence
// names it.
func (m Map) Boundary(l Line, limit int, by Criterion) Boundary {
	b := Boundary{Line: l, Limit: limit, By: by}
	places := m.Of(l)
	costs := m.product(places, limit)
	b.Backends, b.Distances = Backends(places), Distances(places)
	whole := b.within(costs, func(Cost) bool { return true })
	switch {
	case whole != nil:
		b.Shape, b.Costs = Everywhere, whole
		return b
	case b.count(costs, Unknown) == len(costs):
		return b
	case b.count(costs, Matters) == 0:
		b.Shape, b.Costs = Undecided, costs
		return b
	}
	var backend, distance []Cost
	for _, d := range slices.Backward(b.Backends) {
		if part := b.within(costs, func(c Cost) bool { return c.BackendMS >= d }); part != nil {
			backend, b.BackendMS = part, d
		}
	}
	for _, d := range slices.Backward(b.Distances) {
		if part := b.within(costs, func(c Cost) bool { return c.RTTMS >= d.RTTMS }); part != nil {
			distance, b.RTTMS = part, d.RTTMS
		}
	}
	switch {
	case len(backend) == 0 && len(distance) == 0:
		b.stairs(costs)
	case len(backend) >= len(distance):
		b.Shape, b.Costs = FromBackend, backend
	default:
		b.Shape, b.Costs = FromDistance, distance
	}
	return b
}

// product has the costs at all combinations of the places' delays and distances. A combination that was not
// planned is a place without numbers.
func (m Map) product(places []Place, limit int) (out []Cost) {
	for _, backend := range Backends(places) {
		for _, d := range Distances(places) {
			at := Spot{BackendMS: backend, Distance: d}
			if i := slices.IndexFunc(places, func(p Place) bool { return p.Spot == at }); i >= 0 {
				out = append(out, m.Cost(places[i], limit))
			} else {
				out = append(out, Cost{Place: Place{Line: places[0].Line, Spot: at}, Limit: limit, Source: Absent})
			}
		}
	}
	return out
}

// within returns the costs of a part of the map. It returns nil if the limit matters in that part, or if it is not
// free at more than half of the places.
func (b Boundary) within(costs []Cost, in func(Cost) bool) (out []Cost) {
	for _, c := range costs {
		if in(c) {
			out = append(out, c)
		}
	}
	if b.count(out, Matters) > 0 || 2*b.count(out, Free) <= len(out) {
		return nil
	}
	return out
}

func (b Boundary) count(costs []Cost, what Matter) (n int) {
	for _, c := range costs {
		if c.By(b.By) == what {
			n++
		}
	}
	return n
}

// Those are the costs beyond the boundary with an answer.
func (b Boundary) Those(what Matter) (out []Cost) {
	for _, c := range b.Costs {
		if c.By(b.By) == what {
			out = append(out, c)
		}
	}
	return out
}

// stairs finds the least delay for each distance.
func (b *Boundary) stairs(costs []Cost) {
	b.Shape = Nowhere
	for _, d := range b.Distances {
		step := Step{Distance: d}
		for _, delay := range slices.Backward(b.Backends) {
			part := b.within(costs, func(c Cost) bool { return c.Distance == d && c.BackendMS >= delay })
			if part != nil {
				step.BackendMS = &delay
			}
		}
		if step.BackendMS != nil {
			b.Shape = Stairs
			b.Costs = append(b.Costs, b.within(costs, func(c Cost) bool {
				return c.Distance == d && c.BackendMS >= *step.BackendMS
			})...)
		}
		b.Steps = append(b.Steps, step)
	}
}
