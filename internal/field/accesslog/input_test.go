package accesslog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// file writes a log into the test's directory.
func file(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func all(t *testing.T, r io.Reader) []byte {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func packedBy(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRotatedAndPackedLogsAreOne(t *testing.T) {
	text := all(t, &traffic{lines: 10_000, limit: 100, alive: 3, perSec: 100})
	half := bytes.IndexByte(text[len(text)/2:], '\n') + len(text)/2 + 1
	older, newer := file(t, "access.log.1.gz", packedBy(t, text[:half])), file(t, "access.log", text[half:])
	got, err := Read(t.Context(), []string{older, newer}, nil, Options{})
	if err != nil || got.Requests != 10_000 || got.Limit.EndedExactly != 99 && got.Limit.EndedExactly != 98 {
		t.Errorf("%v, %+v", err, got)
	}
	var order *OrderError
	if _, err := Read(t.Context(), []string{newer, older}, nil, Options{}); !errors.As(err, &order) ||
		!strings.Contains(err.Error(), "h2lab logs "+older+" "+newer) {
		t.Errorf("the wrong order: %v", err)
	}
	// Two gzip members in one file, as `cat a.gz b.gz` makes it.
	both := file(t, "both.gz", append(packedBy(t, text[:half]), packedBy(t, text[half:])...))
	if got, err := Read(t.Context(), []string{both}, nil, Options{}); err != nil || got.Requests != 10_000 {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestACutGzipGivesWhatWasRead(t *testing.T) {
	text := all(t, &traffic{lines: 10_000, limit: 100, alive: 3, perSec: 100})
	whole := packedBy(t, text)
	got, err := Read(t.Context(), []string{file(t, "a.gz", whole[:len(whole)/2])}, nil, Options{})
	var cut *TruncatedError
	if !errors.As(err, &cut) || got == nil || got.Requests < 1000 ||
		!strings.Contains(err.Error(), "is cut off in the middle of its gzip data after line") {
		t.Errorf("%v, %v", err, got)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 0xff // of its checksum
	if got, err := Read(t.Context(), []string{file(t, "b.gz", damaged)}, nil, Options{}); !errors.As(err, &cut) ||
		got.Requests != 10_000 {
		t.Errorf("%v", err)
	}
}

func TestBadInputIsNamed(t *testing.T) {
	dir := t.TempDir()
	const good = `::1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "x" conn=1 req=1 upstream="-"` + "\n"
	for _, c := range []struct {
		name, path, want string
	}{
		{"not there", filepath.Join(dir, "no"), syscall.ENOENT.Error()},
		{"a directory", dir, "is a directory: name the files, the oldest first"},
		{"empty", file(t, "e", nil), "no line in it"},
		{"empty lines", file(t, "e", []byte("\n\n\n")), "no line in the log"},
		{"zstd", file(t, "z", []byte("\x28\xb5\x2f\xfdxxxxxx")), "zstd -dc"},
		{"begins as gzip", file(t, "g", []byte("\x1f\x8bxxxxxxxxxxxxxxxxxx")), "begins as gzip does, and is not"},
		{
			"another format later",
			file(t, "m", []byte(good+strings.Repeat("nonsense\n", 500))),
			"the format of these lines is not known",
		},
		{
			"mostly another",
			file(t, "m", []byte(strings.Repeat(good, 200)+strings.Repeat("nonsense\n", 500))),
			`500 of 700 lines are not of the format "combined with conn= and req="; the first is line 201`,
		},
		{
			"no newline in a megabyte",
			file(t, "l", bytes.Repeat([]byte("x"), 1<<20)),
			"the format of these lines is not known",
		},
	} {
		if _, err := Read(t.Context(), []string{c.path}, nil, Options{}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestBadLinesAreCounted(t *testing.T) {
	const good = `::1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "x" conn=1 req=`
	text := good + "1 upstream=\"-\"\n" + good + "2 upstream=\"-\"\n" + "\x00\xff nonsense\n" +
		strings.Repeat("x", longestLine+5) + "\n" +
		good + "3 upstream=\"-\"\r\n" + good + "4 upstream=\"-\"\n" + good + "5 upstr"
	got := read(t, strings.NewReader(text), Options{})
	if got.Requests != 4 || got.Malformed != 2 || got.FirstMalformed.Number != 3 ||
		got.FirstMalformed.Text != "\x00? nonsense" {
		t.Errorf("%+v, %+v", got, got.FirstMalformed)
	}
	if !strings.Contains(strings.Join(got.Warnings, "\n"), "its last line is cut off") {
		t.Errorf("%q", got.Warnings)
	}
}

func TestAnInterruptEndsTheReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, []string{Stdin}, &traffic{lines: 1 << 40, limit: 10, alive: 1, perSec: 10},
		Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A container's output has what the server says of itself beside its access log.
func TestAnAccessLogAmongOtherLinesIsStillOne(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	text := strings.Repeat("2026/11/23 07:38:30 [notice] 1#1: start worker process 7\n", 3) + "http2: Framer 0xc000: read PING\n" +
		strings.Repeat(`10.0.0.1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "x"`+"\n", 20)
	if err := os.WriteFile(log, []byte("a b http2: server x\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	var missing *MissingError
	if _, err := Read(t.Context(), []string{log}, nil, Options{}); !errors.As(err, &missing) {
		t.Error(err)
	}
}
