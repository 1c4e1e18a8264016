// Package pictures draws the workshop's pictures, in English and Chinese: a diagram for each idea, and
// charts of recorded runs with a few rows, large enough for a projector. docs/workshop/pictures has
// them; the chapters and the slides show the same files. Those of chapters.go and later.go are in
// chapters only.
package pictures

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/translations"
)

// Recorded reads the recorded runs.
type Recorded struct {
	Run    func(name string) (*facts.Result, error)
	Series func(run, file string) (facts.Series, error)
}

// Draw returns the files of all pictures by their path below docs/workshop/pictures. The Chinese ones
// are in zh/, since pages show the picture of their own language by the same name.
func Draw(from Recorded) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, l := range []translations.Language{translations.English, translations.Chinese} {
		all, err := from.charts(speaker(l))
		if err != nil {
			return nil, err
		}
		for name, d := range diagrams(speaker(l)) {
			d.Language = l
			all[name] = d
		}
		folder := ""
		if l == translations.Chinese {
			folder = "zh/"
		}
		for name, drawing := range all {
			p, err := drawing.Draw()
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", folder, name, err)
			}
			files[folder+name+"-light.svg"], files[folder+name+"-dark.svg"] = p.Light, p.Dark
		}
	}
	return files, nil
}

type drawing interface{ Draw() (chart.Picture, error) }

// say returns the text of the picture's language.
type say func(english, chinese string) string

func (s say) language() translations.Language {
	return translations.Language(s(string(translations.English), string(translations.Chinese)))
}

func speaker(l translations.Language) say {
	return func(english, chinese string) string {
		if l == translations.Chinese {
			return chinese
		}
		return english
	}
}
