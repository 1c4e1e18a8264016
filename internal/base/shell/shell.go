// Package shell quotes words of the commands that are printed for a user to paste.
package shell

import (
	"runtime"
	"strings"
)

// plain are the bytes that no shell interprets.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,"

// Word quotes a word for this system's shell if necessary, so that a printed command can be pasted.
func Word(s string) string {
	if runtime.GOOS == "windows" {
		return powerShell(s)
	}
	return posix(s)
}

func posix(s string) string {
	if strings.Trim(s, plain) == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// powerShell uses double quotes where they mean the same in PowerShell and cmd.exe, else PowerShell's
// single quotes (about_Quoting_Rules). A comma and an @ are operators of PowerShell, a percent sign is one
// of cmd.exe.
func powerShell(s string) string {
	switch {
	case s != "" && strings.Trim(s, plain+`\`) == "" && !strings.ContainsAny(s, ",@%"):
		return s
	case !strings.ContainsAny(s, "$`\"%") && !strings.HasSuffix(s, `\`):
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
