// Package workshop checks the exercises of docs/workshop: it compares a learner's own files with
// what servers, programs and connections really do. Each exercise has one file (ex01_topologies.go,
// …), which holds its check and its hints together, because a hint depends on what the check found
// missing.
//
// The package measures with the lab's other packages (probe, observe, launch, handshake) and stores
// no expected numbers: wherever possible, an answer is compared with a probe, a trace or a counter
// taken during the check.
//
// A check is bounded in time, leaves no process or file behind, and answers in one sentence.
// desk.go finds a learner's files and the running servers, answers.go reads answers.txt, child.go
// runs learners' programs, front.go counts connections at nginx-100, and mystery.go starts the
// server of exercise 10.
package workshop
