package clientreport

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"h2lab/internal/judge/clientverdicts"
)

func (p *page) method() {
	p.heading("How it was measured")
	p.printf("- **Every program speaks one command line** and keeps one client object as an ordinary application "+
		"does. %s requests are in flight in a closed loop; after a warm-up of %s from an empty pool "+
		"the window lasts %s.\n",
		whole(p.run.Concurrency), seconds(p.run.WarmupS), p.windows())
	p.printf("- **The servers**: nginx with `keepalive_requests %d` (%s), nginx with 100,000 (%s), which no window "+
		"reaches, and, for clients with a fault at the first, Envoy with `max_requests_per_connection: %d` (%s). "+
		"nginx says GOAWAY in one stage and drops what is under way above the number it names; "+
		"Envoy announces it first.\n",
		p.run.Limit, code(p.low), code(high), p.run.Limit, code(p.far))
	if p.byRenewals() {
		p.printf("- **A client that used up too few connections** in such a window is measured at a limit of %d with "+
			"as much fewer requests in flight, and its row says so. Variants whose code counts on the limit are not.\n",
			clientverdicts.LowerLimit)
	}
	p.printf("- **Connections are counted where they are accepted**, while the client stands still. Every request " +
		"has an id, and the backend counts what it executed and how often.\n")
	p.printf("- **A verdict needs a difference**: what a client does at %s as well is its own trouble, not the "+
		"limit's doing. The thresholds and their reasons stand in `internal/judge/clientverdicts/rule_*.go`.\n",
		code(high))
	p.printf("- **A call is hung** when it did not settle within the harness's patience; the libraries' own " +
		"time-outs are at their defaults.\n")
	p.printf("- **A snippet is the code that its variant runs**; " +
		"it is cut out of the program's source when the run is made.\n")
	p.printf("- **Trials**: %s of every cell, in an order drawn from seed %d. TLS %s, %s keys, "+
		"certificates verified.\n\n",
		plural(p.run.Trials, "trial", "trials"), p.run.Seed, or(p.tls(), "of an unknown version"),
		or(strings.ToUpper(escape(p.run.Key)), "unknown"))
	p.environment()
}

// windows describes the length of the windows.
func (p *page) windows() string {
	if !p.byRenewals() {
		return seconds(p.run.DurationS)
	}
	return fmt.Sprintf("until at least %d connections were renewed, at least %s and at most 15 s",
		clientverdicts.FewestRenewals, seconds(p.run.DurationS))
}

func (p *page) environment() {
	e := p.in.Result.Environment
	p.printf("| | |\n|:--|:--|\n")
	row := func(name, value string) { p.printf("| %s | %s |\n", escape(name), value) }
	cores := dash
	if e.Cores > 0 {
		cores = whole(e.Cores)
	}
	row("Processor", escape(or(e.CPU, dash)))
	row("Cores", cores)
	row("System", escape(or(e.OS, dash)))
	row("Kernel", escape(or(e.Kernel, dash)))
	commit := dash
	if e.Git.Commit != "" {
		commit = code(e.Git.Commit)
		if e.Git.Dirty {
			commit += ", with changes that are not committed"
		}
	}
	row("Commit of the lab", commit)
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		row(name, escape(or(e.Versions[name], dash)))
	}
}

func (p *page) care() {
	p.heading("Read this with care")
	trials := "Each row rests on one short window of one trial"
	if p.run.Trials > 1 {
		trials = fmt.Sprintf("Each row rests on %d short windows", p.run.Trials)
	}
	p.printf("- %s. **Counts** (connections, failures, duplicates, hung calls) repeat from run to run as far as "+
		"verdicts go; **times and goodput are indicative** only.\n", trials)
	if c := p.in.Result.Environment.Cores; c > 0 && c <= 4 {
		p.printf("- Client, proxy and backend shared %s. A client that is slow here met the limit less "+
			"often than it would elsewhere.\n", plural(c, "core", "cores"))
	}
	p.printf("- **Another version may differ.** A row says what one version did; " +
		"the section names it as the library told it itself.\n")
	p.printf("- *Sound* means that no fault was seen with this load: one byte posted to one host. It is no praise of " +
		"a library, nor is a fault a verdict on the rest of it.\n")
	p.printf("- A request that failed without having been executed may always be sent again (RFC 9113 §8.7). One " +
		"that may have been executed may not, unless it is idempotent.\n")
}

// words writes the glossary.
func (p *page) words() {
	p.heading("The words")
	p.printf("| Verdict | |\n|:--|:--|\n")
	for _, v := range clientverdicts.Verdicts {
		p.printf("| %s | %s |\n", verdict(v), meanings[v])
	}
	p.printf("\n| Column | |\n|:--|:--|\n")
	for _, c := range p.columns() {
		p.printf("| %s | %s |\n", c.head, c.meaning)
	}
	p.printf("\n*Renewal*: the moment at which a connection is used up and its requests need another. *Accepted*: " +
		"counted by the server.\n")
}
