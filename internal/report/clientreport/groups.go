package clientreport

import (
	"cmp"
	"slices"

	"h2lab/internal/judge/clientverdicts"
)

// ecosystem is a group of libraries, library a group of rows.
type ecosystem struct {
	title     string
	libraries []library
}

type library struct {
	name  string
	heads []head
}

// head is a row with the variants that are meant to cure it.
type head struct {
	row   *clientverdicts.Row
	cures []*clientverdicts.Row
}

// grouped puts rows under their libraries and cures under the clients that they are meant to cure,
// in the order of first occurrence.
func (p *page) grouped() []ecosystem {
	var out []ecosystem
	for i := range p.rows {
		r := &p.rows[i]
		if p.root(r) != r {
			continue
		}
		h := head{row: r}
		for k := range p.rows {
			if c := &p.rows[k]; c != r && p.root(c) == r {
				h.cures = append(h.cures, c)
			}
		}
		out = into(out, r, h)
	}
	return out
}

func into(out []ecosystem, r *clientverdicts.Row, h head) []ecosystem {
	title := cmp.Or(r.Program.Title, r.Program.Ecosystem, "Others")
	name := cmp.Or(r.Program.Library, string(r.Client))
	i := slices.IndexFunc(out, func(e ecosystem) bool { return e.title == title })
	if i < 0 {
		out, i = append(out, ecosystem{title: title}), len(out)
	}
	k := slices.IndexFunc(out[i].libraries, func(l library) bool { return l.name == name })
	if k < 0 {
		out[i].libraries, k = append(out[i].libraries, library{name: name}), len(out[i].libraries)
	}
	l := &out[i].libraries[k]
	l.heads = append(l.heads, h)
	return out
}

// root returns the client that a row is meant to cure, or the row itself. It follows a chain of
// cures to its beginning; a cycle ends where it began.
func (p *page) root(r *clientverdicts.Row) *clientverdicts.Row {
	seen := []*clientverdicts.Row{}
	for at := r; ; {
		next := p.at[at.Program.Cures]
		switch {
		case next == nil || next == at:
			return at
		case slices.Contains(seen, next):
			return r
		}
		seen = append(seen, at)
		at = next
	}
}

// all returns the rows of a library as the page shows them.
func (l library) all() []*clientverdicts.Row {
	var out []*clientverdicts.Row
	for _, h := range l.heads {
		out = append(append(out, h.row), h.cures...)
	}
	return out
}
