package facts

// Distance is what lies between load generators and servers. Its zero value is loopback.
type Distance struct {
	RTTMS    float64 `json:"rtt_ms"`
	JitterMS float64 `json:"jitter_ms"` // a round trip takes RTTMS ± JitterMS
	// LossPercent is the share of packets that are lost in each direction.
	LossPercent float64 `json:"loss_percent"`
	// MbitPerS is what each direction carries; 0 is no limit.
	MbitPerS int `json:"mbit_per_s"`
}

// Any reports whether there is a distance.
func (d Distance) Any() bool { return d != Distance{} }
