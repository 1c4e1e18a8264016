package load

import (
	"fmt"

	"h2lab/internal/base/proc"
)

// What a run requires of the machine.
const (
	// filesPerRequest: at a renewal a client may dial once for each request in flight while the
	// former connections still close, and a proxy has as many to its upstream.
	filesPerRequest = 3
	filesBesides    = 100 // logs, listeners, shared libraries
	// leastThreads is for the largest client program, a JVM with its garbage collectors and pools,
	// beside Envoy, k6 and nginx.
	leastThreads = 300
	// portsPerRequest: connections to one address need a port each, including those that have just
	// ended.
	portsPerRequest = 4
	portsBesides    = 100
	// threadsPerService: Tomcat has 200 threads by default (server.tomcat.threads.max), the JVM and
	// the client library have some tens.
	threadsPerService = 260
	// filesBesideUsers are those of a service beside its users' connections: its jars and its calls'
	// connections, of which its pool allows 300.
	filesBesideUsers = 1000
	// mostUsers is the largest CONCURRENCY of the k6 scripts (k6/lib/knobs.js).
	mostUsers = 10000
)

// Needs is what a run has in flight at most.
type Needs struct {
	InFlight int   // requests, or users
	Services int   // JVMs
	Ports    []int // that the servers listen on
	// Connections is how many a load generator has at the same time: for each user one to the service,
	// and k6's users one to the gate. 0 is no more than InFlight.
	Connections int
	For         string // what needs them; empty: CONCURRENCY
}

// LimitError means that the machine allows less than a run needs. It ends h2lab with exit status 3.
type LimitError struct {
	What        string // "open files"
	There, Need int64
	For         string // "CONCURRENCY=1000"
	Next        string // the command that raises it
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("this machine allows %d %s and %s requires %d; raise the limit with: %s", e.There, e.What, e.For, e.Need,
		e.Next)
}

// CheckLimits compares the machine's limits with the needs of a run: an error for what can't work,
// warnings for what may fail. raise is the required limit of open files.
func CheckLimits(l proc.Limits, need Needs) (raise int64, warn []string, err error) {
	if need.InFlight > mostUsers {
		return 0, nil, fmt.Errorf("CONCURRENCY=%d is more than k6 has users for: give %d at most", need.InFlight,
			mostUsers)
	}
	c := int64(need.InFlight)
	who := fmt.Sprintf("CONCURRENCY=%d", need.InFlight)
	files, threads := filesPerRequest*c+filesBesides, int64(leastThreads)
	users := int64(need.Connections)
	if users > 0 {
		files = max(files, users+filesBesideUsers)
	}
	if need.Services > 0 {
		who += fmt.Sprintf(" with %d services", need.Services)
		threads += int64(threadsPerService * need.Services)
	}
	if need.For != "" {
		who = need.For
	}
	if l.Files != nil && *l.Files < files {
		return 0, nil, &LimitError{What: "open files", There: *l.Files, Need: files, For: who,
			Next: fmt.Sprintf("sudo prlimit --pid $$ --nofile=%d:%[1]d", files)}
	}
	if l.Threads != nil && *l.Threads < threads {
		return 0, nil, &LimitError{What: "more processes and threads", There: max(0, *l.Threads),
			Need: threads, For: who,
			Next: "sudo prlimit --pid $$ --nproc=unlimited (in a container: --pids-limit=-1)"}
	}
	if l.Ports == nil {
		return files, nil, nil
	}
	ports := max(portsPerRequest*c, users) + portsBesides
	widen := "sudo sysctl -w net.ipv4.ip_local_port_range='32768 60999'"
	if size := int64(l.Ports.Size()); size < ports {
		return 0, nil, &LimitError{
			What:  "ports for outgoing connections",
			There: size,
			Need:  ports,
			For:   who,
			Next:  widen,
		}
	} else if l.TimeWait != nil && size-*l.TimeWait < ports {
		warn = append(warn, fmt.Sprintf("%d of %d ports for outgoing connections are still taken by "+
			"connections that ended (TIME_WAIT): wait a minute, or dials fail", *l.TimeWait, size))
	}
	for _, port := range need.Ports {
		if l.Ports.From <= port && port <= l.Ports.To {
			warn = append(warn, fmt.Sprintf("the ports for outgoing connections, %d to %d, hold the lab's %d: "+
				"a connection may take it before its server does; change them with: %s", l.Ports.From, l.Ports.To,
				port, widen))
			break
		}
	}
	return files, warn, nil
}
