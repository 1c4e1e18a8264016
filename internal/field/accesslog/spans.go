package accesslog

import "math/bits"

// spans is a distribution of times in milliseconds, to three hundredths of each.
type spans struct {
	counts [44 * 16]uint64
	n      uint64
}

func (s *spans) add(ms int64) {
	s.counts[bucketOf(uint64(max(ms, 0)))]++
	s.n++
}

// bucketOf parts every power of two into sixteen.
func bucketOf(v uint64) int {
	if v < 16 {
		return int(v)
	}
	shift := bits.Len64(v) - 5
	return min(shift*16+int(v>>shift), 44*16-1)
}

// quantile is the middle of the bucket that holds it; false where there is nothing.
func (s *spans) quantile(q float64) (ms float64, ok bool) {
	if s.n == 0 {
		return 0, false
	}
	var below uint64
	for b, c := range s.counts {
		if below += c; below > uint64(q*float64(s.n)) || below == s.n {
			if b < 16 {
				return float64(b), true
			}
			shift := b/16 - 1
			return (float64(b%16+16) + 0.5) * float64(uint64(1)<<shift), true
		}
	}
	return 0, false
}
