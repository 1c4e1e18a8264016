package compose

import (
	"fmt"
	"strings"
)

// NoBudget is the error for an engine that can't limit a container's processor time, or nil.
func (e EngineInfo) NoBudget(cpus *float64) error {
	if cpus == nil || e.LimitsCPU {
		return nil
	}
	return fmt.Errorf("%s can't limit processor time here (CPUS=%g); %s", e.Kind, *cpus, withoutBudget)
}

// withoutBudget is the next step where processor time can't be limited.
const withoutBudget = "measure without a limit: CPUS=none; or delegate the cpu controller to its user: " +
	"https://rootlesscontaine.rs/getting-started/common/cgroup2/"

// hint is the next step for a known message of docker compose up.
func hint(err error) string {
	said := err.Error()
	has := func(words ...string) bool {
		for _, w := range words {
			if !strings.Contains(said, w) {
				return false
			}
		}
		return true
	}
	switch {
	case has("address already in use"), has("port is already allocated"):
		return "\na port of the lab is taken, perhaps by the native one: try `h2lab down`, or see who has it: ss -ltnp"
	// moby's daemon/daemon_unix.go; crun's and runc's messages under podman.
	case has("NanoCPUs can not be set"), has("controller `cpu` is not available"), has("cpu.cfs_quota_us", "no such file"),
		has("cpu.max", "no such file"):
		return "\nthe engine can't limit processor time here; " + withoutBudget
	case has("ounts denied"), has("is not shared from the host"):
		return "\nthe engine's virtual machine doesn't share the checkout's directory; " + share
	}
	return ""
}

// share is the next step where the engine's virtual machine doesn't see the checkout.
const share = "share it (Docker Desktop: Settings, Resources, File sharing), or move the checkout below your home " +
	"directory"
