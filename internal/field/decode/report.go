package decode

import (
	"cmp"
	"fmt"
	format "h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
	"io"
	"maps"
	"slices"
	"strings"
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
	// Next is a command to paste, "" if none would tell more.
	Next texts.Sentence `json:"next"`
}

// Reported is one diagnosis.
type Reported struct {
	// ID is the signature's, or "" if none matches.
	ID       string         `json:"id"`
	Kind     Kind           `json:"kind"`
	Title    texts.Sentence `json:"title"`
	Library  Words          `json:"library"`
	Versions Words          `json:"versions"`
	Count    int            `json:"count"`
	Input    string         `json:"first_input"`
	Line     int            `json:"first_line"`
	Text     string         `json:"text"`
	Facts    Facts          `json:"facts"`
	// Proves are the facts as statements, each with the words that prove it.
	Proves []Statement `json:"proves"`
	// Also are the kinds of the other events that the text states.
	Also []Kind `json:"also"`
	// MayBe are the other kinds that the same words can have.
	MayBe []Kind `json:"may_be"`
	// Reservation is why the kind is only one reading of the text; empty if the text proves it.
	Reservation   texts.Sentence `json:"reservation"`
	LastStreamIDs []IDCount      `json:"last_stream_ids"`
	Happened      texts.Sentence `json:"happened"`
	// Executed and Retry are null if the text is not about a request.
	Executed *Answer        `json:"executed"`
	Why      texts.Sentence `json:"why"`
	Retry    *Again         `json:"retry"`
	RetryWhy texts.Sentence `json:"retry_why"`
	Changes  []Change       `json:"changes"`
	// Decides are the facts that would decide, if the kind is unknown or only one reading.
	Decides []texts.Sentence `json:"decides"`
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
	r.Next = said(next(r.Findings))
	return r
}

// Tally groups findings by diagnosis: those that differ only in ids, hosts and times are one group.
type Tally struct {
	Inputs []Input
	// Events is the number of messages, Other the number of those that are not about HTTP/2.
	Events, Other int
	groups        map[string]*Group
	// first is a finding for the first message if decode can't read it: it counts if there is no other.
	first *Group
	// foreign is set if a message that decode can't read is of another protocol.
	foreign bool
	// missed is set if nothing shows that a message of a short input reports no failure of a connection.
	missed bool
	// told is set if a message says of a failure that it is something else, prose if one tells what programs do.
	told, prose bool
	// stages is told the values of each stage, if it isn't nil.
	stages func(stage string, value any)
}

// Group is all findings with the same diagnosis.
type Group struct {
	*Finding // the first
	Proves   []Statement
	Count    int
	Input    int // input and line of the first
	Line     int
	Text     string
	// IDs counts the last-stream-ids; More is how many findings had an id that is no longer counted
	// separately.
	IDs     map[uint32]int
	More    int
	Origins []string
}

const (
	mostIDs     = 64
	mostOrigins = 3
	// enoughOrigins is how many findings of a group are searched for a host.
	enoughOrigins = 1000
	mostText      = 240
)

// key identifies a diagnosis by its parts.
func key(f *Finding) string {
	id := "-"
	if f.Signature != nil {
		id = f.Signature.ID
	}
	return id + "\x00" + string(f.Kind) + "\x00" + f.Code + "\x00" + f.Direction
}

func (t *Tally) add(f *Finding, raw []byte, input, line int) {
	if t.groups == nil {
		t.groups = map[string]*Group{}
	}
	g := t.groups[key(f)]
	if g == nil {
		f.evidence = f.detailed()
		g = &Group{Finding: f, Proves: f.statements(), Input: input, Line: line,
			Text: excerpt(raw), IDs: map[uint32]int{}}
		t.groups[key(f)] = g
	}
	g.Count++
	if id := f.LastStreamID; id != nil {
		if _, known := g.IDs[*id]; known || len(g.IDs) < mostIDs {
			g.IDs[*id]++
		} else {
			g.More++
		}
	}
	if len(g.Origins) < mostOrigins && g.Count <= enoughOrigins {
		if o := f.origin(); o != nil && !slices.Contains(g.Origins, *o) {
			g.Origins = append(g.Origins, *o)
		}
	}
	if f != g.Finding { // the words of a group's first text decide what is said of the group
		f.text = text{}
	}
}

