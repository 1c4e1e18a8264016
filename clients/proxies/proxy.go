package main

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed" // the configurations
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"text/template"
	"time"

	"h2lab/clients/kit"
)

//go:embed envoy.yaml
var envoyYAML string

//go:embed nginx.conf
var nginxConf string

// config is the values of a proxy's configuration template.
type config struct {
	kit.Flags
	Dir        string // for its sockets and files
	Host, Port string // of the upstream
	IP         bool   // Host is an address
}

func newConfig(f kit.Flags, dir string) (config, error) {
	u, err := url.Parse(f.URL)
	if err != nil {
		return config{}, err
	}
	return config{f, dir, u.Hostname(), cmp.Or(u.Port(), "443"), net.ParseIP(u.Hostname()) != nil}, nil
}

// isEnvoy reports whether a variant's proxy is Envoy.
func isEnvoy(variant string) bool { return strings.HasPrefix(variant, "envoy") }

// render makes the proxy's configuration file.
func (c config) render() ([]byte, error) {
	text := nginxConf
	if isEnvoy(c.Variant) {
		text = envoyYAML
	}
	t, err := template.New("config").Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, c)
	return out.Bytes(), err
}

const (
	startTime = 15 * time.Second
	stopTime  = 3 * time.Second
)

// child is the proxy's process.
type child struct {
	cmd    *exec.Cmd
	exited chan struct{}
	said   atomic.Value // string: its last error line
}

// start starts the proxy and waits until its socket answers.
func start(argv []string, socket string) (*child, error) {
	c := &child{cmd: exec.Command(argv[0], argv[1:]...), exited: make(chan struct{})}
	c.said.Store("")
	kit.Tie(c.cmd)
	stderr, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		c.listen(stderr)
		c.cmd.Wait()
		close(c.exited)
	}()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			return c, conn.Close()
		}
		if err := c.gone(); err != nil {
			return nil, err
		}
		if time.Since(began) > startTime {
			c.stop()
			return nil, fmt.Errorf("%s did not listen within %s: %s", argv[0], startTime, c.said.Load())
		}
	}
}

// gone is an error when the proxy has ended by itself.
func (c *child) gone() error {
	select {
	case <-c.exited:
		return fmt.Errorf("%s ended (%s): %s", c.cmd.Args[0], c.cmd.ProcessState, c.said.Load())
	default:
		return nil
	}
}

// stop ends the proxy by its pid: with SIGTERM, then with SIGKILL.
func (c *child) stop() {
	c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.exited:
	case <-time.After(stopTime):
		c.cmd.Process.Signal(os.Kill)
		<-c.exited
	}
}

// noise matches what nginx's log writes before and after the reason in a line.
var noise = regexp.MustCompile(`^.*?\[(?:error|emerg|crit|alert|critical)\] (?:\d+#\d+: )?(?:\*\d+ )?|, client: .*$`)

// reason returns the part of a log line that a user would search for.
func reason(line string) string { return strings.TrimSpace(noise.ReplaceAllString(line, "")) }

// listen keeps the proxy's last error message.
func (c *child) listen(stderr io.Reader) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if r := reason(lines.Text()); r != "" {
			c.said.Store(r)
		}
	}
	io.Copy(io.Discard, stderr)
}
