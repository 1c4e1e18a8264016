package storyreport

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/storyverdicts"
)

// The numbers of a trial that the story tells.
var (
	goodput of = func(t facts.Trial) *float64 { return &t.GoodputRPS }
	p50     of = func(t facts.Trial) *float64 { return t.LatencyMS.P50 }
	p99     of = storyverdicts.P99
	apiP99  of = storyverdicts.APIP99
	rowP99  of = storyverdicts.RowP99
	apiP50  of = func(t facts.Trial) *float64 {
		if t.Backend.HandledMS == nil {
			return nil
		}
		return t.Backend.HandledMS.P50
	}
	rowP50  = ofService(func(s *facts.ServiceView) *float64 { return s.RowMS.P50 })
	callP50 = ofService(func(s *facts.ServiceView) *float64 { return s.CallMS.P50 })
	callP99 = ofService(func(s *facts.ServiceView) *float64 { return s.CallMS.P99 })
	threads = ofService(func(s *facts.ServiceView) *float64 { return core.Number(s.Threads) })
	heap    = ofService(func(s *facts.ServiceView) *float64 { return s.HeapMB })

	failedShare of = func(t facts.Trial) *float64 { return share(&t.Failed, &t.Attempts) }
	twice       of = func(t facts.Trial) *float64 { return core.Number(t.Backend.Duplicates) }
	accepted    of = func(t facts.Trial) *float64 { return core.Number(t.Connections.Accepted) }
	used        of = func(t facts.Trial) *float64 { return core.Number(t.Connections.Used) }
	expected    of = func(t facts.Trial) *float64 { return core.Number(t.Connections.Expected) }
	usedUp      of = func(t facts.Trial) *float64 { return core.Number(t.Connections.UsedUp) }
	per1000     of = func(t facts.Trial) *float64 {
		if t.Connections.Accepted == nil || t.Attempts == 0 {
			return nil
		}
		return new(float64(*t.Connections.Accepted) * 1000 / float64(t.Attempts))
	}
)

func ofService(f func(*facts.ServiceView) *float64) of {
	return func(t facts.Trial) *float64 {
		if t.Service == nil {
			return nil
		}
		return f(t.Service)
	}
}

// cores is a share of processor time, in cores, in the window.
func cores(f func(facts.CPU) *float64) of {
	return func(t facts.Trial) *float64 {
		s := f(t.CPU)
		if s == nil || t.ElapsedS <= 0 {
			return nil
		}
		return new(*s / t.ElapsedS)
	}
}

var (
	proxyCores   = cores(func(c facts.CPU) *float64 { return c.Proxy })
	serviceCores = cores(func(c facts.CPU) *float64 { return c.Service })
	apiCores     = cores(func(c facts.CPU) *float64 { return c.Backend })
	usersCores   = cores(func(c facts.CPU) *float64 { return c.Client })
	// chainCores is what users, service, proxies and API used together.
	chainCores = cores(func(c facts.CPU) *float64 {
		if c.Proxy == nil || c.Service == nil || c.Backend == nil || c.Client == nil {
			return nil
		}
		return new(*c.Proxy + *c.Service + *c.Backend + *c.Client)
	})
	// allCores is what all programs used together, with the time that other machines took.
	allCores = cores(func(c facts.CPU) *float64 {
		return new(c.Busy())
	})
	proxyMS of = func(t facts.Trial) *float64 {
		if t.CPU.Proxy == nil || t.Succeeded == 0 {
			return nil
		}
		return new(*t.CPU.Proxy * 1e6 / float64(t.Succeeded)) // ms for 1,000 requests
	}
)
