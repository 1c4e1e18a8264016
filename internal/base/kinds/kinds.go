// Package kinds describes each kind of server that the lab starts, in one file a kind: its program, how it is started,
// recognised and asked, and what its counters say. Everything that differs between nginx, Envoy and the others is read
// from here; a new kind is a file, a configuration and a topology.
package kinds

import (
	"path/filepath"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// Certificates, relative to the project's root, as certs/make.sh writes them.
const (
	CAFile   = "certs/out/ca.crt"
	CertFile = "certs/out/server.crt"
	KeyFile  = "certs/out/server.key"
)

// Kind is one kind of server.
type Kind struct {
	Name facts.Kind
	// Program is the name of its program; empty where the server names its own (facts.Server.Argv). Newer is a second,
	// newer program in tools/bin for configurations that need it; empty is none.
	Program, Newer string
	Least          string   // the oldest version that accepts the lab's configurations; empty is any
	AskVersion     []string // the arguments that print its version
	// Install gets the program. The topologies of an optional one are unsupported where it is missing.
	Install  string
	Optional bool
	Image    string // the variable of versions.env with its image; empty is none
	JVM      bool   // a program of services/: built there, and without a budget of processor time
	Tier     int    // its distance from the backend in every topology of the lab
	// Folder has its configurations; Beside is true where they name certificates relative to it. Limit is the name of the
	// limit on a connection's requests in them.
	Folder string
	Beside bool
	Limit  string
	// Argv are the arguments of a server. Every path in them is relative to the root, where it runs.
	Argv func(root string, s facts.Server) []string
	// Graceful is true where SIGQUIT lets it finish its requests, PidFile where it writes var/NAME.pid.
	Graceful bool
	// Recognise reports whether these are its arguments, in a working directory; Title is how the processes that a master
	// started begin theirs. Garbled is true where a dynamic loader before it makes its arguments unreadable.
	Recognise func(dir string, args []string) bool
	Title     string
	Garbled   bool
	Health    string // the path of its front that doesn't reach the upstream
	Ready     string // the path of its counters that is answered when they are ready
	Account   Account
	Counters  Counters
}

// Account is how a server describes its own configuration; the zero value is not at all.
type Account struct {
	// Args make the program print the configuration that it reads, for a root and a file.
	Args func(root, config string) []string
	// Version and Dump are paths of its counters, Drop the members of the dump that are no configuration.
	Version, Dump string
	Drop          []string
	Extension     string // of the file that keeps it
	Java          bool   // the version is that of its Java
}

// Counters is how a server's counters are read.
type Counters struct {
	Path     string // all of them
	Timeline string // those of a timeline; empty is Path
	Shown    string // for users
	// Read parses an answer into numbers under the server's own names.
	Read func([]byte) (map[string]int64, error)
	// Accepted, Used and Requests are the names whose sum each number is; an empty Used is unknown. Names describes the
	// first and the last in a timeline.
	Accepted, Used, Requests []string
	Names                    [2]string
	// CountsItself is true where the numbers include the connection and the request that read them.
	CountsItself bool
	// Ended adds up to the connections that ended: those of a name, less those of one that begins with "-". None is unknown.
	Ended []string
}

// Known are the kinds, by their distance from the backend.
var Known = []Kind{backend, gateway, envoy, haproxy, nginx, service}

// Of is a kind's description; its zero value has no name.
func Of(name facts.Kind) Kind {
	i := slices.IndexFunc(Known, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}
	}
	return Known[i]
}

// ByProgram is the kind with a program; its zero value has no name.
func ByProgram(program string) Kind {
	i := slices.IndexFunc(Known, func(k Kind) bool { return k.Program == program && program != "" })
	if i < 0 {
		return Kind{}
	}
	return Known[i]
}

// Folders are the folders of the servers' configurations.
func Folders() (out []string) {
	for _, k := range Known {
		if k.Folder != "" {
			out = append(out, k.Folder)
		}
	}
	return out
}

// FrontHealth is the URL of a server's front that is answered without its upstream.
func FrontHealth(s facts.Server) string {
	if s.Kind == facts.Service {
		return "http://" + s.Front + Of(s.Kind).Health
	}
	return "https://" + s.Front + Of(s.Kind).Health
}

// configIn reports whether the text after mark is one of the lab's configurations.
func configIn(args []string, mark, folder string) bool {
	_, after, found := strings.Cut(strings.Join(args, " "), mark)
	return found && (strings.HasPrefix(after, folder+"/") || strings.HasPrefix(after, "var/"))
}

// below is a directory as it begins the paths of its files.
func below(dir string) string { return dir + string(filepath.Separator) }
