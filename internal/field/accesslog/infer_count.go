package accesslog

const (
	// leastGroups is how many connections of the sample must have several requests for numbers without a name
	// to count as theirs, leastCounted how many lines those must have.
	leastGroups, leastCounted = 3, 20
)

// mostTried limits the columns that are compared with one another.
const mostTried = 48

// others are names of what is counted like a connection's requests, and is none: a user's, a process's.
var others = []string{"user", "uid", "account", "customer", "member", "tenant", "device", "pid", "process", "worker", "thread", "tid"}

// counting finds a number of the connection and one of the request on it where neither has a name: within the lines
// that have the first in common, the second counts, and the client is the same.
func (a *assigned) counting(cols []column, used []bool) {
	named := a.has(fConnection) || a.has(fID)
	var of, n []int
	for i := range cols {
		if anyOf(words(cols[i].path), others...) {
			continue
		}
		number := cols[i].all(isNumber)
		if a.is(i, fConnection, fID) || !named && !used[i] && (number || len(cols[i].path) == 0 && cols[i].all(isName)) {
			of = append(of, i)
		}
		if number && (!used[i] || a.is(i, fOrdinal, fOrdinal0)) {
			n = append(n, i)
		}
	}
	client := a.clients(cols)
	for _, i := range of[:min(len(of), mostTried)] {
		for _, j := range n[:min(len(n), mostTried)] {
			switch {
			case i == j:
			case counts(&cols[i], &cols[j], client, 1):
				a.counted(cols, i, j)
				return
			case counts(&cols[i], &cols[j], client, streams):
				a.streamed(i)
				return
			}
		}
	}
}

// counted takes the two columns for the connection's and the request's number.
func (a *assigned) counted(cols []column, i, j int) {
	a[fConnection], a[fID], a[fOrdinal], a[fOrdinal0] = 0, 0, 0, 0
	if cols[i].all(isNumber) {
		a[fConnection] = i + 1
	} else {
		a[fID] = i + 1
	}
	if cols[j].fits(fOrdinal) {
		a[fOrdinal] = j + 1
	} else {
		a[fOrdinal0] = j + 1
	}
}

// streamed takes a column for the connection's name, since another one has the numbers of its streams. They don't
// number the requests of HTTP/1.1 in the same log, and nothing says that the connections' numbers have no gaps.
func (a *assigned) streamed(i int) {
	a[fConnection], a[fID], a[fOrdinal], a[fOrdinal0] = 0, i+1, 0, 0
}

func (a *assigned) is(i int, fs ...field) bool {
	for _, f := range fs {
		if a[f] == i+1 {
			return true
		}
	}
	return false
}

// clients is the column with the client's address.
func (a *assigned) clients(cols []column) *column {
	for _, f := range []field{fPeer, fAddr} {
		if a.has(f) {
			return &cols[a[f]-1]
		}
	}
	return nil
}

// streams is the step of HTTP/2's stream ids: a client's are odd (RFC 9113, 5.1.1).
const streams = 2

// counts reports whether the second column counts the lines with the same value of the first, in steps.
func counts(of, n, client *column, step uint64) bool {
	type group struct {
		lines    int
		seen     map[uint64]bool
		from, to uint64
		client   string
		mixed    bool
	}
	groups := map[string]*group{}
	for l, v := range of.values {
		x, ok := digits([]byte(n.values[l]), mostOrdinal)
		if !ok || v == "" || v == "-" {
			continue
		}
		if step == streams && x%2 == 0 {
			return false
		}
		g := groups[v]
		if g == nil {
			g = &group{seen: map[uint64]bool{}, from: x, to: x}
			groups[v] = g
		}
		if client != nil {
			c := client.values[l]
			g.mixed = g.mixed || g.lines > 0 && g.client != c
			g.client = c
		}
		g.lines++
		g.seen[x] = true
		g.from, g.to = min(g.from, x), max(g.to, x)
	}
	good, bad, lines := 0, 0, 0
	for _, g := range groups {
		switch {
		case g.lines < 2:
		case !g.mixed && len(g.seen) == g.lines && g.to-g.from < step*uint64(g.lines+g.lines/2+2):
			good, lines = good+1, lines+g.lines
		default:
			bad++
		}
	}
	return good >= leastGroups && lines >= leastCounted && 10*bad <= good
}
