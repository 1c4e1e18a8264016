package nginxfile

import (
	"os"
	"path/filepath"
	"testing"

	"h2lab/internal/base/labtest"
)

// corpusDir has the configurations that the linter's tests read too.
const corpusDir = "../../field/lint/nginxconf/testdata/corpus"

// corpus returns the paths of its configurations.
func corpus(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpusDir, "*.conf"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d configurations in %s: %v", len(files), corpusDir, err)
	}
	for i := range files {
		files[i] = filepath.ToSlash(files[i])
	}
	return files
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	labtest.Check(t, err)
	return data
}
