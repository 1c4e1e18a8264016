package document

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/family"
	"h2lab/internal/field/output"
)

// next is the command to run next.
func next(e facts.Endpoint, v family.Verdict, q output.Question) string {
	const further = 10
	switch c, b := v.Cause, e.Budget; {
	case strings.HasPrefix(v.Family, "grpc") && q.Method == "GET" && (b.AskedUpTo == 0 ||
		slices.ContainsFunc(e.Asked, cause.CalledUnused)): // some reset anything but a call, or count only calls as use
		q.Method, q.Header = "POST", append(q.Header, "content-type: application/grpc", "te: trailers")
		return q.Command("probe")
	case c.Kind == cause.None && b.Stopped == "" && b.AskedUpTo > 0 && b.AskedUpTo*further <= cure.Requests(0):
		return q.Command("probe", fmt.Sprintf("--max-streams %d", rounded(b.AskedUpTo*further)))
	case c.Kind == cause.None && strings.Contains(b.Stopped, "--max-time"):
		return q.Command("probe", "--max-time 10m")
	case strings.Contains(b.Stopped, "--method HEAD"):
		q.Method = "HEAD"
		return q.Command("probe")
	case strings.Contains(b.Stopped, "resets streams") && !strings.Contains(b.Stopped, "REFUSED_STREAM"):
		return q.Command("trace")
	case slices.Contains(c.Fits, cause.Idle) && e.Idle == nil && !q.HTTP1:
		return q.Command("probe", "--idle 1m")
	case strings.Contains(b.Stopped, "endless stream"):
		q.URL = otherPath(q.URL)
		return q.Command("probe")
	case strings.Contains(b.Stopped, "--timeout"):
		return q.Command("probe", "--timeout 1m")
	case b.Stopped != "":
		return q.Command("probe", "--rate 20")
	case c.Kind == cause.Unclear:
		return q.Command("probe", "--connections 4")
	case len(v.Among) > 1 && e.Idle == nil && e.Protocol == facts.H2: // that tells several of them apart
		return q.Command("probe", "--idle 1m")
	case c.Kind == cause.Neither, c.Kind == cause.Several, c.Kind == cause.Failure, c.Unanswered, v.Find == "":
		return q.Command("trace")
	case c.Kind == cause.Count && strings.HasPrefix(v.Find, "grep "):
		return v.Find + "   # no output: it isn't set there"
	}
	return v.Find
}

// otherPath is a URL of the same server with a path that most servers answer at once, be it with 404.
func otherPath(from string) string {
	u, err := url.Parse(from)
	if err != nil {
		return from
	}
	path := "/"
	if u.Path == "" || u.Path == "/" {
		path = "/robots.txt"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String()
}

// rounded rounds up to one significant digit.
func rounded(n int) int {
	unit := 1
	for n/unit >= 10 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}
