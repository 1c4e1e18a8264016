package intake

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// Wrapping is what a container's runtime or a collector puts around a program's line: a prefix, or a JSON object.
type Wrapping struct {
	Inside string   // the text of a catalogue that names what is inside: "%s in CRI's log"
	Prefix *pattern // its groups are host and time
	Inner  string   // the key of the line within the object; times and hosts likewise, the most exact first
	Hosts  []string
	Time   string
}

// Line is a program's line, with the name of the machine or the pod that wrote it and the time, as far as the wrapping
// has them.
type Line struct{ Text, Host, Time []byte }

// Wrappings are tried in this order, the strictest first.
func Wrappings() []Wrapping { return tables().Wrapping }

// IsJSON reports whether the line stands in an object.
func (w *Wrapping) IsJSON() bool { return w.Inner != "" }

// Unwrap takes the wrapping off; false if the line has none.
func (w *Wrapping) Unwrap(line []byte) (in Line, ok bool) {
	if w.Inner != "" {
		return w.ofObject(line)
	}
	at := w.Prefix.FindSubmatchIndex(line)
	if at == nil {
		return Line{}, false
	}
	for i, name := range w.Prefix.SubexpNames() {
		switch {
		case i == 0 || at[2*i] < 0:
		case name == "host":
			in.Host = line[at[2*i]:at[2*i+1]]
		default:
			in.Time = line[at[2*i]:at[2*i+1]]
		}
	}
	in.Text = line[at[1]:]
	return in, true
}

func (w *Wrapping) ofObject(line []byte) (in Line, ok bool) {
	if len(line) == 0 || line[0] != '{' {
		return Line{}, false
	}
	text := gjson.GetBytes(line, w.Inner)
	if text.Type != gjson.String || !gjson.ValidBytes(line) {
		return Line{}, false
	}
	in.Text = bytes.TrimRight([]byte(text.Str), "\r\n")
	in.Time = []byte(gjson.GetBytes(line, gjson.Escape(w.Time)).String())
	for _, host := range w.Hosts {
		if name := gjson.GetBytes(line, host); name.Type == gjson.String {
			in.Host = []byte(name.Str)
			break
		}
	}
	return in, len(in.Text) > 0
}

// All returns what is inside of those lines that have the wrapping.
func (w *Wrapping) All(lines [][]byte) (inner [][]byte) {
	for _, l := range lines {
		if in, ok := w.Unwrap(l); ok && len(in.Text) > 0 {
			inner = append(inner, bytes.Clone(in.Text))
		}
	}
	return inner
}
