package proved

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// checkout is a repository with two inputs.
func checkout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, dir, "input"), "1")
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@t.invalid", "commit", "-qm", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return root
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func parts() (out []string) {
	for i := range 200 {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

// chosen runs a proof with the units a and b, each of 200 parts, and counts the parts that run.
func chosen(t *testing.T, root string) (a, b int) {
	t.Helper()
	t.Run("proof", func(t *testing.T) {
		p := Open(t, root, "n")
		count := func(unit string) (n int) {
			whole := p.Whole(unit, unit)
			for _, part := range parts() {
				if whole || p.Picks(part) {
					n++
				}
			}
			return n
		}
		a, b = count("a"), count("b")
	})
	return a, b
}

func TestATenthRunsOfWhatIsProvedAndAllOfWhatChanged(t *testing.T) {
	t.Setenv("FULL", "")
	t.Setenv("SEED", "")
	t.Setenv("PROVED", "write")
	root := checkout(t)
	if a, b := chosen(t, root); a != 200 || b != 200 {
		t.Fatalf("never proved: %d and %d of 200 ran", a, b)
	}
	a, b := chosen(t, root)
	if a < 8 || a > 40 || b < 8 || b > 40 {
		t.Errorf("proved: %d and %d of 200 ran", a, b)
	}
	if again, _ := chosen(t, root); again != a {
		t.Errorf("the same commit draws %d, then %d", a, again)
	}
	write(t, filepath.Join(root, "a", "new"), "2")
	if a, b := chosen(t, root); a != 200 || b > 40 {
		t.Errorf("an input of a changed: %d and %d of 200 ran", a, b)
	}
	if a, _ := chosen(t, root); a != 200 {
		t.Error("a run of a tenth of b proved a")
	}
	t.Setenv("FULL", "1")
	if a, b := chosen(t, root); a != 200 || b != 200 {
		t.Errorf("FULL=1: %d and %d of 200 ran", a, b)
	}
}
