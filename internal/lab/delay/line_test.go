package delay

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// largeFrame is a frame of data behind one header, as the kernel gives it to a device.
func largeFrame(options, segment int, data []byte) frame {
	tcp := leastTCP + options
	f := make(frame, headerSize+leastIP+tcp, headerSize+leastIP+tcp+len(data))
	f[0], f[frameKind] = 1, kindTCP|kindECN // VIRTIO_NET_HDR_F_NEEDS_CSUM
	binary.NativeEndian.PutUint16(f[frameSegment:], uint16(segment))
	binary.NativeEndian.PutUint16(f[frameSumStart:], leastIP)
	binary.NativeEndian.PutUint16(f[8:], 16)
	p := f.packet()
	p[0], p[9] = 0x45, 6
	binary.BigEndian.PutUint16(p[4:], 0xfffe) // the numbers of the packets begin again
	copy(p[12:], []byte{198, 18, 0, 2, 127, 0, 0, 1})
	binary.BigEndian.PutUint32(p[leastIP+4:], 0xffffff00) // so do those of the bytes
	p[leastIP+12], p[leastIP+tcpFlags] = byte(tcp/4<<4), flagCWR|flagPSH|flagFIN|0x10
	binary.BigEndian.PutUint16(p[leastIP+16:], pseudo(p, tcp+len(data)))
	return append(f, data...)
}

// pseudo is the sum of the pseudo header (RFC 9293, 3.1) of a TCP segment.
func pseudo(p []byte, length int) uint16 {
	sum := uint32(p[9]) + uint32(length)
	for i := 12; i < 20; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(p[i:]))
	}
	return fold(sum)
}

// Each packet of a frame is one that the kernel would have sent.
func TestAFrameIsSplitAsTheKernelDoes(t *testing.T) {
	for _, c := range []struct{ options, segment, data int }{
		{0, 1460, 1461}, {12, 1448, 2 * 1448}, {12, 1448, 65_483}, {40, 1, 3}, {12, 536, 10_000},
	} {
		data := bytes.Repeat([]byte("0123456789abc"), 6000)[:c.data]
		f := largeFrame(c.options, c.segment, data)
		packets, total := f.size()
		headers := leastIP + leastTCP + c.options
		if want := (c.data + c.segment - 1) / c.segment; packets != want || total != c.data+want*headers {
			t.Errorf("%+v: %d packets of %d bytes", c, packets, total)
		}
		var got []byte
		n := 0
		f.split(make(frame, 1<<17), func(part frame) {
			for _, wrong := range differs(part, n, packets, headers, len(got)) {
				t.Errorf("%+v, packet %d of %d: %s", c, n, packets, wrong)
			}
			got = append(got, part.packet()[headers:]...)
			n++
		})
		if n != packets || !bytes.Equal(got, data) {
			t.Errorf("%+v: %d packets, %d bytes", c, n, len(got))
		}
	}
}

// differs says what is wrong with packet n of a frame of largeFrame, which begins with byte at of the data.
func differs(part frame, n, packets, headers, at int) (out []string) {
	p := part.packet()
	want := func(what string, got, want int) {
		if got != want {
			out = append(out, fmt.Sprintf("%s is %#x, want %#x", what, got, want))
		}
	}
	sum := uint32(0)
	for i := 0; i < leastIP; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(p[i:]))
	}
	count, _ := part.size()
	want("the number of packets", count, 1)
	want("the sum of the IP header", int(fold(sum)), 0xffff)
	want("the length", int(binary.BigEndian.Uint16(p[2:])), len(p))
	want("the identification", int(binary.BigEndian.Uint16(p[4:])), (0xfffe+n)&0xffff)
	want("the sequence number", int(binary.BigEndian.Uint32(p[leastIP+4:])), (0xffffff00+at)&0xffffffff)
	want("TCP's sum", int(binary.BigEndian.Uint16(p[leastIP+16:])), int(pseudo(p, len(p)-leastIP)))
	flags := 0x10
	if n == 0 {
		flags |= flagCWR
	}
	if n == packets-1 {
		flags |= flagPSH | flagFIN
	}
	want("the flags", int(p[leastIP+tcpFlags]), flags)
	want("the offset of TCP's data", headers, leastIP+int(p[leastIP+12]>>4)*4)
	return out
}

