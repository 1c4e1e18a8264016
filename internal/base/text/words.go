package text

import (
	"runtime"
	"slices"
	"strings"
)

// plain are the bytes that no shell interprets.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,"

// ShellWord quotes a word for this system's shell if necessary, so that a printed command can be pasted.
func ShellWord(s string) string {
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

// Nearest is the known word that a misspelt one most likely means: the one with the fewest edits,
// at most that many. It is empty where no word is near enough.
func Nearest(word string, known []string, most int) string {
	best := ""
	for _, k := range known {
		if d := edits(word, k); d <= most {
			best, most = k, d-1
		}
	}
	return best
}

// edits counts the insertions, removals, replacements and swaps of neighbours
// that turn a into b (the optimal string alignment distance).
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = slices.Min([]int{rows[i-1][j] + 1, rows[i][j-1] + 1, replaced})
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
