package workshop

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
	"h2lab/internal/lab/native"
)

// The values of a limit's closing field (how a connection was ended), which tell the two families
// apart whatever a header claims.
const (
	oneStage  = "goaway"
	twoStages = "goaway-two-stage"
)

// families maps each way of ending a connection to the server that uses it and its directive for
// the limit.
var families = map[string]struct{ name, setting string }{
	oneStage:  {string(facts.Nginx), "keepalive_requests"},
	twoStages: {string(facts.Envoy), "max_requests_per_connection"},
}

// checkUnknown: diagnose an unknown server.
func checkUnknown(ctx context.Context, d *Desk) (Finding, error) {
	m, err := FindMystery(d.Root)
	if err == nil && m == nil {
		if m, err = StartMystery(ctx, d.Root, d.MysteryHolder); err == nil {
			return lacks("begins", facts.T("workshop.mystery-started", m.URL, int(MysteryLife.Minutes()),
				shown(10, answersFile))), nil
		}
	}
	if err != nil {
		return Finding{}, err
	}
	a, f, err := d.answers(10, facts.T("workshop.mystery-at", m.URL), "limit", "family", "change")
	if err != nil || f.State != Done {
		return f, err
	}
	limit, err := probe.RequestLimit(ctx, probe.Target{
		Addr:   m.Addr,
		CAFile: filepath.Join(d.Root, caFile),
	}, mostMystery+10, 0)
	if err != nil {
		return Finding{}, err
	}
	f = judgeUnknown(a, limit)
	if f.State == Done {
		_, err = StopMystery(ctx, d.Root)
	}
	return f, err
}

// names reports whether a setting, or a line of a configuration that a learner copied, names this setting and no other
// family's.
func names(line, setting string) bool {
	found := map[string]bool{}
	for word := range strings.FieldsSeq(line) {
		found[strings.TrimRight(word, ":;")] = true
	}
	for _, f := range families {
		if f.setting != setting && found[f.setting] {
			return false
		}
	}
	return found[setting]
}

// judgeUnknown compares the answers with what the server does.
func judgeUnknown(a answers, limit facts.Limit) Finding {
	family := families[limit.Closing]
	n, ok := parseAmount(a["limit"])
	got := int64(0)
	if limit.Effective != nil {
		got = int64(*limit.Effective)
	}
	// A server that announces its end serves some more requests.
	right := ok && got > 0 && n.least == got && (!n.open || limit.Closing == twoStages)
	return first(
		rule{!right, "limit", facts.T("workshop.not-the-limit", clip(a["limit"]))},
		rule{family.name == "" || a["family"] != family.name, "family",
			facts.T("workshop.not-the-family", clip(a["family"]))},
		rule{!names(a["change"], family.setting), "change", facts.T("workshop.not-the-setting", clip(a["change"]))},
		rule{true, Done, facts.T("workshop.mystery-solved", got, family.name, family.setting)},
	)
}

// The mystery server of exercise 10 runs below a holder process, which stops it on SIGTERM, when
// its life is over, or when the server dies. Other processes find it by a file.

const (
	mysteryFile = "var/mystery.json"
	mysteryDir  = "var/mystery"
	// MysteryLife is how long the server runs when nobody stops it.
	MysteryLife = 30 * time.Minute
	// startTime and stopTime limit the wait for its start and its end. Envoy takes a second or two.
	startTime = 14 * time.Second
	stopTime  = 10 * time.Second
)

// Mystery is the address of the server, without its configuration.
type Mystery struct {
	Version int       `json:"version"`
	URL     string    `json:"url"`
	Addr    string    `json:"addr"`
	Until   time.Time `json:"until"`
	// Boot, PID and Started identify the holder uniquely (internal/base/proc).
	Boot    string `json:"boot"`
	PID     int    `json:"pid"`
	Started uint64 `json:"started"`
}

