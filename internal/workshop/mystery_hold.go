package workshop

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
)

//go:embed mystery
var mysteryConfigs embed.FS

// The range of the random limits: none is reached at once and none is a default of a server (100
// and 1000), so that the learner must measure it.
const (
	leastMystery = 20
	mostMystery  = 900
)

// drawn is a server with random kind, limit and ports.
type drawn struct {
	Kind                  facts.Kind
	Limit, Port, Counters int
}

// config is the name of its configuration file, in mystery/ and below var/mystery.
func (x drawn) config() string {
	return map[facts.Kind]string{facts.Nginx: "nginx.conf", facts.Envoy: "envoy.yaml"}[x.Kind]
}

func (x drawn) server() facts.Server {
	return facts.Server{Name: "mystery", Kind: x.Kind, Config: mysteryDir + "/" + x.config(),
		Front: fmt.Sprintf("127.0.0.1:%d", x.Port), Counters: fmt.Sprintf("127.0.0.1:%d", x.Counters)}
}

// HoldMystery chooses a server at random, runs it, and stops it when ctx ends or its life is over.
// It returns when the server dies. It leaves no files.
func HoldMystery(ctx context.Context, root string, life time.Duration) (err error) {
	if m, err := FindMystery(root); m != nil || err != nil {
		return errors.Join(err, errors.New("a mystery server is up already"))
	}
	x, tools, err := draw(ctx, root)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, mysteryDir)
	defer func() { _ = os.RemoveAll(dir) }()
	config, err := x.hidden(root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, config.forget()) }()
	site, err := native.Up(ctx, native.Options{
		Root:        root,
		Tools:       tools,
		LogDir:      dir,
		ReadyWithin: startTime - 2*time.Second,
		Grace:       3 * time.Second,
		Stdin:       config.stdin,
	}, []facts.Server{x.server()})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, site.Down(context.WithoutCancel(ctx)), os.Remove(filepath.Join(root, mysteryFile)))
	}()
	if err := config.forget(); err != nil {
		return err
	}
	m := Mystery{Addr: x.server().Front, URL: "https://" + x.server().Front + "/", Until: time.Now().Add(life)}
	if err := m.announce(root); err != nil {
		return err
	}
	over := time.After(life)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-over:
			return nil
		case <-time.After(time.Second):
			if err := site.Alive(); err != nil {
				return err
			}
		}
	}
}

// draw chooses at random among the servers that can run here.
func draw(ctx context.Context, root string) (drawn, native.Tools, error) {
	tools, err := native.FindTools(ctx, root, "nginx")
	if err != nil {
		return drawn{}, tools, err
	}
	x := drawn{Kind: facts.Nginx, Limit: leastMystery + rand.IntN(mostMystery-leastMystery+1)}
	if x.Limit%100 == 0 {
		x.Limit++
	}
	if rand.IntN(2) == 1 {
		if with, err := native.FindTools(ctx, root, "envoy"); err == nil {
			tools["envoy"], x.Kind = with["envoy"], facts.Envoy
		}
	}
	for _, port := range []*int{&x.Port, &x.Counters} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return drawn{}, tools, err
		}
		defer func() { _ = l.Close() }()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return x, tools, nil
}

// hidden makes the configuration readable for the server only.
func (x drawn) hidden(root string) (*secret, error) {
	t, err := template.ParseFS(mysteryConfigs, "mystery/"+x.config())
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	if err := t.Execute(&text, x); err != nil {
		return nil, err
	}
	return hide(x.Kind, filepath.Join(root, x.server().Config), text.String())
}
