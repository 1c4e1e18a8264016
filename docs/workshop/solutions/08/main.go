// Command 08 books two thousand orders: POSTs, fifty in flight, at the front
// nginx-low. None is lost and none is booked twice.
//
//	go -C workshop run ./08
//
// The library sends requests again that a GOAWAY names as not processed, because it can read the
// order a second time. The program waits for all other answers: a client that has stopped waiting
// doesn't know whether its order was booked.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	target   = "https://127.0.0.1:18101/echo"
	caFile   = "../certs/out/ca.crt"
	requests = 2000
	inFlight = 50

	// An order takes the server some milliseconds, and one in a hundred longer.
	usualFor           = 5 * time.Millisecond
	slowEvery, slowFor = 100, 300 * time.Millisecond

	// patience is how long the client waits for an answer: much longer than the work takes.
	patience = 10 * time.Second
)

var sends atomic.Int64

func newClient() (*http.Client, error) {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New(caFile + " holds no certificate")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	return &http.Client{Transport: transport}, nil
}

// stream is an order as it comes from a file, a queue or another request: it can
// be read once.
type stream struct{ io.Reader }

// send sends an order once.
func send(client *http.Client, id string, wait time.Duration) error {
	sends.Add(1)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	order := "order " + id
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		fmt.Sprintf("%s?ms=%d", target, wait.Milliseconds()), stream{strings.NewReader(order)})
	if err != nil {
		return err
	}
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(order)), nil }
	req.Header.Set("X-Lab-Request-Id", id) // the backend's ledger goes by it
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

func main() {
	client, err := newClient()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	day := time.Now().Format("20060102T150405.000000000")
	var next, answered, failed atomic.Int64
	var workers sync.WaitGroup
	for range inFlight {
		workers.Go(func() {
			for n := next.Add(1); n <= requests; n = next.Add(1) {
				wait := usualFor
				if n%slowEvery == 0 {
					wait = slowFor
				}
				if err := send(client, fmt.Sprintf("%s-%d", day, n), wait); err != nil {
					if failed.Add(1) == 1 {
						fmt.Fprintln(os.Stderr, err)
					}
					continue
				}
				answered.Add(1)
			}
		})
	}
	workers.Wait()
	fmt.Printf("sent=%d answered=%d failed=%d sends=%d\n", requests, answered.Load(), failed.Load(), sends.Load())
	if failed.Load() > 0 {
		os.Exit(1)
	}
}
