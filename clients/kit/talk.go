package kit

import (
	"bufio"
	"context"
	"fmt"
	"io"
)

// talk is the READY/WARM/DONE protocol with internal/lab/load. Without --json there is none, and
// meet returns at once.
type talk struct {
	in  *bufio.Reader
	out io.Writer
}

func newTalk(conducted bool, in io.Reader, out io.Writer) *talk {
	if !conducted {
		return &talk{}
	}
	return &talk{in: bufio.NewReader(in), out: out}
}

// meet prints the client's state and waits for a newline. End of input means that internal/lab/load
// has ended, so the program ends too.
func (t *talk) meet(ctx context.Context, word string) error {
	if t.in == nil {
		return nil
	}
	if _, err := fmt.Fprintln(t.out, word); err != nil {
		return fmt.Errorf("printing %s: %w", word, err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := t.in.ReadString('\n')
		read <- err
	}()
	select {
	case err := <-read:
		if err != nil {
			return fmt.Errorf("waiting for a newline after %s: %w (to run it without the lab, omit --json)", word, err)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
