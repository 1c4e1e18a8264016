package counters

import (
	"context"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/facts"
)

// nilSource panics as a source that was never opened does.
type nilSource struct{ Source }

func (nilSource) Observe(context.Context) (facts.Observation, error) {
	var none *facts.Observation
	return *none, nil
}

func (nilSource) Close() {}

func TestAPanicOfTheSamplerReachesStop(t *testing.T) {
	var s Sampler
	s.Start(t.Context(), nilSource{}, time.Hour)
	defer func() {
		if p := await.Caught(recover()); p == nil || !strings.Contains(p.Where, "sampler_panic_test.go") {
			t.Errorf("%+v", p)
		}
	}()
	_, _ = s.Stop()
}
