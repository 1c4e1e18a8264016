//go:build !windows

package main

// expanded: the shell has expanded patterns.
func expanded(args []string) []string { return args }
