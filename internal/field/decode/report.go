package decode

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Report is the result of decode, as --json prints it.
type Report struct {
	SchemaVersion int     `json:"schema_version"`
	Inputs        []Input `json:"inputs"`
	// Events counts messages; a stack trace is one. It is the sum of Recognised, Unrelated,
	// LooksHTTP2 and Unknown, except for lines longer than 64 KiB.
	Events     int        `json:"events"`
	Recognised int        `json:"recognised"`
	Unrelated  int        `json:"unrelated"`
	LooksHTTP2 int        `json:"looks_http2"`
	Unknown    int        `json:"unknown"`
	Findings   []Reported `json:"findings"`
	// Next is a command to paste.
	Next string `json:"next"`
}

// Reported is one diagnosis.
type Reported struct {
	// ID is the signature's, or "" if none matches.
	ID       string `json:"id"`
	Kind     Kind   `json:"kind"`
	Title    string `json:"title"`
	Library  string `json:"library"`
	Versions string `json:"versions"`
	Count    int    `json:"count"`
	Input    string `json:"first_input"`
	Line     int    `json:"first_line"`
	Text     string `json:"text"`
	Facts    Facts  `json:"facts"`
	// Read are the facts as sentences.
	Read          []string  `json:"read"`
	LastStreamIDs []IDCount `json:"last_stream_ids"`
	Happened      string    `json:"happened"`
	// Executed is null if the text is not about a request.
	Executed *Answer  `json:"executed"`
	Why      string   `json:"why"`
	Retry    string   `json:"retry"`
	Changes  []Change `json:"changes"`
	// Seen are the rows of docs/clients.md whose callers got this text.
	Seen    []string `json:"seen"`
	Links   []string `json:"links"`
	Origins []string `json:"origins"`
}

// IDCount is how often a last-stream-id occurred.
type IDCount struct {
	ID    uint32 `json:"id"`
	Count int    `json:"count"`
}

// SchemaVersion is the version of Report.
const SchemaVersion = 1

// Report summarises the tally.
func (t *Tally) Report() Report {
	r := Report{
		SchemaVersion: SchemaVersion,
		Inputs:        t.Inputs,
		Events:        t.Events,
		Unknown:       t.Unknown,
		Findings:      []Reported{},
	}
	for _, g := range t.Groups() {
		switch {
		case g.Signature == nil:
			r.LooksHTTP2 += g.Count
		case g.Kind == Unrelated:
			r.Unrelated += g.Count
		default:
			r.Recognised += g.Count
		}
		r.Findings = append(r.Findings, g.reported(t.Inputs[g.Input].Name))
	}
	r.Next = next(r.Findings)
	return r
}

func (g *Group) reported(input string) Reported {
	law := rules[g.Kind]
	g.commonest()
	out := Reported{Kind: g.Kind, Title: law.title, Count: g.Count, Input: input, Line: g.Line, Text: g.Text,
		Facts: g.Facts,
		Read:  readings(g.Facts), LastStreamIDs: g.ids(), Happened: law.happened, Why: law.why, Retry: law.retry,
		Changes: []Change{}, Seen: []string{}, Links: []string{}, Origins: append([]string{}, g.Origins...)}
	if out.Read == nil {
		out.Read = []string{}
	}
	executed := law.executed
	if s := g.Signature; s != nil {
		out.ID, out.Library, out.Versions = s.ID, s.Library, s.Versions
		out.Happened = strings.TrimSpace(law.happened + " " + s.Means)
		// A signature's own statements hold only for its own kind.
		if g.Kind == s.Kind {
			if s.Executed != "" {
				executed, out.Retry = s.Executed, retryFor(s.Executed)
			}
			out.Why = cmp.Or(s.Why, out.Why)
		}
		out.Changes = append(out.Changes, s.Changes...)
		out.Seen = append(out.Seen, s.Seen...)
		out.Links = append(out.Links, s.Links...)
	}
	if executed != "" {
		out.Executed = &executed
	}
	if g.Kind == Exhausted && len(out.Changes) == 0 || g.Kind == Exhausted && out.ID != "envoy-codec-error" {
		out.Changes = exhaustedCures
	}
	if law.server {
		out.Changes = append(slices.Clone(serverChanges(g.Facts)), out.Changes...)
	}
	out.Changes = slices.Clone(out.Changes)
	for i, c := range out.Changes {
		if c.Row != "" {
			out.Changes[i].Outcome = cmp.Or(c.Outcome, cured)
		}
	}
	out.Links = append(out.Links, lawLinks(out.Why)...)
	return out
}

func retryFor(a Answer) string {
	switch a {
	case No:
		return safe
	case Yes:
		return "not by itself: it was executed or answered"
	}
	return idempotent
}

// serverChanges are changes on the side that sets the limit.
func serverChanges(f Facts) []Change {
	out := []Change{
		{
			Where: "nginx",
			Line:  "keepalive_requests 100000;",
			Note:  "if the server is nginx; in http{} or server{}: HTTP/2 doesn't read it in location{}",
		},
	}
	if f.Requests != nil && *f.Requests == 100 {
		out = append(out, Change{
			Where: "ingress-nginx",
			Line:  `keep-alive-requests: "100000"`,
			Note:  "in its ConfigMap",
		})
	}
	return out
}

// lawLinks are the sections of RFC 9113 that a reason cites.
func lawLinks(why string) []string {
	var out []string
	for _, section := range []string{"6.8", "8.7"} {
		if strings.Contains(why, "§"+section) {
			out = append(out, "https://www.rfc-editor.org/rfc/rfc9113.html#section-"+section)
		}
	}
	return out
}

// commonest sets the group's facts to its most frequent last-stream-id: the first one is arbitrary.
func (g *Group) commonest() {
	ids := g.ids()
	if len(ids) == 0 || g.Facts.LastStreamID == nil || g.IDs[*g.Facts.LastStreamID] == ids[0].Count {
		return
	}
	g.Facts.LastStreamID, g.Facts.Requests = &ids[0].ID, nil
	g.Facts.count()
}

// ids are the most frequent last-stream-ids.
func (g *Group) ids() []IDCount {
	out := []IDCount{}
	for _, id := range slices.Sorted(maps.Keys(g.IDs)) {
		out = append(out, IDCount{id, g.IDs[id]})
	}
	slices.SortStableFunc(out, func(a, b IDCount) int { return cmp.Compare(b.Count, a.Count) })
	return out[:min(len(out), 5)]
}

// next is the command to run next: a probe of the host that the text names, or a look at the
// configuration of the server that wrote it.
func next(findings []Reported) string {
	for _, f := range findings {
		if f.Kind == Unrelated {
			continue
		}
		if strings.HasPrefix(f.ID, "nginx-") {
			return "h2lab lint /etc/nginx/nginx.conf"
		}
		if strings.HasPrefix(f.ID, "envoy-") {
			return "h2lab lint envoy.yaml"
		}
		if len(f.Origins) > 0 {
			return fmt.Sprintf("h2lab probe %s/", f.Origins[0])
		}
	}
	if len(findings) > 0 && findings[0].Kind != Unrelated {
		return "h2lab probe https://HOST/   # the server that the client talks to: its limit, in a minute"
	}
	return "h2lab decode --list   # every text that is known"
}
