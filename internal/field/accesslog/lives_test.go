package accesslog

import "testing"

// The sample keeps all connections of a part of the clients, and its size is limited.
func TestTheSampleKeepsWholeClients(t *testing.T) {
	var s lives
	const clients, each = 1000, 200
	for n := range uint32(each) {
		for c := range uint32(clients) {
			s.add(life{client: (c*2654435761)<<1 | 1, n: n})
		}
	}
	kept := map[uint32]int{}
	for _, l := range s.all {
		kept[l.client]++
	}
	if len(s.all) > mostLives || uint64(len(s.all))+s.missing != clients*each || len(kept) < 20 {
		t.Errorf("%d lives of %d clients, %d missing", len(s.all), len(kept), s.missing)
	}
	for client, n := range kept {
		if n != each {
			t.Errorf("client %x has %d of %d connections", client, n, each)
		}
	}
	var one lives
	for range 2 * mostLives {
		one.add(life{client: 7})
	}
	if len(one.all) != mostLives || one.missing != mostLives {
		t.Errorf("%d lives of one client, %d missing", len(one.all), one.missing)
	}
}
