// Package clients reads the manifests of the client programs in clients/: which programs there are,
// what each needs, how it is built and which command starts it.
//
// A client is a row of a manifest (clients/ECOSYSTEM/client.json), and an ecosystem is a line of
// clients/clients.txt. Package plan selects the topologies that a client is measured on; package
// load starts every client with the same command-line flags (docs/adding-a-client.md).
package clients

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/versions"
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

// Only selects what ONLY names: an ecosystem, a client, or the beginning of clients' names up to a
// hyphen or a dot (okhttp, undici-7). No words select all.
func Only(all []Ecosystem, words []string) ([]Ecosystem, error) {
	if len(words) == 0 {
		return all, nil
	}
	var out []Ecosystem
	used := map[string]bool{}
	for _, e := range all {
		var kept []Client
		for _, c := range e.Clients {
			if i := slices.IndexFunc(words, func(w string) bool {
				return w == e.Name || begins(string(c.Name), w)
			}); i >= 0 {
				kept = append(kept, c)
			}
		}
		for _, w := range words {
			used[w] = used[w] || w == e.Name || slices.ContainsFunc(e.Clients, func(c Client) bool {
				return begins(string(c.Name), w)
			})
		}
		if e.Clients = kept; len(kept) > 0 {
			out = append(out, e)
		}
	}
	for _, w := range words {
		if !used[w] {
			return nil, fmt.Errorf("ONLY=%s is neither an ecosystem nor a client: choose from %s, or from the "+
				"names in clients/*/client.json",
				w, strings.Join(names(all), ", "))
		}
	}
	return out, nil
}

func begins(name, word string) bool {
	rest, ok := strings.CutPrefix(name, word)
	return ok && word != "" && (rest == "" || rest[0] == '-' || rest[0] == '.')
}

func names(all []Ecosystem) (out []string) {
	for _, e := range all {
		out = append(out, e.Name)
	}
	return out
}

// TakingRate are the ecosystems with those clients that can send requests on a schedule; without is the
// number of the others.
func TakingRate(all []Ecosystem) (takes []Ecosystem, without int) {
	for _, e := range all {
		every := len(e.Clients)
		e.Clients = slices.DeleteFunc(slices.Clone(e.Clients), func(c Client) bool { return !c.Rate })
		without += every - len(e.Clients)
		if len(e.Clients) > 0 {
			takes = append(takes, e)
		}
	}
	return takes, without
}

// askingTimeout bounds the wait for one tool to print its version, on a busy machine.
const askingTimeout = 8 * time.Second

// hung holds the error of every tool that did not answer in time, so that h2lab waits for it only
// once.
var hung sync.Map

// Lacks says why no client of the ecosystem can run here, or is empty.
func (e Ecosystem) Lacks(ctx context.Context, env []string) string { return lacks(ctx, e.Needs, env) }

// Lacks says why this client can't run, beyond the needs of its ecosystem.
func (c Client) Lacks(ctx context.Context, env []string) string { return lacks(ctx, c.Needs, env) }

func lacks(ctx context.Context, needs []Need, env []string) string {
	for _, n := range needs {
		if reason := n.missing(ctx, env); reason != "" {
			return reason
		}
	}
	return ""
}

func (n Need) missing(ctx context.Context, env []string) string {
	path := lookIn(env, n.Tool)
	if path == "" {
		return fmt.Sprintf("%s is missing; install it with: %s", n.Tool, n.Install)
	}
	argv := append([]string{path}, n.Args...)
	if reason, ok := hung.Load(strings.Join(argv, " ")); ok {
		return reason.(string)
	}
	r, err := child.Run(ctx, child.Spec{Argv: argv, Env: env}, child.Limits{Within: askingTimeout})
	if err != nil {
		asked := n.Tool + " " + strings.Join(n.Args, " ")
		reason := fmt.Sprintf("%s: %v; reinstall it with: %s", asked, err, n.Install)
		var exit *child.ExitError
		if errors.As(err, &exit) {
			reason = fmt.Sprintf("%s %s%s; reinstall it with: %s", asked, exit.Child.Ending(),
				exit.Child.Tail().LastLine(), n.Install)
		}
		var late *child.HungError
		if errors.As(err, &late) {
			hung.Store(strings.Join(argv, " "), reason)
		}
		return reason
	}
	found, _ := versions.Of(n.Tool, r.Stdout+r.Stderr)
	if least, _ := versions.Of("", n.Least); found.Less(least) {
		return fmt.Sprintf("%s is %s, but %s or newer is required; install it with: %s", n.Tool, orUnknown(found.Text),
			n.Least, n.Install)
	}
	return ""
}

