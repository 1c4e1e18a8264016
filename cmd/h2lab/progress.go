package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"h2lab/internal/base/text"
	"h2lab/internal/lab/conduct"
)

// progress shows how far a run is: one line that is redrawn on a terminal, plain lines elsewhere.
type progress struct {
	app *app
	// drawn is whether stderr is a terminal; the bar is made when the number of trials is known.
	drawn bool
	bar   *progressbar.ProgressBar
}

func newProgress(a *app) *progress {
	return &progress{app: a, drawn: terminal(a.stderr)}
}

// newBar makes a bar without a spinner, so that h2lab draws nothing during a trial, while the
// machine is being measured.
func newBar(w io.Writer, total int) *progressbar.ProgressBar {
	return progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(20),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(), progressbar.OptionEnableColorCodes(colours()))
}

// terminal reports whether w is a terminal that can redraw a line.
func terminal(w io.Writer) bool {
	f, ok := file(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// colours reports whether to use colour (https://no-color.org).
func colours() bool { return os.Getenv("NO_COLOR") == "" }

func (p *progress) step(s conduct.Step) {
	switch s.What {
	case "verify":
		p.line(p.app.say("command.verify-probing-limit-wire", s.Cell))
	case "closed loop":
		p.line(p.app.say("command.rate-closed-loop", s.Cell))
	case "trial":
		p.trial(s)
	case "done":
		p.stop()
	}
}

func (p *progress) trial(s conduct.Step) {
	if !p.drawn {
		p.app.message("%s", p.app.say("command.trial-left", s.Done+1, s.Total, s.Cell, s.Trial, s.Left))
		return
	}
	if p.bar == nil {
		p.bar = newBar(text.Raw(p.app.stderr), s.Total)
	}
	p.bar.Describe(p.app.say("command.trial-left-2", s.Cell, s.Trial, s.Left.Round(time.Second)))
	_ = p.bar.Set(s.Done) // a bar that can't be drawn is no reason to stop measuring
}

func (p *progress) line(words string) {
	p.stop()
	p.app.message("%s", words)
}

// stop removes the bar from the terminal.
func (p *progress) stop() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
