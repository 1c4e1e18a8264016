package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"h2lab/internal/base/await"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/system"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/merge"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/rundir"
	"h2lab/internal/workshop"
)

type replayCmd struct {
	viewFlags `embed:""`
	Recorded  string  `arg:"" optional:"" name:"run" env:"RUN" help:"Directory of a run. Default: testdata/recorded/repro."`
	Rounds    int     `env:"ROUNDS" default:"1" help:"Trials of each cell that are played."`
	Speed     float64 `env:"SPEED" default:"1" help:"How many times faster than it was recorded."`
	Serve     bool    `env:"SERVE" default:"true" negatable:"" help:"Serve the live view. --no-serve only draws the report."`
}

// Run draws the report from the raw data alone and plays the timelines back. It doesn't change the
// recorded run.
func (c *replayCmd) Run(a *app) error {
	if c.Rounds < 1 || !(c.Speed >= 0.1 && c.Speed <= 100) {
		return exitstatus.WrongUsage(fmt.Errorf("ROUNDS=%d SPEED=%g: ROUNDS is 1 or more, SPEED 0.1 to 100",
			c.Rounds, c.Speed))
	}
	if err := a.placeForResults(c.Results); err != nil {
		return err
	}
	from := c.Recorded
	if from == "" {
		from = filepath.Join(a.root, "testdata", "recorded", "repro")
	}
	r, err := results.Read(from)
	if err != nil {
		return err
	}
	to := "replay-" + r.Run.ID
	if err := rooted.Element(to); err != nil {
		return fmt.Errorf("%s: run.id: %w", a.show(filepath.Join(from, results.File)), err)
	}
	if err := rundir.CopyMeasured(from, a.resultsDir(c.Results), to); err != nil {
		return fmt.Errorf("copying the raw data of %s: %w", a.show(from), err)
	}
	dir := filepath.Join(a.resultsDir(c.Results), to)
	run, err := rundir.Draw(dir)
	if err != nil {
		return err
	}
	page := run.Page(a.language)
	fmt.Fprintf(a.stdout, "%s\n", a.show(filepath.Join(dir, page)))
	if !c.Serve {
		return nil
	}
	if r.Run.Command == plan.Clients || !r.Run.Observed {
		a.tell("command.run-no-timelines-play")
		return nil
	}
	return c.serve(a, live.Replay(r, rundir.SeriesIn(dir), c.Rounds, c.Speed), func() []byte { return drawnPage(dir, page) })
}

// drawnPage returns a page of a run's directory as HTML, or nil where there is none.
func drawnPage(dir, page string) []byte {
	b, err := results.ReadFile(dir, strings.TrimSuffix(page, ".md")+".html")
	if err != nil {
		return nil
	}
	return b
}

// viewFlags are the flags for the address of the page.
type viewFlags struct {
	Port int `env:"PORT" default:"18190" help:"Port of the page on 127.0.0.1; 0 is any free one."`
	resultsFlag
}

type liveCmd struct {
	viewFlags `embed:""`
}

// Run shows whatever is being measured, until Ctrl-C.
func (c *liveCmd) Run(a *app) error {
	ctx, stop := context.WithCancel(a.ctx)
	dir, watched := a.resultsDir(c.Results), make(chan struct{})
	go func() {
		defer close(watched)
		live.Watch(ctx, a.root, dir, a.fronts(dir))
	}()
	defer func() { stop(); <-watched }()
	return c.serve(a, live.Follow(filepath.Join(dir, live.File)), func() []byte {
		latest := filepath.Join(dir, results.Latest)
		if report := drawnPage(latest, a.page("report.md")); report != nil {
			return report
		}
		return drawnPage(latest, a.page("clients.md"))
	})
}

// serve shows a feed on loopback only, until Ctrl-C.
func (c *viewFlags) serve(a *app, feed live.Feed, report func() []byte) error {
	if c.Port < 0 || c.Port > 65535 {
		return exitstatus.WrongUsage(fmt.Errorf("PORT=%d is no port: use 1 to 65535, or 0 for any free one", c.Port))
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)))
	if err != nil {
		return fmt.Errorf("the page can't be served: %w; choose another port with PORT=0", err)
	}
	fmt.Fprintf(a.stdout, "http://%s/\n", l.Addr())
	a.tell("command.open-browser-ctrl-c")
	err = live.Serve(a.ctx, l, feed, report, a.pageWords())
	if a.ctx.Err() != nil {
		return nil
	}
	return errors.Join(errors.New("the page ended"), err)
}

// pageWords are the Chinese texts of the page. Where the user names no language, the browser chooses.
func (a *app) pageWords() live.Words {
	if a.named && a.language == texts.English {
		return live.Words{}
	}
	return live.Chinese(a.named)
}