func orUnknown(v string) string {
	if v == "" {
		return "of an unknown version"
	}
	return v
}

// stampFile, in a folder's out/, holds the hash of the sources that were built last. The folder's
// .gitignore lists out/.
const stampFile = "out/.built"

// buildTimeout ends a build that hangs; the longest, of all Java modules with an empty cache, takes
// a few minutes.
const buildTimeout = 20 * time.Minute

// BuildError is the error of one build, with the last lines it printed.
type BuildError struct {
	Folder string // clients/java
	Err    error
	Words  string
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("building %s: %v; its last lines:\n  %s", e.Folder, e.Err,
		strings.ReplaceAll(strings.TrimSpace(e.Words), "\n", "\n  "))
}

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// Current reports whether the last build used the folder's current sources.
func (e Ecosystem) Current() bool {
	if len(e.Build) == 0 {
		return true
	}
	want, err := e.hash()
	if err != nil {
		return false
	}
	got, err := os.ReadFile(filepath.Join(e.dir, stampFile))
	return err == nil && string(got) == want+"\n"
}

// Make builds the ecosystem's programs unless they are current.
func (e Ecosystem) Make(ctx context.Context, env []string) error {
	if e.Current() {
		return nil
	}
	want, err := e.hash()
	if err != nil {
		return &BuildError{Folder: e.shown, Err: err}
	}
	if words, err := e.runBuild(ctx, env); err != nil {
		return &BuildError{Folder: e.shown, Err: err, Words: words}
	}
	stamp := filepath.Join(e.dir, stampFile)
	if err := os.MkdirAll(filepath.Dir(stamp), 0o755); err != nil {
		return &BuildError{Folder: e.shown, Err: err}
	}
	return rooted.WriteFile(stamp, []byte(want+"\n"))
}

// runBuild runs the build and leaves no process behind.
func (e Ecosystem) runBuild(ctx context.Context, env []string) (words string, err error) {
	argv := e.Build
	if strings.Contains(argv[0], "/") {
		argv = append([]string{filepath.Join(e.dir, argv[0])}, argv[1:]...)
	}
	var printed child.Tail
	_, err = child.Run(ctx,
		child.Spec{Argv: argv, Dir: e.dir, Env: append(goEnv(), env...), Stdout: &printed, Stderr: &printed},
		child.Limits{Within: buildTimeout, Grace: 5 * time.Second})
	var exit *child.ExitError
	if errors.As(err, &exit) { // its last lines follow
		err = errors.New(exit.Child.Ending())
	}
	words = printed.String()
	return words[max(0, len(words)-mostWords):], err
}

// mostWords bounds how much of a build's output an error shows.
const mostWords = 4000

