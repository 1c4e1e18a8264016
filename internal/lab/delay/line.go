// Package delay puts a distance between load generators and the servers of a run: a network
// namespace of its own for the generators, joined to this one by two TUN devices. Between the
// devices a process carries whole IP packets and holds each for half of the round trip, so that
// TCP's handshake, TLS, slow start and the close take as long as they do over a real distance. The
// kernel's own netem does the same where it is compiled in; many kernels of containers and virtual
// machines lack it. A proxy for TCP connections can't: it accepts before the server does.
//
// A process of its own, a carrier, has the devices and carries the packets (serve); Far is the line as the rest of the
// program sees it, and sends the carrier its settings.
//
// In the far namespace 127.0.0.1 is the other end of the line, so addresses, certificates and
// configurations stay as they are.
package delay

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"h2lab/internal/facts"
)

// mtu is Ethernet's: with larger packets slow start would need fewer round trips than it does over a
// real distance. The kernel leaves it to the device to cut a connection's data into packets (frame), but its TCP
// counts packets of this size.
const mtu = 1500

// Line is what a line does to packets.
type Line struct {
	RTT    time.Duration // each direction holds a packet for half of it
	Jitter time.Duration // a round trip takes RTT ± Jitter; packets keep their order
	Loss   float64       // the share of packets that are dropped in each direction, 0 to 1
	Rate   int64         // bits per second in each direction; 0 is no limit
	Seed   uint64        // of jitter and loss, from Open on
}

// Of is the line of a distance.
func Of(d facts.Distance) Line {
	ms := func(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }
	return Line{RTT: ms(d.RTTMS), Jitter: ms(d.JitterMS), Loss: d.LossPercent / 100,
		Rate: int64(d.MbitPerS) * 1_000_000}
}

// prompt reports whether the line holds packets for longer than a change of threads takes.
func (l *Line) prompt() bool { return l.RTT > 0 || l.onWire(mtu) > 10*time.Microsecond }

// onWire is how long so many bytes take at the line's rate.
func (l *Line) onWire(bytes int) time.Duration {
	if l.Rate == 0 {
		return 0
	}
	return time.Duration(int64(bytes) * 8 * int64(time.Second) / l.Rate)
}

// atOnce is for how long the packets of one frame may be on the wire without a time of their own. It is much
// less than LateAfter.
const atOnce = 100 * time.Microsecond

// splits reports whether each packet of a frame has a time, or a loss, of its own.
func (l *Line) splits(bytes int) bool { return l.Loss > 0 || l.Jitter > 0 || l.onWire(bytes) > atOnce }

// schedule decides when each packet of one direction leaves. Times are counted from any one moment.
type schedule struct {
	line atomic.Pointer[Line] // packets that arrive from now on are held as it says
	rng  *rand.Rand
	free time.Duration // when the packets before are on the wire
	last time.Duration // when the last packet leaves
}

func newSchedule(l Line, direction uint64) *schedule {
	s := &schedule{rng: rand.New(rand.NewPCG(l.Seed, direction))}
	s.line.Store(&l)
	return s
}

// leaves is when a packet of so many bytes, which arrived now, leaves the line, and whether it is lost
// on the way. A packet never overtakes another one, even if the line's delay has become shorter.
func (s *schedule) leaves(now time.Duration, size int) (at time.Duration, lost bool) {
	l := s.line.Load()
	lost = l.Loss > 0 && s.rng.Float64() < l.Loss
	at = now
	if l.Rate > 0 { // a lost packet was sent, too
		s.free = max(s.free, now) + l.onWire(size)
		at = s.free
	}
	at += l.RTT / 2
	if l.Jitter > 0 {
		at += time.Duration((s.rng.Float64() - 0.5) * float64(l.Jitter))
	}
	at = max(at, s.last, now)
	if !lost {
		s.last = at
	}
	return at, lost
}

// mostHeld is how many packets one direction holds: 50,000 of 1,500 bytes are 300 Mbit/s at a round trip
// of 4 s. push refuses further ones; the line counts them as dropped, as a full router drops them.
const mostHeld = 50_000

// waiting is a frame that waits for its time.
type waiting struct {
	at      time.Duration
	packets int
	frame   frame
}

