// Package plan has the cells of each command, as Go tables: which topology is measured over which
// protocol with which client. The packages that start, verify and measure them make no choice of
// their own.
package plan
