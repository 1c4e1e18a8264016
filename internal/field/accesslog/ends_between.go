package accesslog

import "math"

// betweenReloads reports whether connections lasted equally long because they began after one reload and ended with
// the next. Connections that began together and end at an age end together too, at first: then one that began later
// ends later, while a reload ends them all at its own time.
func (d *lifespans) betweenReloads(band []life, reloads []Reload) bool {
	ended, moments := 0, 0
	var starts, both float64 // sums of squares and of products of the deviations within each reload
	for i := range reloads {
		var from, to []float64
		for j := range band {
			if l := &band[j]; reloads[i].ended(l) {
				from, to = append(from, float64(l.start)), append(to, float64(l.end))
			}
		}
		if len(from) == 0 {
			continue
		}
		moments++
		ended += len(from)
		_, meanFrom := deviation(from)
		_, meanTo := deviation(to)
		for j := range from {
			starts += (from[j] - meanFrom) * (from[j] - meanFrom)
			both += (from[j] - meanFrom) * (to[j] - meanTo)
		}
	}
	if 2*ended <= len(band) {
		return false
	}
	if moments < leastAged {
		return true
	}
	const apart, follows = 0.5, 0.5 // of the resolution; of the slope, which is 1 for an age and 0 for a reload
	return math.Sqrt(starts/float64(ended)) > apart*float64(d.resolution) && both < follows*starts
}
