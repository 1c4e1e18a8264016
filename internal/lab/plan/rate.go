package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"h2lab/internal/facts"
)

// OpenLoop has the knobs of a load whose requests arrive on a schedule, whether or not earlier ones are
// answered.
type OpenLoop struct {
	Rate     string `env:"RATE" help:"Requests per second (1 to 100000), or a share of the goodput that the slowest cell has in a closed loop, such as 70% (1% to 200%). With RATE latency counts from when a request was due, and at most 10 × CONCURRENCY requests are in flight, but no more than 1000."`
	Arrivals string `env:"ARRIVALS" default:"constant" help:"With RATE: constant intervals between requests, or poisson, as from many independent users (drawn with SEED)."`
}

// The bounds of RATE.
const (
	mostRate  = 100_000
	mostShare = 200
)

// MostInFlight is the maximum of requests in flight at a rate; it is also that of CONCURRENCY.
const MostInFlight = 1000

var (
	rateForm  = regexp.MustCompile(`^[1-9][0-9]{0,6}$`)
	shareForm = regexp.MustCompile(`^([1-9][0-9]{0,3})%$`)
)

// PerSecond is RATE as a number of requests a second; 0 where it is a share, or not set.
func (o OpenLoop) PerSecond() float64 {
	if !rateForm.MatchString(o.Rate) {
		return 0
	}
	n, _ := strconv.ParseFloat(o.Rate, 64) // the pattern has checked it
	return n
}

// Share is RATE as a share of a closed loop's goodput; 0 where it is none.
func (o OpenLoop) Share() float64 {
	m := shareForm.FindStringSubmatch(o.Rate)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64) // the pattern has checked it
	return n / 100
}

func (o OpenLoop) validate(k Knobs) error {
	switch {
	case o.Arrivals != string(facts.Constant) && o.Arrivals != string(facts.Poisson):
		return fmt.Errorf("ARRIVALS=%s is unknown: choose from constant, poisson", o.Arrivals)
	case o.Rate == "" && o.Arrivals != string(facts.Constant):
		return fmt.Errorf("ARRIVALS=%s has no effect without RATE: give one, such as RATE=2000, or leave it out", o.Arrivals)
	case o.Rate == "":
		return nil
	case o.PerSecond() == 0 && o.Share() == 0 || o.PerSecond() > mostRate || o.Share() > mostShare/100:
		return fmt.Errorf("RATE=%s can't be used: give requests a second from 1 to %d, such as RATE=2000, or a share "+
			"from 1%% to %d%%, such as RATE=70%%", o.Rate, mostRate, mostShare)
	case o.Share() == 0 && o.PerSecond() < float64(k.Pools):
		return fmt.Errorf("RATE=%s and POOLS=%d contradict each other: each pool needs one request a second at least; "+
			"leave one of them out", o.Rate, k.Pools)
	case slices.Contains(k.Clients, string(facts.K6ConnectionPerVU)):
		return fmt.Errorf("RATE=%s and CLIENT=%s contradict each other: its users wait for an answer before their next "+
			"request; leave one of them out", o.Rate, facts.K6ConnectionPerVU)
	}
	return nil
}

// CheckShare returns an error if a share of the goodput that was measured is too low for the pools.
func (k Knobs) CheckShare(perSecond float64) error {
	if perSecond >= float64(k.Pools) {
		return nil
	}
	return fmt.Errorf("RATE=%s is %.0f requests/s here, and POOLS=%d needs one request a second for each pool at least: "+
		"raise RATE or lower POOLS", k.Rate, perSecond, k.Pools)
}

// WithoutRenewal says that a rate sends too few requests for a connection to reach LIMIT, or "".
func (k Knobs) WithoutRenewal() string {
	s := (k.Warmup + k.Duration).Seconds()
	each := k.PerSecond() * s / float64(k.Pools)
	if each == 0 || each > float64(k.Limit) {
		return ""
	}
	return fmt.Sprintf("RATE=%s sends %.0f requests to an HTTP/2 connection in a trial (%g s with the warm-up), so none "+
		"reaches LIMIT=%d and none is renewed: raise RATE or DURATION, or lower LIMIT", k.Rate, each, s, k.Limit)
}

// RateLeavesOut reports whether a command measures cells without RATE that it doesn't measure with it.
func RateLeavesOut(command string, k Knobs) bool {
	with, err := Cells(command, k)
	if err != nil || k.Rate == "" {
		return false
	}
	k.Rate = ""
	without, err := Cells(command, k)
	return err == nil && len(without) > len(with)
}

// takes reports whether a client of the lab can send requests on the schedule that the knobs ask for, if any.
func (o OpenLoop) takes(c facts.Client) bool { return o.Rate == "" || c != facts.K6ConnectionPerVU }

// AtRate is a workload as an open loop. inFlight is CONCURRENCY, the requests in flight of the closed
// loop. At a rate their number varies, and a stampede shows as a queue of many more, so more are allowed.
func AtRate(w facts.Workload, perSecond float64, a facts.Arrivals, inFlight int) facts.Workload {
	w.RatePerS, w.Arrivals = perSecond, a
	w.Concurrency = max(inFlight, min(10*inFlight, MostInFlight))
	return w
}

// ShareOf is the rate of a share of a closed loop's goodput, in whole requests a second.
func (o OpenLoop) ShareOf(goodput float64) float64 {
	return min(mostRate, max(1, math.Round(o.Share()*goodput)))
}

// MayBeInFlight is the largest number of requests in flight that the knobs allow.
func (k Knobs) MayBeInFlight() int {
	if k.Rate == "" {
		return k.Concurrency
	}
	return AtRate(facts.Workload{}, 1, facts.Constant, k.Concurrency).Concurrency
}
