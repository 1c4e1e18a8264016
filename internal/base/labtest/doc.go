// Package labtest holds what the tests of several rooms share: scratch servers,
// certificates, the project's root. It stands beside the path, not on it: it
// imports nothing of ours, and no product code imports it.
package labtest
