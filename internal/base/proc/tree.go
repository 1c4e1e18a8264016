package proc

import (
	"slices"

	"github.com/prometheus/procfs"
)

// Tree is a process and all its descendants, in ascending order of pid, as of
// now. It is empty when the process is gone. A zombie is gone: it has ended
// and only waits to be read.
func Tree(pid int) []int {
	children := map[int][]int{}
	living := map[int]bool{}
	for _, s := range stats() {
		living[s.PID] = true
		children[s.PPID] = append(children[s.PPID], s.PID)
	}
	if !living[pid] {
		return nil
	}
	tree := []int{pid}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i]]...)
	}
	slices.Sort(tree)
	return tree
}

// Group is every living process of a process group.
func Group(pgid int) []int {
	var out []int
	for _, s := range stats() {
		if s.PGRP == pgid {
			out = append(out, s.PID)
		}
	}
	slices.Sort(out)
	return out
}

// stats reads every process but zombies; those that end meanwhile are left out.
func stats() []procfs.ProcStat {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	var out []procfs.ProcStat
	for _, p := range all {
		if s, err := p.Stat(); err == nil && !ended(s) {
			out = append(out, s)
		}
	}
	return out
}

// ended reports a process that runs no more: zombie or dead, as proc(5) names them.
func ended(s procfs.ProcStat) bool { return s.State == "Z" || s.State == "X" }
