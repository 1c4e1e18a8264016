package await

import (
	"context"
	"io"
	"os"

	"h2lab/internal/base/text"
)

// Read reads at most that many bytes of a text: a file, a pipe or stdin (-), as UTF-8. It stops waiting
// for a pipe when the context ends.
func Read(ctx context.Context, name string, most int64) ([]byte, error) {
	data, err := Result(ctx, func() ([]byte, error) {
		f := os.Stdin
		if name != "-" {
			var err error
			if f, err = os.Open(name); err != nil {
				return nil, err
			}
			defer func() { _ = f.Close() }()
		}
		data, err := io.ReadAll(io.LimitReader(f, most))
		return text.FromUTF16(data), err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return data, err
}
