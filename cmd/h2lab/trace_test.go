package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"h2lab/internal/facts"
)

// The page names every option and every field, and shows the verb's output.
func TestTheTracePageNamesEveryOptionAndField(t *testing.T) {
	b, err := os.ReadFile("../../docs/trace.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	options := reflect.TypeFor[traceCmd]()
	for f := range options.Fields() {
		if f.Tag.Get("arg") != "" || strings.HasPrefix(string(f.Tag), "arg:") {
			continue
		}
		name := f.Tag.Get("name")
		if name == "" {
			name = strings.Trim(regexp.MustCompile(`[A-Z][a-z]*`).ReplaceAllStringFunc(f.Name, func(s string) string {
				return "-" + strings.ToLower(s)
			}), "-")
		}
		if !strings.Contains(page, "`--"+name) {
			t.Errorf("docs/trace.md doesn't name --%s", name)
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[facts.FrameTrace](), reflect.TypeFor[facts.Head]()} {
		for field := range typ.Fields() {
			if name := field.Tag.Get("json"); !strings.Contains(page, "`"+name+"`") {
				t.Errorf("docs/trace.md doesn't name the field %s of %s", name, typ)
			}
		}
	}
}

// The server accepts the connection and sends nothing.
func TestAHostThatDoesNotAnswerEndsTheTraceInTime(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	dir := t.TempDir()
	var out, said bytes.Buffer
	status := run(t.Context(),
		[]string{"trace", "--limit", "5", "--timeout", "200ms", "--out", filepath.Join(dir, "o"),
			fmt.Sprintf("https://%s/", ln.Addr())}, &out, &said)
	if status != statusCouldNot || !strings.Contains(said.String(), "says nothing to a TLS handshake for 200ms") ||
		out.Len() > 0 {
		t.Errorf("status %d, stdout %q, stderr %q", status, out.String(), said.String())
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if status := run(ctx, []string{"trace", "--limit", "5", fmt.Sprintf("https://%s/", ln.Addr())}, &out,
		&said); status != statusCouldNot {
		t.Errorf("interrupted: status %d", status)
	}
}
