package kinds

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// backend reads nothing but flags. Its counters are on a listener of their own, whose connections it doesn't count.
var backend = Kind{
	Name: facts.Backend, Program: "backend", Install: "make build",
	Argv: func(_ string, s facts.Server) []string {
		return []string{"--listen", s.Front, "--counters", s.Counters, "--cert", CertFile, "--key", KeyFile}
	},
	Recognise: func(_ string, args []string) bool {
		return slices.Contains(args, "--counters") && strings.Contains(strings.Join(args, " "), " --cert "+CertFile+" --key "+KeyFile)
	},
	Health: "/healthz", Ready: "/healthz",
	Counters: Counters{Path: "/ledger.json", Shown: "/ledger.json", Read: readLedger,
		Accepted: []string{"connections_new"}, Used: []string{"connections_used"}, Requests: []string{"requests_h1", "requests_h2"},
		Names: [2]string{"connections.new", "requests.h1 + requests.h2"}},
}

// gateway is Spring Cloud Gateway, with counters on a listener of their own.
var gateway = Kind{
	Name: facts.Gateway, Install: "make story", JVM: true, Tier: 2,
	// A program of services/ is stopped in the same way, whichever it is.
	Recognise: func(string, []string) bool { return false },
	Health:    "/lab/health", Ready: "/lab/ready",
	Account: Account{Java: true},
	Counters: Counters{Path: "/lab/counters.json", Shown: "/lab/counters.json", Read: readGateway,
		Accepted: []string{"accepted"}, Used: []string{"used"}, Requests: []string{"requests"},
		Names: [2]string{"accepted", "requests"}},
}

// service is an application of services/ that calls a topology.
var service = Kind{
	Name: facts.Service, Install: "make story", JVM: true, Tier: 5,
	Recognise: func(_ string, args []string) bool {
		// services/spring/run.sh gives each JVM this argument.
		return slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-Dh2lab.service=") }) &&
			strings.Contains(strings.Join(args, " "), " --ca "+CAFile)
	},
	Health: "/lab/ready", Account: Account{Java: true},
}

// readLedger reads the fields of the backend's ledger.json that are used here.
func readLedger(page []byte) (map[string]int64, error) {
	var l struct {
		Connections                    *struct{ New, Used int64 }
		Requests                       *struct{ H1, H2 int64 }
		Executed, Distinct, Duplicates int64
		// Saturated means that the backend saw more ids than it can remember: distinct and duplicates are no longer exact,
		// so they are unknown.
		Saturated bool `json:"ids_saturated"`
	}
	if err := json.Unmarshal(page, &l); err != nil {
		return nil, err
	}
	if l.Connections == nil || l.Requests == nil {
		return nil, errors.New("no connections or requests in the ledger")
	}
	raw := map[string]int64{"executed": l.Executed, "connections_new": l.Connections.New, "connections_used": l.Connections.Used,
		"requests_h1": l.Requests.H1, "requests_h2": l.Requests.H2}
	if !l.Saturated {
		raw["distinct"], raw["duplicates"] = l.Distinct, l.Duplicates
	}
	return raw, nil
}

func readGateway(page []byte) (map[string]int64, error) {
	var x struct{ Accepted, Used, Requests *int64 }
	if err := json.Unmarshal(page, &x); err != nil {
		return nil, err
	}
	for _, number := range []*int64{x.Accepted, x.Used, x.Requests} {
		if number == nil || *number < 0 {
			return nil, errors.New("accepted, used and requests must be numbers from 0 up")
		}
	}
	return map[string]int64{"accepted": *x.Accepted, "used": *x.Used, "requests": *x.Requests}, nil
}
