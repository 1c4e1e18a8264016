package versions

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func recorded(version string, settings ...string) *debug.BuildInfo {
	b := &debug.BuildInfo{Main: debug.Module{Version: version}}
	for i := 0; i < len(settings); i += 2 {
		b.Settings = append(b.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
	}
	return b
}

const commit = "802685400117c3c571f2c899964279e3b0acaf19"

func TestABuildSaysWhatGoRecorded(t *testing.T) {
	system := "go      " + runtime.Version() + "\nsystem  " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	unknown := "h2lab (unknown version)\ncommit  unknown: built outside a git checkout, or with -buildvcs=false\n"
	for name, c := range map[string]struct {
		from *debug.BuildInfo
		want string
	}{
		"a release": {recorded("v0.1.0", "vcs.revision", commit, "vcs.time", "2026-11-22T11:52:42Z", "vcs.modified", "false"),
			"h2lab v0.1.0\ncommit  " + commit + " of 2026-11-22T11:52:42Z\n"},
		"a changed checkout": {recorded("v0.1.1-0.20261122115242-802685400117+dirty", "vcs.revision", commit,
			"vcs.time", "2026-11-22T11:52:42Z", "vcs.modified", "true"),
			"h2lab v0.1.1-0.20261122115242-802685400117+dirty\ncommit  " + commit +
				" of 2026-11-22T11:52:42Z, with uncommitted changes\n"},
		"a commit without a time": {recorded("(devel)", "vcs.revision", commit, "vcs.time", "yesterday"),
			"h2lab (unknown version)\ncommit  " + commit + "\n"},
		"no version control": {recorded("(devel)"), unknown},
		"no version":         {recorded(""), unknown},
		"no record":          {nil, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := from(c.from).WriteText(&out); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != c.want+system {
				t.Errorf("got\n%swant\n%s%s", got, c.want, system)
			}
		})
	}
}

func TestUnknownIsNullInJSON(t *testing.T) {
	for version, want := range map[string]string{"(devel)": `"version": null`, "v0.1.0": `"version": "v0.1.0"`} {
		var out bytes.Buffer
		if err := from(recorded(version)).WriteJSON(&out); err != nil || !strings.Contains(out.String(), want) ||
			!strings.Contains(out.String(), `"modified": null`) {
			t.Errorf("%s isn't in %s, %v", want, out.String(), err)
		}
	}
}
