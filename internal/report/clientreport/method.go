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
	p.printf("- **All programs take the same flags** and keep one client object, as an ordinary application "+
		"does. %s requests are in flight in a closed loop; after a warm-up of %s from an empty pool "+
		"the window lasts %s.\n",
		whole(p.run.Concurrency), seconds(p.run.WarmupS), p.windows())
	p.printf("- **The servers**: nginx with `keepalive_requests %d` (%s), nginx with 100,000 (%s), which no window "+
		"reaches, and, for clients with a fault at the first, Envoy with `max_requests_per_connection: %d` (%s). "+
		"nginx sends one GOAWAY and drops streams above its last-stream-id; "+
		"Envoy announces the GOAWAY first.\n",
		p.run.Limit, code(p.low), code(high), p.run.Limit, code(p.far))
	if p.byRenewals() {
		p.printf("- **A client that used up too few connections** in such a window is measured again at a limit of %d, with "+
			"proportionally fewer requests in flight; its row names that limit. Variants that rely on the run's limit are not.\n",
			clientverdicts.LowerLimit)
	}
	p.printf("- **The server counts the connections that it accepts**, while the client is paused. Every request " +
		"has an id, and the backend counts what it executed and how often.\n")
	p.printf("- **A verdict needs a difference**: what a client also does at %s is not caused by the "+
		"limit. `internal/judge/clientverdicts/rule_*.go` has the thresholds and their reasons.\n",
		code(high))
	p.printf("- **A call is hung** if it did not settle within the harness's patience; the libraries' own " +
		"timeouts have their defaults.\n")
	p.printf("- **A snippet is the code that its variant runs**: " +
		"the run copies it from the program's source.\n")
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
			commit += ", with uncommitted changes"
		}
	}
	row("Commit of the lab", commit)
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		row(name, escape(or(e.Versions[name], dash)))
	}
}

func (p *page) care() {
	p.heading("Limitations")
	trials := "Each row is from one short window of one trial"
	if p.run.Trials > 1 {
		trials = fmt.Sprintf("Each row is from %d short windows", p.run.Trials)
	}
	p.printf("- %s. **Counts** (connections, failures, duplicates, hung calls) vary between runs, but the "+
		"verdicts repeat; **times and goodput are only indicative**.\n", trials)
	if c := p.in.Result.Environment.Cores; c > 0 && c <= 4 {
		p.printf("- Client, proxy and backend shared %s. A client that is slow here reaches the limit less "+
			"often than on a larger machine.\n", plural(c, "core", "cores"))
	}
	p.printf("- **Another version may differ.** A row is about one version; " +
		"its section names the version that the library reported.\n")
	p.printf("- *Sound* means that this load, one byte posted to one host, showed no fault. Neither *sound* nor a fault " +
		"says anything about the rest of the library.\n")
	p.printf("- A request that failed without having been executed can always be sent again (RFC 9113 §8.7). One " +
		"that may have been executed can be sent again only if it is idempotent.\n")
}

// terms writes the glossary.
func (p *page) terms() {
	p.heading("Terms")
	p.printf("| Verdict | |\n|:--|:--|\n")
	for _, v := range clientverdicts.Verdicts {
		p.printf("| %s | %s |\n", verdict(v), meanings[v])
	}
	p.printf("\n| Column | |\n|:--|:--|\n")
	for _, c := range p.columns() {
		p.printf("| %s | %s |\n", c.head, c.meaning)
	}
	p.printf("\n*Renewal*: the replacement of a connection that has reached its limit. *Accepted*: " +
		"counted by the server.\n")
}
