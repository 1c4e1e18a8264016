// Package decode reads error texts, as pasted messages or whole logs. Four stages take values and return values:
//
//  1. Framing: which lines are one failure, and their text without escapes (read.go, framing.go).
//  2. Facts: who speaks, the event and its direction, the error code, the stream ids, the debug data. Each statement has the
//     words that prove it (facts.go, extract.go, status.go; data/grammar.toml, data/expressions.toml, data/names.toml).
//  3. Kind: what happened, by the facts and by the library whose text it is: a signature adds versions, client-side
//     changes, and what only this library's semantics justify. One that contradicts the facts is dropped (kind.go,
//     grammar.go; data/signatures).
//  4. Verdict: whether the request was executed and may be sent again, from RFC 9113 §6.8 and §8.7 and from where it
//     failed, how much of that is proved, and the changes that the code, the direction and the id allow (verdict.go,
//     changes.go; data/kinds.toml, data/evidence.toml).
//
// Texts that report no failure are told by prose.go, those in unknown words by unknown.go. h2lab decode --explain prints the
// values of each stage. The package measures nothing and uses no network.
package decode

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"h2lab/internal/base/await"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/rooted"
	format "h2lab/internal/base/text"
	"h2lab/internal/field/intake"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Source is a text or a file; if both are empty, it is stdin.
type Source struct{ text, file string }

// Sources tells files from pasted text: an argument is a file if it exists, an error if it looks
// like a file name, and text otherwise. Without arguments the source is stdin.
func Sources(what []string) ([]Source, error) {
	if len(what) == 0 {
		return []Source{{}}, nil
	}
	var files []Source
	var missing *string
	for _, w := range what {
		if w == "-" {
			files = append(files, Source{})
		} else if _, err := os.Stat(w); err == nil {
			files = append(files, Source{file: w})
		} else if missing == nil {
			missing = &w
		}
	}
	if missing == nil {
		return files, nil
	}
	if looksLikeFile(*missing) ||
		len(files) > 0 && !strings.ContainsAny(*missing, " \t\n") && len(what) == len(files)+1 {
		return nil, fmt.Errorf("decode: %s: no such file; give a file that is there, or the error text in quotes",
			format.ClipLine(*missing, 120))
	}
	content := strings.Join(what, " ")
	if strings.TrimSpace(content) == "" {
		return nil, exitstatus.WrongUsage(errors.New("decode: the text is empty: h2lab decode 'the error text'"))
	}
	return []Source{{text: content}}, nil
}

// looksLikeFile reports whether an argument that names no file was probably meant as one.
func looksLikeFile(s string) bool {
	volume := filepath.VolumeName(s) // C: on Windows
	if strings.ContainsAny(s[len(volume):], " \t\n:(") {
		return false
	}
	switch filepath.Ext(s) {
	case ".log", ".gz", ".txt", ".json", ".out", ".err", ".ndjson":
		return true
	}
	s = filepath.ToSlash(s)
	return volume != "" || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../")
}

// ReadAll reads the sources in order and reports on them. The report is nil if nothing was read
// before an error or before the context ended.
func ReadAll(ctx context.Context, sources []Source) (*Report, error) {
	t, err := await.Result(ctx, func() (*Tally, error) {
		var t Tally
		for _, s := range sources {
			if err := s.read(ctx, &t); err != nil {
				return &t, err
			}
		}
		return &t, nil
	})
	switch {
	case t == nil:
		return nil, err
	case err != nil && t.Events == 0:
		return nil, fmt.Errorf("decode: %w", err)
	case err != nil:
		err = fmt.Errorf("decode: %w; what was read before is above", err)
	}
	r := t.Report()
	return &r, err
}

