// Package kit is what the lab's client programs in Go share: the command line, the protocol with
// internal/lab/load, the closed and the open loop, the counts and the line of JSON that every program ends with.
// A program adds the library that it measures, as a Subject:
//
//	func main() {
//		os.Exit(kit.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, kit.Program{
//			Name: "go-client", Variants: []string{"go-replayable"}, New: newClient,
//		}))
//	}
//
// internal/lab/load controls a program by lines on stdin and stdout, so that start-up isn't
// measured and both sides agree when the window opens and closes: the program prints READY, WARM
// and DONE, waits for a newline after each, and ends with one line of JSON. Without --json a
// program runs on its own and prints the answer as text.
package kit
