// Package workshop checks the exercises of docs/workshop: a learner's own files
// against what servers, programs and the wire really do. One file an exercise
// (ex01_topologies.go, …), its hints beside its check, since a hint depends on
// what was found missing.
//
// It stands beside the path, as the conductor does: it asks the measuring rooms
// (probe, observe, launch, handshake) and keeps no numbers. What is right is
// never written down here where it can be asked: an answer is compared with a
// probe, a trace or a counter of the same minute.
//
// A check is bounded in time, leaves nothing behind, and answers in one
// sentence. desk.go is where a learner works, answers.go reads answers.txt,
// child.go runs what learners wrote, front.go counts at nginx-100, mystery.go
// is the server of exercise 10.
package workshop
