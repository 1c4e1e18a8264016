package runs

import (
	"context"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/lab/plan"
)

// Story carries out `story`. It returns the run's directory as soon as there is one, also with an
// error.
func (l *Lab) Story(ctx context.Context, q Request) (dir string, err error) {
	q.Knobs.Settle()
	if err := q.Knobs.ValidateStory(); err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	svc, err := l.readServices()
	if err != nil {
		return "", err
	}
	cells, err := plan.StoryCells(svc.rows, q.Knobs)
	if err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	if cells, err = plan.Serviced(cells, svc.argv); err != nil {
		return "", err
	}
	return l.throughServices(ctx, q, svc, []stage{{cells: cells, heating: heating(q.Knobs.Quick)}})
}

// heating is how long each service is loaded before its first trial. With 3 s the processor time of a request still
// fell to a third over the first rounds (1.3 to 0.4 ms), and the rounds differed by more than what they compare.
func heating(quick bool) time.Duration {
	if quick {
		return 8 * time.Second
	}
	return 15 * time.Second
}
