package advise

import "math"

// Predict answers a question that passed Check.
func Predict(q Question) Answer { return work(q).answer() }

func (w working) answer() Answer {
	q := w.q
	a := Answer{Limit: q.Limit}
	byLimit := float64(q.Limit) / w.each
	a.AgeRules = byLimit > KeepaliveTimeS
	a.ConnectionLifeS = math.Min(byLimit, KeepaliveTimeS)
	a.UsedPerS = w.conns / a.ConnectionLifeS
	a.RenewalsPerHour = a.UsedPerS * 3600

	a.DroppedPerRenewal = w.dropped
	a.FailuresPerS = w.dropped * a.UsedPerS
	a.WastedPerRenewal = w.dials - 1
	a.WastedPerS = a.WastedPerRenewal * a.UsedPerS
	a.ConnectionsPerS = a.UsedPerS + a.WastedPerS
	a.HandshakesPerS = a.ConnectionsPerS

	a.CPUCores = a.HandshakesPerS * w.cost / 1000
	a.CPUShare = a.CPUCores / q.CPUs
	requests := a.ConnectionLifeS * w.each // per connection
	a.UnlimitedRPS = q.CPUs * 1000 / q.RequestMS
	a.CapacityRPS = q.CPUs * 1000 / (q.RequestMS + w.dials*w.cost/requests)

	a.WaitingPerRenewal = w.on
	a.WaitingShare = math.Min(1, w.on/requests)
	a.WaitMS = (1+w.flights)*q.RTTMS + w.dials*w.cost/q.CPUs
	if a.WaitingShare > 0.01 {
		// The model spreads the waits evenly between zero and the longest.
		a.AddedP99MS = a.WaitMS * (1 - 0.01/a.WaitingShare)
	}
	return a
}
