package main

import (
	"path/filepath"
	"strings"
)

// expanded replaces patterns by the files that they match: the shells of Windows pass *.log to the program
// as it is. A word that matches no file stays, since it may be a text to decode or a URL.
func expanded(args []string) (out []string) {
	for _, arg := range args {
		if found, err := filepath.Glob(arg); err == nil && len(found) > 0 && strings.ContainsAny(arg, "*?[") {
			out = append(out, found...)
			continue
		}
		out = append(out, arg)
	}
	return out
}
