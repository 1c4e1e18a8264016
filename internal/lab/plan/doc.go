// Package plan says which cells there are: which topology is measured over
// which protocol with which client, for each command, as Go tables. It is the
// first step of the path; what it returns is launched, verified and measured
// by the packages after it, none of which choose anything.
package plan
