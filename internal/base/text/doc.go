// Package text makes text from files, servers and logs safe to print.
//
// A terminal executes control characters: ESC and C1 sequences (ECMA-48) move the cursor, change
// the title and erase lines; CR and BS overwrite earlier output. Bidirectional overrides (Unicode
// UAX #9) and invisible characters make a text look different from its bytes (CVE-2021-42574). The
// package replaces every such character with its JSON escape, \u001b for ESC, so that a JSON
// document keeps its meaning.
package text
