package versions

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"
)

// Build is a build. Null is what the program doesn't record: a program that was built outside a git
// checkout, or with -buildvcs=false, has no version and no commit.
type Build struct {
	// Version is the tag of the commit, such as v0.1.0, else Go's pseudo-version of it
	// (go.dev/ref/mod, "Pseudo-versions"). It ends with +dirty where files were changed.
	Version *string `json:"version"`
	Commit  *string `json:"commit"`
	// Date is the commit's, so that two builds of one commit are the same.
	Date     *time.Time `json:"date"`
	Modified *bool      `json:"modified"`
	Go       string     `json:"go"`
	OS       string     `json:"os"`
	Arch     string     `json:"arch"`
}

// Own returns the build of the running program.
func Own() Build {
	recorded, _ := debug.ReadBuildInfo()
	return from(recorded)
}

// from reads what was recorded; nil is a program without any record.
func from(recorded *debug.BuildInfo) Build {
	info := Build{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if recorded == nil {
		return info
	}
	if v := recorded.Main.Version; v != "" && v != "(devel)" {
		info.Version = &v
	}
	for _, s := range recorded.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Commit = &s.Value
		case "vcs.time":
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				info.Date = &at
			}
		case "vcs.modified":
			if modified, err := strconv.ParseBool(s.Value); err == nil {
				info.Modified = &modified
			}
		}
	}
	return info
}

// Name is the version for a title, "(unknown version)" without one.
func (i Build) Name() string {
	if i.Version == nil {
		return "(unknown version)"
	}
	return *i.Version
}

// WriteText prints the build for a person.
func (i Build) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "h2lab %s\ncommit  %s\ngo      %s\nsystem  %s/%s\n", i.Name(), i.commit(), i.Go, i.OS, i.Arch)
	return err
}

func (i Build) commit() string {
	if i.Commit == nil {
		return "unknown: built outside a git checkout, or with -buildvcs=false"
	}
	line := *i.Commit
	if i.Date != nil {
		line += " of " + i.Date.UTC().Format(time.RFC3339)
	}
	if i.Modified != nil && *i.Modified {
		line += ", with uncommitted changes"
	}
	return line
}

// WriteJSON prints the build for a program.
func (i Build) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(i)
}
