// Package shell quotes words of the commands that are printed for a user to paste.
package shell

import "strings"

// plain are the bytes that no shell interprets.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,"

// Word quotes a word for a POSIX shell if necessary, so that a printed command can be pasted.
func Word(s string) string {
	if strings.Trim(s, plain) == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
