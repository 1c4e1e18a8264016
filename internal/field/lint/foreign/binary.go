package foreign

import (
	"bytes"
	"fmt"

	format "h2lab/internal/base/text"
	"h2lab/internal/field/lint"
)

// wrapped are the first bytes of files that hold others, with the command that takes them out.
var wrapped = []struct {
	at    int
	magic string
	what  string
	next  string
}{
	{0, "\x1f\x8b", "a gzip file", "tar xzf %[1]s, or gzip -dc %[1]s | h2lab lint -"},
	{0, "PK\x03\x04", "a zip archive", "unzip %s"},
	{0, "\xfd7zXZ\x00", "an xz file", "tar xJf %[1]s, or xz -dc %[1]s | h2lab lint -"},
	{0, "BZh", "a bzip2 file", "tar xjf %[1]s, or bzip2 -dc %[1]s | h2lab lint -"},
	{0, "\x28\xb5\x2f\xfd", "a zstd file", "tar --zstd -xf %[1]s, or zstd -dc %[1]s | h2lab lint -"},
	{257, "ustar", "a tar archive", "tar xf %s"},
	{0, "\xff\xfe", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 %s | h2lab lint -"},
	{0, "\xfe\xff", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 %s | h2lab lint -"},
	{0, "\x7fELF", "a program", "give the configuration that it reads"},
}

// Wrapped is an error for an archive, a compressed file and other files that need a program to become text.
func Wrapped(f lint.File) error {
	for _, w := range wrapped {
		if w.at < len(f.Data) && bytes.HasPrefix(f.Data[w.at:], []byte(w.magic)) {
			next := w.next
			if bytes.Contains([]byte(next), []byte("%")) {
				next = fmt.Sprintf(next, format.ShellWord(f.Name))
			}
			return fmt.Errorf("lint: %s is %s, which lint doesn't read: %s", f.Name, w.what, next)
		}
	}
	return nil
}
