//go:build !linux

package compose

import "context"

// Hold runs in the pod, that is, on Linux. On other systems the package only compiles.
func Hold(ctx context.Context) { <-ctx.Done() }
