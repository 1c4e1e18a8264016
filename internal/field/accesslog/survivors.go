package accesslog

// survivors counts lines by their ordinal: as many connections reached that number of requests. It needs
// no connection's identity, so it holds where the lines of several servers are mixed.
type survivors struct {
	reached [exactUpTo]uint64
}

func (s *survivors) add(ordinal uint32) {
	if ordinal < exactUpTo {
		s.reached[ordinal]++
	}
}

// ends are the connections by the number of requests that they ended at.
func (s *survivors) ends() *histogram {
	h := newHistogram()
	for n := 1; n < exactUpTo-1; n++ {
		if more := s.reached[n+1]; s.reached[n] > more {
			h.addSeveral(uint32(n), s.reached[n]-more)
		}
	}
	return h
}