func (s Source) read(ctx context.Context, t *Tally) error {
	switch {
	case s.text != "":
		return Read(ctx, "the text", strings.NewReader(s.text), t)
	case s.file == "":
		return readMaybeGzip(ctx, "stdin", os.Stdin, t)
	}
	f, err := rooted.OpenLog(s.file)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; name the logs in it: h2lab decode %s/*", s.file, s.file)
	}
	return readMaybeGzip(ctx, s.file, f, t)
}

// readMaybeGzip decompresses an input that begins with gzip's magic number.
func readMaybeGzip(ctx context.Context, name string, r io.Reader, t *Tally) error {
	b := bufio.NewReaderSize(r, intake.HeadSize)
	if head, _ := b.Peek(4); len(head) == 4 { // packets, or secrets as text
		begin, _ := b.Peek(b.Buffered())
		if k, known := intake.Sealed(begin); known {
			return fmt.Errorf("%s is %s and no log; next: %s", name, k.What, k.Next(name))
		}
	}
	plain, _, err := intake.Text(b, name, "decode")
	if err != nil {
		return err
	}
	return named(name, Read(ctx, name, plain, t))
}

func named(name string, err error) error {
	var path *os.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s ends in the middle of its gzip data", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Decoder decodes one text after another and reuses its buffers. It must not be used by several
// goroutines at once.
type Decoder struct {
	norm    normaliser
	words   spelled
	hits    termSet // the signatures' terms in a text
	said    termSet // the grammar's
	phrases []*phrase
	// settled is set if the last text says something that is no failure of a connection.
	settled bool
	// signed is set if the last text has a sign of HTTP/2 or gRPC, prose if it tells what programs do.
	signed, prose bool
	// stages is told each stage's value, if it isn't nil.
	stages func(stage string, value any)
}

// NewDecoder returns a decoder for the known signatures.
func NewDecoder() *Decoder { return &Decoder{} }

// noFailure are events that say what else happened.
var noFailure = []Event{onNormal, onAnswered, onStatus, onTooLarge, onServerLine}

// find decodes one text of one or more lines as far as its kind; nil means that it has nothing to do with HTTP/2, gRPC or
// connections.
func (d *Decoder) find(raw []byte) *Finding {
	normal := d.norm.normal(raw)
	d.settled, d.signed, d.prose = false, false, false
	if !d.hits.fill(theSignatures().terms, normal) || d.ofAccess(normal) {
		return nil
	}
	e, s := d.evidence(normal), theSignatures().closest(&d.hits, normal)
	d.tell(e, s)
	prose := e.prose()
	if quiet, operating := e.quiet(s, prose); quiet {
		d.prose = prose
		d.settled = !operating || !re("exceptionText").MatchString(e.as)
		if !operating || e.Speaker != "server" || e.Event == onNormal {
			return nil
		}
		return &Finding{evidence: e, Kind: ServerLog} // a server logs what its clients do
	}
	d.signed, d.settled = e.sign, slices.Contains(noFailure, e.Event)
	e.sign = e.sign || e.Event != onNormal && s != nil && s.Kind != Unrelated
	k, dropped := kindOf(e, s)
	if k == "" || k == Unclear && !re("failing").MatchString(e.as) {
		return nil
	}
	return &Finding{evidence: e, Signature: s, Kind: k, dropped: dropped}
}

// ofAccess reports whether a text has nothing but the protocol's name, in a line of an access log: most lines of most logs.
func (d *Decoder) ofAccess(normal []byte) bool {
	const name = "HTTP/2"
	if len(d.hits.list) > 1 || !strings.EqualFold(theSignatures().terms.terms[d.hits.list[0]], name) {
		return false
	}
	at := bytes.Index(normal, []byte(name))
	return at >= 0 && re("answeredLine").Match(bytes.ToLower(normal[at:min(len(normal), at+24)]))
}

// evidence reads a normalised text by the grammar.
func (d *Decoder) evidence(normal []byte) evidence {
	t := newText(normal)
	d.words.spell(t.as)
	t.spelled = d.words
	return theGrammar().factsOf(t, d.phrasesIn(t.words))
}

// phrasesIn are the grammar's phrases whose words are in a spelled text.
func (d *Decoder) phrasesIn(words string) []*phrase {
	g := theGrammar()
	d.said.fill(g.index, []byte(words))
	d.phrases = d.phrases[:0]
	slices.Sort(d.said.list)
	for _, w := range d.said.list {
		for i := range g.phrases[w] {
			d.phrases = append(d.phrases, &g.phrases[w][i])
		}
	}
	return d.phrases
}

// tell tells the values of the first two stages.
func (d *Decoder) tell(e evidence, s *Signature) {
	if d.stages == nil {
		return
	}
	d.stages("framing", struct{ Text, Words string }{e.as, e.words})
	if s != nil {
		d.stages("signature", *s)
	}
	e.text = text{}
	d.stages("facts", e)
}

// Explain writes the values of each stage for a text: for those who change the grammar or a stage.
func Explain(ctx context.Context, sources []Source, w io.Writer) error {
	var err error
	print := func(stage string, value any) {
		_, werr := fmt.Fprintf(w, "%s\n", stage)
		v := reflect.ValueOf(value)
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() && werr == nil {
				for f.Kind() == reflect.Pointer {
					f = f.Elem()
				}
				_, werr = fmt.Fprintf(w, "  %-12s %+v\n", v.Type().Field(i).Name, f)
			}
		}
		err = cmp.Or(err, werr)
	}
	t := Tally{stages: print}
	for _, s := range sources {
		if err := s.read(ctx, &t); err != nil {
			return err
		}
	}
	for _, g := range t.Groups() {
		print("kind", struct {
			Kind    Kind
			Dropped bool
		}{g.Kind, g.dropped})
		print("circumstances", g.circumstances())
		print("verdict", g.verdict())
	}
	return err
}
