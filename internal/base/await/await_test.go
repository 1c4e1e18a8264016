package await

import (
	"context"
	"errors"
	"testing"
)

func TestAnInterruptDoesNotWaitForTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan struct{})
	defer close(never)
	cancel()
	if got, err := Result(ctx, func() (int, error) { <-never; return 7, nil }); got != 0 || !errors.Is(err,
		context.Canceled) {
		t.Errorf("%d, %v", got, err)
	}
	failure := errors.New("failed")
	if got, err := Result(t.Context(), func() (int, error) { return 7, failure }); got != 7 || !errors.Is(err,
		failure) {
		t.Errorf("%d, %v", got, err)
	}
}
