package e2e_test

import (
	"encoding/json"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func contents(t *testing.T, name string) string {
	t.Helper()
	return labtest.Read(t, "../"+name)
}

const labDockerfile = "docker/lab/Dockerfile"

// Plain `docker build` and editors take the defaults, `make shell` takes versions.env.
func TestDefaultsOfTheLabContainerAreThoseOfVersionsEnv(t *testing.T) {
	versions := contents(t, "versions.env")
	shell := contents(t, "tools/shell.sh")
	found := regexp.MustCompile(`(?m)^ARG (\w+)=(\S+)$`).FindAllStringSubmatch(contents(t, labDockerfile), -1)
	if len(found) != 4 {
		t.Fatalf("%d defaults: %q", len(found), found)
	}
	var names []string
	for _, m := range found {
		names = append(names, m[1])
		pinned := regexp.MustCompile(`(?m)^` + m[1] + `=` + regexp.QuoteMeta(m[2]) + `(@\S+)?$`)
		if !pinned.MatchString(versions) {
			t.Errorf("%s is %s in %s, and versions.env has another", m[1], m[2], labDockerfile)
		}
	}
	if !strings.Contains(shell, `bases="`+strings.Join(names, " ")+`"`) {
		t.Errorf("tools/shell.sh gives other build arguments than %q", names)
	}
}

// A file that .dockerignore leaves out is missing in the build on every engine.
func TestTheBuildContextHasWhatTheLabContainerCopies(t *testing.T) {
	ignore := strings.Split(contents(t, ".dockerignore"), "\n")
	copied := 0
	for line := range strings.Lines(contents(t, labDockerfile)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "COPY" || strings.HasPrefix(words[1], "--from=") {
			continue
		}
		for _, name := range words[1 : len(words)-1] {
			copied++
			if _, err := os.Stat("../" + name); err != nil {
				t.Error(err)
			}
			allowed := false
			for at := name; at != "."; at = path.Dir(at) {
				allowed = allowed || slices.Contains(ignore, "!"+at)
			}
			if !allowed {
				t.Errorf("%s is copied, and .dockerignore leaves it out", name)
			}
		}
	}
	if copied < 10 {
		t.Errorf("only %d files are copied: the pattern is broken", copied)
	}
}

// The container's own directories are those that hold what was built for one system, or name processes.
func TestTheLabContainerCoversWhatIsOfTheHost(t *testing.T) {
	text := contents(t, labDockerfile)
	m := regexp.MustCompile(`(?m)^VOLUME (\[.*\])$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no VOLUME")
	}
	var volumes []string
	labtest.Check(t, json.Unmarshal([]byte(m[1]), &volumes))
	for _, want := range []string{"bin", "tools/bin", "var"} {
		if !slices.Contains(volumes, "/lab/"+want) {
			t.Errorf("/lab/%s is not covered: %q", want, volumes)
		}
		if !strings.Contains(contents(t, ".gitignore"), "/"+want+"/\n") {
			t.Errorf("git knows files of %s/, and the container would hide them", want)
		}
	}
	if !strings.Contains(contents(t, "tools/shell.sh"), "mkdir -p bin tools/bin var\n") {
		t.Error("tools/shell.sh doesn't make these directories, so the engine would, as root")
	}
}

// devContainer has the fields of .devcontainer/devcontainer.json that this project uses, and those that
// would give it more rights. They are in the schema, which knows no others:
// devcontainers/spec, schemas/devContainer.base.schema.json.
type devContainer struct {
	Name  string `json:"name"`
	Build struct {
		Dockerfile string `json:"dockerfile"`
		Context    string `json:"context"`
		Target     string `json:"target"`
	} `json:"build"`
	WorkspaceMount       string                    `json:"workspaceMount"`
	WorkspaceFolder      string                    `json:"workspaceFolder"`
	RemoteUser           string                    `json:"remoteUser"`
	UpdateRemoteUserUID  bool                      `json:"updateRemoteUserUID"`
	ContainerEnv         map[string]string         `json:"containerEnv"`
	Init                 bool                      `json:"init"`
	Privileged           bool                      `json:"privileged"`
	CapAdd               []string                  `json:"capAdd"`
	RunArgs              []string                  `json:"runArgs"`
	ForwardPorts         []int                     `json:"forwardPorts"`
	PortsAttributes      map[string]portAttributes `json:"portsAttributes"`
	OtherPortsAttributes portAttributes            `json:"otherPortsAttributes"`
	PostCreateCommand    string                    `json:"postCreateCommand"`
}

type portAttributes struct {
	Label         string `json:"label"`
	OnAutoForward string `json:"onAutoForward"`
}

// onAutoForward is the schema's enumeration for otherPortsAttributes; portsAttributes has one more.
var onAutoForward = []string{"notify", "openBrowser", "openPreview", "silent", "ignore"}

func TestTheDevContainerIsTheLabContainer(t *testing.T) {
	comments := regexp.MustCompile(`(?m)^\s*//.*$`) // JSON with comments; ours stand on lines of their own
	text := comments.ReplaceAllString(contents(t, ".devcontainer/devcontainer.json"), "")
	in := json.NewDecoder(strings.NewReader(text))
	in.DisallowUnknownFields()
	var c devContainer
	labtest.Check(t, in.Decode(&c))
	if path.Join(".devcontainer", c.Build.Dockerfile) != labDockerfile || path.Join(".devcontainer", c.Build.Context) != "." {
		t.Errorf("it is built from %s in %s", c.Build.Dockerfile, c.Build.Context)
	}
	if !strings.Contains(contents(t, labDockerfile), " AS "+c.Build.Target+"\n") {
		t.Errorf("%s has no stage %s", labDockerfile, c.Build.Target)
	}
	if c.ContainerEnv["RUNTIME"] != "native" || !slices.Equal(c.ForwardPorts, []int{18190}) ||
		c.WorkspaceFolder != "/lab" || !strings.Contains(c.WorkspaceMount, ",target=/lab,") {
		t.Errorf("environment %q, ports %v, folder %s, mount %s", c.ContainerEnv, c.ForwardPorts, c.WorkspaceFolder,
			c.WorkspaceMount)
	}
	if !strings.Contains(contents(t, labDockerfile), "useradd --uid 1000 ") || c.RemoteUser != "lab" {
		t.Errorf("the editor's user is %q, and the image's is lab", c.RemoteUser)
	}
	if c.Privileged || len(c.CapAdd)+len(c.RunArgs) > 0 {
		t.Error("it asks for more rights than make shell does")
	}
	for port, a := range c.PortsAttributes {
		if port != "18190" || !slices.Contains(onAutoForward, a.OnAutoForward) {
			t.Errorf("port %s: %+v", port, a)
		}
	}
	if !slices.Contains(onAutoForward, c.OtherPortsAttributes.OnAutoForward) {
		t.Errorf("other ports: %+v", c.OtherPortsAttributes)
	}
}