// FindMystery returns the running server, or nil.
func FindMystery(root string) (*Mystery, error) {
	path := filepath.Join(root, mysteryFile)
	text, err := rooted.ReadFile(path, mostFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m Mystery
	if err := json.Unmarshal(text, &m); err != nil || m.Version != 1 || m.PID <= 0 {
		return nil, fmt.Errorf("%s can't be read; next: rm %s", mysteryFile, mysteryFile)
	}
	if !m.held() {
		return nil, os.Remove(path)
	}
	return &m, nil
}

func (m *Mystery) held() bool { return m.Boot == proc.BootID() && proc.Same(m.PID, m.Started) }

// StopMystery stops the running server, and reports whether there was one.
func StopMystery(ctx context.Context, root string) (bool, error) {
	m, err := FindMystery(root)
	if err != nil || m == nil {
		return false, err
	}
	// A killed holder ends the server too, but leaves files.
	err = child.Find(m.PID, m.Started, "the mystery server's holder").Stop(ctx, child.Manner{Grace: stopTime})
	return true,
		errors.Join(err, os.RemoveAll(filepath.Join(root, mysteryFile)), os.RemoveAll(filepath.Join(root, mysteryDir)))
}

// StartMystery starts the holder with the command line argv and waits until its server accepts
// connections.
func StartMystery(ctx context.Context, root string, argv []string) (*Mystery, error) {
	if err := os.MkdirAll(filepath.Join(root, mysteryDir), 0o755); err != nil {
		return nil, err
	}
	logName := filepath.Join(root, mysteryDir, "holder.log")
	log, err := rooted.CreateLog(logName)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	holder, err := child.Start(child.Spec{Argv: argv, Dir: root, Stdout: log, Stderr: log, Outlives: true})
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(startTime); ; {
		m, err := FindMystery(root)
		if m != nil || err != nil {
			return m, err
		}
		select {
		case <-holder.Exited():
			text, _ := rooted.ReadFile(logName, mostFile)
			_ = os.RemoveAll(filepath.Join(root, mysteryDir))
			return nil, fmt.Errorf("the mystery server did not start: %s",
				strings.TrimPrefix(lastLine(string(text)), "h2lab: "))
		default:
		}
		if err := await.Pause(ctx, 20*time.Millisecond); err != nil || time.Now().After(until) {
			err = errors.Join(err, holder.Stop(child.Cleanup(ctx), child.Manner{Grace: stopTime}))
			return nil, errors.Join(err, fmt.Errorf("the mystery server was not ready within %v; try again", startTime))
		}
	}
}

// announce writes the file by which other processes find the server.
func (m *Mystery) announce(root string) error {
	started, err := proc.StartTime(os.Getpid())
	if err != nil {
		return err
	}
	m.Version, m.Boot, m.PID, m.Started = 1, proc.BootID(), os.Getpid(), started
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return rooted.WriteFile(filepath.Join(root, mysteryFile), append(text, '\n'))
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

//go:embed mystery
var mysteryConfigs embed.FS

// The range of the random limits: none is reached at once and none is a default of a server (100
// and 1000), so that the learner must measure it.
const (
	leastMystery = 20
	mostMystery  = 900
)

// drawn is a server with random kind, limit and ports.
type drawn struct {
	Kind                  facts.Kind
	Limit, Port, Counters int
}

// config is the name of its configuration file, in mystery/ and below var/mystery.
func (x drawn) config() string {
	return map[facts.Kind]string{facts.Nginx: "nginx.conf", facts.Envoy: "envoy.yaml"}[x.Kind]
}

func (x drawn) server() facts.Server {
	return facts.Server{Name: "mystery", Kind: x.Kind, Config: mysteryDir + "/" + x.config(),
		Front: fmt.Sprintf("127.0.0.1:%d", x.Port), Counters: fmt.Sprintf("127.0.0.1:%d", x.Counters)}
}

// HoldMystery chooses a server at random, runs it, and stops it when ctx ends or its life is over.
// It returns when the server dies. It leaves no files.
func HoldMystery(ctx context.Context, root string, life time.Duration) (err error) {
	if m, err := FindMystery(root); m != nil || err != nil {
		return errors.Join(err, errors.New("a mystery server is up already"))
	}
	x, tools, err := draw(ctx, root)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, mysteryDir)
	defer func() { _ = os.RemoveAll(dir) }()
	config, err := x.write(root)
	if err != nil {
		return err
	}
	site, err := native.Up(ctx, native.Options{
		Root:        root,
		Tools:       tools,
		LogDir:      dir,
		ReadyWithin: startTime - 2*time.Second,
		Grace:       3 * time.Second,
	}, []facts.Server{x.server()})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, site.Down(context.WithoutCancel(ctx)), os.Remove(filepath.Join(root, mysteryFile)))
	}()
	if err := os.Remove(config); err != nil { // the server has read it, and a learner shouldn't
		return err
	}
	m := Mystery{Addr: x.server().Front, URL: "https://" + x.server().Front + "/", Until: time.Now().Add(life)}
	if err := m.announce(root); err != nil {
		return err
	}
	over := time.After(life)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-over:
			return nil
		case <-time.After(time.Second):
			if err := site.Alive(); err != nil {
				return err
			}
		}
	}
}

// draw chooses at random among the servers that can run here.
func draw(ctx context.Context, root string) (drawn, native.Tools, error) {
	tools, err := native.FindTools(ctx, root, "nginx")
	if err != nil {
		return drawn{}, tools, err
	}
	x := drawn{Kind: facts.Nginx, Limit: leastMystery + rand.IntN(mostMystery-leastMystery+1)}
	if x.Limit%100 == 0 {
		x.Limit++
	}
	if rand.IntN(2) == 1 {
		if with, err := native.FindTools(ctx, root, "envoy"); err == nil {
			tools["envoy"], x.Kind = with["envoy"], facts.Envoy
		}
	}
	for _, port := range []*int{&x.Port, &x.Counters} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return drawn{}, tools, err
		}
		defer func() { _ = l.Close() }()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return x, tools, nil
}

// write writes the configuration and returns its path.
func (x drawn) write(root string) (string, error) {
	t, err := template.ParseFS(mysteryConfigs, "mystery/"+x.config())
	if err != nil {
		return "", err
	}
	var text strings.Builder
	if err := t.Execute(&text, x); err != nil {
		return "", err
	}
	path := filepath.Join(root, x.server().Config)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, rooted.WriteFile(path, []byte(text.String()))
}
