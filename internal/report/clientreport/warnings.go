package clientreport

import "h2lab/internal/facts"

// Warnings apply to the whole run. The page and the terminal print exactly this list before the
// first number.
func Warnings(r *facts.Result) []string {
	var out []string
	if r.Run.Interrupted {
		out = append(out, "the run was interrupted; finished trials are included")
	}
	return append(out, r.Run.Warnings...)
}
