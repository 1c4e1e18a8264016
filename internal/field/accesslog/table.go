package accesslog

// entry is a connection that may carry more requests.
type entry struct {
	key   uint64 // 0 means a free slot
	most  uint32 // the highest ordinal seen, or the number of lines without ordinals
	least uint32 // the lowest
	lines uint32
	last  uint32 // tick of its last line
	first uint32 // milliseconds of its first line and of that with the highest ordinal, modulo 2^32
	full  uint32
	age   uint32 // in milliseconds at that line; 0 if it isn't logged
	end   uint32 // milliseconds of its newest line, modulo 2^32
	gap   uint32 // the longest silence between two lines, in milliseconds
	// client, program and check are those of life.
	client, program, check uint32
	proto                  Protocol
	again                  bool // it left the table too early and came back
}

// table holds the connections that may be open, in limited memory: open addressing with linear
// probing. Every insertion checks the next few slots in clock order and evicts connections without
// a recent line; if the table is full, it evicts the oldest of a few slots.
type table struct {
	slots []entry
	n     int
	hand  int
	// idle is how many seconds without a line evict a connection.
	idle uint32
	// out is called with each evicted entry.
	out func(*entry)
	// early counts the entries that were evicted before they were idle.
	early uint64
}

const (
	tableBits = 17 // 131,072 slots of 72 bytes
	perStep   = 8  // slots checked per insertion
	looked    = 24 // slots among which the oldest is evicted
)

func newTable(bits int, idle uint32, out func(*entry)) *table {
	return &table{slots: make([]entry, 1<<bits), idle: idle, out: out}
}

// room is the maximum number of entries: a quarter of the slots stay free to keep probing short.
func (t *table) room() int { return len(t.slots) / 4 * 3 }

// home is the preferred slot of an entry. Serials are dense, so multiplying by a large odd number
// spreads them.
func (t *table) home(key uint64) int {
	return int((key * 0x9e3779b97f4a7c15) >> 20 & uint64(len(t.slots)-1))
}

// find returns the connection's entry, or nil.
func (t *table) find(key uint64) *entry {
	for i := t.home(key); t.slots[i].key != 0; i = t.next(i) {
		if t.slots[i].key == key {
			return &t.slots[i]
		}
	}
	return nil
}

func (t *table) next(i int) int { return (i + 1) & (len(t.slots) - 1) }

// insert makes an entry for a connection that has none.
func (t *table) insert(key uint64, now uint32) *entry {
	for range perStep {
		e := &t.slots[t.hand]
		if e.key != 0 && e.last+t.idle < now {
			t.takeOut(t.hand) // the next entry may have moved here: check again
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

// drop evicts a connection, if it is here.
func (t *table) drop(key uint64) {
	for i := t.home(key); t.slots[i].key != 0; i = t.next(i) {
		if t.slots[i].key == key {
			t.takeOut(i)
			return
		}
	}
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

// takeOut passes the entry to out and closes the gap in the probing sequence.
func (t *table) takeOut(i int) {
	t.out(&t.slots[i])
	t.n--
	for j := t.next(i); t.slots[j].key != 0; j = t.next(j) {
		// An entry may move into the gap unless its home is behind the gap.
		if home := t.home(t.slots[j].key); (j-home)&(len(t.slots)-1) >= (j-i)&(len(t.slots)-1) {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = entry{}
}

// each visits the remaining entries.
func (t *table) each(visit func(*entry)) {
	for i := range t.slots {
		if t.slots[i].key != 0 {
			visit(&t.slots[i])
		}
	}
}
