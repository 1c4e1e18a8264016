package accesslog

import "strings"

// assigned is which column is read as which field.
type assigned [fields]int

func (a *assigned) has(f field) bool { return a[f] > 0 }
func (a *assigned) set(f field, i int) {
	if a[f] == 0 {
		a[f] = i + 1
	}
}

// identifies reports whether the fields say which connection a line is of.
func (a *assigned) identifies() bool {
	return a.has(fConnection) || a.has(fID) || a.has(fPeer) || a.has(fAddr) && a.has(fPort)
}

// assign finds out which columns of a sample are which fields: by their names where those and the values agree,
// then by the values alone.
func assign(cols []column) *assigned {
	a := &assigned{}
	used := make([]bool, len(cols))
	for rank := range 3 { // the likeliest meaning of every name first
		for i := range cols {
			m := cols[i].meanings()
			if used[i] || rank >= len(m) {
				continue
			}
			f := m[rank]
			if f == fAddr && cols[i].fits(fPeer) {
				f = fPeer
			}
			if f == fConnection && !cols[i].fits(f) {
				f = fID
			}
			if !a.has(f) && cols[i].fits(f) && plausible(cols, i, f) {
				a.set(f, i)
				used[i] = true
			}
		}
	}
	a.byValues(cols, used)
	a.finestTime(cols)
	a.settle(cols)
	return a
}

// plausible reports whether a name in several lines is a connection's: it isn't the same in all of them.
func plausible(cols []column, i int, f field) bool {
	return f != fID || cols[i].certain() && cols[i].several()
}

// byValues finds what has no name: a time, a request, a status, the client, and numbers that count.
func (a *assigned) byValues(cols []column, used []bool) {
	forms := []struct {
		f  field
		is func(string) bool
	}{
		{fTimeISO, isTime}, {fID, isKestrel}, {fRequest, isRequest}, {fStatus, isStatus}, {fPeer, isPeer}, {fAddr, isAddr},
	}
	for _, form := range forms {
		if a.has(form.f) || form.f == fID && a.has(fConnection) || form.f == fTimeISO && a.timed() || form.f == fAddr && a.has(fPeer) {
			continue
		}
		for i := range cols {
			if used[i] || len(cols[i].path) > 0 && form.f != fTimeISO && form.f != fRequest && form.f != fID || !cols[i].all(form.is) ||
				form.f == fPeer && !cols[i].manyPorts() {
				continue
			}
			a.set(form.f, i)
			used[i] = true
			break
		}
	}
	if !a.has(fOrdinal) && !a.has(fOrdinal0) || !a.has(fConnection) && !a.has(fID) {
		a.counting(cols, used)
	}
	if !a.identifies() {
		a.ports(cols, used)
	}
	if !a.identifies() {
		a.sessions(cols)
	}
	a.clientOf(cols, used)
}

// clientOf finds the client's address under a name that doesn't say so: each connection has one of them.
func (a *assigned) clientOf(cols []column, used []bool) {
	connection := max(a[fConnection], a[fID])
	if connection == 0 || a.clients(cols) != nil {
		return
	}
	for i := range cols {
		if c := &cols[i]; !used[i] && c.all(isAddr) && c.several() && !anyOf(words(c.path), otherEnds...) &&
			oneEach(&cols[connection-1], c) {
			a.set(fAddr, i)
			return
		}
	}
}

// finestTime takes the time from another column where that has fractions of the same seconds.
func (a *assigned) finestTime(cols []column) {
	at := a[fTimeISO]
	if at == 0 || cols[at-1].fractions(nil) {
		return
	}
	for i := range cols {
		if cols[i].all(isTime) && cols[i].fractions(&cols[at-1]) {
			a[fTimeISO] = i + 1
			return
		}
	}
}

func (a *assigned) timed() bool {
	return a.has(fTimeISO) || a.has(fTimeLocal) || a.has(fTimeUnix) || a.has(fTimeHAProxy)
}

