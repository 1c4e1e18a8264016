// Command grpc-go-client is grpc-go as applications use it: one ClientConn that
// all goroutines share, as it comes (grpc-go) or told to try again
// (grpc-go-retry), and several of them (grpc-go-spread).
//
// It stands where clients/go stands on the path of a fact: internal/lab/load runs it
// and reads its answer, and clients/kit is its harness. It calls h2lab.Echo/Say
// of the backend, whatever the path of --url.
package main

import (
	"context"
	"os"

	"h2lab/clients/kit"
)

var program = kit.Program{
	Name:        "grpc-go-client",
	Description: "Makes unary gRPC calls in a closed loop over one grpc-go ClientConn.",
	Variants:    []string{asItComes, withRetry, spread},
	New:         newClient,
}

func main() {
	os.Exit(kit.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, program))
}
