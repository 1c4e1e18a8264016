// Package labtest has helpers that the tests of several packages share: scratch servers,
// certificates, the project's root. It imports no other package of the module, and only tests
// import it.
package labtest
