package main

import (
	"context"
	"os"

	"h2lab/clients/kit"
)

func main() {
	os.Exit(kit.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, kit.Program{
		Name:        "commands",
		Description: "Sends requests with a command-line tool, and counts what the tool reports.",
		Variants:    names(),
		NewBatch:    func(f kit.Flags) (kit.Batch, error) { return newClient(f) },
	}))
}

// variants are the tools, each in the ways that users run it.
var variants = []struct {
	name string
	new  func(*client) tool
}{
	{"curl-parallel", func(c *client) tool { return &curl{client: c} }},
	{"curl-retry", func(c *client) tool { return &curl{client: c, extra: retrying} }},
	{"h2load", func(c *client) tool { return &h2load{client: c, clients: 1, streams: c.flags.Concurrency} }},
	{"h2load-connections", func(c *client) tool {
		return &h2load{client: c, clients: c.flags.Concurrency, streams: 1}
	}},
	{"hey", func(c *client) tool { return &hey{client: c} }},
}

func names() []string {
	var all []string
	for _, v := range variants {
		all = append(all, v.name)
	}
	return all
}
