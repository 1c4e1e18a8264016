package advise

import "math"

// Predict answers a question that passed Check.
func Predict(q Question) Answer { return loaded().Predict(q) }

// Predict answers a question with the corrections of a map.
func (f *Fit) Predict(q Question) Answer { return f.corrected(q).answer() }

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
	requests := w.requests()
	a.UnlimitedRPS = q.CPUs * 1000 / q.RequestMS
	a.CapacityRPS = q.CPUs * 1000 / (q.RequestMS + w.dials*w.cost/requests)

	a.WaitingPerRenewal = w.waiting
	a.WaitingShare = w.waitingShare()
	pause, _ := w.pausesMS()
	a.WaitMS = w.tripsMS() + w.stopMS() + pause + w.dials*w.cost/q.CPUs
	a.AddedP99MS = w.correction.addedP99(w.addedP99())
	a.GoodputRPS = q.RateRPS / (1 + w.correction.lost(w.lost())/requests)
	return a
}
