//go:build integration

package nginxconf

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/fix"
)

// What nginx takes, it takes with all fixes applied; what it refuses for a reason that has a fix, it
// takes then. The fixed files have no finding with a fix.
func TestNginxTakesTheFixes(t *testing.T) {
	dir := room(t)
	for _, n := range nginxes(t) {
		tried := 0
		for name := range corpus(t) {
			here := put(t, dir, "nginx.conf", string(read(t, name)))
			r, err := fixed(here, lint.Options{Version: n.version})
			if err != nil || refusing(r.After) || nginxfile.IsFragment(parsed(t, here)) {
				continue // nginx refuses it before and after
			}
			_, refusedBefore := n.try(t, dir, string(read(t, here)))
			text := string(read(t, here))
			for _, f := range r.Files {
				if f.Name == here {
					text = string(f.New)
				}
			}
			printed, refused := n.try(t, dir, text)
			if regexp.MustCompile(`unknown directive|the "\w+" parameter requires`).MatchString(printed) && refusedBefore {
				continue // it needs a module that this nginx doesn't have
			}
			tried++
			if refused {
				t.Errorf("nginx %s refuses the fixed %s: %s\n%s", n.version, name, firstLine(printed), text)
			}
		}
		if tried < 10 {
			t.Errorf("nginx %s: only %d configurations were tried", n.version, tried)
		}
	}
}

func parsed(t *testing.T, name string) []*nginxfile.Directive {
	t.Helper()
	l, err := nginxfile.Load(nginxfile.Disk{}, nginxfile.File{Name: name, Data: read(t, name)})
	if err != nil {
		t.Fatal(err)
	}
	return l.Top
}

// fixed applies the fixes of a file in memory.
func fixed(name string, o lint.Options) (*fix.Result, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return fix.Run(func(changed map[string][]byte) (lint.Report, error) {
		return LintChanged(changed, []lint.File{{Name: name, Data: data}}, o)
	})
}

// The same for trees of others, which the repository doesn't have: LINT_TREES is a directory with one
// nginx.conf in each directory below. Each is made loadable before: what this nginx doesn't know or
// have (modules, files, hosts) is taken out, and then from the fixed configuration too.
func TestNginxTakesTheFixesOfPublicTrees(t *testing.T) {
	trees := os.Getenv("LINT_TREES")
	if trees == "" {
		t.Skip("LINT_TREES names no directory with trees")
	}
	dir := room(t)
	for _, n := range nginxes(t) {
		loaded, fixable, changed := 0, 0, 0
		for _, name := range mains(t, trees) {
			took, r := tree(t, n, dir, name)
			if !took {
				continue
			}
			loaded++
			if canBeFixed(r.Before) {
				fixable++
			}
			changed += min(len(r.Files), 1)
		}
		t.Logf("nginx %s: %d loaded, %d of them changed", n.version, loaded, changed)
		if changed == 0 || changed != fixable { // whatever the size of the set
			t.Errorf("nginx %s: %d configurations of %d have fixes, and %d were changed", n.version, fixable, loaded, changed)
		}
	}
}

// canBeFixed reports a finding that --fix applies.
func canBeFixed(r lint.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return len(f.Edits) > 0 })
}

// tree tries one configuration before and after its fixes; took says that nginx took it before.
func tree(t *testing.T, n real, dir, name string) (took bool, r *fix.Result) {
	t.Helper()
	r, err := fixed(name, lint.Options{Version: n.version})
	if err != nil {
		return false, nil
	}
	if canBeFixed(r.After) {
		t.Errorf("%s: fixes are left after --fix", name)
	}
	p := &repair{t: t, n: n, dir: dir, drop: map[string]bool{}, swap: map[string]string{}}
	was := p.load(parsed(t, name))
	if len(r.Files) == 0 {
		return was == "", r
	}
	over := nginxfile.Overlay{Data: map[string][]byte{}}
	main := nginxfile.File{Name: name, Data: read(t, name)}
	for _, f := range r.Files {
		over.Data[f.Real] = f.New
		if f.Real == nginxfile.RealName(name) {
			main.Data = f.New
		}
	}
	after, err := nginxfile.Load(over, main)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return was == "", r
	}
	// What nginx refused before may have a second fault, which it names once the first has gone.
	if said := p.load(after.Top); said != "" && was == "" {
		var diff strings.Builder
		_ = r.Patch(&diff)
		t.Errorf("%s: nginx %s refuses the fixes: %s (before: %q)\n%s", name, n.version, said, was, diff.String())
	}
	return was == "", r
}

func mains(t *testing.T, trees string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(trees, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && (strings.HasSuffix(name, ".conf") || strings.HasSuffix(name, ".ngx")) {
			if data, err := os.ReadFile(name); err == nil && Looks(lint.File{Name: name, Data: data}) {
				out = append(out, name)
			}
		}
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("no configuration below %s: %v", trees, err)
	}
	return out
}

// repair makes a configuration loadable on this machine, by what nginx complains about.
type repair struct {
	t    *testing.T
	n    real
	dir  string
	drop map[string]bool   // directives
	swap map[string]string // arguments

	variables []string // to define
}

