//go:build linux

package load

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// ask is one VU's request to the gate; its status arrives on the channel.
func ask(url string) <-chan int {
	status := make(chan int, 1)
	go func() {
		r, err := http.Post(url, "", nil)
		if err != nil {
			status <- -1
			return
		}
		r.Body.Close()
		status <- r.StatusCode
	}()
	return status
}

func TestTheGateHoldsEveryVUUntilAllHaveComeAndItIsOpened(t *testing.T) {
	const n = 20
	g, err := openGate(n)
	labtest.Check(t, err)
	defer g.close()
	var waiting []<-chan int
	for vu := range n {
		select {
		case <-g.warm.full:
			t.Fatalf("full with %d of %d VUs", vu, n)
		default:
		}
		waiting = append(waiting, ask(fmt.Sprintf("%s/warm?vu=%d", g.url, vu)))
	}
	<-g.warm.full
	for vu, status := range waiting {
		select {
		case s := <-status:
			t.Fatalf("VU %d passed with status %d before the door was opened", vu, s)
		default:
		}
	}
	g.warm.open()
	for vu, status := range waiting {
		if s := <-status; s != http.StatusOK {
			t.Errorf("VU %d got status %d", vu, s)
		}
	}
	select {
	case <-g.done.full:
		t.Error("the second door counted the first one's VUs")
	default:
	}
}

func TestAVUComesOnce(t *testing.T) {
	b := newBarrier("to the gate", 2)
	nothing := func() {}
	labtest.Check(t, b.arrive("1", nothing))
	if err := b.arrive("1", nothing); !errors.Is(err, errTwice) {
		t.Errorf("a second time: %v", err)
	}
	if err := b.arrive("", nothing); err == nil {
		t.Error("a VU without a name was let in")
	}
	labtest.Check(t, b.arrive("2", nothing))
	if err := b.arrive("3", nothing); err == nil {
		t.Error("a third of two was let in")
	}
	if got := b.progress(); !strings.Contains(got, "(2 have arrived)") {
		t.Errorf("progress is %q", got)
	}
}

func TestTheGateRefusesWhatIsNoTally(t *testing.T) {
	g, err := openGate(1)
	labtest.Check(t, err)
	defer g.close()
	for name, c := range map[string]struct {
		path, body string
		want       int
	}{
		"garbage":     {"/tally?vu=1", "[[[", http.StatusBadRequest},
		"no VU":       {"/tally", "{}", http.StatusConflict},
		"other paths": {"/exit", "", http.StatusNotFound},
	} {
		r, err := http.Post(g.url+c.path, "application/json", strings.NewReader(c.body))
		labtest.Check(t, err)
		r.Body.Close()
		if r.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", name, r.StatusCode, c.want)
		}
	}
	if got := g.tallies(); len(got) != 0 {
		t.Errorf("it kept %d tallies", len(got))
	}
}

func TestAClosedGateTurnsAwayWhoWaits(t *testing.T) {
	g, err := openGate(1)
	labtest.Check(t, err)
	status := ask(g.url + "/warm?vu=1")
	<-g.warm.full
	g.close()
	if s := <-status; s == http.StatusOK {
		t.Error("a VU passed a gate that was closed")
	}
}
