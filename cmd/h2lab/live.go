package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/translations"
	"h2lab/internal/workshop"
)

// viewFlags are the flags for the address of the page.
type viewFlags struct {
	Port    int    `env:"PORT" default:"18190" help:"Port of the page on 127.0.0.1; 0 is any free one."`
	Results string `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
}

type liveCmd struct {
	viewFlags `embed:""`
}

// Help returns examples that a user can paste.
func (c *liveCmd) Help() string {
	return "Leave it open in one terminal; it shows runs, and the servers of make up under any load:\n  h2lab live\n  " +
		"h2lab fixed --quick"
}

// Run shows whatever is being measured, until Ctrl-C.
func (c *liveCmd) Run(a *app) error {
	ctx, stop := context.WithCancel(a.ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		live.Watch(ctx, a.root, c.dir(a), a.fronts(c.dir(a)))
	}()
	defer func() { stop(); <-watched }()
	return c.serve(a, live.Follow(filepath.Join(c.dir(a), live.File)), func() []byte {
		for _, name := range []string{a.page("report.md"), a.page("clients.md")} {
			name = strings.TrimSuffix(name, ".md") + ".html"
			if page := drawnPage(filepath.Join(c.dir(a), results.Latest), name); page != nil {
				return page
			}
		}
		return nil
	})
}

func (c *viewFlags) dir(a *app) string {
	return a.resultsDir(c.Results)
}

// serve shows a feed on loopback only, until Ctrl-C.
func (c *viewFlags) serve(a *app, feed live.Feed, report func() []byte) error {
	if c.Port < 0 || c.Port > 65535 {
		return exitstatus.WrongUsage(fmt.Errorf("PORT=%d is no port: use 1 to 65535, or 0 for any free one", c.Port))
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)))
	if err != nil {
		return fmt.Errorf("the page can't be served: %w; choose another port with PORT=0", err)
	}
	fmt.Fprintf(a.stdout, "http://%s/\n", l.Addr())
	a.tell("command.open-browser-ctrl-c")
	err = live.Serve(a.ctx, l, feed, report, a.pageWords())
	if a.ctx.Err() != nil {
		return nil
	}
	return errors.Join(errors.New("the page ended"), err)
}

// pageWords are the Chinese texts of the page. Where the user names no language, the browser chooses.
func (a *app) pageWords() live.Words {
	if a.named && a.language == translations.English {
		return live.Words{}
	}
	return live.Words{Lang: string(translations.Chinese), Of: translations.LivePage(), Always: a.named}
}

// fronts are the servers of up, under the names that up prints.
func (a *app) fronts(results string) func() []live.Front {
	lab := a.lab(results, nil)
	return func() []live.Front {
		own, _ := workshop.OwnLimit(a.root) // 0, unknown, with a file that holds no seed
		return lab.Fronts(own, func(t facts.Topology, low int) string {
			if low != own {
				return t.Name
			}
			name, _ := workshop.FrontName(t)
			return name
		})
	}
}
