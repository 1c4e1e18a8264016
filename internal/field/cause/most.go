package cause

import (
	"math"
	"slices"
)

// atMost reports whether connections end at a count that none passes, and others before it by something else,
// such as a reload or an age: then one in light use is among them, which a limit in bytes does not end. It sets
// the kind, the count and the others. Without a connection that lived much longer, one age may end all of them;
// and if each of them was the only one in use since the end before, the server may count the requests of all
// connections together.
func (c *Cause) atMost(ended, open []life) bool {
	const least, more = 20, 1 // a server that ends connections at random often ends several at a small number
	n := 0
	for _, g := range c.Groups { // a larger one may be a GOAWAY's newest stream, which is a bound
		if g.Connections >= needed(g.Requests)+more {
			n = g.Requests
		}
	}
	var at, before []life
	for _, l := range ended {
		switch {
		case l.least <= n && n <= l.most:
			at = append(at, l)
		case l.least > n:
			return false
		default:
			before = append(before, l)
		}
	}
	passes := func(l life) bool { return l.most > n }
	if n < least || slices.ContainsFunc(open, passes) || repeats(before) ||
		!slices.ContainsFunc(before, func(l life) bool { return l.light }) {
		return false
	}
	beside := append(slices.Clone(before), open...)
	if !outlived(at, beside) || !slices.ContainsFunc(at, func(l life) bool { return l.exact(n) && !l.only(ended, open) }) {
		c.Kind, c.Fits = Unclear, []string{Count}
		return true
	}
	c.Kind, c.Requests = Count, &n
	for _, l := range before {
		c.Earlier = append(c.Earlier, l.end())
	}
	return true
}

// brought are the connections that were brought to their ends. Those in light use have one pace, so an age ends
// them at one request.
func brought(all []life) []life {
	return slices.DeleteFunc(slices.Clone(all), func(l life) bool { return l.light })
}

// repeats reports whether two connections met their ends at one request: another count.
func repeats(all []life) bool {
	return slices.ContainsFunc(groups(brought(all)), func(g Group) bool { return g.Connections > 1 })
}

// outlived reports whether another connection lived so much longer that the ends can't be those of an age.
func outlived(ends, others []life) bool {
	const times = 3
	_, most := span(ends)
	return slices.ContainsFunc(others, func(l life) bool { return l.seconds > times*most+seenLateS })
}

// only reports whether no other connection was in use between the last end before this one's and its own.
func (l life) only(ended, open []life) bool {
	before := math.Inf(-1)
	for _, o := range ended {
		if o.last < l.last {
			before = max(before, o.last)
		}
	}
	inUse := func(o life) bool { return o != l && o.first < l.last && o.last > before }
	return !slices.ContainsFunc(ended, inUse) && !slices.ContainsFunc(open, inUse)
}
