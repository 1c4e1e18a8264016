package clientreport

import "h2lab/internal/facts"

// Warnings are what to know about the whole run before its first number: the
// page and the terminal show this list and no other.
func Warnings(r *facts.Result) []string {
	var out []string
	if r.Run.Interrupted {
		out = append(out, "the run was interrupted; what was finished is here")
	}
	return append(out, r.Run.Warnings...)
}
