package clientreport

import (
	"bytes"
	"encoding/json"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
)

// SchemaVersion is the version of clients.json. A field may be added; renaming or removing one
// raises it.
const SchemaVersion = 1

// document is clients.json. Rows are in the order of the manifests. Counts are sums over a cell's
// trials; null means unknown, never 0.
type document struct {
	SchemaVersion int          `json:"schema_version"`
	Run           jsonRun      `json:"run"`
	Summary       []jsonTally  `json:"summary"` // verdicts that occur, the worst first
	Clients       []jsonClient `json:"clients"`
}

// jsonRun is the requested workload.
type jsonRun struct {
	ID          string  `json:"id"`
	Repeat      string  `json:"repeat"` // the command line that measures the same again
	Seed        uint64  `json:"seed"`
	Limit       int     `json:"limit"` // requests on one connection
	Concurrency int     `json:"concurrency"`
	WarmupS     float64 `json:"warmup_s"`   // seconds
	DurationS   float64 `json:"duration_s"` // seconds
	Trials      int     `json:"trials"`
}

type jsonTally struct {
	Verdict clientverdicts.Verdict `json:"verdict"`
	Rows    int                    `json:"rows"`
}

// jsonClient is one row.
type jsonClient struct {
	Client    facts.Client   `json:"client"` // its name, unique; client-NAME is its anchor in clients.md
	Ecosystem string         `json:"ecosystem"`
	Library   string         `json:"library"`
	Says      string         `json:"says"`
	Protocol  facts.Protocol `json:"protocol"` // h1 or h2
	Told      jsonTold       `json:"told"`
	// Verdict is the worst that holds: lies, crashes, hangs, duplicates, loses, storms,
	// inconclusive, sound or unsupported. Also lists the others that hold.
	Verdict clientverdicts.Verdict   `json:"verdict"`
	Limit   int                      `json:"limit"`   // at which the verdict was reached, requests on one connection
	Default bool                     `json:"default"` // the library with its default settings
	Also    []clientverdicts.Verdict `json:"also"`
	Reasons []string                 `json:"reasons"` // one for each verdict
	Notes   []string                 `json:"notes"`
	Near    []string                 `json:"near"` // numbers close to a threshold
	// FailsAnyway is true if the client fails without the limit as well.
	FailsAnyway bool `json:"own_trouble"`
	// Low, High and Envoy are the figures at nginx-N, nginx-100000 and envoy-N, where N is limit;
	// null if nothing was measured.
	Low   *jsonFigures `json:"low"`
	High  *jsonFigures `json:"high"`
	Envoy *jsonFigures `json:"envoy"`
	// GoodputVsHigh is the goodput at the low limit divided by that at the high limit.
	GoodputVsHigh *float64 `json:"goodput_vs_high"`
	// EnvoyVerdict is the verdict at envoy-N, empty if not measured.
	EnvoyVerdict clientverdicts.Verdict `json:"envoy_verdict"`
	// CuredBy lists the variants measured sound in this run; Cures lists all that were tried.
	CuredBy []facts.Client `json:"cured_by"`
	Cures   []jsonCure     `json:"cures"`
	// CureFor, Price and Snippet belong to a variant that is meant to cure another.
	CureFor facts.Client  `json:"cure_for"`
	Price   string        `json:"price"`
	Snippet facts.Snippet `json:"snippet"`
}

// jsonTold are the versions that the program reported; they may be empty.
type jsonTold struct {
	Library string `json:"library"`
	Runtime string `json:"runtime"`
}

// jsonCure is the outcome of a cure: cured, partly, did-not-cure or cant-be-told.
type jsonCure struct {
	Client  facts.Client           `json:"client"`
	Outcome clientverdicts.Outcome `json:"outcome"`
	Words   string                 `json:"words"`
}

// jsonFigures are a cell's numbers: counts of requests or of connections, as their names say,
// summed over the trials that have figures.
type jsonFigures struct {
	Trials     int           `json:"trials"`
	Faults     []facts.Fault `json:"faults"` // of trials whose program failed
	Attempts   int64         `json:"attempts"`
	Succeeded  int64         `json:"succeeded"`
	Failed     int64         `json:"failed"`
	Per1000    *float64      `json:"failed_per_1000"`
	Hung       *int64        `json:"hung"`
	Accepted   *int64        `json:"accepted"` // connections
	Used       *int64        `json:"used"`     // connections
	Expected   *int64        `json:"needed"`   // connections
	Renewals   *int64        `json:"renewals"` // connections that were used up, or replaced before that
	Executed   *int64        `json:"executed"`
	Distinct   *int64        `json:"distinct"`
	Duplicates *int64        `json:"duplicates"`  // executed − distinct
	Unanswered *int64        `json:"unanswered"`  // executed − succeeded
	GoodputRPS *float64      `json:"goodput_rps"` // successes a second, median of the trials
	Errors     []facts.Error `json:"errors"`
}

func (p *page) json() ([]byte, error) {
	d := document{SchemaVersion: SchemaVersion, Summary: []jsonTally{}, Clients: []jsonClient{},
		Run: jsonRun{ID: p.Run.ID, Repeat: p.Run.Repeat, Seed: p.Run.Seed, Limit: p.Run.Limit,
			Concurrency: p.Run.Concurrency,
			WarmupS:     p.Run.WarmupS, DurationS: p.Run.DurationS, Trials: p.Run.Trials}}
	for _, t := range clientverdicts.Count(p.rows) {
		d.Summary = append(d.Summary, jsonTally{t.Verdict, t.Rows})
	}
	for i := range p.rows {
		d.Clients = append(d.Clients, jsonOf(&p.rows[i]))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // keeps messages searchable with grep
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return b.Bytes(), err
}

func jsonOf(r *clientverdicts.Row) jsonClient {
	out := jsonClient{Client: r.Client, Ecosystem: r.Program.Ecosystem, Library: r.Program.Library,
		Says: r.Program.Says, Protocol: r.Protocol,
		Told: jsonTold{r.Library, r.Runtime}, Verdict: r.Verdict, Limit: r.Limit, Default: r.Program.Default,
		Also: list(r.Also), Reasons: texts.English.AllIn(r.Reasons), Notes: texts.English.AllIn(r.Notes),
		Near:        texts.English.AllIn(r.Near),
		FailsAnyway: r.FailsAnyway, Low: jsonFiguresOf(r.At), High: jsonFiguresOf(r.Without),
		Envoy:         jsonFiguresOf(r.ByEnvoy),
		GoodputVsHigh: r.Relative, EnvoyVerdict: r.SavedByEnvoy, CuredBy: r.CuredBy(), Cures: []jsonCure{},
		CureFor: r.Program.Cures, Price: r.Program.Price, Snippet: r.Program.Snippet}
	for _, c := range r.Cures {
		out.Cures = append(out.Cures, jsonCure{c.Client, c.Outcome, texts.English.In(c.Words)})
	}
	return out
}

func jsonFiguresOf(f *clientverdicts.Figures) *jsonFigures {
	if f == nil {
		return nil
	}
	return &jsonFigures{Trials: f.Trials, Faults: list(f.Faults), Attempts: f.Attempts, Succeeded: f.Succeeded,
		Failed: f.Failed, Per1000: f.PerThousand(),
		Hung: f.Hung, Accepted: f.Accepted, Used: f.Used, Expected: f.Expected, Renewals: renewals(f), Executed: f.Executed,
		Distinct:   f.Distinct,
		Duplicates: f.Duplicates, Unanswered: f.Unanswered, GoodputRPS: f.Goodput, Errors: list(f.Errors)}
}

// list returns a list that isn't null in JSON.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}
