package workshop

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

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

// The states of exercise 6.
const (
	curesSyntax State = "syntax"
	curesPlace  State = "place"
	curesLow    State = "low"
	curesNoH2   State = "no-http2"
	curesRefuse State = "refused"
	curesWire   State = "wire"
	curesPrice  State = "price"
	curesAge    State = "age"
)

// cures is exercise 6: raise the limit that applies to HTTP/2, and name a price.
func cures() Exercise {
	return Exercise{
		Number: 6, Name: "cures", Files: []string{nginxFile, priceFile},
		Check: checkCures,
	}
}

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
	text, err := d.read(6, priceFile)
	if err != nil {
		return Finding{}, err
	}
	if price := namedPrice(text); price != "" {
		return done("%s, and you named a cost: %s", f.said, say(price)), nil
	}
	return lacks(curesPrice, "%s, but %s names no cost of a high limit from docs/advise.md", f.said,
		shown(6, priceFile)), nil
}

// prices are the costs of a high limit among the choices in price.txt. The others are of a low one, or of none.
var prices = map[string]string{"b": "memory", "d": "rebalancing"}

// namedPrice returns the cost of the letter in price.txt, or "".
func namedPrice(text string) string {
	var own []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		own = append(own, strings.Fields(strings.ToLower(line))...)
	}
	if len(own) != 1 {
		return ""
	}
	return prices[strings.Trim(own[0], "().")]
}

// lintCure reads the file as `h2lab lint` does.
func (d *Desk) lintCure() (lint.Report, Finding, error) {
	text, err := d.read(6, nginxFile)
	if err != nil {
		return lint.Report{}, Finding{}, err
	}
	report, err := nginxconf.Lint([]lint.File{{Name: d.path(6, nginxFile), Data: []byte(text)}}, lint.Options{})
	var syntax *lint.SyntaxError
	if errors.As(err, &syntax) && syntax.Line == 0 {
		return report, lacks(curesSyntax, "%s: %s", shown(6, nginxFile), strings.TrimSuffix(syntax.What, ".")), nil
	}
	if errors.As(err, &syntax) {
		return report, lacks(curesSyntax, "line %d of %s: %s", syntax.Line, shown(6, nginxFile),
			strings.TrimSuffix(syntax.What, ".")), nil
	}
	return report, done(""), err
}

// leastAge is how many seconds a connection must last: at 1,000 requests a second it gets far more than enough of them.
const leastAge = 60

// judgeCure decides which limit an HTTP/2 connection gets.
func judgeCure(report lint.Report) Finding {
	ignored := false
	for _, x := range report.Findings {
		ignored = ignored || x.Rule == "nginx/location-ignored"
	}
	speaks := false
	for _, l := range report.Listeners {
		if !l.Speaks("h2") {
			continue
		}
		speaks = true
		switch low := l.Limit.Requests == nil || *l.Limit.Requests < enough; {
		case low && ignored:
			return lacks(curesPlace, "the listener %s gives an HTTP/2 connection %s requests, and a higher limit "+
				"is at a level that HTTP/2 ignores", l.Address, l.Limit)
		case low:
			return lacks(curesLow, "the listener %s gives an HTTP/2 connection %s requests, and the exercise "+
				"requires %d",
				l.Address, l.Limit, enough)
		}
	}
	if !speaks {
		return lacks(curesNoH2, "no listener of %s speaks HTTP/2", shown(6, nginxFile))
	}
	return done("")
}

// judgeAge looks for an age that the probe, which is fast, didn't meet.
func judgeAge(report lint.Report) Finding {
	for _, l := range report.Listeners {
		if l.Speaks("h2") && l.Age.Seconds != nil && *l.Age.Seconds < leastAge {
			return lacks(curesAge, "the listener %s ends each connection after %g s, so only a fast client gets %d requests on one",
				l.Address, *l.Age.Seconds, enough)
		}
	}
	return done("")
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
	if out.status != 0 {
		return lacks(curesRefuse, "nginx refuses %s: %s", shown(6, nginxFile), nginxWords(out)), nil
	}
	return done(""), nil
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
		return lacks(curesRefuse, "nginx takes %s and then can't be reached at %s and %s: %s", name, cureServer.Front,
			cureServer.Counters, firstLine(err)), nil
	}
	limit, err := probe.RequestLimit(ctx, probe.Target{
		Addr:   cureServer.Front,
		CAFile: filepath.Join(d.Root, caFile),
	}, enough, 0)
	if down := site.Down(context.WithoutCancel(ctx)); down != nil || ctx.Err() != nil {
		return Finding{}, errors.Join(ctx.Err(), down)
	}
	if err != nil {
		return lacks(curesWire, "nginx runs %s, but the probe reports: %s", name, firstLine(err)), nil
	}
	if limit.Effective != nil && *limit.Effective < enough {
		return lacks(curesWire, "nginx runs %s and ends a connection after %d requests", name, *limit.Effective), nil
	}
	return done("a connection got %d requests from the real nginx and would have got more", limit.ProbedRequests), nil
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
