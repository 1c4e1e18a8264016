package decode

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"h2lab/internal/field/output"
)

// Report is the result of decode, as --json prints it.
type Report struct {
	SchemaVersion int     `json:"schema_version"`
	Inputs        []Input `json:"inputs"`
	// Events counts messages; a stack trace is one. It is the sum of Recognised, Unrelated, Unknown and
	// Other, except for lines longer than 64 KiB.
	Events     int `json:"events"`
	Recognised int `json:"recognised"`
	// Unrelated are known and not caused by HTTP/2; Unknown are about HTTP/2 and say no event; Other
	// are about something else.
	Unrelated int `json:"unrelated"`
	Unknown   int `json:"unknown"`
	Other     int `json:"other"`
	// Missed is set if nothing was found in a short input, and nothing in it excludes that a connection failed.
	Missed   bool       `json:"missed"`
	Findings []Reported `json:"findings"`
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
	// Proves are the facts as statements, each with the words that prove it.
	Proves []Statement `json:"proves"`
	// Also are the kinds of the other events that the text states.
	Also []Kind `json:"also"`
	// MayBe are the other kinds that the same words can have.
	MayBe []Kind `json:"may_be"`
	// Reservation is why the kind is only one reading of the text; empty if the text proves it.
	Reservation   string    `json:"reservation"`
	LastStreamIDs []IDCount `json:"last_stream_ids"`
	Happened      string    `json:"happened"`
	// Executed and Retry are null if the text is not about a request.
	Executed *Answer  `json:"executed"`
	Why      string   `json:"why"`
	Retry    *Again   `json:"retry"`
	RetryWhy string   `json:"retry_why"`
	Changes  []Change `json:"changes"`
	// Decides are the facts that would decide, if the kind is unknown or only one reading.
	Decides []string `json:"decides"`
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
const SchemaVersion = 2

// Report summarises the tally.
func (t *Tally) Report() Report {
	groups := t.Groups()
	r := Report{
		SchemaVersion: SchemaVersion,
		Inputs:        t.Inputs,
		Events:        t.Events,
		Other:         t.Other,
		Missed:        t.Missed(),
		Findings:      []Reported{},
	}
	for _, g := range groups {
		switch g.Kind {
		case Unclear:
			r.Unknown += g.Count
		case Unrelated, Plain:
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
		Facts: g.Facts, Proves: g.Proves, Also: g.also(g.Kind), LastStreamIDs: g.ids(),
		Happened: law.happened, Changes: []Change{},
		Seen: []string{}, Links: []string{}, Origins: append([]string{}, g.Origins...), Decides: []string{}}
	if out.Proves == nil {
		out.Proves = []Statement{}
	}
	executed, why, again, retry := g.verdict(g.Kind, g.Signature)
	if executed != "" {
		out.Executed, out.Why, out.Retry, out.RetryWhy = &executed, why, &again, retry
	}
	if s := g.Signature; s != nil {
		out.ID, out.Library, out.Versions = s.ID, s.Library, s.Versions
		out.Links = append(out.Links, s.Links...)
		if !g.dropped {
			out.Happened = strings.TrimSpace(law.happened + " " + s.Means)
			out.Seen = append(out.Seen, s.Seen...)
		}
	}
	if g.dropped {
		out.Also = []Kind{}
	}
	switch {
	case g.Kind == Status && g.ofGateway():
		out.Happened = law.happened + " " + gateways[g.answer]
	case g.Kind == Unrelated && g.Event == onAnswered && g.answer != "" && out.Happened == "":
		out.Happened = ownError
	}
	out.MayBe = out.others(g.mayBe(g.Kind, g.Signature))
	out.Changes = changes(g.Kind, g.proofs, g.Signature)
	if g.Kind == Unclear || g.Kind == Ambiguous {
		out.Decides = g.decides(g.Kind)
	}
	if why, others := g.reservation(g.Kind, g.Signature); why != "" {
		out.reserve(why, others, g.decides(g.Kind))
	}
	out.Links = append(out.Links, lawLinks(out.Why)...)
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
	if len(ids) == 0 || g.LastStreamID == nil || g.IDs[*g.LastStreamID] == ids[0].Count {
		return
	}
	before := g.LastStreamID
	g.LastStreamID, g.Requests = &ids[0].ID, nil
	g.count()
	for i, s := range g.Proves {
		if s.About == aboutNames[aboutLast] {
			g.Proves[i].Says = g.lastMeans()
			g.Proves[i].Words = strings.Replace(s.Words, fmt.Sprint(*before), fmt.Sprint(*g.LastStreamID), 1)
		}
	}
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
		if f.Kind == Unrelated || f.Kind == Plain {
			continue
		}
		if strings.HasPrefix(f.ID, "nginx-") {
			return "h2lab lint /etc/nginx/nginx.conf"
		}
		if strings.HasPrefix(f.ID, "envoy-") {
			return "h2lab lint envoy.yaml"
		}
		if len(f.Origins) > 0 {
			return probeOf(f.Origins[0])
		}
	}
	for _, f := range findings { // a closed connection may be the server's limit, whatever its text leaves out
		if f.Kind == Plain && len(f.Origins) > 0 && strings.HasPrefix(f.Origins[0], "https:") {
			return probeOf(f.Origins[0]) + "   # does this server end connections?"
		}
	}
	if len(findings) > 0 && findings[0].Kind != Unrelated && findings[0].Kind != Plain {
		return "h2lab probe https://HOST/   # the server that the client talks to: its limit, in a minute"
	}
	return "h2lab decode --list   # every text that is known"
}

// probeOf is the probe of a server. A cleartext one can only be probed on another port, which the text doesn't name.
func probeOf(origin string) string {
	if host, cleartext := strings.CutPrefix(origin, "http://"); cleartext {
		host, _, _ = strings.Cut(host, ":")
		return fmt.Sprintf("h2lab probe https://%s/   # add the port of its TLS listener: probe speaks TLS only", host)
	}
	return fmt.Sprintf("h2lab probe %s/", origin)
}

// WriteJSON writes the report as one JSON document.
func (r Report) WriteJSON(w io.Writer) error { return output.JSON(w, r) }