// excerpt is the part of an event to show: the original text without colours, from shortly before
// the match.
func excerpt(raw []byte) string {
	n := normaliser{}
	shown := n.uncoloured(raw)
	if len(shown) <= mostText {
		return format.ClipLine(string(shown), mostText)
	}
	x, end := theSignatures().terms, len(shown)
	x.each(shown, func(term uint16, at int) bool {
		end = min(end, at+len(x.terms[term])-1)
		return at < end
	})
	if end > mostText && end < len(shown) {
		shown = shown[end-mostText/2:]
	}
	return format.ClipLine(string(shown), mostText)
}

// Groups are the groups, the largest first.
func (t *Tally) Groups() []*Group {
	if len(t.groups) == 0 && t.Events <= fewLines && t.first != nil && !t.foreign {
		t.Other = t.Events - 1
		return []*Group{t.first}
	}
	if t.prose && t.Events <= fewLines { // what stands beside it without the sign of a record is of the same text
		maps.DeleteFunc(t.groups, func(_ string, g *Group) bool {
			return !re("record").MatchString(g.as) && !re("logging").MatchString(g.as)
		})
	}
	return slices.SortedFunc(maps.Values(t.groups), func(a, b *Group) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Input, b.Input),
			cmp.Compare(a.Line, b.Line))
	})
}

// rank orders diagnoses that need a change before the others.
func rank(g *Group) int {
	switch g.Kind {
	case Unrelated: // what it says of a connection says less than an event does
		return 4
	case Plain:
		return 3
	case Ambiguous, Unclear:
		return 2
	case ServerLog, Flood, Shortage, HandshakeLost, Obsolete:
		return 1
	}
	return 0
}

func (g *Group) reported(input string) Reported {
	g.commonest()
	v := g.verdict()
	out := Reported{Kind: g.Kind, Title: said(v.Title), Count: g.Count, Input: input, Line: g.Line, Text: g.Text,
		Facts: g.Facts, Proves: append([]Statement{}, g.Proves...), Also: v.Also, MayBe: v.MayBe, Reservation: said(v.Reservation),
		LastStreamIDs: g.ids(), Happened: said(v.Happened), Changes: v.Changes, Decides: []texts.Sentence{},
		Seen: []string{}, Links: []string{}, Origins: append([]string{}, g.Origins...)}
	if v.Executed != "" {
		out.Executed, out.Why, out.Retry, out.RetryWhy = &v.Executed, said(v.Why), &v.Again, said(v.ruling.Retry)
	}
	for _, d := range v.Decides {
		out.Decides = append(out.Decides, said(d))
	}
	if s := g.Signature; s != nil {
		out.ID, out.Library, out.Versions = s.ID, s.Library, s.Versions
		out.Links = append(out.Links, s.Links...)
		if !g.dropped {
			out.Seen = append(out.Seen, s.Seen...)
		}
	}
	for _, section := range []string{"6.8", "8.7"} { // of RFC 9113, which the reason cites
		if strings.Contains(texts.English.In(v.Why), "§"+section) {
			out.Links = append(out.Links, "https://www.rfc-editor.org/rfc/rfc9113.html#section-"+section)
		}
	}
	return out
}

func said(t facts.Text) texts.Sentence { return texts.Sentence(t) }