// A frame whose header makes no sense is one packet.
func TestAFrameOfOnePacket(t *testing.T) {
	for what, change := range map[string]func(frame){
		"no segmentation":                    func(f frame) { f[frameKind] = kindNone },
		"another kind":                       func(f frame) { f[frameKind] = 3 },
		"segments of 0 bytes":                func(f frame) { binary.NativeEndian.PutUint16(f[frameSegment:], 0) },
		"one segment":                        func(f frame) { binary.NativeEndian.PutUint16(f[frameSegment:], 5000) },
		"TCP behind the packet":              func(f frame) { binary.NativeEndian.PutUint16(f[frameSumStart:], 6000) },
		"TCP within IP":                      func(f frame) { binary.NativeEndian.PutUint16(f[frameSumStart:], 19) },
		"a TCP header that has no ports":     func(f frame) { f[headerSize+leastIP+12] = 0 },
		"a TCP header longer than the frame": func(f frame) { binary.NativeEndian.PutUint16(f[frameSumStart:], 5010) },
	} {
		f := largeFrame(12, 1448, make([]byte, 5000))
		change(f)
		n := 0
		f.split(nil, func(part frame) { n += len(part) })
		if packets, size := f.size(); packets != 1 || size != len(f)-headerSize || n != len(f) {
			t.Errorf("%s: %d packets, %d bytes, %d bytes after split", what, packets, size, n)
		}
	}
	for _, f := range []frame{nil, make(frame, headerSize), make(frame, headerSize+leastIP-1),
		append(make(frame, headerSize), bytes.Repeat([]byte{0x60}, 40)...)} {
		if f.valid() {
			t.Errorf("%v is taken for IPv4", f)
		}
	}
}

// Only a line that treats each packet in its own way splits frames; only one that holds packets interrupts others.
func TestWhatALineDoesToFrames(t *testing.T) {
	for _, c := range []struct {
		line           Line
		prompt, splits bool
	}{
		{Line{}, false, false},
		{Line{Rate: 10_000_000_000}, false, false},
		{Line{Rate: 1_000_000_000}, true, true},
		{Line{Rate: 1_000_000}, true, true},
		{Line{RTT: 20 * ms}, true, false},
		{Line{RTT: 20 * ms, Jitter: ms}, true, true},
		{Line{Loss: 0.01}, false, true},
	} {
		if prompt, splits := c.line.prompt(), c.line.splits(1<<16); prompt != c.prompt || splits != c.splits {
			t.Errorf("%+v: prompt %t, splits %t", c.line, prompt, splits)
		}
	}
}

// A queue has as many packets as its frames are for, and uses their memory again.
func TestTheQueueHoldsFramesOfManyPackets(t *testing.T) {
	var h held
	large := largeFrame(12, 1448, make([]byte, 50*1448))
	held := 0
	for h.push(time.Duration(held), large, 50) {
		held++
	}
	if held != mostHeld/50 {
		t.Errorf("holds %d frames of 50 packets", held)
	}
	h.pop()
	if !h.push(0, large[:100], 1) || !h.push(0, large, 49) || h.push(0, large[:100], 1) {
		t.Error("the packets of a frame that has left leave no space")
	}
	for !h.empty() {
		h.pop()
	}
	if n := testing.AllocsPerRun(100, func() {
		h.push(0, large, 50)
		h.push(0, large[:100], 1)
		h.pop()
		h.pop()
	}); n > 0 {
		t.Errorf("%g allocations for two frames", n)
	}
}

const ms = time.Millisecond

func TestAPacketLeavesAfterHalfTheRoundTrip(t *testing.T) {
	s := newSchedule(Line{RTT: 20 * ms}, 0)
	for _, now := range []time.Duration{0, 1, 5 * ms} {
		if at, lost := s.leaves(now, 100); at != now+10*ms || lost {
			t.Errorf("arrived at %s, leaves at %s, lost %t", now, at, lost)
		}
	}
}

func TestJitterSpreadsRoundTripsAndKeepsTheOrder(t *testing.T) {
	s := newSchedule(Line{RTT: 20 * ms, Jitter: 8 * ms, Seed: 1}, 0)
	last, least, most := time.Duration(0), time.Hour, time.Duration(0)
	for i := range 2000 {
		now := time.Duration(i) * 10 * ms // so far apart that none waits for the one before
		at, _ := s.leaves(now, 100)
		if at < last {
			t.Fatalf("packet %d leaves at %s, before the one before it (%s)", i, at, last)
		}
		last, least, most = at, min(least, at-now), max(most, at-now)
	}
	if least < 6*ms || least > 6500*time.Microsecond || most > 14*ms || most < 13500*time.Microsecond {
		t.Errorf("held for %s to %s, want 6 to 14 ms", least, most)
	}
	for i := range 2000 { // and close together
		if at, _ := s.leaves(last+time.Duration(i), 100); at < last {
			t.Fatal("a packet overtakes another one")
		}
	}
}

