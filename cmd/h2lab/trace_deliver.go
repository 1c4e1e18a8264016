package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"h2lab/internal/facts"
)

// traceFiles are the files that a trace writes, each whole or not at all.
type traceFiles struct {
	out, keylog, pcap *renameio.PendingFile
}

// openTraceFiles finds out before anything is sent whether the files can be
// written. What holds secrets is for its owner alone.
func openTraceFiles(out, keylog, pcap string) (*traceFiles, error) {
	f := &traceFiles{}
	seen := map[string]bool{}
	for _, x := range []struct {
		flag, path string
		perm       fs.FileMode
		at         **renameio.PendingFile
	}{{"--out", out, 0o644, &f.out}, {"--keylog", keylog, 0o600, &f.keylog}, {"--pcap", pcap, 0o600, &f.pcap}} {
		if x.path == "" {
			continue
		}
		abs, err := filepath.Abs(x.path)
		if err == nil && seen[abs] {
			f.discard()
			return nil, usageError{fmt.Errorf("%s %s is named twice; give each file its own name", x.flag, x.path)}
		}
		seen[abs] = true
		if *x.at, err = openTraceFile(x.path, x.perm); err != nil {
			f.discard()
			return nil, fmt.Errorf("%s can't be written: %w; choose another place", x.flag, err)
		}
	}
	return f, nil
}

func openTraceFile(path string, perm fs.FileMode) (*renameio.PendingFile, error) {
	// A device would be replaced by a file.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	dir := filepath.Dir(path)
	return renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithPermissions(perm))
}

// discard removes what was not kept.
func (f *traceFiles) discard() {
	for _, p := range []*renameio.PendingFile{f.out, f.keylog, f.pcap} {
		if p != nil {
			_ = p.Cleanup()
		}
	}
}

// deliver writes the files and prints what is left to print.
func (c *traceCmd) deliver(a *app, t facts.Timeline, secrets []byte, capture *captured, files *traceFiles) error {
	if capture != nil {
		t.Warnings = append(t.Warnings, capture.warnings...)
		if err := capture.keep(a, files.pcap, secrets); err != nil {
			return fmt.Errorf("--pcap: %w", err)
		}
	}
	if files.keylog != nil {
		if err := fill(files.keylog, secrets); err != nil {
			return fmt.Errorf("--keylog: %w", err)
		}
		a.say("h2lab: %s decrypts what was sent here, headers and all: keep it as you keep a password", c.KeyLog)
	}
	t.Next = c.next(t, capture)
	drawn, err := c.draw(t)
	if err != nil {
		return err
	}
	if files.out == nil {
		_, err := a.stdout.Write(drawn)
		if c.Format == "qlog" || c.Format == "har" {
			a.say("next: %s", strings.Join(t.Next, "\nnext: "))
		}
		return err
	}
	if err := fill(files.out, drawn); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	fmt.Fprintf(a.stdout, "%s\n%s\n", c.Out, t.Renewal.Summary)
	for _, n := range t.Next {
		fmt.Fprintf(a.stdout, "next: %s\n", n)
	}
	return nil
}

// fill writes a file and puts it in its place.
func fill(f *renameio.PendingFile, b []byte) error {
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// keep puts a capture in its place, with the secrets inside where editcap is here.
func (c *captured) keep(a *app, f *renameio.PendingFile, secrets []byte) error {
	editcap := lookCapture("editcap")
	if editcap == "" || len(secrets) == 0 {
		return f.CloseAtomicallyReplace()
	}
	whole, err := inject(a.ctx, editcap, f.Name(), secrets)
	if err != nil {
		return errors.Join(err, a.ctx.Err())
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	c.open = true
	a.say("h2lab: the capture holds its own TLS secrets, headers and all: keep it as you keep a password")
	return fill(f, whole)
}

// next is how to go on from here.
func (c *traceCmd) next(t facts.Timeline, capture *captured) []string {
	var steps []string
	layer := "http2"
	if c.HTTP1 {
		layer = "http"
	}
	switch {
	case capture == nil:
	case capture.open:
		steps = append(steps, "tshark -r "+shellWord(c.Pcap)+" -Y "+layer+"   # Wireshark opens it decrypted too")
	case c.KeyLog != "":
		steps = append(steps, "tshark -r "+shellWord(c.Pcap)+" -o tls.keylog_file:"+shellWord(c.KeyLog)+" -Y "+layer)
	default:
		steps = append(steps, "h2lab trace --keylog keys.log --pcap "+shellWord(c.Pcap)+" "+shellWord(c.URL)+"   # without its secrets this capture stays encrypted")
	}
	switch {
	case t.Limit == nil && t.AskedUpTo != nil:
		steps = append(steps, fmt.Sprintf("h2lab trace --max-streams %d %s", min(10**t.AskedUpTo, 1_000_000), shellWord(c.URL)))
	case t.Limit != nil && bytes.Contains([]byte(t.Renewal.Summary), []byte("did not end")):
		steps = append(steps, "h2lab probe "+shellWord(c.URL))
	case !c.HTTP1:
		steps = append(steps, "h2lab probe "+shellWord(c.URL)+"   # what this costs you, and which line to change")
	default:
		steps = append(steps, "h2lab trace "+shellWord(c.URL)+"   # the same over HTTP/2")
	}
	return steps
}

// shellWord quotes a word for a shell where it needs it.
func shellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
