package kinds

import (
	"path/filepath"
	"strings"

	"h2lab/internal/facts"
)

var nginx = Kind{
	Name: facts.Nginx, Program: "nginx", Newer: "nginx-current", Install: "make tools", Image: "NGINX_IMAGE", Tier: 4,
	Least:      "1.22.0",
	AskVersion: []string{"-v"},
	Folder:     "nginx", Beside: true, Limit: "keepalive_requests", Graceful: true,
	// Without -e nginx prints a warning about its compiled-in error log before it reads the file.
	Argv: func(root string, s facts.Server) []string {
		return []string{"-p", below(root), "-c", s.Config, "-e", "stderr"}
	},
	// It replaces its arguments with a title that repeats them.
	Recognise: func(dir string, args []string) bool {
		return strings.HasPrefix(args[0], workerTitle) ||
			configIn(args, " -p "+below(dir)+" -c ", "nginx") && strings.Contains(strings.Join(args, " "), " -e stderr")
	},
	Title: workerTitle, Garbled: true,
	Health: "/lab/health", Ready: "/stub_status",
	Account: Account{Extension: ".conf", Args: func(root, config string) []string {
		return []string{"-T", "-p", root + "/", "-c", filepath.ToSlash(config), "-e", "stderr"}
	}},
	Counters: Counters{Path: "/stub_status", Shown: "/stub_status", CountsItself: true,
		Read:     func(page []byte) (map[string]int64, error) { return ParseStubStatus(page) },
		Accepted: []string{"accepts"}, Requests: []string{"requests"}, Names: [2]string{"accepts", "requests"},
		Ended: []string{"accepts", "-active"}},
}

// workerTitle begins the title of a process that an nginx master started. It has no arguments.
const workerTitle = "nginx: worker process"
