package check

import (
	"bytes"
	"regexp"
	"slices"
)

// prompted matches a command at a shell's prompt: user@host:~$ nginx -T, [user@host ~]# cat FILE, $ cat FILE.
// A line that begins with # is a comment everywhere.
var prompted = regexp.MustCompile(`^(?:\(\S+\) )?(?:\S+@\S+[:\s].*[#$%] ?|\[\S+@[^\]]*\] ?[#$%] ?|[$%] )` +
	`(?:(?:sudo|nginx|angie|openresty|cat|docker|podman|kubectl|less|more|head|tail|curl|ssh)\b.*)?$`)

// longestPrompt is more than a prompt with its command has.
const longestPrompt = 4 << 10

// fence is one of the two lines around a block of Markdown.
var fence = regexp.MustCompile("^```[\\w-]*\\s*$")

// head is that of a response, as curl -i prints it before the body.
var head = regexp.MustCompile(`^HTTP/[0-9.]+ [0-9]{3}[^\n]*\n(?:[\w-]+:[^\n]*\n)*\r?\n`)

// pasted replaces what stands around a pasted output by spaces: the shell's prompt with the command in the first
// line, the prompt after the output in the last, the head of a response, the fences of a block of Markdown. Places stay as they are.
func pasted(data []byte) []byte {
	if h := head.Find(data); h != nil {
		data = append(blank(h), data[len(h):]...)
	}
	first, last := firstLine(data), lastLine(data)
	fenced := first != last && fence.Match(data[first[0]:first[1]]) && fence.Match(data[last[0]:last[1]])
	for _, at := range [][2]int{first, last} {
		line := data[at[0]:at[1]]
		if len(line) > longestPrompt {
			continue
		}
		if fenced || prompted.Match(bytes.TrimRight(line, " \t\r")) || prompted.Match(line) {
			data = slices.Concat(data[:at[0]], blank(line), data[at[1]:])
		}
	}
	return data
}

// blank is text of the same lines and bytes without anything in them.
func blank(text []byte) []byte {
	out := bytes.Repeat([]byte(" "), len(text))
	for i, c := range text {
		if c == '\n' {
			out[i] = c
		}
	}
	return out
}

// firstLine is where the first line lies that isn't empty.
func firstLine(data []byte) [2]int {
	from := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
	to := bytes.IndexByte(data[from:], '\n')
	if to < 0 {
		return [2]int{from, len(data)}
	}
	return [2]int{from, from + to}
}

// lastLine is where the last line lies that isn't empty.
func lastLine(data []byte) [2]int {
	to := len(bytes.TrimRight(data, " \t\r\n"))
	return [2]int{bytes.LastIndexByte(data[:to], '\n') + 1, to}
}