// several reports whether a column has more than two values: one or two are a server's.
func (c *column) several() bool {
	seen := map[string]bool{}
	for _, v := range c.values {
		seen[v] = true
	}
	return len(seen) > 2
}

// manyPorts reports whether addresses with ports are clients': servers have few ports.
func (c *column) manyPorts() bool {
	ports := column{}
	for _, v := range c.values {
		ports.values = append(ports.values, v[strings.LastIndexByte(v, ':')+1:])
	}
	return ports.several() && ports.all(isEphemeral)
}

// ports finds a client's port without a name: no two clients share it, and it comes back. Sizes and durations are
// small, or common to several clients.
func (a *assigned) ports(cols []column, used []bool) {
	if !a.has(fAddr) {
		return
	}
	clients := cols[a[fAddr]-1].values
	for i := len(cols) - 1; i >= 0; i-- {
		if used[i] || len(cols[i].path) > 0 || !cols[i].all(isEphemeral) || !cols[i].several() {
			continue
		}
		of, lines, shared := map[string]string{}, 0, 0
		for l, v := range cols[i].values {
			if c, known := of[v]; known && c != clients[l] {
				shared++
			}
			of[v] = clients[l]
			lines++
		}
		addresses := map[string]bool{}
		for _, c := range of {
			addresses[c] = true
		}
		if len(addresses) >= leastGroups && 2*len(of) <= lines && 20*shared <= lines {
			a.set(fPort, i)
			return
		}
	}
}

// sessions finds the number that Varnish gives to a connection, which it calls a session. Its requests take numbers from
// the same counter (varnish-cache.org, vsl(7)), so no two sessions have adjacent ones. Other programs' sessions are
// their users'.
func (a *assigned) sessions(cols []column) {
	for i := range cols {
		c := &cols[i]
		if !words(c.path)["sess"] || !c.all(isNumber) || !ofOne(c, a.clients(cols)) {
			continue
		}
		seen := map[uint64]bool{}
		for _, v := range c.values {
			if n, ok := digits([]byte(v), mostSerial); ok {
				seen[n] = true
			}
		}
		apart := true
		for n := range seen {
			apart = apart && !seen[n+1]
		}
		if apart && len(seen) >= leastGroups {
			a.set(fID, i)
			return
		}
	}
}

// isEphemeral accepts what systems give to clients (Linux 32768 to 60999, others from 1024).
func isEphemeral(v string) bool {
	n, ok := digits([]byte(v), 1<<16-1)
	return ok && n >= 1024
}

// ofOne reports whether each value of a column is of one client, as a connection is. A known name needs no proof: the
// address may be one that a proxy forwarded.
func ofOne(c, client *column) bool {
	if client == nil || jsonNames[jsonName(c.name())] == fConnection {
		return true
	}
	return oneEach(c, client)
}

// oneEach reports whether the lines with the same value of a column have the same client.
func oneEach(c, client *column) bool {
	of, mixed := map[string]string{}, 0
	for l, v := range c.values {
		if before, known := of[v]; known && before != client.values[l] {
			mixed++
		}
		of[v] = client.values[l]
	}
	return 10*mixed <= len(c.values)
}

// settle leaves one way to identify a connection, and an ordinal only with one.
func (a *assigned) settle(cols []column) {
	if a.has(fConnection) {
		c := &cols[a[fConnection]-1]
		if o := max(a[fOrdinal], a[fOrdinal0]); o == 0 && !(c.certain() && c.several() && ofOne(c, a.clients(cols))) ||
			!c.all(isNumber) {
			a[fConnection] = 0
		}
	}
	if a.has(fConnection) || a.has(fID) || a.has(fPort) && a.has(fAddr) {
		if a.has(fPeer) && a.has(fAddr) {
			a[fPeer] = 0
		}
	}
	if a.has(fOrdinal) {
		a[fOrdinal0] = 0
	}
	if o := a[fOrdinal0]; o > 0 && cols[o-1].fits(fOrdinal) { // none is 0: it counts from 1
		a[fOrdinal], a[fOrdinal0] = o, 0
	}
	if a.has(fConnection) {
		a[fID] = 0
	}
}
