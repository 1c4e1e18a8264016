// Package text makes text from files, servers and logs safe to print.
//
// A terminal obeys what it is sent: ESC and C1 sequences (ECMA-48) move the
// cursor, change the title and erase lines; CR and BS write over what was said
// before; bidirectional overrides (Unicode UAX #9) and invisible characters
// show another text than the one that was compared or copied (CVE-2021-42574).
// Every such character is shown as its JSON escape, \u001b for ESC, so that
// a JSON document that passes through stays the same document.
package text