// fronts are the servers of up, under the names that up prints.
func (a *app) fronts(results string) func() []live.Front {
	lab := a.lab(results, nil)
	return func() []live.Front {
		own, _ := workshop.OwnLimit(a.root) // 0, unknown, with a file that holds no seed
		return lab.Fronts(own, func(t facts.Topology, low int) string {
			if low != own {
				return t.Name
			}
			name, _ := workshop.FrontName(t)
			return name
		})
	}
}

type reportCmd struct {
	Runs []string `arg:"" optional:"" name:"run" env:"RUN" sep:"none" help:"Directories of runs. Default: the newest."`
	resultsFlag
}

// Run draws reports again. It measures nothing and judges by the same rules as a new run.
func (c *reportCmd) Run(a *app) error {
	dirs := c.Runs
	if len(dirs) == 0 {
		dirs = []string{filepath.Join(a.resultsDir(c.Results), results.Latest)}
	}
	for _, dir := range dirs {
		r, err := rundir.Draw(dir)
		if err != nil {
			return err
		}
		for _, m := range results.Missing(r.Result) {
			a.tell("command.missing-3", m)
		}
		fmt.Fprintf(a.stdout, "%s\n", a.show(filepath.Join(dir, r.Page(a.language))))
	}
	return nil
}

type mergeCmd struct {
	Logs    []string `arg:"" name:"logs" sep:"none" help:"Logs of the k6 processes (TALLY=log), or directories of logs."`
	Out     string   `placeholder:"DIR" help:"Directory for results.json and the report. Default: one with the run's id as its name."`
	Partial bool     `help:"Merge incomplete logs. The report names what is missing."`
}

// Run makes one result and its report from the logs of k6 processes that shared a test.
func (c *mergeCmd) Run(a *app) error {
	r, err := await.Result(a.ctx, func() (*facts.Result, error) { // a log may be a pipe
		return merge.Merge(merge.Order{Paths: c.Logs, Partial: c.Partial})
	})
	if err != nil {
		return err
	}
	if c.Out == "" {
		c.Out = r.Run.ID
	}
	if err := fill(c.Out, func(dir string) error {
		if err := results.Write(dir, r); err != nil {
			return err
		}
		_, err := rundir.Draw(dir)
		return err
	}); err != nil {
		return err
	}
	t := r.Cells[0].Trials[0]
	for _, w := range append(r.Run.Warnings, t.Warnings...) {
		a.message("h2lab: %s", texts.English.In(w))
	}
	fmt.Fprintf(a.stdout, "%s\n", a.show(filepath.Join(c.Out, a.page(rundir.ReportPage))))
	return nil
}

// fill writes to a directory that is not there, or is there and empty, and leaves nothing there when write fails. One that
// is there stays: it may be a container's volume, the target of a link, or the directory that the user is in.
func fill(out string, write func(dir string) error) (err error) {
	files, err := os.ReadDir(out)
	switch {
	case err == nil && len(files) > 0:
		return exitstatus.WrongUsage(fmt.Errorf("%s has files already, such as %s: give another directory with --out",
			out, files[0].Name()))
	case system.NoDirectory.Is(err):
		return exitstatus.WrongUsage(fmt.Errorf("%s is a file, or is below one: give a directory with --out", out))
	case errors.Is(err, fs.ErrNotExist):
		defer func() {
			if err != nil {
				_ = os.Remove(out) // it is empty again
			}
		}()
		if _, link := os.Lstat(out); link == nil {
			return unwritten(out, fmt.Errorf("%s is a link to what is not there", out))
		}
		err = os.MkdirAll(out, 0o755)
	}
	if err != nil {
		return unwritten(out, err)
	}
	dir, err := os.MkdirTemp(out, ".h2lab-merge-")
	if err != nil {
		return unwritten(out, err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it has files only after an error, which is returned
	if err := write(dir); err != nil {
		return unwritten(out, err)
	}
	if files, err = os.ReadDir(dir); err != nil {
		return unwritten(out, err)
	}
	for i, f := range files {
		if err := os.Rename(filepath.Join(dir, f.Name()), filepath.Join(out, f.Name())); err != nil {
			for _, moved := range files[:i] {
				err = errors.Join(err, os.RemoveAll(filepath.Join(out, moved.Name())))
			}
			return unwritten(out, err)
		}
	}
	return nil
}

// unwritten is the error of a result that has no place. The name of the file that failed is a temporary one.
func unwritten(out string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("the result can't be written to %s: %w; make room or give another directory with --out", out, err)
}
