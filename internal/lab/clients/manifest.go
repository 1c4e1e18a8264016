package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

// The files that list the clients.
const (
	listFile     = "clients.txt" // one folder a line, in the order of the report
	manifestFile = "client.json" // one a folder
)

// Ecosystem is a folder of clients/: programs that share a toolchain and a build.
type Ecosystem struct {
	Name    string   `json:"ecosystem"`
	Title   string   `json:"title"`
	Needs   []Need   `json:"needs"`
	Build   []string `json:"build"` // run in the folder; empty where no build is needed
	Clients []Client `json:"clients"`

	root, dir string // the project's root, and this folder
	shown     string // the folder as in messages and snippets
}

// Client is one row: a library in one variant.
type Client struct {
	Name     facts.Client   `json:"name"`
	Library  string         `json:"library"`
	Says     string         `json:"says"`
	Run      []string       `json:"run"` // the program; load's flags follow
	Protocol facts.Protocol `json:"protocol"`
	Cures    facts.Client   `json:"cures"`
	Snippet  string         `json:"snippet"` // FILE#MARK
	Price    string         `json:"price"`
	Needs    []Need         `json:"needs"`   // beyond the ecosystem's
	Default  bool           `json:"default"` // the library with its defaults
	// AssumesLimit is the limit that the client's code assumes; 0 is none.
	AssumesLimit int   `json:"assumes_limit"`
	Rate         bool  `json:"rate"` // true where it takes --rate, --arrivals and --seed
	IDs          *bool `json:"ids"`  // false where the client can't send a request id

	snippet facts.Snippet
}

// Need is a tool with its oldest supported version.
type Need struct {
	Tool    string   `json:"tool"`
	Args    []string `json:"args"` // make it print its version
	Least   string   `json:"least"`
	Install string   `json:"install"` // a command to paste
}

// Read reads every manifest in the list in dir, and rejects early what would fail later: an unknown
// field, a duplicate name, a cure of an unknown client, a missing snippet. dir is an absolute path
// or relative to the project's root.
func Read(root, dir string) ([]Ecosystem, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	list, err := os.ReadFile(filepath.Join(dir, listFile))
	if err != nil {
		return nil, fmt.Errorf("the list of client programs: %w; it has one folder a line "+
			"(docs/adding-a-client.md)", err)
	}
	var all []Ecosystem
	for _, line := range strings.Split(string(list), "\n") {
		name, _, _ := strings.Cut(line, "#")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		e, err := readManifest(root, dir, name)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, verify(all)
}

func readManifest(root, dir, name string) (e Ecosystem, err error) {
	e = Ecosystem{root: root, dir: filepath.Join(dir, name)}
	e.shown = filepath.ToSlash(filepath.Join(filepath.Base(dir), name))
	file := filepath.Join(e.shown, manifestFile)
	wrong := func(err error) error {
		return fmt.Errorf("%s: %w; its fields are explained in docs/adding-a-client.md", file, err)
	}
	if err := rooted.Element(name); err != nil {
		return e, fmt.Errorf("%s: %w", filepath.Join(dir, listFile), err)
	}
	b, err := os.ReadFile(filepath.Join(e.dir, manifestFile))
	if err != nil {
		return e, fmt.Errorf("%s names %q: %w", filepath.Join(dir, listFile), name, err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return e, wrong(err)
	}
	if e.Name != name {
		return e, wrong(fmt.Errorf("ecosystem is %q, but its folder is called %q", e.Name, name))
	}
	for i := range e.Clients {
		c := &e.Clients[i]
		if err := c.validate(); err != nil {
			return e, wrong(fmt.Errorf("client %q: %w", c.Name, err))
		}
		if c.Snippet == "" {
			continue
		}
		if c.snippet, err = readSnippet(e.dir, c.Snippet); err != nil {
			return e, wrong(fmt.Errorf("client %q: %w", c.Name, err))
		}
		c.snippet.File = e.shown + "/" + c.snippet.File
	}
	return e, nil
}

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,127}$`)

func (c *Client) validate() error {
	switch {
	case !validName.MatchString(string(c.Name)):
		return fmt.Errorf("its name may have a-z, 0-9, dot and hyphen only, 128 characters at most")
	case c.Library == "" || c.Says == "":
		return fmt.Errorf("library and says must not be empty: they are its row on the page")
	case len(c.Run) == 0:
		return fmt.Errorf("run is empty: name its program, relative to the folder")
	case c.Protocol != facts.H1 && c.Protocol != facts.H2:
		return fmt.Errorf("protocol %q: choose h1 or h2", c.Protocol)
	case c.Cures != "" && (c.Snippet == "" || c.Price == ""):
		return fmt.Errorf("a cure needs its snippet (FILE#MARK) and its price")
	}
	return nil
}

// verify checks the manifests against each other.
func verify(all []Ecosystem) error {
	var names []facts.Client
	for _, e := range all {
		for _, c := range e.Clients {
			if slices.Contains(names, c.Name) {
				return fmt.Errorf("%s/%s: client %q is there twice: names are unique in the lab", e.shown,
					manifestFile, c.Name)
			}
			names = append(names, c.Name)
		}
	}
	for _, e := range all {
		for _, c := range e.Clients {
			if c.Cures != "" && !slices.Contains(names, c.Cures) {
				return fmt.Errorf("%s/%s: client %q cures %q, which is no client", e.shown, manifestFile, c.Name,
					c.Cures)
			}
		}
	}
	return nil
}

// Folder is the ecosystem's folder as in messages, such as clients/java.
func (e Ecosystem) Folder() string { return e.shown }

// Program is the client's record in a result.
func (e Ecosystem) Program(c Client) *facts.Program {
	return &facts.Program{Ecosystem: e.Name, Title: e.Title, Library: c.Library, Says: c.Says, Cures: c.Cures,
		Price:        c.Price,
		Snippet:      c.snippet,
		IDs:          c.IDs == nil || *c.IDs,
		Default:      c.Default,
		AssumesLimit: c.AssumesLimit, TakesRate: c.Rate}
}

// Argv is the command that starts the client's program, without the flags that all clients share. A
// first word without a slash is a tool, any other a file of the folder.
func (e Ecosystem) Argv(c Client) []string {
	argv := slices.Clone(c.Run)
	if strings.Contains(argv[0], "/") {
		argv[0] = filepath.Join(e.dir, argv[0])
	}
	return argv
}
