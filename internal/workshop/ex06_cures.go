package workshop

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/nginxconf"
	"h2lab/internal/field/probe"
	"h2lab/internal/lab/native"
)

const (
	nginxFile = "nginx.conf"
	priceFile = "price.txt"
	// enough is the least limit that the exercise accepts as a cure.
	enough = 10_000
)

// cureServer is the nginx of exercise 6, on the ports that its file names.
var cureServer = facts.Server{Name: "workshop-06", Kind: facts.Nginx, Config: Learner + "/06/" + nginxFile,
	Front: "127.0.0.1:18161", Counters: "127.0.0.1:18162"}

// checkCures: raise the limit that applies to HTTP/2, and name a price.
func checkCures(ctx context.Context, d *Desk) (Finding, error) {
	tools, err := native.FindTools(ctx, d.Root, "nginx")
	if err != nil {
		return Finding{}, err
	}
	report, f, err := d.lintCure()
	if err != nil || f.State != Done {
		return f, err
	}
	if f, err = d.testCure(ctx, tools); err != nil || f.State != Done {
		return f, err
	}
	if f = judgeCure(report); f.State != Done {
		return f, nil
	}
	if f, err = d.runCure(ctx, tools); err != nil || f.State != Done {
		return f, err
	}
	if aged := judgeAge(report); aged.State != Done {
		return aged, nil
	}
	said, err := d.read(6, priceFile)
	price := namedPrice(said)
	return first(
		rule{price.IsZero(), "price", facts.T("workshop.no-cost", f.Says, shown(6, priceFile))},
		rule{true, Done, facts.T("workshop.named-cost", f.Says, price)},
	), err
}

// prices are the costs of a high limit among the choices in price.txt. The others are of a low one, or of none.
var prices = map[string]facts.Text{"b": facts.T("workshop.memory"), "d": facts.T("workshop.rebalancing")}

// namedPrice returns the cost of the letter in price.txt; no text if it is no cost, or not one letter.
func namedPrice(said string) facts.Text {
	var own []string
	for line := range strings.Lines(said) {
		line, _, _ = strings.Cut(line, "#")
		own = append(own, strings.Fields(strings.ToLower(line))...)
	}
	return prices[strings.Trim(strings.Join(own, " "), "().")]
}

// lintCure reads the file as `h2lab lint` does.
func (d *Desk) lintCure() (lint.Report, Finding, error) {
	said, err := d.read(6, nginxFile)
	if err != nil {
		return lint.Report{}, Finding{}, err
	}
	report, err := nginxconf.Lint([]lint.File{{Name: d.path(6, nginxFile), Data: []byte(said)}}, lint.Options{})
	var syntax *lint.SyntaxError
	if errors.As(err, &syntax) {
		what, name := strings.TrimSuffix(syntax.What, "."), shown(6, nginxFile)
		return report, first(
			rule{syntax.Line == 0, "syntax", facts.T("workshop.in-file", name, what)},
			rule{true, "syntax", facts.T("workshop.on-line", syntax.Line, name, what)},
		), nil
	}
	return report, Finding{State: Done}, err
}

// leastAge is how many seconds a connection must last: at 1,000 requests a second it gets far more than enough of them.
const leastAge = 60

// judgeCure decides which limit an HTTP/2 connection gets.
func judgeCure(report lint.Report) Finding {
	ignored := slices.ContainsFunc(report.Findings, func(x lint.Finding) bool { return x.Rule == "nginx/location-ignored" })
	speaks := false
	for _, l := range report.Listeners {
		if !l.Speaks("h2") {
			continue
		}
		speaks = true
		low := l.Limit.Requests == nil || *l.Limit.Requests < enough
		if f := first(
			rule{low && ignored, "place", facts.T("workshop.ignored-level", l.Address, l.Limit.String())},
			rule{low, "low", facts.T("workshop.low-limit", l.Address, l.Limit.String(), enough)},
		); f.State != Done {
			return f
		}
	}
	return first(rule{!speaks, "no-http2", facts.T("workshop.no-http2", shown(6, nginxFile))})
}

// judgeAge looks for an age that the probe, which is fast, didn't meet.
func judgeAge(report lint.Report) Finding {
	for _, l := range report.Listeners {
		if l.Speaks("h2") && l.Age.Seconds != nil && *l.Age.Seconds < leastAge {
			return lacks("age", facts.T("workshop.ends-at-age", l.Address, text.Number(*l.Age.Seconds), enough))
		}
	}
	return Finding{State: Done}
}

// testCure checks the file with the real nginx (nginx -t).
func (d *Desk) testCure(ctx context.Context, tools native.Tools) (Finding, error) {
	out, err := task{
		dir:    d.Root,
		within: 3 * time.Second,
		argv:   []string{tools["nginx"], "-t", "-q", "-p", abs(d.Root) + "/", "-c", cureServer.Config, "-e", "stderr"},
	}.run(ctx)
	if err != nil {
		return Finding{}, err
	}
	return first(rule{out.status != 0, "refused",
		facts.T("workshop.refuses", shown(6, nginxFile), nginxWords(out))}), nil
}

// runCure runs nginx with the file and measures the limit.
func (d *Desk) runCure(ctx context.Context, tools native.Tools) (Finding, error) {
	name := shown(6, nginxFile)
	logs, err := os.MkdirTemp("", "h2lab-workshop-")
	if err != nil {
		return Finding{}, err
	}
	defer func() { _ = os.RemoveAll(logs) }()
	site, err := native.Up(ctx, native.Options{
		Root:        d.Root,
		Tools:       tools,
		LogDir:      logs,
		ReadyWithin: 4 * time.Second,
		Grace:       2 * time.Second,
	}, []facts.Server{cureServer})
	var taken *native.PortError
	var cert *native.CertificateError
	switch {
	case errors.As(err, &taken), errors.As(err, &cert), ctx.Err() != nil:
		return Finding{}, err
	case err != nil:
		return lacks("refused",
			facts.T("workshop.unreachable", name, cureServer.Front, cureServer.Counters, firstLine(err))), nil
	}
	limit, err := probe.RequestLimit(ctx, probe.Target{
		Addr:   cureServer.Front,
		CAFile: filepath.Join(d.Root, caFile),
	}, enough, 0)
	if down := site.Down(context.WithoutCancel(ctx)); down != nil || ctx.Err() != nil {
		return Finding{}, errors.Join(ctx.Err(), down)
	}
	if err != nil {
		return lacks("wire", facts.T("workshop.probe-reports", name, firstLine(err))), nil
	}
	if limit.Effective != nil && *limit.Effective < enough {
		return lacks("wire", facts.T("workshop.ends-after", name, *limit.Effective)), nil
	}
	return done(facts.T("workshop.got-requests", limit.ProbedRequests)), nil
}

// nginxWords is nginx's message without its level and without the lab's paths.
func nginxWords(out outcome) string {
	for line := range strings.Lines(out.stderr) {
		if _, what, ok := strings.Cut(line, "[emerg] "); ok {
			what = regexp.MustCompile(`^\d+#\d+: `).ReplaceAllString(what, "") // the process, which differs from run to run
			return quoted(strings.TrimSpace(regexp.MustCompile(`/[^\s"]*/(workshop/06/)`).ReplaceAllString(what, "$1")))
		}
	}
	return out.lastWords()
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return quoted(line)
}

func abs(path string) string {
	if p, err := filepath.Abs(path); err == nil {
		return p
	}
	return path
}
