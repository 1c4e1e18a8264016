// Package clients reads the manifests of the client programs in clients/: which programs there are,
// what each needs, how it is built and which command starts it.
//
// A client is a row of a manifest (clients/ECOSYSTEM/client.json), and an ecosystem is a line of
// clients/clients.txt. Package plan selects the topologies that a client is measured on; package
// load starts every client with the same command-line flags (docs/adding-a-client.md).
package clients
