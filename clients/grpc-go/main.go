// Command grpc-go-client is grpc-go as applications use it: one ClientConn that all goroutines
// share, with default settings (grpc-go) or with a retry policy (grpc-go-retry), and several
// ClientConns (grpc-go-spread).
//
// internal/lab/load runs the program and reads its answer; clients/kit is its harness. It calls
// h2lab.Echo/Say of the backend, whatever the path of --url.
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
