package clientreport

import (
	"maps"
	"slices"
	"strings"

	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/parts"
)

func (p *page) method() {
	p.Heading("How it was measured")
	p.load()
	p.PrintPhrase("- **The servers**: nginx with `keepalive_requests %d` (%s), nginx with 100,000 (%s), which no window "+
		"reaches, and, for clients with a fault at the first, Envoy with `max_requests_per_connection: %d` (%s). "+
		"nginx sends one GOAWAY and drops streams above its last-stream-id; "+
		"Envoy announces the GOAWAY first.\n",
		p.run.Limit, code(p.low), code(high), p.run.Limit, code(p.far))
	if p.byRenewals() {
		p.PrintPhrase("- **A client that used up too few connections** in such a window is measured again at a limit of %d, with "+
			"proportionally fewer requests in flight; its row names that limit. Variants that rely on the run's limit are not.\n",
			clientverdicts.LowerLimit)
	}
	p.PrintPhrase("- **The server counts the connections that it accepts**, while the client is paused. Every request " +
		"has an id, and the backend counts what it executed and how often.\n")
	p.PrintPhrase("- **A verdict needs a difference**: what a client also does at %s is not caused by the "+
		"limit. `internal/judge/clientverdicts/rule_*.go` has the thresholds and their reasons.\n",
		code(high))
	p.PrintPhrase("- **A call is hung** if it did not settle within the harness's patience; the libraries' own " +
		"timeouts have their defaults.\n")
	p.PrintPhrase("- **A snippet is the code that its variant runs**: " +
		"the run copies it from the program's source.\n")
	p.PrintPhrase("- **Trials**: %s of every cell, in an order drawn from seed %d. TLS %s, %s keys, "+
		"certificates verified.\n\n",
		p.Plural(p.run.Trials, parts.Trials), p.run.Seed, or(p.tls(), p.Say("of an unknown version")),
		or(strings.ToUpper(escape(p.run.Key)), p.Say("unknown")))
	p.environment()
}

// windows describes the length of the windows.
func (p *page) windows() string {
	if !p.byRenewals() {
		return seconds(p.run.DurationS)
	}
	return p.Say("until at least %d connections were renewed, at least %s and at most 15 s",
		clientverdicts.FewestRenewals, seconds(p.run.DurationS))
}

func (p *page) environment() {
	e := p.in.Result.Environment
	p.Printf("| | |\n|:--|:--|\n")
	row := func(name, value string) { p.Printf("| %s | %s |\n", escape(name), value) }
	processors := dash
	if e.Cores > 0 {
		processors = whole(e.Cores)
	}
	row(p.Say("Processor"), escape(or(e.CPU, dash)))
	row(p.Say("Cores"), processors)
	row(p.Say("System"), escape(or(e.OS, dash)))
	row(p.Say("Kernel"), escape(or(e.Kernel, dash)))
	commit := dash
	if e.Git.Commit != "" {
		commit = code(e.Git.Commit)
		if e.Git.Dirty {
			commit += p.Say(", with uncommitted changes")
		}
	}
	row(p.Say("Commit of the lab"), commit)
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		row(name, escape(or(e.Versions[name], dash)))
	}
}

func (p *page) care() {
	p.Heading("Limitations")
	trials := p.Say("Each row is from one short window of one trial")
	if p.run.Trials > 1 {
		trials = p.Say("Each row is from %d short windows", p.run.Trials)
	}
	p.PrintPhrase("- %s. **Counts** (connections, failures, duplicates, hung calls) vary between runs, but the "+
		"verdicts repeat; **times and goodput are only indicative**.\n", trials)
	if c := p.in.Result.Environment.Cores; c > 0 && c <= 4 {
		p.PrintPhrase("- Client, proxy and backend shared %s. A client that is slow here reaches the limit less "+
			"often than on a larger machine.\n", p.Plural(c, cores))
	}
	p.PrintPhrase("- **Another version may differ.** A row is about one version; " +
		"its section names the version that the library reported.\n")
	p.PrintPhrase("- *Sound* means that this load, one byte posted to one host, showed no fault. Neither *sound* nor a fault " +
		"says anything about the rest of the library.\n")
	p.PrintPhrase("- A request that failed without having been executed can always be sent again (RFC 9113 §8.7). One " +
		"that may have been executed can be sent again only if it is idempotent.\n")
}

// terms writes the glossary.
func (p *page) terms() {
	p.Heading("Terms")
	p.PrintPhrase("| Verdict | |\n|:--|:--|\n")
	for _, v := range clientverdicts.Verdicts {
		p.Printf("| %s | %s |\n", p.verdict(v), p.Say(meanings[v]))
	}
	p.PrintPhrase("\n| Column | |\n|:--|:--|\n")
	for _, c := range p.columns() {
		p.Printf("| %s | %s |\n", p.Say(c.head), p.Say(c.meaning))
	}
	p.PrintPhrase("\n*Renewal*: the replacement of a connection that has reached its limit. *Accepted*: " +
		"counted by the server.\n")
}

// load says what the programs send: a closed loop, or requests at a rate.
func (p *page) load() {
	if p.run.Rate == nil {
		p.PrintPhrase("- **All programs take the same flags** and keep one client object, as an ordinary application "+
			"does. %s requests are in flight in a closed loop; after a warm-up of %s from an empty pool "+
			"the window lasts %s.\n",
			whole(p.run.Concurrency), seconds(p.run.WarmupS), p.windows())
		return
	}
	p.PrintPhrase("- **All programs take the same flags** and keep one client object, as an ordinary application does. "+
		"%s requests arrive in a second, whether or not earlier ones are answered, and latency counts from when a request "+
		"was due; after a warm-up of %s from an empty pool the window lasts %s.\n",
		whole(int(p.run.Rate.PerS)), seconds(p.run.WarmupS), p.windows())
}