var (
	unknownName = regexp.MustCompile(`unknown directive "([^"]+)"`)
	noHost      = regexp.MustCompile(`host not found in [\w ]*"([^"]+)"`)
	noPort      = regexp.MustCompile(`no port in upstream "([^"]+)"`)
	noFile      = regexp.MustCompile(`(?:open\(\)|mkdir\(\)|cannot load certificate(?: key)?|PEM_read_bio\w*\(\)|BIO_new_file\(\)) "([^"]+)"`)
	noVariable  = regexp.MustCompile(`unknown "(\w+)" variable`)
	notHere     = regexp.MustCompile(`"(\w+)" directive is not (allowed here|supported)`)
)

// load serialises the configuration and tries it, mends what nginx names, and tries again.
func (p *repair) load(top []*nginxfile.Directive) string {
	said := ""
	for range 100 {
		var b strings.Builder
		if nginxfile.IsFragment(top) {
			top = []*nginxfile.Directive{{Name: "events", HasBlock: true}, {Name: "http", HasBlock: true, Block: top}}
		}
		p.print(&b, top)
		out, refused := p.n.try(p.t, p.dir, b.String())
		if !refused {
			return ""
		}
		said = regexp.MustCompile(`\[emerg\] \S+ (.*?)( in /.*)?\n`).FindStringSubmatch(out)[1]
		switch {
		case unknownName.MatchString(said):
			p.drop[unknownName.FindStringSubmatch(said)[1]] = true
		case noVariable.MatchString(said):
			p.variables = append(p.variables, noVariable.FindStringSubmatch(said)[1])
		case noHost.MatchString(said):
			host := noHost.FindStringSubmatch(said)[1]
			bare, _, _ := strings.Cut(host, ":")
			p.swap[bare] = fmt.Sprintf("127.0.0.%d", 2+len(p.swap))
		case noPort.MatchString(said):
			p.swap[noPort.FindStringSubmatch(said)[1]] = fmt.Sprintf("127.0.0.%d:80", 2+len(p.swap))
		case strings.Contains(said, `no "events"`):
			top = append([]*nginxfile.Directive{{Name: "events", HasBlock: true}}, top...)
		case notHere.MatchString(said) && len(top) == 2 && top[1].Name == "http" && len(top[1].Block) > 0 && top[1].Block[0].Name != "server":
			top = []*nginxfile.Directive{top[0], {Name: "http", HasBlock: true, Block: []*nginxfile.Directive{
				{Name: "server", HasBlock: true, Block: top[1].Block}}}}
		case noFile.MatchString(said):
			path := noFile.FindStringSubmatch(said)[1]
			p.swap[path] = filepath.Join(p.dir, "cert.pem")
			if strings.Contains(said, "key") || strings.Contains(said, ".key") {
				p.swap[path] = filepath.Join(p.dir, "cert.key")
			}
		default:
			return said
		}
	}
	return said
}

var dropped = map[string]bool{"load_module": true, "user": true, "pid": true, "include": true, "daemon": true,
	"lock_file": true, "ssl_dhparam": true, "ssl_trusted_certificate": true, "ssl_client_certificate": true,
	"ssl_stapling": true, "error_log": true, "access_log": true, "auth_basic_user_file": true, "env": true,
	"proxy_ssl_trusted_certificate": true, "ssl_session_ticket_key": true, "ssl_ciphers": true, "ssl_ecdh_curve": true,
	"worker_rlimit_nofile": true, "ssl_verify_client": true, "ssl_crl": true, "stub_status": true}

func (p *repair) print(b *strings.Builder, list []*nginxfile.Directive) {
	for _, d := range list {
		if dropped[d.Name] || p.drop[d.Name] || strings.Contains(d.Name, "_by_lua") || strings.HasSuffix(d.Name, "_temp_path") {
			continue
		}
		fmt.Fprintf(b, "%s", quoted(d.Name))
		for _, w := range d.Args {
			text := w.Text
			switch {
			case d.Name == "ssl_certificate" || d.Name == "proxy_ssl_certificate":
				text = filepath.Join(p.dir, "cert.pem")
			case d.Name == "ssl_certificate_key" || d.Name == "proxy_ssl_certificate_key":
				text = filepath.Join(p.dir, "cert.key")
			case strings.HasSuffix(d.Name, "_cache_path") && strings.HasPrefix(text, "/"):
				text = filepath.Join(p.dir, "cache", text)
				_ = os.MkdirAll(text, 0o755)
			}
			for from, to := range p.swap {
				if d.Name == "server" || strings.HasSuffix(d.Name, "_pass") {
					text = regexp.MustCompile(`(^|//)`+regexp.QuoteMeta(from)+`($|[:/;])`).ReplaceAllString(text, "${1}"+to+"${2}")
				} else if text == from {
					text = to
				}
			}
			fmt.Fprintf(b, " %s", quoted(text))
		}
		if !d.HasBlock {
			b.WriteString(";\n")
			continue
		}
		b.WriteString(" {\n")
		if d.Name == "http" {
			for _, name := range p.variables {
				fmt.Fprintf(b, "map $uri $%s { default x; }\n", name)
			}
		}
		p.print(b, d.Block)
		b.WriteString("}\n")
	}
}

func quoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n;{}\"'\\#") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
