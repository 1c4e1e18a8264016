// Package advise says what a limit on requests per connection costs at a given
// traffic, and which limit to set. It is pure arithmetic: a Question goes in, an
// Answer comes out, and every number of it can show its formula (Explain). It
// stands beside the judging wing: it knows no network, no file and no clock.
//
// The constants it rests on are in constants.go, each with the recorded run it
// was taken from. docs/advise.md sets its predictions beside measured cells.
package advise
