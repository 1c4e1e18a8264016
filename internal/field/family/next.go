package family

import (
	"fmt"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

// next is the command to run next.
func next(e facts.Endpoint, s server) string {
	const further = 10
	switch {
	case e.Ending == nil && e.Budget.Stopped == "" && e.URL != "" && e.Budget.AskedUpTo > 0 &&
		e.Budget.AskedUpTo*further <= cure.Requests(0):
		return fmt.Sprintf("h2lab probe --max-streams %d %s", e.Budget.AskedUpTo*further, quoted(e.URL))
	case s.find != "":
		return s.find
	case e.URL != "":
		return "curl -sv -o /dev/null " + quoted(e.URL)
	}
	return ""
}

// quoted quotes a word for a POSIX shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
