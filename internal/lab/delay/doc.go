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
