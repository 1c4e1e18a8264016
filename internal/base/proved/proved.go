// Package proved lets tests choose what to run of a proof that has many parts: client programs, real systems, chapters.
// After a run of all parts, testdata/proved/NAME.txt holds a hash of each unit's inputs. While they are the same, a
// tenth of the parts runs, drawn by the commit; a changed input makes its unit run whole, FULL=1 everything.
// PROVED=write writes the hashes after a full run that passed. Only tests import it.
package proved

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// share is one part in how many runs of an unchanged unit.
const share = 10

// Proof is one run of a proof.
type Proof struct {
	t      testing.TB
	root   string
	file   string
	before map[string]string // unit: hash of its inputs at the last full run
	now    map[string]string
	seed   string
	left   int // parts that don't run
}

// Open begins a proof. Root is the checkout.
func Open(t testing.TB, root, name string) *Proof {
	t.Helper()
	p := &Proof{t: t, root: root, file: filepath.Join(root, "testdata/proved", name+".txt"), now: map[string]string{}}
	p.before = p.recorded()
	if p.seed = os.Getenv("SEED"); p.seed == "" {
		p.seed = strings.TrimSpace(p.git("rev-parse", "HEAD"))
	}
	t.Cleanup(p.end)
	return p
}

func (p *Proof) recorded() map[string]string {
	out := map[string]string{}
	b, err := os.ReadFile(p.file)
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if unit, sum, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			out[unit] = sum
		}
	}
	return out
}

// Whole reports whether all parts of a unit must run: FULL=1, or one of its inputs (files or folders of the checkout)
// isn't what it was at the last full run.
func (p *Proof) Whole(unit string, inputs ...string) bool {
	p.t.Helper()
	p.now[unit] = p.sum(inputs)
	return os.Getenv("FULL") != "" || p.now[unit] != p.before[unit]
}

// Picks reports whether a part of an unchanged unit runs.
func (p *Proof) Picks(part string) bool {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s %s", part, p.seed)
	if h.Sum32()%share == 0 {
		return true
	}
	p.left++
	return false
}

// sum is a hash of the names and contents of the files that git knows or would add below the inputs.
func (p *Proof) sum(inputs []string) string {
	h := sha256.New()
	list := p.git(append([]string{"ls-files", "-co", "--exclude-standard", "-z", "--"}, inputs...)...)
	names := strings.Split(strings.TrimRight(list, "\x00"), "\x00")
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		b, err := os.ReadFile(filepath.Join(p.root, name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			p.t.Fatal(err)
		}
		fmt.Fprintf(h, "%s %d\n", name, len(b))
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

func (p *Proof) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.root
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

func (p *Proof) end() {
	if p.left > 0 {
		p.t.Logf("%d parts did not run: their inputs are those of the last full run. FULL=1 runs all; SEED=%s draws these again",
			p.left, p.seed)
	}
	if os.Getenv("PROVED") != "write" || p.left > 0 || p.t.Failed() {
		return
	}
	var out strings.Builder
	for _, unit := range slices.Sorted(maps.Keys(p.now)) {
		fmt.Fprintf(&out, "%s %s\n", unit, p.now[unit])
	}
	err := os.MkdirAll(filepath.Dir(p.file), 0o755)
	if err == nil {
		err = os.WriteFile(p.file, []byte(out.String()), 0o644)
	}
	if err != nil {
		p.t.Error(err)
	}
}