// A changed line holds the packets that arrive from then on as it says; none overtakes an earlier one.
func TestAChangedLineKeepsTheOrder(t *testing.T) {
	s := newSchedule(Line{RTT: 80 * ms}, 0)
	first, _ := s.leaves(0, 100)
	s.line.Store(&Line{})
	behind, _ := s.leaves(10*ms, 100)
	after, _ := s.leaves(50*ms, 100)
	s.line.Store(&Line{RTT: 20 * ms})
	longer, _ := s.leaves(60*ms, 100)
	if first != 40*ms || behind != 40*ms || after != 50*ms || longer != 70*ms {
		t.Errorf("packets leave at %s, %s, %s and %s, want 40, 40, 50 and 70 ms", first, behind, after, longer)
	}
}

func TestLossIsTheShareThatWasAskedFor(t *testing.T) {
	s, lost := newSchedule(Line{Loss: 0.05, Seed: 1}, 0), 0.0
	for range 20_000 {
		if _, gone := s.leaves(0, 100); gone {
			lost++
		}
	}
	if share := lost / 20_000; math.Abs(share-0.05) > 0.006 { // four standard deviations
		t.Errorf("%g of the packets are lost, want 0.05", share)
	}
}

func TestTheRateSpacesPackets(t *testing.T) {
	s := newSchedule(Line{RTT: 20 * ms, Rate: 12_000_000}, 0) // 1,500 bytes take 1 ms
	for i := 1; i <= 5; i++ {
		if at, _ := s.leaves(0, 1500); at != time.Duration(i)*ms+10*ms {
			t.Errorf("packet %d leaves at %s", i, at)
		}
	}
	if at, _ := s.leaves(time.Second, 1500); at != time.Second+11*ms {
		t.Errorf("after a pause a packet leaves at %s", at)
	}
}

func TestTheQueueKeepsOrderAndContent(t *testing.T) {
	var h held
	in, out := 0, 0
	pop := func() {
		if p := h.first(); p.at != time.Duration(out) || string(p.frame) != strings.Repeat("x", out%50) {
			t.Fatalf("packet %d: %s, %d bytes", out, p.at, len(p.frame))
		}
		h.pop()
		out++
	}
	for round := range 40 {
		for range 37 {
			h.push(time.Duration(in), []byte(strings.Repeat("x", in%50)), 1)
			in++
		}
		for range 20 + round%30 {
			if !h.empty() {
				pop()
			}
		}
	}
	for !h.empty() {
		pop()
	}
	if in != out {
		t.Errorf("%d went in, %d came out", in, out)
	}
}

func TestTheLineOfADistance(t *testing.T) {
	got := Of(facts.Distance{RTTMS: 20.5, JitterMS: 2, LossPercent: 1, MbitPerS: 100})
	if want := (Line{RTT: 20500 * time.Microsecond, Jitter: 2 * ms, Loss: 0.01, Rate: 100_000_000}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestEndsOfLines(t *testing.T) {
	for _, c := range []struct {
		n              int
		routes         string
		near, far, err string
	}{
		{0, "", "198.18.0.1/30", "198.18.0.2/30", ""},
		{0, "192.168.0.0/16 127.0.0.0/8", "198.18.0.1/30", "198.18.0.2/30", ""},
		{1, "198.18.0.0/30", "198.18.0.5/30", "198.18.0.6/30", ""},
		{64, "", "198.18.1.1/30", "198.18.1.2/30", ""},
		{1<<14 - 1, "", "198.18.255.253/30", "198.18.255.254/30", ""},
		{0, "198.18.0.0/16", "198.19.0.1/30", "198.19.0.2/30", ""}, // a proxy for the whole machine
		{2, "198.18.0.9/32", "198.19.0.9/30", "198.19.0.10/30", ""},
		{0, "198.18.0.0/15", "", "", "routes to 198.18.0.0/15"},
		{1 << 14, "", "", "", "routes to 198.18.0.0/15"},
	} {
		var routes []*net.IPNet
		for _, r := range strings.Fields(c.routes) {
			_, x, err := net.ParseCIDR(r)
			labtest.Check(t, err)
			routes = append(routes, x)
		}
		near, far, err := ends(c.n, routes)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("line %d, routes %s: %v %v %v", c.n, c.routes, near, far, err)
			}
			continue
		}
		if err != nil || near.String() != c.near || far.String() != c.far {
			t.Errorf("line %d, routes %s: %v %v %v", c.n, c.routes, near, far, err)
		}
	}
}
