package main

import (
	"bytes"
	_ "embed" // the configurations
	"net"
	"net/url"
	"strings"
	"text/template"

	"h2lab/clients/kit"
)

//go:embed envoy.yaml
var envoyYAML string

//go:embed nginx.conf
var nginxConf string

// config is the values of a proxy's configuration template.
type config struct {
	Variant    string
	H1         bool   // HTTP/1.1 to the upstream
	TLS12      bool   // TLS 1.2 at most
	Dir        string // for its sockets and files
	Host, Port string // of the upstream
	IP         bool   // Host is an address
	CA         string
}

func newConfig(f kit.Flags, dir string) (config, error) {
	u, err := url.Parse(f.URL)
	if err != nil {
		return config{}, err
	}
	c := config{
		Variant: f.Variant,
		H1:      f.H1(),
		TLS12:   f.MaxTLS == "1.2",
		Dir:     dir,
		Host:    u.Hostname(),
		Port:    u.Port(),
		CA:      f.CA,
	}
	c.IP = net.ParseIP(c.Host) != nil
	if c.Port == "" {
		c.Port = "443"
	}
	return c, nil
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