// goEnv passes the user's settings of Go's tools on: without the module proxy and cache that they
// name, a build would download every module again.
func goEnv() []string {
	var out []string
	for _, name := range []string{"GOPROXY", "GOFLAGS", "GOMODCACHE", "GOCACHE", "GOSUMDB", "GONOSUMDB",
		"CARGO_HOME", "RUSTUP_HOME",
		"PIP_INDEX_URL", "PIP_CONFIG_FILE", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_REGISTRY", "MAVEN_OPTS", "JAVA_HOME",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return append(out, "CGO_ENABLED=0")
}

// hash covers the folder's files that git would keep, and the project's own Go sources for programs
// that are built from them.
func (e Ecosystem) hash() (string, error) {
	h := sha256.New()
	err := HashTree(h, e.dir, "", made)
	if e.ours() {
		for _, dir := range []string{"internal/facts", "clients/kit", "go.mod", "go.sum"} {
			if _, missing := os.Stat(filepath.Join(e.root, dir)); missing == nil {
				err = errors.Join(err, HashTree(h, e.root, dir, made))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// ours reports whether the programs are Go programs of the project's own module.
func (e Ecosystem) ours() bool {
	files, _ := filepath.Glob(filepath.Join(e.dir, "*.go"))
	return len(files) > 0
}

// made reports whether a path is the output of a build.
func made(rel string) bool {
	return slices.Contains([]string{"out", "target", "node_modules", "__pycache__"}, path.Base(rel))
}

// HashTree adds a file or a directory below root to a hash, in the order of names, with the permissions that an image
// keeps. skip is asked about every path relative to root.
func HashTree(h io.Writer, root, source string, skip func(rel string) bool) error {
	return filepath.WalkDir(filepath.Join(root, filepath.FromSlash(source)), func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case skip(rel) && d.IsDir():
			return filepath.SkipDir
		case skip(rel) || d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "\x00%s %s %o %d\x00", rel, d.Type(), info.Mode().Perm()&0o111, info.Size())
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(h, f)
		return err
	})
}

// Env is the part of the user's environment that a client program gets. tools/bin, where `make
// tools` installs programs, follows PATH.
func Env(root string) []string {
	path := os.Getenv("PATH")
	if abs, err := filepath.Abs(filepath.Join(root, "tools", "bin")); err == nil {
		path += string(os.PathListSeparator) + abs
	}
	return []string{"PATH=" + path, "HOME=" + os.Getenv("HOME")}
}

// lookIn finds a program in the PATH of env; empty where it isn't found.
func lookIn(env []string, name string) string {
	for _, e := range env {
		path, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			if filepath.IsAbs(dir) { // a relative one would be another program in every directory
				if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
					return found
				}
			}
		}
	}
	return ""
}

// languages are the names after Markdown's fences, by file extension.
var languages = map[string]string{
	".go": "go", ".java": "java", ".js": "js", ".mjs": "js", ".py": "python", ".rs": "rust", ".c": "c",
	".yaml": "yaml", ".yml": "yaml", ".conf": "nginx", ".sh": "sh", ".json": "json", ".toml": "toml",
}

// readSnippet reads the lines of FILE between the two marks, without their common indentation.
func readSnippet(dir, where string) (facts.Snippet, error) {
	file, mark, ok := strings.Cut(where, "#")
	if !ok || mark == "" || mark == "end" || !filepath.IsLocal(file) {
		return facts.Snippet{}, fmt.Errorf("snippet %q is not FILE#MARK", where)
	}
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return facts.Snippet{}, fmt.Errorf("its snippet: %w", err)
	}
	// The marks stand in comments of the file's language.
	found := regexp.MustCompile(`(?s)snippet: *` + regexp.QuoteMeta(mark) + `(?:[ \t\r][^\n]*)?\n(.*?)\n[^\n]*snippet:end`).FindSubmatch(b)
	if found == nil || bytes.Contains(found[1], []byte("snippet:")) {
		return facts.Snippet{}, fmt.Errorf("%s: no line has snippet:%s, or no snippet:end follows it", file, mark)
	}
	return facts.Snippet{
		File:     file,
		Language: languages[filepath.Ext(file)],
		Text:     strings.Join(dedent(strings.Split(string(found[1]), "\n")), "\n"),
	}, nil
}

func dedent(lines []string) []string {
	common := -1
	for _, line := range lines {
		if text := strings.TrimLeft(line, " \t"); text != "" {
			if n := len(line) - len(text); common < 0 || n < common {
				common = n
			}
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(line[min(max(common, 0), len(line)):], " \t\r")
	}
	return out
}
