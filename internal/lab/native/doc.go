// Package native brings the native topology up, waits until every server
// answers, and takes it down again, by pid. It is the second step of the path:
// plan says which servers there are, launch runs them, the conductor measures
// what then stands there.
//
// Either every server is healthy or none is left: Up takes everything down
// again when one can't be started, when it dies before it is ready, or when
// the context ends. What it made (processes, cgroups, derived configurations)
// is removed by Site.Down. `h2lab up` saves a state file before it starts the
// first server, and `h2lab down` loads it; servers that no state file names are
// recognised by their command line and working directory.
//
// Adopt is the other way in: under Compose the servers run already, in the
// same PID and network namespaces, and are only found and checked.
//
// The files: tools and versions find the programs, ports and certs look before
// anything is started, derive makes the configurations for another LIMIT,
// cgroup holds the CPU budget, spawn and process start and end a server, ready
// waits, records writes down what ran, state and lock keep two runs apart,
// recognise finds servers without a state file.
package native
