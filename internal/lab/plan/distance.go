package plan

import (
	"fmt"
	"time"

	"h2lab/internal/facts"
)

// Distance are the knobs of a line between load generators and servers.
type Distance struct {
	RTT       time.Duration `name:"rtt" env:"RTT" default:"0s" help:"Round trip between load generators and servers, such as 20ms (Linux as root; up to 2s)."`
	Jitter    time.Duration `env:"JITTER" default:"0s" help:"A round trip takes RTT ± JITTER."`
	Loss      float64       `env:"LOSS" default:"0" help:"Per cent of packets that are lost in each direction (0 to 50)."`
	Bandwidth int           `env:"BANDWIDTH" default:"0" help:"Mbit/s in each direction (1 to 10000), or 0 for no limit."`
}

// The bounds of a line. A satellite in geostationary orbit has a round trip of 600 ms.
const (
	longestRTT    = 2 * time.Second
	mostLoss      = 50
	mostBandwidth = 10_000
)

// Check returns an error for the first knob that is out of range.
func (d Distance) Check() error {
	switch {
	case d.RTT < 0 || d.RTT > longestRTT:
		return fmt.Errorf("RTT=%s is out of range: give a duration from 0s to %s, such as 20ms", d.RTT, longestRTT)
	case d.Jitter < 0 || d.Jitter > d.RTT:
		return fmt.Errorf("JITTER=%s is out of range: give a duration from 0s to RTT, which is %s", d.Jitter, d.RTT)
	case !(d.Loss >= 0 && d.Loss <= mostLoss): // written so that NaN is refused too
		return fmt.Errorf("LOSS=%g is out of range: give per cent from 0 to %d", d.Loss, mostLoss)
	case d.Bandwidth < 0 || d.Bandwidth > mostBandwidth:
		return fmt.Errorf("BANDWIDTH=%d is out of range: give Mbit/s from 0 (no limit) to %d", d.Bandwidth, mostBandwidth)
	}
	return nil
}

// Line is the distance as results have it.
func (d Distance) Line() facts.Distance {
	ms := func(t time.Duration) float64 { return float64(t) / float64(time.Millisecond) }
	return facts.Distance{RTTMS: ms(d.RTT), JitterMS: ms(d.Jitter), LossPercent: d.Loss, MbitPerS: d.Bandwidth}
}
