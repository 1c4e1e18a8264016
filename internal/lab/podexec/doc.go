// Package podexec starts a program in another container of the pod.
//
// Under Docker everything that measures runs in one container, which has only static programs, and
// a client program needs a container with its toolchain. An agent waits there (h2lab hand): on
// request it starts one program, passes stdin, stdout and stderr on, and reports how it ended. On
// the measuring side a relay (h2lab reach) takes the program's place, with the same input, output
// and exit status, so that package load needs no code for containers.
//
// They connect through an abstract Unix socket. Relay and agent share the network namespace of
// such a name, at the far end of a distance too. Unlike a file, the name needs no common directory and disappears with the process
// that holds it. They exchange JSON, one object a message (message.go).
package podexec
