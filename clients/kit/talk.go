package kit

import (
	"bufio"
	"context"
	"fmt"
	"io"
)

// talk is the conversation with the conductor. By hand there is none, and
// every meeting is over at once.
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

// meet says where the client is and waits for a newline. An end of the input
// means that the conductor is gone, and so is the reason to go on.
func (t *talk) meet(ctx context.Context, word string) error {
	if t.in == nil {
		return nil
	}
	if _, err := fmt.Fprintln(t.out, word); err != nil {
		return fmt.Errorf("saying %s: %w", word, err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := t.in.ReadString('\n')
		read <- err
	}()
	select {
	case err := <-read:
		if err != nil {
			return fmt.Errorf("waiting for a newline after %s: %w (run it without --json to use it by hand)", word, err)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
