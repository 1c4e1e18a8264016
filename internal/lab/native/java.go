package native

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

var javaRelease = regexp.MustCompile(`(?m)^JAVA_VERSION="([^"]{1,40})"`)

// javaVersion is the version of the Java that a process runs on, from the file release of its JDK;
// empty where there is none.
func javaVersion(pid int) string {
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return ""
	}
	return releaseOf(program)
}

// releaseOf is the version of the JDK that a program bin/java belongs to.
func releaseOf(program string) string {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(program), "..", "release"))
	if err != nil {
		return ""
	}
	if m := javaRelease.FindSubmatch(text); m != nil {
		return "Java " + string(m[1])
	}
	return ""
}
