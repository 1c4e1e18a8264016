package main

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/decode"
)

type decodeCmd struct {
	What    []string `arg:"" optional:"" name:"text-or-file" help:"An error text in quotes, or files (gzip or not); - or nothing is stdin."`
	List    bool     `help:"List every known text."`
	Explain bool     `hidden:"" help:"Print the values of each stage, for those who change decode."`
	JSON    bool     `name:"json" help:"Answer in JSON (docs/decode.md)."`
}

// Help shows what a user can paste.
func (c *decodeCmd) Help() string {
	return "Examples:\n  h2lab decode 'http2: server sent GOAWAY and closed the connection; LastStreamID=1999, " +
		"ErrCode=NO_ERROR'\n" +
		"  h2lab decode app.log app.log.1.gz\n  journalctl -u app | h2lab decode"
}

// Run decodes a text or files. Ctrl-C ends it at once, even while it waits for input.
func (c *decodeCmd) Run(a *app) error {
	if c.List {
		return c.list(a)
	}
	if len(c.What) == 0 && term.IsTerminal(int(os.Stdin.Fd())) {
		return exitstatus.WrongUsage(errors.New("decode: no text: h2lab decode 'the error text', h2lab decode FILE, or pipe " +
			"a log into it"))
	}
	sources, err := decode.Sources(c.What)
	if err != nil {
		return err
	}
	if c.Explain {
		return decode.Explain(a.ctx, sources, a.stdout)
	}
	r, readErr := decode.ReadAll(a.ctx, sources)
	if r == nil {
		return readErr
	}
	print := func(w io.Writer) error { return r.WriteText(w, texts.Language(a.language), a.translate()) }
	if c.JSON {
		print = r.WriteJSON
	}
	return errors.Join(print(a.stdout), readErr)
}

func (c *decodeCmd) list(a *app) error {
	switch {
	case len(c.What) > 0:
		return exitstatus.WrongUsage(errors.New("decode: --list takes no text and no file: h2lab decode --list"))
	case c.JSON:
		return decode.WriteListJSON(a.stdout)
	}
	return decode.WriteList(a.stdout, texts.Language(a.language))
}
