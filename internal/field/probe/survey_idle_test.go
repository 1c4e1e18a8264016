package probe

import (
	"testing"

	"golang.org/x/net/http2"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/cause"
)

func TestConnectionsThatAreCalledUnusedAreNotCounted(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("the server ends connections in use as unused", func(t *testing.T) {
		target := h2server(t, func(p *peer) {
			for id := p.next(); id != 0; id = p.next() {
				if p.count == 300 {
					_ = p.fr.WriteGoAway(1<<31-1, http2.ErrCodeNo, []byte("max_idle"))
					_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, []byte("max_idle"))
					return
				}
				p.answer(id)
			}
		})
		got, err := Survey(t.Context(), target, Ask{MaxStreams: 1000})
		brought := len(got.Budget.Counts)
		if c := cause.Of(got); err != nil || c.Kind != cause.Unclear || len(c.Fits) > 0 || brought != 2 {
			t.Errorf("%v: %s %v, %d brought to an end: %+v", err, c.Kind, c.Fits, brought, c.Ends)
		}
	})
}
