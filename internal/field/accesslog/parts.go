package accesslog

import "bytes"

// parts joins what CRI has cut: a line of more than 16 KiB is written in parts, each with a P but the last (Kubernetes,
// CRI's logging format).
type parts struct {
	held [2][]byte // of stdout and of stderr
}

// whole returns a line with its parts before, or false if more of it follows.
func (p *parts) whole(line []byte) ([]byte, bool) {
	rest, ok := afterTime(line)
	if !ok {
		return line, true
	}
	for i, stream := range [2]string{"stdout ", "stderr "} {
		if !startsWith(rest, stream) || len(rest) < len(stream)+2 {
			continue
		}
		text := len(line) - len(rest) + len(stream) + 2
		switch held := p.held[i]; {
		case rest[len(stream)] == 'P' && len(held)+len(line) < longestLine:
			p.held[i] = append(held, line[text:]...)
			return nil, false
		case len(held) > 0:
			p.held[i] = held[:0]
			return append(append(bytes.Clone(line[:text]), held...), line[text:]...), true
		}
	}
	return line, true
}
