// Command slides builds the workshop's slides: for each language one HTML file that needs no network
// and no other file. docs/workshop/slides.md is their text; reveal.js shows them.
//
//	go run ./tools/slides             writes slides/, with reveal.js of tools/slides/node_modules
//	go run ./tools/slides --pictures  draws docs/workshop/pictures again
//
// tools/slides.sh fetches reveal.js first. Both run in the checkout's directory.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/pictures"
)

func main() {
	redraw := flag.Bool("pictures", false, "draw docs/workshop/pictures again, from testdata/recorded")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "slides: no argument is known, not even %q; next: make slides\n", flag.Arg(0))
		os.Exit(exitstatus.Usage)
	}
	do := build
	if *redraw {
		do = draw
	}
	if err := do("."); err != nil {
		fmt.Fprintf(os.Stderr, "slides: %v\n", err)
		os.Exit(exitstatus.Failed)
	}
}

// recorded reads the recorded runs of a checkout.
func recorded(root string) pictures.Recorded {
	in := func(run string) string { return filepath.Join(root, "testdata", "recorded", run) }
	return pictures.Recorded{
		Run:    func(run string) (*facts.Result, error) { return results.Read(in(run)) },
		Series: func(run, file string) (facts.Series, error) { return results.ReadSeries(in(run), file) },
	}
}

const workshopDir = "docs/workshop"

func draw(root string) error {
	files, err := pictures.Draw(recorded(root))
	if err != nil {
		return err
	}
	for name, b := range files {
		if err := write(filepath.Join(root, workshopDir, "pictures", name), b); err != nil {
			return err
		}
	}
	return nil
}

// build writes the slides of both languages and prints their paths.
func build(root string) error {
	for _, l := range languages {
		b, err := l.page(root)
		if err != nil {
			return err
		}
		name := filepath.Join("slides", l.file)
		if err := write(filepath.Join(root, name), b); err != nil {
			return err
		}
		fmt.Println(name)
	}
	return nil
}

// write writes a whole file or none, and the directories above it.
func write(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return rooted.WriteFile(name, b)
}
