package workshop

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// Each learner has a limit of their own, so that an answer can't be passed on. It is derived from
// a seed: the file workshop/seed, or the names of the user and the host.

// The range of the limits: 250 requests take three connections with each of them, as chapter 1 shows.
const (
	leastLimit = 85
	mostLimit  = 124
)

// seedFile has the seed that `h2lab workshop --seed` was given.
const seedFile = Learner + "/seed"

var seedForm = regexp.MustCompile(`^[A-Za-z0-9_.@-]{1,64}$`)

// SetSeed stores a learner's seed.
func SetSeed(root, seed string) error {
	if !seedForm.MatchString(seed) {
		return fmt.Errorf("SEED=%s is no seed: give 1 to 64 letters, digits and _ . @ -", clip(seed))
	}
	if err := os.MkdirAll(filepath.Join(root, Learner), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, seedFile), []byte(seed+"\n"), 0o644)
}

// seedOf returns a learner's seed.
func seedOf(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, seedFile))
	switch seed := strings.TrimSpace(string(text)); {
	case errors.Is(err, fs.ErrNotExist):
		return defaultSeed(), nil
	case err != nil:
		return "", err
	case !seedForm.MatchString(seed):
		return "", &MissingError{seedFile + " holds no seed", "rm " + seedFile + ", then make workshop SEED=…"}
	default:
		return seed, nil
	}
}

func defaultSeed() string {
	host, _ := os.Hostname()
	name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"))
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return name + "@" + host
}

// own is what a seed determines.
type own struct {
	limit   int // of nginx-low and envoy-low
	streams int // sent at once in exercise 7
}

func ownOf(seed string) own {
	h := fnv.New32a()
	_, _ = h.Write([]byte("h2lab " + seed))
	n := int(h.Sum32() >> 1)
	o := own{limit: leastLimit + n%(mostLimit-leastLimit+1), streams: 8 + 2*(n/64%4)}
	if o.limit == 100 { // the pages' example
		o.limit++
	}
	return o
}

// OwnLimit returns the limit of a learner's servers.
func OwnLimit(root string) (int, error) {
	seed, err := seedOf(root)
	return ownOf(seed).limit, err
}

// The names of the fronts that exercises use. They don't contain the limit, which the learner measures.
const (
	lowNginx  = "nginx-low"
	highNginx = "nginx-high"
	lowEnvoy  = "envoy-low"
	direct    = "direct"
)

// FrontName returns the workshop's name of a topology, and its title without the limit.
func FrontName(t facts.Topology) (name, title string) {
	if t.Limit == 0 || t.Limit == plan.HighLimit {
		if t.Limit == plan.HighLimit {
			return highNginx, t.Title
		}
		return t.Name, t.Title
	}
	n := fmt.Sprint(t.Limit)
	return strings.Replace(t.Name, n, "low", 1), strings.Replace(t.Title, n, "L", 1)
}

// topology returns a topology by the workshop's name.
func (d *Desk) topology(name string) facts.Topology {
	for _, t := range plan.Topologies(d.own.limit) {
		if short, _ := FrontName(t); short == name {
			return t
		}
	}
	panic("no topology is called " + name)
}
