package document

import (
	"context"
	"errors"
	"fmt"
	"time"

	"h2lab/internal/field/advise"
	"h2lab/internal/field/handshake"
)

// measuringFor is the duration of the handshake measurement.
const measuringFor = 1500 * time.Millisecond

// HandshakePrice is what a handshake costs the server, and the source of that number.
type HandshakePrice struct {
	Source    string       `json:"source"` // given, measured or recorded
	FullMS    float64      `json:"full_ms"`
	ResumedMS float64      `json:"resumed_ms"`
	Go        *GoHandshake `json:"measured"` // null if nothing was measured
}

// GoHandshake is the measurement on this machine with Go's crypto/tls.
type GoHandshake struct {
	FullMS          float64 `json:"full_ms"`
	FullLoMS        float64 `json:"full_lo_ms"`
	FullHiMS        float64 `json:"full_hi_ms"`
	FullClientMS    float64 `json:"full_client_ms"`
	Count           int     `json:"count"`
	ResumedMS       float64 `json:"resumed_ms"`
	ResumedLoMS     float64 `json:"resumed_lo_ms"`
	ResumedHiMS     float64 `json:"resumed_hi_ms"`
	ResumedClientMS float64 `json:"resumed_client_ms"`
	ResumedCount    int     `json:"resumed_count"`
}

// priceOfHandshake fills in the handshake costs that the question doesn't give.
func priceOfHandshake(ctx context.Context, q *advise.Question, notice func(string, ...any)) (HandshakePrice, error) {
	p := HandshakePrice{Source: "given"}
	if q.HandshakeMS == 0 {
		costs, err := handshake.Measure(ctx, measuringFor, handshake.Kind{Key: q.Key, TLS: q.TLS},
			handshake.Kind{Key: q.Key, TLS: q.TLS, Resumed: true})
		switch {
		case errors.Is(err, context.Canceled):
			return p, err
		case err != nil:
			p.Source = "recorded"
			notice("h2lab: no handshake could be measured here, so the time of the recorded runs is used: %v", err)
		default:
			p.Source, p.Go = "measured", inGo(costs[0], costs[1])
			q.HandshakeMS = costs[0].Server.MedianMS * advise.OfGo(q.Key, false)
			q.ResumedMS = costs[1].Server.MedianMS * advise.OfGo(q.Key, true)
		}
	}
	usual := q.Usual()
	p.FullMS, p.ResumedMS = usual.HandshakeMS, usual.ResumedMS
	return p, nil
}

func inGo(full, resumed handshake.Cost) *GoHandshake {
	return &GoHandshake{
		FullMS: full.Server.MedianMS, FullLoMS: full.Server.LoMS, FullHiMS: full.Server.HiMS,
		FullClientMS: full.Client.MedianMS, Count: full.Count,
		ResumedMS: resumed.Server.MedianMS, ResumedLoMS: resumed.Server.LoMS, ResumedHiMS: resumed.Server.HiMS,
		ResumedClientMS: resumed.Client.MedianMS, ResumedCount: resumed.Count,
	}
}

func (p HandshakePrice) text() string {
	switch p.Source {
	case "given":
		return fmt.Sprintf("%.2f ms of the server's processor (given)", p.FullMS)
	case "recorded":
		return fmt.Sprintf("%.2f ms of the server's processor (nginx in the recorded runs)", p.FullMS)
	}
	return fmt.Sprintf("%.2f ms of the server's processor: %.1f × Go's TLS here, %.2f ms (%.2f to %.2f)", p.FullMS,
		p.FullMS/p.Go.FullMS, p.Go.FullMS, p.Go.FullLoMS, p.Go.FullHiMS)
}
