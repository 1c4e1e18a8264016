package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/runreport"
	"h2lab/internal/report/translations"
)

// diffFile is the file beside results.json with the difference between the two nginx configurations.
const diffFile = "config/limit.diff"

// keepDiff stores the difference between the two nginx configurations with the run.
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

// input reads everything that a report is drawn from, from dir alone.
func input(dir string) (runreport.Input, error) {
	r, err := results.Read(dir)
	if err != nil {
		return runreport.Input{}, err
	}
	in := runreport.Input{Result: r, Series: seriesIn(dir)}
	d, err := readIn(dir, diffFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return in, err
	}
	in.Diff = string(d)
	in.Verdicts = runverdicts.Judge(r)
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
	if err := results.WriteVerdicts(dir, runverdicts.Judgement(in.Result)); err != nil {
		return in, err
	}
	charts, err := drawIn(dir, in, nil)
	if err != nil {
		return in, err
	}
	zh := in
	zh.Language, zh.Verdicts = translations.Chinese, runverdicts.JudgeIn(translations.Chinese, in.Result)
	_, err = drawIn(dir, zh, charts)
	return in, err
}

// drawIn writes the report in one language, as text and as a page. Both languages use the charts of
// the English report, which is drawn first.
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

// write writes a file inside a run's directory (package rooted rejects any other path).
func write(dir, name string, b []byte) error {
	d, err := rooted.Make(dir)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // what was written is synced already
	if err := d.Write(name, b); err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

// readIn reads a file inside a run's directory and rejects any other path.
func readIn(dir, name string) ([]byte, error) {
	d, err := rooted.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close() //nolint:errcheck // opened for reading only
	return d.Read(name, mostOfAFile)
}

// finish draws the report of a run and prints its summary on stdout. Where the run is long enough
// to decide, it compares the verdicts with what the command claims to show.
func finish(a *app, resultsDir, dir string, promised bool) error {
	in, err := draw(dir)
	if err != nil {
		return err
	}
	if err := results.Link(resultsDir, filepath.Base(dir)); err != nil {
		return err
	}
	in.Path = a.show(filepath.Join(dir, "report.md"))
	coloured := terminal(a.stdout) && colours()
	// its text is escaped already, and the colours are h2lab's own
	fmt.Fprint(text.Raw(a.stdout), runreport.Short(in, coloured))
	if !promised {
		return nil
	}
	if err := runverdicts.Kept(in.Result.Run.Command, in.Verdicts); err != nil {
		return exitstatus.Contradicts(err)
	}
	return nil
}
