package advise

// Answer is what a Question comes to. Every figure is a mean over many renewals.
type Answer struct {
	Limit int `json:"limit"`
	// RenewalsPerHour counts connections that met the limit or the age of an
	// hour, ConnectionLifeS is how long one lives; AgeRules says that
	// keepalive_time ends it before the limit does.
	RenewalsPerHour float64 `json:"renewals_per_hour"`
	ConnectionLifeS float64 `json:"connection_life_s"`
	AgeRules        bool    `json:"age_rules"`
	// ConnectionsPerS are opened: UsedPerS carry requests, BurntPerS none.
	ConnectionsPerS float64 `json:"connections_per_s"`
	UsedPerS        float64 `json:"used_per_s"`
	BurntPerS       float64 `json:"burnt_per_s"`
	BurntPerRenewal float64 `json:"burnt_per_renewal"`
	// HandshakesPerS are full and resumed ones. They cost CPUCores, which is
	// CPUShare of the cores there are.
	HandshakesPerS float64 `json:"handshakes_per_s"`
	CPUCores       float64 `json:"cpu_cores"`
	CPUShare       float64 `json:"cpu_share"`
	// CapacityRPS is how many requests a second these cores can serve with the
	// renewals, UnlimitedRPS without any.
	CapacityRPS  float64 `json:"capacity_rps"`
	UnlimitedRPS float64 `json:"unlimited_rps"`
	// WaitingPerRenewal requests wait for one renewal, WaitingShare of all
	// requests do, WaitMS is how long the last of them waits, and AddedP99MS
	// what that adds to the 99th percentile: 0 where no more than 1 % wait.
	WaitingPerRenewal float64 `json:"waiting_per_renewal"`
	WaitingShare      float64 `json:"waiting_share"`
	WaitMS            float64 `json:"wait_ms"`
	AddedP99MS        float64 `json:"added_p99_ms"`
	// DroppedPerRenewal streams were sent across the GOAWAY and never answered;
	// FailuresPerS are they where a body can't be sent again.
	DroppedPerRenewal float64 `json:"dropped_per_renewal"`
	FailuresPerS      float64 `json:"failures_per_s"`
}
