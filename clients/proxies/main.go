package main

import (
	"context"
	"os"

	"h2lab/clients/kit"
)

func main() {
	os.Exit(kit.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, kit.Program{
		Name:        "proxies",
		Description: "Sends requests through a proxy, whose HTTP/2 to its upstream is what is measured.",
		Variants:    variants,
		New:         func(f kit.Flags) (kit.Subject, error) { return newClient(f) },
	}))
}

// variants are the proxies and what is changed in their configurations.
var variants = []string{
	"envoy-as-client", "envoy-max-requests", "envoy-retry-refused",
	"nginx-as-client", "nginx-keepalive",
}
