// Package clients knows the client programs of clients/: which there are, what
// each needs, how it is built, and with which words it is started.
//
// It stands beside plan on the path of a fact: plan says which topologies a
// client is measured on, clients which clients there are. A client is a row of a
// manifest (clients/ECOSYSTEM/client.json), and an ecosystem is a line of
// clients/clients.txt. Nothing here measures or judges: load starts what this
// package names, by one command line for all (docs/adding-a-client.md).
package clients
