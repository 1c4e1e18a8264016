package handshake

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestEveryKindIsMeasured checks what is stable: a resumed handshake is resumed (or Measure fails),
// each side spends time, and an RSA signature, which only the server makes, makes the server's side
// much more expensive.
func TestEveryKindIsMeasured(t *testing.T) {
	if _, err := spent(); err != nil {
		t.Skip(err)
	}
	costs, err := Measure(t.Context(), 0, kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	if len(costs) != len(kinds()) {
		t.Fatalf("%d costs of %d kinds", len(costs), len(kinds()))
	}
	by := map[Kind]Cost{}
	for i, c := range costs {
		if c.Kind != kinds()[i] || c.Count < leastSamples {
			t.Errorf("%v: measured as %v, %d times", kinds()[i], c.Kind, c.Count)
		}
		for side, s := range map[string]Spread{"server": c.Server, "client": c.Client} {
			if s.LoMS <= 0 || s.LoMS > s.MedianMS || s.MedianMS > s.HiMS {
				t.Errorf("%v: the %s's spread is %+v", c.Kind, side, s)
			}
		}
		by[c.Kind] = c
		t.Logf("%+v n=%-4d server %.3f (%.3f to %.3f) ms, client %.3f ms", c.Kind, c.Count, c.Server.MedianMS,
			c.Server.LoMS, c.Server.HiMS, c.Client.MedianMS)
	}
	for _, version := range []string{"1.2", "1.3"} {
		full, resumed := by[Kind{RSA, version, false}], by[Kind{RSA, version, true}]
		if full.Server.MedianMS <= resumed.Server.MedianMS {
			t.Errorf("TLS %s: a full RSA handshake costs the server %.3f ms and a resumed one %.3f", version,
				full.Server.MedianMS, resumed.Server.MedianMS)
		}
	}
}

func TestMeasureEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, time.Hour, Kind{ECDSA, "1.3", false}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	defer cancel()
	over := make(chan error, 1)
	go func() {
		_, err := Measure(ctx, time.Hour, Kind{ECDSA, "1.3", false})
		over <- err
	}()
	select {
	case err := <-over:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that it was cancelled", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it goes on after its context has ended")
	}
}

func TestUnknownKindsAreNamed(t *testing.T) {
	for _, k := range []Kind{{"dsa", "1.3", false}, {ECDSA, "1.1", false}} {
		if _, err := Measure(t.Context(), 0, k); err == nil {
			t.Errorf("%v was measured", k)
		}
	}
}

// kinds are all kinds of handshakes.
func kinds() []Kind {
	var out []Kind
	for _, key := range []string{RSA, ECDSA} {
		for _, version := range []string{"1.2", "1.3"} {
			out = append(out, Kind{key, version, false}, Kind{key, version, true})
		}
	}
	return out
}