// held is a queue of frames in the order in which they leave. It reuses their memory.
type held struct {
	ring       []waiting
	head, size int
	packets    int
	spare      [2][]frame // for frames of one packet, and for larger ones
}

// usual is the memory for a frame of one packet.
const usual = headerSize + mtu

func (h *held) empty() bool { return h.size == 0 }

// first is the frame that leaves next; the queue isn't empty.
func (h *held) first() *waiting { return &h.ring[h.head] }

// push copies a frame of so many packets into the queue. It returns false when the queue is full.
func (h *held) push(at time.Duration, f frame, packets int) bool {
	if h.packets+packets > mostHeld {
		return false
	}
	if h.size == len(h.ring) {
		h.grow()
	}
	h.ring[(h.head+h.size)%len(h.ring)] = waiting{at, packets, append(h.memory(len(f)), f...)}
	h.size++
	h.packets += packets
	return true
}

// memory is space for a frame of n bytes.
func (h *held) memory(n int) frame {
	spare, size := &h.spare[0], usual
	if n > usual {
		spare, size = &h.spare[1], n
	}
	last := len(*spare) - 1
	if last < 0 {
		return make(frame, 0, size)
	}
	f := (*spare)[last]
	*spare = (*spare)[:last]
	return f[:0]
}

// pop removes the first frame.
func (h *held) pop() {
	p := h.first()
	of := &h.spare[0]
	if cap(p.frame) > usual {
		of = &h.spare[1]
	}
	*of = append(*of, p.frame)
	h.packets -= p.packets
	*p = waiting{}
	h.head, h.size = (h.head+1)%len(h.ring), h.size-1
}

func (h *held) grow() {
	ring := make([]waiting, max(64, 2*len(h.ring)))
	for i := range h.size {
		ring[i] = h.ring[(h.head+i)%len(h.ring)]
	}
	h.ring, h.head = ring, 0
}

// headerSize is the size of the virtio header that a TUN device with IFF_VNET_HDR puts before a packet
// (Virtual I/O Device 1.2, 5.1.6: struct virtio_net_hdr without num_buffers). Its numbers have the machine's
// byte order.
const headerSize = 10

// Fields of the header: where they begin, and values.
const (
	frameKind     = 1 // gso_type
	frameSegment  = 4 // gso_size: bytes of TCP payload in a segment
	frameSumStart = 6 // csum_start: where the TCP header begins
	kindNone      = 0 // VIRTIO_NET_HDR_GSO_NONE
	kindTCP       = 1 // VIRTIO_NET_HDR_GSO_TCPV4
	kindECN       = 0x80
	leastIP       = 20
	leastTCP      = 20
	tcpFlags      = 13
	flagFIN       = 0x01
	flagPSH       = 0x08
	flagCWR       = 0x80
)

// frame is a virtio header and an IPv4 packet. The packet can be one that the kernel leaves to the device to
// cut into several (TCP segmentation offload): a connection's data of up to 64 KiB behind one TCP header.
type frame []byte

func (f frame) number(at int) int { return int(binary.NativeEndian.Uint16(f[at:])) }

func (f frame) packet() []byte { return f[headerSize:] }

// valid reports whether the frame has an IPv4 packet. The kernel also sends packets that ask for IPv6 routers.
func (f frame) valid() bool { return len(f) >= headerSize+leastIP && f[headerSize]>>4 == 4 }

// large reports whether the frame is for several packets, of which each has headers bytes of headers and at
// most segment bytes of data.
func (f frame) large() (headers, segment int, is bool) {
	p, tcp := f.packet(), f.number(frameSumStart)
	if f[frameKind]&^kindECN != kindTCP || tcp < leastIP || len(p) < tcp+leastTCP {
		return 0, 0, false
	}
	headers, segment = tcp+int(p[tcp+12]>>4)*4, f.number(frameSegment)
	return headers, segment, segment > 0 && headers >= tcp+leastTCP && len(p) > headers+segment
}

// size is how many packets the frame is for, and how many bytes they have.
func (f frame) size() (packets, bytes int) {
	headers, segment, is := f.large()
	if !is {
		return 1, len(f.packet())
	}
	data := len(f.packet()) - headers
	packets = (data + segment - 1) / segment
	return packets, data + packets*headers
}

