package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"h2lab/internal/conduct"
)

// progress shows where a run is: one line that is drawn again on a terminal,
// plain lines elsewhere.
type progress struct {
	app *app
	bar *progressbar.ProgressBar // nil when stderr is no terminal
}

func newProgress(a *app) *progress {
	p := &progress{app: a}
	if terminal(a.stderr) {
		p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(a.stderr), progressbar.OptionSetWidth(20),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(false),
			progressbar.OptionEnableColorCodes(colours()))
	}
	return p
}

// terminal reports whether w is a terminal that can draw a line again.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// colours reports whether colour is welcome (https://no-color.org).
func colours() bool { return os.Getenv("NO_COLOR") == "" }

func (p *progress) step(s conduct.Step) {
	switch s.What {
	case "verify":
		p.line(fmt.Sprintf("verify  %s: probing the limit on the wire", s.Cell))
	case "trial":
		p.trial(s)
	case "done":
		p.stop()
	}
}

func (p *progress) trial(s conduct.Step) {
	if p.bar == nil {
		p.app.say("%3d/%d  %s, trial %d, %s left", s.Done+1, s.Total, s.Cell, s.Trial, s.Left)
		return
	}
	if p.bar.GetMax() != s.Total {
		p.bar.ChangeMax(s.Total)
	}
	p.bar.Describe(fmt.Sprintf("%s, trial %d, %s left", s.Cell, s.Trial, s.Left.Round(time.Second)))
	_ = p.bar.Set(s.Done) // a bar that can't be drawn is no reason to stop measuring
}

func (p *progress) line(words string) {
	p.stop()
	p.app.say("%s", words)
}

// stop takes the bar off the terminal.
func (p *progress) stop() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
