package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/rogpeppe/go-internal/diff"

	"h2lab/internal/facts"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/runreport"
	"h2lab/internal/report/translations"
)

// The files of a run beside results.json and verdicts.json.
const (
	baselineDir = "baseline" // a copy of the repro that a fixed run is set beside
	diffFile    = "config/limit.diff"
)

// keepBaseline copies a repro's results and timelines into a fixed run, whose
// report must be drawn from its own directory alone. It returns the repro's id.
func keepBaseline(from, run string) (string, error) {
	r, err := results.Read(from)
	if err != nil {
		return "", err
	}
	to := filepath.Join(run, baselineDir)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	if err := results.Write(to, r); err != nil {
		return "", err
	}
	for _, c := range r.Cells {
		for _, t := range c.Trials {
			if t.Series == "" {
				continue
			}
			s, err := results.ReadSeries(from, t.Series)
			if err != nil {
				return "", err
			}
			if err := results.WriteSeries(to, t.Series, s); err != nil {
				return "", err
			}
		}
	}
	return r.Run.ID, nil
}

// keepDiff keeps the lesson of the two nginx configurations with the run.
func keepDiff(root, dir string) error {
	low, high := "nginx/keepalive-1000.conf", "nginx/keepalive-100000.conf"
	a, err := os.ReadFile(filepath.Join(root, low))
	if err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(root, high))
	if err != nil {
		return err
	}
	return write(dir, diffFile, diff.Diff(low, a, high, b))
}

// input reads everything a report is drawn from, out of dir alone.
func input(dir string) (runreport.Input, error) {
	r, err := results.Read(dir)
	if err != nil {
		return runreport.Input{}, err
	}
	in := runreport.Input{Result: r, Series: seriesIn(dir)}
	if r.Run.Baseline != "" {
		beside := filepath.Join(dir, baselineDir)
		if in.Baseline, err = results.Read(beside); err != nil {
			return in, fmt.Errorf("the repro that this run is set beside: %w", err)
		}
		in.BaselineSeries = seriesIn(beside)
	}
	d, err := os.ReadFile(filepath.Join(dir, diffFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return in, err
	}
	in.Diff = string(d)
	in.Verdicts = runverdicts.Judge(r, in.Baseline)
	return in, nil
}

func seriesIn(dir string) func(string) (facts.Series, error) {
	return func(rel string) (facts.Series, error) { return results.ReadSeries(dir, rel) }
}

// draw judges a run and writes its verdicts and its report, in both languages.
func draw(dir string) (runreport.Input, error) {
	in, err := input(dir)
	if err != nil {
		return in, err
	}
	if err := results.WriteVerdicts(dir, in.Verdicts); err != nil {
		return in, err
	}
	charts, err := drawIn(dir, in, nil)
	if err != nil {
		return in, err
	}
	zh := in
	zh.Language, zh.Verdicts = translations.Chinese, runverdicts.JudgeIn(translations.Chinese, in.Result, in.Baseline)
	_, err = drawIn(dir, zh, charts)
	return in, err
}

// drawIn writes the report in one language, as text and as a page. The charts
// are the English report's, which is drawn first.
func drawIn(dir string, in runreport.Input, charts map[string][]byte) (map[string][]byte, error) {
	files, err := runreport.Build(in)
	if err != nil {
		return nil, fmt.Errorf("drawing the report of %s: %w", dir, err)
	}
	for name, b := range files {
		if err := write(dir, name, b); err != nil {
			return nil, err
		}
	}
	maps.Copy(files, charts)
	return files, writeReportPage(dir, in, files)
}

func write(dir, name string, b []byte) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(path, b, 0o644)
}

// finish draws the report of a run, says the short of it on stdout, and, where
// the run can be held to it, compares the verdicts with what the command promises.
func finish(a *app, resultsDir, dir string, promised bool) error {
	in, err := draw(dir)
	if err != nil {
		return err
	}
	if err := results.Link(resultsDir, filepath.Base(dir)); err != nil {
		return err
	}
	in.Path = a.show(filepath.Join(dir, "report.md"))
	fmt.Fprint(a.stdout, runreport.Short(in, terminal(a.stdout) && colours()))
	if !promised {
		return nil
	}
	if err := runverdicts.Kept(in.Result.Run.Command, in.Verdicts); err != nil {
		return contradiction{err}
	}
	return nil
}
