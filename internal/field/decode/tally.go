package decode

import (
	"cmp"
	"maps"
	"slices"

	"h2lab/internal/base/textwrap"
)

// Tally gathers findings by diagnosis: what is the same but for ids, hosts and
// times is one group.
type Tally struct {
	Inputs []Input
	// Events is how many messages there were, Unknown how many were nothing
	// that is known.
	Events, Unknown int
	groups          map[string]*Group
}

// Group is all findings with one diagnosis.
type Group struct {
	*Finding // the first
	Count    int
	Input    int // the first one's input, and line in it
	Line     int
	Text     string
	// IDs counts the last stream ids, the commonest first when sorted; More is
	// how many findings had one that is not counted any more.
	IDs     map[uint32]int
	More    int
	Origins []string
}

const (
	mostIDs     = 64
	mostOrigins = 3
	// enoughOrigins findings of a group are asked for their host.
	enoughOrigins = 1000
	mostText      = 240
)

// key is a diagnosis by its parts.
func key(f *Finding) string {
	id := "-"
	if f.Signature != nil {
		id = f.Signature.ID
	}
	return id + "\x00" + string(f.Kind) + "\x00" + f.Facts.Code
}

func (t *Tally) add(f *Finding, raw []byte, input, line int) {
	if t.groups == nil {
		t.groups = map[string]*Group{}
	}
	g := t.groups[key(f)]
	if g == nil {
		f.text.details(&f.Facts)
		g = &Group{Finding: f, Input: input, Line: line, Text: excerpt(raw), IDs: map[uint32]int{}}
		t.groups[key(f)] = g
	}
	g.Count++
	if id := f.Facts.LastStreamID; id != nil {
		if _, known := g.IDs[*id]; known || len(g.IDs) < mostIDs {
			g.IDs[*id]++
		} else {
			g.More++
		}
	}
	if len(g.Origins) < mostOrigins && g.Count <= enoughOrigins {
		if o := f.text.origin(); o != nil && !slices.Contains(g.Origins, *o) {
			g.Origins = append(g.Origins, *o)
		}
	}
	f.text = text{}
}

// excerpt is the part of an event that a person would look at: as it was
// written, but for colours, from a little before what was found.
func excerpt(raw []byte) string {
	n := normaliser{}
	shown := n.uncoloured(raw)
	if len(shown) <= mostText {
		return textwrap.Clip(string(shown), mostText)
	}
	b := theBook()
	if at := b.scan.firstEnd(shown); at > mostText {
		shown = shown[at-mostText/2:]
	}
	return textwrap.Clip(string(shown), mostText)
}

// Groups are the groups, the largest first.
func (t *Tally) Groups() []*Group {
	out := slices.Collect(maps.Values(t.groups))
	slices.SortFunc(out, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Input, b.Input), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// rank puts what is to be acted on before what isn't.
func rank(g *Group) int {
	switch g.Kind {
	case Unrelated:
		return 2
	case Ambiguous, Looks:
		return 1
	}
	return 0
}
