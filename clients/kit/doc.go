// Package kit is what the lab's client programs in Go share: the command line,
// the conversation with the conductor, the closed loop, the account of what
// happened and the line of JSON that every program ends with. A program adds
// the library it is about, as a Subject:
//
//	func main() {
//		os.Exit(kit.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, kit.Program{
//			Name: "go-client", Variants: []string{"go-replayable"}, New: newClient,
//		}))
//	}
//
// The conductor is internal/lab/load. It talks by lines on stdin and stdout, so that
// start-up is not measured and the window opens and closes when both agree:
// READY, WARM and DONE each wait for a newline, and one line of JSON ends it.
// Without --json a program runs on its own and prints the answer for a reader.
package kit
