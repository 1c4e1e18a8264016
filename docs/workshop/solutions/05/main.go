// Command 05 is an application: fifty requests in flight on one http.Client,
// five thousand in all, at the front nginx-low. It counts its own dials.
//
//	go -C workshop run ./05
//
// It dials once at each renewal: MaxConnsPerHost also counts connections that are being dialled, so
// one request dials and the others wait for it. The disadvantage: a dial that hangs delays all of
// them (golang/go#34941).
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
)

const (
	target   = "https://127.0.0.1:18101/delay?ms=5"
	caFile   = "../certs/out/ca.crt"
	requests = 5000
	inFlight = 50
)

var dialled atomic.Int64

// newClient is the library's own client, as it comes, but for the lab's
// authority and the count of dials.
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
	transport.MaxConnsPerHost = 1
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		dialled.Add(1)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	return &http.Client{Transport: transport}, nil
}

func get(client *http.Client) error {
	res, err := client.Get(target)
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
	var sent, answered, failed atomic.Int64
	var workers sync.WaitGroup
	for range inFlight {
		workers.Go(func() {
			for sent.Add(1) <= requests {
				if err := get(client); err != nil {
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
	fmt.Printf("sent=%d answered=%d failed=%d dialled=%d\n", requests, answered.Load(), failed.Load(), dialled.Load())
	if failed.Load() > 0 {
		os.Exit(1)
	}
}
