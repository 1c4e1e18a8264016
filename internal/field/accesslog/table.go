package accesslog

// entry is a connection that may carry more requests.
type entry struct {
	key   uint64 // 0 is none
	most  uint32 // the highest ordinal seen; without ordinals the lines
	least uint32 // the lowest
	lines uint32
	last  uint32 // tick of its last line
	first uint32 // milliseconds of its first line and of that with the highest ordinal, modulo 2^32
	full  uint32
	age   uint32 // in milliseconds at that line; 0 where it isn't logged
	proto Protocol
	again bool // it was forgotten, and came back
}

// table holds the connections that may be alive, in a bounded space: open
// addressing with linear probing. Those not seen for long are taken out by a hand
// that goes round a little with every insertion; when it is full all the same,
// the longest unseen of a few.
type table struct {
	slots []entry
	n     int
	hand  int
	// idle is after how many seconds without a line a connection is taken out.
	idle uint32
	// out receives what is taken out.
	out func(*entry)
	// early counts those taken out before their time.
	early uint64
}

const (
	tableBits = 17 // 131,072 slots of 48 bytes
	perStep   = 8  // slots that the hand passes at an insertion
	looked    = 24 // slots among which the longest unseen is sought
)

func newTable(bits int, idle uint32, out func(*entry)) *table {
	return &table{slots: make([]entry, 1<<bits), idle: idle, out: out}
}

// room is how many connections may stand in it: a quarter of the slots stay
// empty so that probing is short.
func (t *table) room() int { return len(t.slots) / 4 * 3 }

// home is where an entry belongs. Serials are dense, so their product with a
// large odd number spreads them.
func (t *table) home(key uint64) int {
	return int((key * 0x9e3779b97f4a7c15) >> 20 & uint64(len(t.slots)-1))
}

// find gives the connection's entry, nil where there is none.
func (t *table) find(key uint64) *entry {
	for i := t.home(key); t.slots[i].key != 0; i = t.next(i) {
		if t.slots[i].key == key {
			return &t.slots[i]
		}
	}
	return nil
}

func (t *table) next(i int) int { return (i + 1) & (len(t.slots) - 1) }

// insert makes an entry of a connection that has none.
func (t *table) insert(key uint64, now uint32) *entry {
	for range perStep {
		e := &t.slots[t.hand]
		if e.key != 0 && e.last+t.idle < now {
			t.takeOut(t.hand) // the next one may have moved here: look again
		} else {
			t.hand = t.next(t.hand)
		}
	}
	for t.n >= t.room() {
		t.takeOutOldest()
	}
	i := t.home(key)
	for t.slots[i].key != 0 {
		i = t.next(i)
	}
	t.n++
	t.slots[i] = entry{key: key}
	return &t.slots[i]
}

func (t *table) takeOutOldest() {
	oldest, i := -1, t.hand
	for n := 0; n < looked || oldest < 0; n++ {
		if e := &t.slots[i]; e.key != 0 && (oldest < 0 || e.last < t.slots[oldest].last) {
			oldest = i
		}
		i = t.next(i)
	}
	t.hand = i
	t.early++
	t.takeOut(oldest)
}

// takeOut hands the entry on and closes the gap in the probing sequence.
func (t *table) takeOut(i int) {
	t.out(&t.slots[i])
	t.n--
	for j := t.next(i); t.slots[j].key != 0; j = t.next(j) {
		// An entry may move into the gap unless its home lies behind the gap.
		if home := t.home(t.slots[j].key); (j-home)&(len(t.slots)-1) >= (j-i)&(len(t.slots)-1) {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = entry{}
}

// each visits what is left.
func (t *table) each(visit func(*entry)) {
	for i := range t.slots {
		if t.slots[i].key != 0 {
			visit(&t.slots[i])
		}
	}
}
