package live

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/facts"
)

// between is the pause between two replayed trials.
const between = time.Second

// Replay is the feed of a recorded run: the trials of its first rounds, in the order of
// measurement, at speed times their pace.
func Replay(r *facts.Result, series func(rel string) (facts.Series, error), rounds int, speed float64) Feed {
	return func(ctx context.Context, send func([]byte) error) error {
		p := &player{ctx: ctx, send: send, speed: speed}
		p.play(Event{
			Kind:        RunBegan,
			ID:          r.Run.ID,
			Command:     r.Run.Command,
			Concurrency: r.Run.Concurrency,
			Replay:      true,
		})
		all := played(r, rounds)
		for i, x := range all {
			p.play(trialBegan(x.cell, x.trial.Index, i, len(all)))
			s, err := series(x.trial.Series)
			if err != nil {
				return err
			}
			p.samples(s)
			p.play(trialEnded(x.cell, x.trial))
			p.wait(between)
		}
		p.play(Event{Kind: RunEnded, Interrupted: r.Run.Interrupted})
		if p.err != nil {
			return p.err
		}
		<-ctx.Done() // otherwise the page would connect again and replay everything
		return ctx.Err()
	}
}

// one is a replayed trial.
type one struct {
	cell  *facts.Cell
	trial facts.Trial
}

// played are the trials with a timeline.
func played(r *facts.Result, rounds int) (out []one) {
	for i := range r.Cells {
		c := &r.Cells[i]
		for _, t := range c.Trials {
			if t.Series != "" && t.Index <= rounds {
				out = append(out, one{c, t})
			}
		}
	}
	slices.SortFunc(out, func(a, b one) int { return cmp.Compare(a.trial.Order, b.trial.Order) })
	return out
}

// player waits between events. After its first error it does nothing.
type player struct {
	ctx   context.Context
	send  func([]byte) error
	speed float64
	err   error
}

func (p *player) play(e Event) {
	if p.err != nil {
		return
	}
	line, err := json.Marshal(e)
	if err == nil {
		err = p.send(line)
	}
	p.err = err
}

func (p *player) wait(d time.Duration) {
	if p.err == nil {
		p.err = await.Pause(p.ctx, time.Duration(float64(d)/p.speed))
	}
}

// samples replays a timeline, whose time 0 is the opening of the window.
func (p *player) samples(s facts.Series) {
	if len(s.TMS) == 0 {
		return
	}
	open := false
	for i, t := range s.TMS {
		if i > 0 {
			p.wait(time.Duration((t - s.TMS[i-1]) * float64(time.Millisecond)))
		}
		if !open && t >= 0 {
			open = true
			p.play(Event{Kind: WindowBegan, TMS: t - s.TMS[0]})
		}
		p.play(Event{
			Kind:     Sampled,
			TMS:      t - s.TMS[0],
			Accepted: reading(s.Accepted, i),
			Requests: reading(s.Requests, i),
		})
	}
}

// reading is one value of a column, which is empty where the front can't count it.
func reading(column []int64, i int) *int64 {
	if i >= len(column) {
		return nil
	}
	return &column[i]
}
