// Package platform says which verbs run on which operating system, and what a user does elsewhere.
// docs/platforms.md shows its table; a test compares the two.
package system

import (
	"fmt"
	"maps"
	"slices"

	"h2lab/internal/base/exitstatus"
)

// The operating systems, as runtime.GOOS has them. h2lab treats other Unix systems as it treats macOS.
const (
	Linux   = "linux"
	MacOS   = "darwin"
	Windows = "windows"
)

// Systems are all of them, in the order of the table.
var Systems = []string{Linux, MacOS, Windows}

// Name is a system's name for people.
func Name(goos string) string {
	switch goos {
	case Linux:
		return "Linux"
	case MacOS:
		return "macOS"
	case Windows:
		return "Windows"
	}
	return goos
}

// Way is how a verb runs on a system.
type Way int

// The ways.
const (
	Here         Way = iota // this program does it
	Docker                  // with the servers in Docker (RUNTIME=docker)
	LabContainer            // by the h2lab of the lab container
)

// needs is what a verb requires of the system.
type needs int

const (
	nothing needs = iota
	servers       // the lab's servers, which run on Linux or in Docker
	linux         // Linux itself
)

// Capture is the entry of a flag and not of a verb.
const Capture = "trace --pcap"

// verbs has every verb of the command line.
var verbs = map[string]needs{
	"decode": nothing, "probe": nothing, "trace": nothing, "lint": nothing, "logs": nothing, "watch": nothing,
	"advise": nothing, "report": nothing, "merge": nothing, "replay": nothing, "live": nothing, "workshop": nothing, "doctor": nothing,
	"pin": nothing, "version": nothing, "completion": nothing, "man": nothing,
	"repro": servers, "fixed": servers, "matrix": servers, "clients": servers, "up": servers, "down": servers,
	"delay": linux, "story": linux, "sweep": linux, "bench": linux, "step": linux, "mystery": linux, Capture: linux,
	// in the containers
	"inside": linux, "hold": linux, "healthcheck": linux, "hand": linux, "reach": linux, "become": linux,
}

// Verbs are all names, sorted.
func Verbs() []string { return slices.Sorted(maps.Keys(verbs)) }

// On returns how a verb runs on a system; known is false for a verb that the table lacks.
func On(verb, goos string) (way Way, known bool) {
	need, known := verbs[verb]
	switch {
	case goos == Linux || need == nothing:
		return Here, known
	case need == servers && goos != Windows: // the lab starts scripts of the POSIX shell before the containers
		return Docker, known
	}
	return LabContainer, known
}

// Refusal is the error of a verb that doesn't run on a system; nil where it runs, if only with Docker.
func Refusal(verb, goos string) error {
	if way, _ := On(verb, goos); way == LabContainer {
		return requiresLinux(verb, goos)
	}
	return nil
}

// NoNative is the error of a verb with RUNTIME=native; nil on Linux.
func NoNative(goos string) error {
	if goos == Linux {
		return nil
	}
	return requiresLinux("RUNTIME=native", goos)
}

func requiresLinux(what, goos string) error {
	next := "use the lab container: make shell"
	if what == "delay" {
		next += " WITH=distance"
	}
	if goos == Windows {
		next = "use the lab container or WSL 2 (docs/platforms.md has the commands)"
	}
	return exitstatus.Lacks(fmt.Errorf("%s requires Linux, because %s has no %s; next: %s", what, Name(goos),
		missing(what), next))
}

// missing is what a verb reads and only Linux has.
func missing(what string) string {
	switch what {
	case Capture:
		return `device "any" (packet(7)) to capture on`
	case "delay":
		return "network namespaces"
	}
	return "/proc, in which the lab finds its servers and their processor time"
}
