package main

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// packed is a gzip log with n errors, each followed by an unrelated line.
func packed(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range n {
		if _, err := z.Write([]byte("all is well\nError [ERR_HTTP2_GOAWAY_SESSION]: New streams cannot be created " +
			"after receiving a GOAWAY\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecodePackedLogs(t *testing.T) {
	whole := packed(t, 500)
	for _, tt := range []struct {
		name           string
		content        []byte
		status         int
		stdout, stderr string
	}{
		{"whole.gz", whole, statusDone, "1,000 lines, 1,000 messages: 500 recognised", ""},
		{"gzip-by-another-name", whole, statusDone, "500 recognised", ""},
		{"cut.gz", whole[:len(whole)-12], statusCouldNot, "1. the client did not send the request",
			"ends in the middle of its gzip data; what was read before is above"},
		{"head-only.gz", whole[:2], statusCouldNot, "", "begins as gzip does, and is not"},
		{"log.zst", []byte("\x28\xb5\x2f\xfd1234"), statusCouldNot, "", "is a zstd file, which isn't read here; next: zstd -dc"},
		{"garbage.log", bytes.Repeat([]byte{0xff, 0, 0x9b, '\n', 27}, 9999), statusDone, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), tt.name)
			labtest.Write(t, file, string(tt.content))
			var stdout, stderr bytes.Buffer
			if got := run(t.Context(), []string{"decode", file}, &stdout, &stderr); got != tt.status {
				t.Errorf("status %d, want %d: %s", got, tt.status, stderr.String())
			}
			if !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("stdout:\n%s\nstderr:\n%s", stdout.String(), stderr.String())
			}
		})
	}
}
