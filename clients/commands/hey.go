package main

import (
	"bufio"
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"h2lab/clients/kit"
)

// heyReport is a template for hey's -o, which accepts any text/template over its report: every
// answered request, and every kind of error with its count.
const heyReport = `{{range $i, $v := .Lats}}ok{{"\t"}}{{index $.StatusCodes $i}}{{"\t"}}{{printf "%.6f" ` +
	`$v}}{{"\t"}}{{printf "%.6f" (index $.ConnLats $i)}}{{"\t"}}{{printf "%.6f" (index $.Offsets $i)}}{{"\n"}}{{end}}` +
	`{{range $e, $n := .ErrorDist}}error{{"\t"}}{{$n}}{{"\t"}}{{printf "%q" $e}}{{"\n"}}{{end}}`

// hey runs hey for a time. hey is built beside this program (hey/go.mod).
type hey struct{ *client }

// path is the program that build.sh builds.
func (h *hey) path() string {
	self, err := os.Executable()
	if err != nil {
		return "hey"
	}
	return filepath.Join(filepath.Dir(self), "hey")
}

func (h *hey) version() (string, string) {
	info, err := buildinfo.ReadFile(h.path())
	if err != nil {
		return "", ""
	}
	library := "hey " + strings.TrimPrefix(info.Main.Version, "v")
	for _, d := range info.Deps {
		if d.Path == "golang.org/x/net" {
			library += ", golang.org/x/net " + d.Version
		}
	}
	return library, info.GoVersion
}

// argv keeps hey's default time-out (-t 20 seconds).
func (h *hey) argv(d time.Duration) []string {
	argv := []string{h.path(), "-z", d.String(), "-c", strconv.Itoa(h.flags.Concurrency), "-m", h.flags.Method, "-o",
		heyReport}
	if !h.flags.H1() {
		argv = append(argv, "-h2")
	}
	if h.flags.Body() != nil {
		argv = append(argv, "-D", h.file("body"))
	}
	return append(argv, h.flags.URL)
}

func (h *hey) work(ctx context.Context, _ string, d time.Duration, b *book) error {
	cmd, cut, done := h.command(ctx, d, h.argv(d)...)
	defer done()
	var out bytes.Buffer
	said := &tail{}
	cmd.Stdout, cmd.Stderr = &out, said
	if err := cmd.Run(); cut() {
		return fmt.Errorf("hey had not ended %s after its time, and reports only when it ends", h.flags.Patience)
	} else if err != nil {
		return fmt.Errorf("hey: %w: %s", err, said)
	}
	return readHey(&out, b)
}

// readHey enters hey's report. hey doesn't report when an error occurred.
func readHey(out io.Reader, b *book) error {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() == "" {
			continue // hey ends its report with an empty line
		}
		if err := heyLine(lines.Text(), b); err != nil {
			return fmt.Errorf("hey reported %q: %w", lines.Text(), err)
		}
	}
	return lines.Err()
}

// heyLine enters an answer, or a kind of error with its count.
func heyLine(line string, b *book) error {
	kind, rest, _ := strings.Cut(line, "\t")
	switch kind {
	case "ok":
		var code int
		var seconds, connected, offset float64 // connected: 0 on a connection that is reused; offset: since hey began
		if _, err := fmt.Sscan(rest, &code, &seconds, &connected, &offset); err != nil {
			return err
		}
		if connected > 0 {
			b.connects++
		}
		took := time.Duration(seconds * float64(time.Second))
		b.enter(status(code), took, b.began.Add(time.Duration(offset*float64(time.Second))+took))
		return nil
	case "error":
		var n int
		var message string
		_, err := fmt.Sscanf(rest, "%d\t%q", &n, &message)
		for range n {
			b.enter(&kit.Failure{Kind: kit.Transport, Message: message}, 0, b.last)
		}
		return err
	}
	return errors.New("a line that was not asked for")
}
