// Record merges rows of the client matrix that were measured by themselves into both recordings of the
// matrix. testdata/record.sh runs it, from the checkout.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/results"
)

// recordings get one run each: they show that two measurements agree, so both can't have the same one.
var recordings = []string{"clients", "clients-again"}

func main() {
	if len(os.Args) != 2+len(recordings) {
		fmt.Fprintln(os.Stderr, "usage: record ONLY results/ID results/ID")
		os.Exit(2)
	}
	if err := record(".", "testdata/recorded", os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "record: %v\n", err)
		os.Exit(1)
	}
}

// record merges the rows that only names from each run into its recording. It checks both before it writes.
func record(root, recorded, only string, runs []string) error {
	all, err := clients.Read(root, "clients")
	if err != nil {
		return err
	}
	chosen, err := clients.Only(all, strings.Split(only, ","))
	if err != nil {
		return err
	}
	from, into := make([]*facts.Result, len(recordings)), make([]*facts.Result, len(recordings))
	for i, name := range recordings {
		if from[i], err = results.Read(runs[i]); err != nil {
			return err
		}
		if into[i], err = results.Read(filepath.Join(recorded, name)); err != nil {
			return err
		}
		if err := fits(into[i], from[i], names(chosen)); err != nil {
			return fmt.Errorf("%s doesn't fit into the recording %s: %w", runs[i], name, err)
		}
		merge(into[i], from[i], names(all))
	}
	if from[0].Run.Seed == from[1].Run.Seed {
		return errors.New("both runs have one seed: measure twice, without SEED")
	}
	for i, name := range recordings {
		if err := results.Write(filepath.Join(recorded, name), into[i]); err != nil {
			return err
		}
	}
	return nil
}

func names(all []clients.Ecosystem) (names []facts.Client) {
	for _, e := range all {
		for _, c := range e.Clients {
			names = append(names, c.Name)
		}
	}
	return names
}

// fits checks that a run has these rows and no others, and measured them as the recording did.
func fits(into, from *facts.Result, rows []facts.Client) error {
	wrong := results.Missing(from)
	for _, c := range from.Cells {
		if !slices.Contains(rows, c.Client) {
			wrong = append(wrong, fmt.Sprintf("it has another row, %s", c.Client))
		}
		if !c.Unsupported.IsZero() {
			wrong = append(wrong, c.ID()+" could not run")
		}
	}
	for _, name := range rows {
		if !slices.ContainsFunc(from.Cells, func(c facts.Cell) bool { return c.Client == name }) {
			wrong = append(wrong, fmt.Sprintf("it lacks the row %s", name))
		}
	}
	if from.Environment.Git.Dirty {
		wrong = append(wrong, "it was measured with changes that were not committed")
	}
	for _, name := range differing(into.Run, from.Run) {
		wrong = append(wrong, "it was measured with another "+name)
	}
	for _, s := range from.Environment.Servers {
		for _, was := range into.Environment.Servers {
			if s.Name == was.Name && (s.Version != was.Version || s.ConfigHash != was.ConfigHash) {
				wrong = append(wrong, s.Name+" has another version or file: record the whole matrix again")
			}
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// own are the fields of a run that differ from those of another run that measures the same.
var own = []string{"ID", "Repeat", "Started", "Finished", "Seed", "Planned", "Warnings"}

// differing are the other fields in which two runs differ.
func differing(was, is facts.Run) (names []string) {
	a, b := reflect.ValueOf(was), reflect.ValueOf(is)
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if !slices.Contains(own, name) && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			names = append(names, name)
		}
	}
	return names
}

// merge replaces the cells of the run's rows, in the order of a run of the whole matrix: by topology, then by row.
func merge(into, from *facts.Result, all []facts.Client) {
	var topologies []string
	for _, c := range append(slices.Clone(into.Cells), from.Cells...) {
		if !slices.Contains(topologies, c.Topology) {
			topologies = append(topologies, c.Topology)
		}
	}
	into.Cells = slices.DeleteFunc(into.Cells, func(was facts.Cell) bool {
		return slices.ContainsFunc(from.Cells, func(c facts.Cell) bool { return c.Client == was.Client })
	})
	into.Cells = append(into.Cells, from.Cells...)
	slices.SortStableFunc(into.Cells, func(a, b facts.Cell) int {
		return cmp.Or(cmp.Compare(slices.Index(topologies, a.Topology), slices.Index(topologies, b.Topology)),
			cmp.Compare(slices.Index(all, a.Client), slices.Index(all, b.Client)))
	})
	into.Run.Planned = nil
	for _, c := range into.Cells {
		into.Run.Planned = append(into.Run.Planned, c.ID())
	}
}
