package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"h2lab/internal/base/textwrap"
	"h2lab/internal/field/decode"
)

type decodeCmd struct {
	What []string `arg:"" optional:"" name:"text-or-file" help:"An error text in quotes, or files (gzip or not); - or nothing is stdin."`
	List bool     `help:"Print every text that is known."`
	JSON bool     `name:"json" help:"Answer in JSON (docs/decode.md)."`
}

// Help shows what a user can paste.
func (c *decodeCmd) Help() string {
	return "Examples:\n  h2lab decode 'http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR'\n" +
		"  h2lab decode app.log app.log.1.gz\n  journalctl -u app | h2lab decode"
}

// Run decodes a text or files. Ctrl-C ends it at once, also while it waits for
// a line that doesn't come.
func (c *decodeCmd) Run(a *app) error {
	if c.List {
		return c.list(a)
	}
	sources, err := c.sources()
	if err != nil {
		return err
	}
	type answer struct {
		tally *decode.Tally
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		var t decode.Tally
		err := readSources(a, sources, &t)
		done <- answer{&t, err}
	}()
	var got answer
	select {
	case <-a.ctx.Done():
		return a.ctx.Err()
	case got = <-done:
	}
	if got.err != nil && got.tally.Events == 0 {
		return fmt.Errorf("decode: %w", got.err)
	}
	if err := c.write(a, got.tally.Report()); err != nil {
		return err
	}
	if got.err != nil {
		return fmt.Errorf("decode: %w; what was read before is above", got.err)
	}
	return nil
}

func (c *decodeCmd) list(a *app) error {
	switch {
	case len(c.What) > 0:
		return usageError{errors.New("decode: --list takes no text and no file: h2lab decode --list")}
	case c.JSON:
		return writeDecoded(a.stdout, struct {
			SchemaVersion int             `json:"schema_version"`
			Known         []decode.Listed `json:"known"`
		}{decode.SchemaVersion, decode.List()})
	}
	return decode.WriteList(a.stdout)
}

func (c *decodeCmd) write(a *app, r decode.Report) error {
	if c.JSON {
		return writeDecoded(a.stdout, r)
	}
	return r.WriteText(a.stdout)
}

func writeDecoded(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(document)
}

// decodeSource is a text, a file, or stdin where both are empty.
type decodeSource struct{ text, file string }

// sources tells files from pasted text: what is there is a file, what has the
// looks of one is a mistake, and the rest is text.
func (c *decodeCmd) sources() ([]decodeSource, error) {
	if len(c.What) == 0 {
		if term.IsTerminal(int(os.Stdin.Fd())) {
			return nil, usageError{errors.New("decode: no text: h2lab decode 'the error text', h2lab decode FILE, or pipe a log into it")}
		}
		return []decodeSource{{}}, nil
	}
	var files []decodeSource
	var missing *string
	for _, w := range c.What {
		if w == "-" {
			files = append(files, decodeSource{})
		} else if _, err := os.Stat(w); err == nil {
			files = append(files, decodeSource{file: w})
		} else if missing == nil {
			missing = &w
		}
	}
	if missing == nil {
		return files, nil
	}
	if looksLikeFile(*missing) || len(files) > 0 && !strings.ContainsAny(*missing, " \t\n") && len(c.What) == len(files)+1 {
		return nil, fmt.Errorf("decode: %s: no such file; give a file that is there, or the error text in quotes", textwrap.Clip(*missing, 120))
	}
	text := strings.Join(c.What, " ")
	if strings.TrimSpace(text) == "" {
		return nil, usageError{errors.New("decode: the text is empty: h2lab decode 'the error text'")}
	}
	return []decodeSource{{text: text}}, nil
}

// looksLikeFile reports whether a word that is no file was meant as one.
func looksLikeFile(s string) bool {
	if strings.ContainsAny(s, " \t\n:(") {
		return false
	}
	switch filepath.Ext(s) {
	case ".log", ".gz", ".txt", ".json", ".out", ".err", ".ndjson":
		return true
	}
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../")
}

func readSources(a *app, sources []decodeSource, t *decode.Tally) error {
	for _, s := range sources {
		if err := readSource(a, s, t); err != nil {
			return err
		}
	}
	return nil
}

func readSource(a *app, s decodeSource, t *decode.Tally) error {
	switch {
	case s.text != "":
		return decode.Read(a.ctx, "the text", strings.NewReader(s.text), t)
	case s.file == "":
		return readMaybeGzip(a, "stdin", os.Stdin, t)
	}
	f, err := os.Open(s.file)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; name the logs in it: h2lab decode %s/*", s.file, s.file)
	}
	return readMaybeGzip(a, s.file, f, t)
}

// readMaybeGzip unpacks what begins as gzip does.
func readMaybeGzip(a *app, name string, r io.Reader, t *decode.Tally) error {
	b := bufio.NewReader(r)
	head, _ := b.Peek(4)
	if len(head) == 4 && string(head) == "\x28\xb5\x2f\xfd" {
		return fmt.Errorf("%s is packed by zstd: zstdcat %s | h2lab decode", name, name)
	}
	if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
		return named(name, decode.Read(a.ctx, name, b, t))
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return fmt.Errorf("%s begins as gzip and isn't: %w", name, err)
	}
	defer z.Close()
	return named(name, decode.Read(a.ctx, name, z, t))
}

func named(name string, err error) error {
	var path *os.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s ends in the middle of its gzip data", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}
