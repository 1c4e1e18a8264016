package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

const (
	// maxBodyBytes is the longest body that is accepted.
	maxBodyBytes = 1 << 20
	// maxBodiesBytes limits all bodies held at the same time.
	maxBodiesBytes = 256 << 20
	// maxPooledBytes is the largest buffer that returns to the pool; the garbage collector frees
	// larger ones.
	maxPooledBytes = 64 << 10
	// callChunkBytes is how much of a gRPC call is read before it is charged to the budget.
	callChunkBytes = 64 << 10
)

// refusal is an error answer, with the reason as its text.
type refusal struct {
	status int
	reason string
}

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// bodies reads request bodies into pooled buffers under one budget.
type bodies struct {
	budget int64
	held   atomic.Int64
	pool   sync.Pool
}

func newBodies(budget int64) *bodies {
	return &bodies{budget: budget, pool: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

// read returns the whole body. Without a refusal the caller must call done, which releases the
// body's memory.
func (b *bodies) read(w http.ResponseWriter, r *http.Request) (body []byte, done func(), no *refusal) {
	if r.ContentLength == 0 || r.Body == http.NoBody {
		return nil, func() {}, nil
	}
	if r.ContentLength > maxBodyBytes {
		return nil, nil, refuse(http.StatusRequestEntityTooLarge,
			"a body of %d bytes is longer than the %d this server takes", r.ContentLength, maxBodyBytes)
	}
	size := r.ContentLength
	if size < 0 { // no Content-Length
		size = maxBodyBytes
	}
	if b.held.Add(size) > b.budget {
		b.held.Add(-size)
		return nil, nil, b.full()
	}
	buf := b.pool.Get().(*bytes.Buffer)
	buf.Reset()
	done = func() {
		b.held.Add(-size)
		if buf.Cap() <= maxPooledBytes {
			b.pool.Put(buf)
		}
	}
	if _, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, maxBodyBytes)); err != nil {
		done()
		return nil, nil, unreadable(err)
	}
	return buf.Bytes(), done, nil
}

// readCall is read for gRPC, whose clients don't send a Content-Length: it charges memory to the
// budget as the bytes arrive.
func (b *bodies) readCall(r *http.Request) (body []byte, done func(), no *refusal) {
	buf := b.pool.Get().(*bytes.Buffer)
	buf.Reset()
	var size int64
	done = func() {
		b.held.Add(-size)
		if buf.Cap() <= maxPooledBytes {
			b.pool.Put(buf)
		}
	}
	for {
		n, err := io.CopyN(buf, r.Body, callChunkBytes)
		size += n
		switch all := b.held.Add(n); {
		case size > maxCallBytes:
			no = refuse(http.StatusRequestEntityTooLarge, "the call is longer than the %d bytes this server takes",
				maxCallBytes)
		case all > b.budget:
			no = b.full()
		case err == io.EOF:
			return buf.Bytes(), done, nil
		case err != nil:
			no = unreadable(err)
		}
		if no != nil {
			done()
			return nil, nil, no
		}
	}
}

func (b *bodies) full() *refusal {
	return refuse(http.StatusServiceUnavailable,
		"more than %d bytes of bodies are in flight; send fewer or smaller ones at a time", b.budget)
}

func unreadable(err error) *refusal {
	if long := new(http.MaxBytesError); errors.As(err, &long) {
		return refuse(http.StatusRequestEntityTooLarge,
			"the body is longer than the %d bytes this server takes", long.Limit)
	}
	return refuse(http.StatusBadRequest, "the body could not be read to its end: %v", err)
}
