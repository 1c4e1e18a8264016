package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/notes"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
	"h2lab/internal/field/trace/capture"
)

// files are the output files of a trace, each written completely or not at all.
type files struct {
	out, keylog, pcap *rooted.Pending
}

// open checks before anything is sent that the files can be written. Only the owner may read files
// with secrets.
func open(out, keylog, pcap string) (*files, error) {
	f := &files{}
	seen := map[string]bool{}
	for _, x := range []struct {
		flag, path string
		perm       fs.FileMode
		at         **rooted.Pending
	}{{"--out", out, 0o644, &f.out}, {"--keylog", keylog, 0o600, &f.keylog}, {"--pcap", pcap, 0o600, &f.pcap}} {
		if x.path == "" {
			continue
		}
		abs, err := filepath.Abs(x.path)
		if err == nil && seen[abs] {
			f.discard()
			return nil, exitstatus.WrongUsage(fmt.Errorf("%s %s is named twice; give each file its own name",
				x.flag, x.path))
		}
		seen[abs] = true
		if *x.at, err = openFile(x.path, x.perm); err != nil {
			f.discard()
			return nil, fmt.Errorf("%s can't be written: %w; choose another place", x.flag, err)
		}
	}
	return f, nil
}

func openFile(path string, perm fs.FileMode) (*rooted.Pending, error) {
	// Renaming would replace a device with a file.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return rooted.CreateFile(path, perm)
}

// discard removes the files that were not kept.
func (f *files) discard() {
	for _, p := range []*rooted.Pending{f.out, f.keylog, f.pcap} {
		if p != nil {
			_ = p.Cleanup()
		}
	}
}

// deliver writes the files and prints the remaining output.
func (r *recording) deliver(ctx context.Context, t facts.FrameTrace) error {
	if r.captured {
		if err := r.keepCapture(ctx); err != nil {
			return fmt.Errorf("--pcap: %w", err)
		}
	}
	if r.files.keylog != nil {
		if err := fill(r.files.keylog, r.secrets.bytes()); err != nil {
			return fmt.Errorf("--keylog: %w", err)
		}
		r.Notice("h2lab: %s decrypts what was sent here, including headers: keep it as secret as a password", r.KeyLog)
	}
	t.Next = r.next(t)
	drawn, err := r.draw(t)
	if err != nil {
		return err
	}
	if r.files.out == nil {
		_, err := r.Results.Write(drawn)
		if r.Format == HAR {
			r.Notice("%s", r.steps(t))
		}
		return err
	}
	if err := fill(r.files.out, drawn); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = fmt.Fprintf(r.Results, "%s\n%s\n%s\n", r.Out, r.In.Say(notes.SummaryInEnglish(t.Renewal.Summary)), r.steps(t))
	return err
}

// steps are the lines of the next steps.
func (r *recording) steps(t facts.FrameTrace) string {
	var lines []string
	for _, step := range t.Next {
		lines = append(lines, r.In.Say("next: ")+r.In.Command(step))
	}
	return strings.Join(lines, "\n")
}

// fill writes a file and renames it to its place.
func fill(f *rooted.Pending, b []byte) error {
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// keepCapture stores the capture, with the secrets in it if editcap is installed.
func (r *recording) keepCapture(ctx context.Context) error {
	f, secrets := r.files.pcap, r.secrets.bytes()
	editcap := capture.Look("editcap")
	if editcap == "" || len(secrets) == 0 {
		return f.CloseAtomicallyReplace()
	}
	unlocked, err := capture.Inject(ctx, editcap, f.Name(), secrets)
	if err != nil {
		return errors.Join(err, ctx.Err())
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	r.unlocked = true
	r.Notice("h2lab: the capture holds its own TLS secrets, including headers: keep it as secret as a password")
	return fill(f, unlocked)
}
