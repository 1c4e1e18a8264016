// Package lint holds the types of `h2lab lint` and prints its reports: which
// settings of a configuration end HTTP/2 connections, listener by listener, and
// which of them are wrong. Each kind of server has a package below this one that
// reads the server's files and fills a Report. No package uses the network.
//
// The package of a kind exports:
//
//	func Lint(files []lint.File, o lint.Options) (lint.Report, error)
//	func Looks(f lint.File) bool
//	var Rules = lint.RulesIn(…) // its rules.toml: [[rule]] with id, severity, title, zh (the title in Chinese), help, docs
//
// Rules.New(ID, file, line, why…) makes a finding. Its reasons, where a value comes from, and what is assumed are texts
// of the catalogue (facts.T); JSON and SARIF show their English words.
package lint