// commonest sets the group's facts to its most frequent last-stream-id: the first one is arbitrary.
func (g *Group) commonest() {
	ids := g.ids()
	if len(ids) == 0 || g.LastStreamID == nil || g.IDs[*g.LastStreamID] == ids[0].Count {
		return
	}
	before := g.LastStreamID
	g.LastStreamID = &ids[0].ID
	g.Facts = g.counted()
	for i, s := range g.Proves {
		if s.About == aboutNames[aboutLast] {
			g.Proves[i].Says = said(g.lastMeans())
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

// Statement is one thing that a text proves, with the words that prove it.
type Statement struct {
	About string         `json:"about"`
	Says  texts.Sentence `json:"says"`
	Words string         `json:"words"`
}

var aboutNames = [aboutMost]string{"speaker", "event", "direction", "code", "last_stream_id", "stream_id", "debug",
	"not_processed"}

// statements are what the text proves, in the order of printing.
func (e evidence) statements() (out []Statement) {
	for about, at := range e.at {
		says := e.says(about)
		if says.IsZero() || at.to <= at.from || at.to > len(e.as) {
			continue
		}
		out = append(out, Statement{aboutNames[about], said(says), format.ClipLine(strings.TrimSpace(e.as[at.from:at.to]), 80)})
	}
	return out
}

func (e evidence) says(about int) facts.Text {
	none := facts.Text{}
	switch about {
	case aboutSpeaker:
		return map[string]facts.Text{"client": facts.T("decode.writer-client"), "server": facts.T("decode.writer-server"),
			"proxy": facts.T("decode.writer-proxy")}[e.Speaker]
	case aboutEvent:
		return theNames().Event[e.Event].Means.Text
	case aboutDirection:
		return map[string]facts.Text{received: facts.T("decode.received"), sent: facts.T("decode.sent")}[e.Direction]
	case aboutCode:
		for _, c := range theNames().Code {
			if c.Name == e.Code {
				return facts.T("decode.code", c.Name, c.Means.Text)
			}
		}
	case aboutLast:
		return e.lastMeans()
	case aboutStream:
		if e.StreamID != nil {
			return facts.T("decode.stream", int(*e.StreamID))
		}
	case aboutDebug:
		if e.Debug == nil {
			return none
		}
		if known, ok := theNames().Debug[*e.Debug]; ok {
			return known.Means.with(*e.Debug)
		}
		if *e.Debug == "" {
			return facts.T("decode.no-debug")
		}
		return facts.T("decode.debug", *e.Debug)
	case aboutUnsent:
		if e.Unsent && e.Event != onUnsent {
			return facts.T("decode.not-processed")
		}
	}
	return none
}

// lastMeans is what a last-stream-id shows about the connection.
func (e evidence) lastMeans() facts.Text {
	switch id := e.LastStreamID; {
	case id == nil:
		return facts.Text{}
	case !e.impossible().IsZero():
		return facts.T("decode.last", int(*id), e.impossible())
	case *id == maxID:
		return facts.T("decode.last-announced")
	case *id == 0:
		return facts.T("decode.last-zero")
	default:
		return facts.T("decode.last", int(*id), carried(*id, e.Code))
	}
}

// limits name the known sources of a limit.
var limits = map[uint32]string{1000: "decode.limit-1000", 100: "decode.limit-100", 10000: "decode.limit-10000", 1: "decode.limit-1"}

// carried describes what a last-stream-id shows about the connection and its limit. A limit ends a
// connection without an error; after an error the number is arbitrary.
func carried(id uint32, code string) facts.Text {
	n, round := requests(id)
	says := facts.T("decode.requests", format.Count(n))
	if code != "" && code != "NO_ERROR" {
		return says
	}
	switch known := limits[n]; {
	case known != "":
		return facts.Join("join.semicolon", says, facts.T(known))
	case round:
		return facts.T("decode.requests-round", format.Count(n))
	}
	return facts.Join("join.semicolon", says, facts.T("decode.not-round"))
}

// next is the command to run next: a look at the configuration of the server that wrote the text, or a probe of the server. Its host isn't
// taken from the text, which may name anybody's.
func next(findings []Reported) facts.Text {
	for _, f := range findings {
		switch {
		case f.Kind == Unrelated || f.Kind == Plain:
		case strings.HasPrefix(f.ID, "nginx-"):
			return facts.Verbatim("h2lab lint /etc/nginx/nginx.conf")
		case strings.HasPrefix(f.ID, "envoy-"):
			return facts.Verbatim("h2lab lint envoy.yaml")
		}
	}
	if len(findings) > 0 && findings[0].Kind != Unrelated && findings[0].Kind != Plain {
		return facts.T("decode.next-server")
	}
	return facts.Text{}
}

// WriteJSON writes the report as one JSON document.
func (r Report) WriteJSON(w io.Writer) error { return output.JSON(w, r) }
