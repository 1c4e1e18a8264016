// Package podexec lets h2lab start a program in another container of the pod.
//
// Under Docker everything that measures runs in one container with nothing but
// static programs in it, and a client program needs a container with its
// toolchain. There a hand waits (h2lab hand): asked for it, it starts one
// program, passes stdin, stdout and stderr on, and tells how it ended. On the
// measuring side the program's place is taken by a relay (h2lab reach) with the
// same input, output and exit status, so load needn't know where a client runs.
//
// The two meet at an abstract Unix socket. The pod's containers share the
// network namespace that such a name lives in, and a name, unlike a file, needs
// no directory in common and is gone with the process that held it. They speak
// JSON, one object a message (message.go).
package podexec