// split gives each packet of the frame to take, one after the other in the memory of part.
func (f frame) split(part frame, take func(frame)) {
	headers, segment, is := f.large()
	if !is {
		take(f)
		return
	}
	all, end := f.packet(), headerSize+headers
	tcp, sequence := f.number(frameSumStart), binary.BigEndian.Uint32(all[f.number(frameSumStart)+4:])
	for at := headers; at < len(all); at += segment {
		data := all[at:min(at+segment, len(all))]
		copy(part, f[:end])
		copy(part[end:], data)
		one := part[:end+len(data)]
		one[frameKind] = kindNone
		binary.NativeEndian.PutUint16(one[frameSegment:], 0)
		p := one.packet()
		numberIP(p, (at-headers)/segment, tcp)
		binary.BigEndian.PutUint32(p[tcp+4:], sequence+uint32(at-headers))
		if at > headers { // as the kernel's tcp_gso_segment does
			p[tcp+tcpFlags] &^= flagCWR
		}
		if at+segment < len(all) {
			p[tcp+tcpFlags] &^= flagFIN | flagPSH
		}
		// The kernel's sum is that of the pseudo header only, and has the length of all data.
		sum := uint32(binary.BigEndian.Uint16(p[tcp+16:])) + uint32(len(p)-tcp) + uint32(^uint16(len(all)-tcp))
		binary.BigEndian.PutUint16(p[tcp+16:], fold(sum))
		take(one)
	}
}

// numberIP gives a packet its length, the n-th identification after its first one, and the sum of its header.
func numberIP(p []byte, n, header int) {
	binary.BigEndian.PutUint16(p[2:], uint16(len(p)))
	binary.BigEndian.PutUint16(p[4:], binary.BigEndian.Uint16(p[4:])+uint16(n))
	binary.BigEndian.PutUint16(p[10:], 0)
	sum := uint32(0)
	for i := 0; i < header; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(p[i:]))
	}
	binary.BigEndian.PutUint16(p[10:], ^fold(sum))
}

// fold is a sum in ones' complement (RFC 1071).
func fold(sum uint32) uint16 {
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}

// Counts is what a line has carried, both directions together.
type Counts struct {
	Packets, Bytes int64
	Lost           int64 // as Loss asks for
	Dropped        int64 // because the queue was full or the kernel took no more
	Late           int64 // packets that left more than LateAfter after their time
}

// LateAfter is how much later than planned a packet may leave. It is more than the resolution of the
// kernel's timers and a change of threads on a busy processor take.
const LateAfter = 500 * time.Microsecond

type counters struct{ packets, bytes, lost, dropped, late atomic.Int64 }

func (c *counters) counts() Counts {
	return Counts{Packets: c.packets.Load(), Bytes: c.bytes.Load(), Lost: c.lost.Load(), Dropped: c.dropped.Load(),
		Late: c.late.Load()}
}

// ends are the addresses of the two ends of line n of a namespace: the n-th four addresses of a range that
// RFC 2544 reserves for benchmarks (198.18.0.0/15). Other programs, such as proxies of a whole machine's traffic,
// use parts of this range too, so ends skips those that the namespace has routes to.
func ends(n int, routes []*net.IPNet) (near, far *net.IPNet, err error) {
	for _, second := range []byte{18, 19} {
		if n > 1<<14-1 {
			break
		}
		first := net.IPv4(198, second, byte(n>>6), byte(n<<2)).To4()
		mask := net.CIDRMask(30, 32)
		if overlaps(&net.IPNet{IP: first, Mask: mask}, routes) {
			continue
		}
		at := func(i byte) *net.IPNet {
			return &net.IPNet{IP: net.IPv4(first[0], first[1], first[2], first[3]+i).To4(), Mask: mask}
		}
		return at(1), at(2), nil
	}
	return nil, nil, errors.New("this machine has routes to 198.18.0.0/15, which RFC 2544 reserves for benchmarks " +
		"and of which the delay line needs four addresses; see them with: ip route")
}

// overlaps reports whether one of the routes leads to an address of the range.
func overlaps(x *net.IPNet, routes []*net.IPNet) bool {
	for _, r := range routes {
		if r.Contains(x.IP) || x.Contains(r.IP) {
			return true
		}
	}
	return false
}
