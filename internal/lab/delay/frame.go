package delay

import "encoding/binary"

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
