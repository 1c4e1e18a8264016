package kit

import (
	"sync"
	"time"
)

// account is the counts of one worker of a closed loop, or of all workers of an open one. It is locked
// because the window may end while a call never returns.
type account struct {
	sync.Mutex
	tally    *Tally
	inFlight int64 // calls that are not counted yet
	over     bool  // the counts were added to the window's
}

// begin counts a call that begins this late after it was due; false means that the window has ended.
func (a *account) begin(late time.Duration) (bool, error) {
	a.Lock()
	defer a.Unlock()
	if a.over {
		return false, nil
	}
	a.inFlight++
	if a.tally.pace == nil {
		return true, nil
	}
	return true, a.tally.pace.begin(late, a.inFlight)
}

// skip counts a request that was due and can't be sent, because as many as allowed are in flight.
func (a *account) skip() {
	a.Lock()
	defer a.Unlock()
	a.tally.pace.notStarted++
}

// count counts a call that has ended. waited is the time since it was due, sent the time since it was sent. false
// means that the window has already ended.
func (a *account) count(f *Failure, waited, sent time.Duration) (bool, error) {
	a.Lock()
	defer a.Unlock()
	if a.over {
		return false, nil
	}
	a.inFlight--
	if a.tally.pace != nil && f == nil {
		if err := record(a.tally.pace.uncorrected, sent); err != nil {
			return false, err
		}
	}
	return true, a.tally.Count(f, waited)
}

// settle adds the counts to sum. Calls that are still in flight have ignored their cancellation; settle
// counts them as hung.
func (a *account) settle(patience time.Duration, sum *Tally) error {
	a.Lock()
	defer a.Unlock()
	a.over = true
	for range a.inFlight {
		if err := a.tally.CountHung(patience, ""); err != nil {
			return err
		}
	}
	sum.merge(a.tally)
	return nil
}
