//go:build integration

package runs

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// The test binary is its own service: real servers, k6 and users call a fake whose name is its
// behaviour. Package cmd/h2lab tests the real services.
const mark = "-Dh2lab.service="

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], mark) {
		os.Exit(fakeService(strings.TrimPrefix(os.Args[1], mark), os.Args[2:]))
	}
	os.Exit(m.Run())
}

// fakeService calls the front of the topology that a request names, one goroutine for each request.
func fakeService(name string, args []string) int {
	flags := flag.NewFlagSet(name, flag.ExitOnError)
	port, ca := flags.String("port", "", ""), flags.String("ca", "", "")
	fronts := map[string]string{}
	flags.Func("upstream", "", func(v string) error {
		topology, front, _ := strings.Cut(v, "=")
		fronts[topology] = front
		return nil
	})
	_ = flags.Parse(args)
	pem, err := os.ReadFile(*ca)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	s := &fake{name: name, fronts: fronts, client: &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS12}}}}
	mux := http.NewServeMux()
	mux.HandleFunc("/lab/ready", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /lab/view/reset", s.reset)
	mux.HandleFunc("/lab/view.json", s.view)
	mux.HandleFunc("/through/{topology}/{rest...}", s.through)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	if name == "fake-hangs" {
		signal.Ignore(syscall.SIGTERM)
	}
	go func() {
		fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+*port, mux))
		os.Exit(1)
	}()
	<-stop
	return 0
}

type fake struct {
	name              string
	fronts            map[string]string
	client            *http.Client
	resets            atomic.Int64
	succeeded, failed atomic.Int64
}

func (s *fake) reset(http.ResponseWriter, *http.Request) {
	s.resets.Add(1)
	s.succeeded.Store(0)
	s.failed.Store(0)
}

func (s *fake) through(w http.ResponseWriter, r *http.Request) {
	if s.name == "fake-dies" && s.resets.Load() == 2 && s.succeeded.Load() > 100 {
		fmt.Fprintln(os.Stderr, "Terminating due to java.lang.OutOfMemoryError: Java heap space")
		os.Exit(3)
	}
	if s.name == "fake-refuses" {
		s.failed.Add(1)
		http.Error(w, "GoException: EOF", http.StatusBadGateway)
		return
	}
	url := "https://" + s.fronts[r.PathValue("topology")] + "/" + r.PathValue("rest") + "?" + r.URL.RawQuery
	req, err := http.NewRequestWithContext(r.Context(), r.Method, url, r.Body)
	if err == nil {
		req.Header.Set("X-Lab-Request-Id", r.Header.Get("X-Lab-Request-Id"))
		var resp *http.Response
		if resp, err = s.client.Do(req); err == nil {
			_, err = io.Copy(w, resp.Body)
			_ = resp.Body.Close()
		}
	}
	if err != nil {
		s.failed.Add(1)
		http.Error(w, "GoException: "+err.Error(), http.StatusBadGateway)
		return
	}
	s.succeeded.Add(1)
}

func (s *fake) view(w http.ResponseWriter, _ *http.Request) {
	if s.name == "fake-garbage" {
		fmt.Fprint(w, "<html>it works</html>")
		return
	}
	latency := func(n int64, ms string) string {
		if n == 0 {
			ms = "null"
		}
		return fmt.Sprintf(`{"p50":%[1]s,"p90":%[1]s,"p95":%[1]s,"p99":%[1]s,"p999":%[1]s,"max":%[1]s}`, ms)
	}
	ok, bad, errs := s.succeeded.Load(), s.failed.Load(), ""
	if bad > 0 {
		errs = fmt.Sprintf(`{"class":"","count":%d,"message":"GoException: EOF"}`, bad)
	}
	fmt.Fprintf(w, `{"requests":%d,"rejected":0,"calls":%[1]d,"succeeded":%d,"failed":%d,"errors":[%s],"call_ms":%s,`+
		`"failed_ms":%s,"row_ms":%s,"threads":null,"heap_mb":null,"heap_max_mb":null,"cpu_s":null,"gc_s":null,`+
		`"settings":{"pool":"1"}}`, ok+bad, ok, bad, errs, latency(ok, "21"), latency(bad, "1"), latency(ok, "0.1"))
}
