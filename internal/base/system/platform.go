package system

import (
	"fmt"

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

// Needs is what a verb requires of the system, as the tag `on` of the command line has it.
type Needs string

// The needs. A verb without a tag runs on every system.
const (
	Anything Needs = ""
	Servers  Needs = "docker" // the lab's servers, which run on Linux or in Docker
	OnLinux  Needs = "linux"  // Linux itself
)

// Capture is a flag that requires Linux, while its verb runs everywhere.
const Capture = "trace --pcap"

// On returns how a verb runs on a system.
func (n Needs) On(goos string) Way {
	switch {
	case goos == Linux || n == Anything:
		return Here
	case n == Servers && goos != Windows: // the lab starts scripts of the POSIX shell before the containers
		return Docker
	}
	return LabContainer
}

// Refusal is the error of a verb that doesn't run on a system; nil where it runs, if only with Docker.
func (n Needs) Refusal(verb, goos string) error {
	if n.On(goos) == LabContainer {
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
