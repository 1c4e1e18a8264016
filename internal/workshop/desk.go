package workshop

import (
	"cmp"
	"context"
	"crypto/x509"
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"h2lab/internal/base/rooted"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
	"h2lab/internal/lab/plan"
)

// Learner is the learner's own directory, relative to the project's root.
const Learner = "workshop"

// caFile signed every certificate of the lab, relative to the root.
const caFile = "certs/out/ca.crt"

// Desk is the project in which a learner works.
type Desk struct {
	Root string
	// Results is the directory of runs; relative to Root unless absolute.
	Results string
	// MysteryHolder is the command line of the process that runs the server of exercise 10.
	MysteryHolder []string

	own   own    // set by Verify: what the learner's seed determines
	built string // the program that build made
}

// MissingError is something that an exercise requires and that isn't there.
type MissingError struct{ What, Next string }

func (e *MissingError) Error() string { return e.What + "; next: " + e.Next }

// mostFile limits the size of a learner's file.
const mostFile = 1 << 20

func (d *Desk) dir() string { return filepath.Join(d.Root, Learner) }

// shown is the name of a learner's file in messages.
func shown(n int, name string) string { return fmt.Sprintf("%s/%02d/%s", Learner, n, name) }

func (d *Desk) path(n int, name string) string {
	return filepath.Join(d.Root, filepath.FromSlash(shown(n, name)))
}

// read returns the text of a learner's file.
func (d *Desk) read(n int, name string) (string, error) {
	text, err := rooted.ReadFile(d.path(n, name), mostFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &MissingError{shown(n, name) + " isn't there", "make workshop"}
	case err != nil:
		return "", &MissingError{err.Error(), "move it away, then make workshop"}
	}
	return string(text), nil
}

// target is the front of a topology, with a path that the front answers itself.
func (d *Desk) target(name string) probe.Target {
	t := probe.Target{Addr: d.topology(name).Front().Front, CAFile: filepath.Join(d.Root, caFile)}
	if d.topology(name).Front().Kind == facts.Backend {
		t.Path = "/healthz"
	}
	return t
}

// roots returns the lab's certificate authority.
func (d *Desk) roots() (*x509.CertPool, error) {
	text, err := rooted.ReadFile(filepath.Join(d.Root, caFile), mostFile)
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(text) {
		return nil, &MissingError{caFile + " isn't there or is no certificate", "make certs"}
	}
	return pool, nil
}

// startLab is the command that starts the servers as the exercises need them.
const startLab = "make up FOR=learner"

// up checks that the servers run with the limit of the exercises. It asks the servers and reads no
// state file, so it doesn't matter who started them.
func (d *Desk) up(ctx context.Context) error {
	if _, err := d.roots(); err != nil {
		return err
	}
	for _, name := range []string{lowNginx, highNginx, lowEnvoy, direct} {
		addr := d.topology(name).Front().Front
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", addr)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &MissingError{fmt.Sprintf("the lab's servers aren't up: nobody answers at %s (%s)", addr, name),
				startLab}
		}
		_ = c.Close()
	}
	limit, err := probe.RequestLimit(ctx, d.target(lowNginx), d.own.limit+10, d.own.limit)
	switch {
	case err != nil:
		return fmt.Errorf("%w; next: make down, then %s", err, startLab)
	case limit.Effective == nil || *limit.Effective != d.own.limit:
		return &MissingError{"the lab's servers are up with a limit other than yours", "make down, then " + startLab}
	}
	return nil
}

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
	return rooted.WriteFile(filepath.Join(root, seedFile), []byte(seed+"\n"))
}

// seedOf returns a learner's seed.
func seedOf(root string) (string, error) {
	text, err := rooted.ReadFile(filepath.Join(root, seedFile), mostFile)
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
func FrontName(t facts.Topology) (name string, title facts.Text) {
	if t.Limit == 0 || t.Limit == plan.HighLimit {
		if t.Limit == plan.HighLimit {
			return highNginx, t.Title
		}
		return t.Name, t.Title
	}
	n := fmt.Sprint(t.Limit)
	return strings.Replace(t.Name, n, "low", 1), facts.T(t.Title.Key, "L")
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

// start is the directory of the files that learners begin with, relative to the project's root.
const start = "docs/workshop/start"

// LayOut copies the files that learners begin with into their directory, with their remarks in that language; names and
// headings that the checks read stay. It keeps files that already exist there.
func LayOut(root string, l texts.Language) (made, kept []string, err error) {
	var words map[string]string
	if l == texts.Chinese {
		words = pairs(startInChinese)
	}
	from := filepath.Join(root, filepath.FromSlash(start))
	err = filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(filepath.Join(Learner, rel))
		to := filepath.Join(root, Learner, rel)
		if e.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		switch err := copyNew(path, to, words); {
		case errors.Is(err, fs.ErrExist):
			kept = append(kept, name)
		case err != nil:
			return fmt.Errorf("laying out %s: %w", name, err)
		default:
			made = append(made, name)
		}
		return nil
	})
	return made, kept, err
}

// copyNew copies a file to a name that must not exist yet, completely or not at all.
func copyNew(from, to string, words map[string]string) error {
	text, err := rooted.ReadFile(from, mostFile)
	if err != nil {
		return err
	}
	text = translated(text, words)
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}

// startInChinese has a text and, on the line below it, its translation; an empty line separates two texts.
//
//go:embed text/start.zh.txt
var startInChinese string

func pairs(text string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		english, chinese, _ := strings.Cut(pair, "\n")
		out[english] = strings.TrimSpace(chinese)
	}
	return out
}

// translated replaces the lines that have a translation, and keeps their indentation.
func translated(text []byte, words map[string]string) []byte {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		if zh, ok := words[bare]; ok && bare != "" {
			lines[i] = strings.Replace(line, bare, zh, 1)
		}
	}
	return []byte(strings.Join(lines, "\n"))
}
