// Package lint holds the nouns of `h2lab lint`: what a configuration says about
// the life of an HTTP/2 connection, listener by listener, and what is wrong with
// it. Each kind of server has a room below this one that reads its files and
// fills a Report; this room prints it. It judges and touches no network.
//
// A kind's room is one function, one list and nothing else that others call:
//
//	func Lint(files []lint.File, o lint.Options) (lint.Report, error)
//	var Rules []lint.Rule
package lint
