package advise

// Answer is the prediction for a Question. Every number is a mean over many renewals.
type Answer struct {
	Limit int `json:"limit"`
	// RenewalsPerHour counts the connections that reach the limit or the maximum age in an hour.
	// ConnectionLifeS is how long a connection lasts. AgeRules is set when keepalive_time ends it
	// before the limit does.
	RenewalsPerHour float64 `json:"renewals_per_hour"`
	ConnectionLifeS float64 `json:"connection_life_s"`
	AgeRules        bool    `json:"age_rules"`
	// ConnectionsPerS are opened: UsedPerS of them carry requests, WastedPerS don't.
	ConnectionsPerS  float64 `json:"connections_per_s"`
	UsedPerS         float64 `json:"used_per_s"`
	WastedPerS       float64 `json:"wasted_per_s"`
	WastedPerRenewal float64 `json:"wasted_per_renewal"`
	// HandshakesPerS counts full and resumed handshakes. They cost CPUCores, which is CPUShare of
	// the server's cores.
	HandshakesPerS float64 `json:"handshakes_per_s"`
	CPUCores       float64 `json:"cpu_cores"`
	CPUShare       float64 `json:"cpu_share"`
	// CapacityRPS is how many requests per second these cores serve with the renewals, UnlimitedRPS
	// how many without any.
	// GoodputRPS is what is left of the rate where clients wait for their answers before they send more: they then
	// send less while a renewal lasts.
	GoodputRPS   float64 `json:"goodput_rps"`
	CapacityRPS  float64 `json:"capacity_rps"`
	UnlimitedRPS float64 `json:"unlimited_rps"`
	// WaitingPerRenewal requests wait for one renewal; WaitingShare is their share of all requests.
	// WaitMS is how long the last of them waits, AddedP99MS what the waits add to the 99th
	// percentile (0 if less than 0.8 % of the requests wait).
	WaitingPerRenewal float64 `json:"waiting_per_renewal"`
	WaitingShare      float64 `json:"waiting_share"`
	WaitMS            float64 `json:"wait_ms"`
	AddedP99MS        float64 `json:"added_p99_ms"`
	// DroppedPerRenewal streams are sent before the client reads GOAWAY and are never answered;
	// FailuresPerS counts them where the body can't be sent again.
	DroppedPerRenewal float64 `json:"dropped_per_renewal"`
	FailuresPerS      float64 `json:"failures_per_s"`
}
