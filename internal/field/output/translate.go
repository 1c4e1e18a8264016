package output

import (
	"io"
	"strings"
)

// Translate turns finished English text into the user's language: a sentence, some sentences, or a label. Texts are
// translated before they are wrapped. Configuration lines, commands and quoted input are not passed to it. Nil leaves
// the text English.
type Translate func(english string) string

// Say translates a text.
func (t Translate) Say(english string) string {
	if t == nil {
		return english
	}
	return t(english)
}

// Command translates the remark behind a command: its last part, after "   # ".
func (t Translate) Command(line string) string {
	command, remark, ok := strings.Cut(line, "   # ")
	if !ok {
		return line
	}
	return command + "   # " + t.Say(remark)
}

// To makes a printer of a document that writes in the language.
func (t Translate) To(write func(io.Writer, Translate) error) func(io.Writer) error {
	return func(w io.Writer) error { return write(w, t) }
}
