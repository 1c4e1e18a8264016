package proc

import (
	"slices"

	"github.com/prometheus/procfs"
)

// Tree is a process and all its current descendants, in ascending order of pid. It is empty when
// the process has ended; a zombie has ended.
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

// stats reads every process except zombies; it omits those that end meanwhile.
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

// ended reports whether a process is a zombie or dead, by the state in proc(5). A zombie whose other
// threads are still ending keeps its files and ports open until the last of them has ended.
func ended(s procfs.ProcStat) bool { return (s.State == "Z" || s.State == "X") && s.NumThreads <= 1 }
