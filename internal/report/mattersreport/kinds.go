package mattersreport

import (
	"h2lab/internal/base/text"
	"h2lab/internal/judge/limitmap"
	"h2lab/internal/report/translations"
)

// kind is a number that the maps show.
type kind struct {
	id string
	// The verb of subtitle is the high limit; a count, whose criterion is uncertain, has none.
	title, subtitle, alt translations.Phrase
	classes              []float64
	names                []translations.Phrase
	value                func(limitmap.Cost) *float64
	text                 func(float64) string
	// told reports whether the number is beyond noise; by is the criterion that decides whether a cell is hatched.
	told func(limitmap.Cost) bool
	by   limitmap.Criterion
}

func percentText(v float64) string {
	if v < 0.005 && v > -0.005 {
		return "0 %"
	}
	return text.Decimals(v*100, 0) + " %"
}

func msText(v float64) string {
	if v < 0 {
		return text.Digits(v, 2)
	}
	return "+" + text.Digits(v, 2)
}

func told(r *limitmap.Ratio) bool { return r != nil && r.Told }

// uncertain is no criterion: counts are certain.
const uncertain limitmap.Criterion = -1

// kinds are the maps, in the order of the page.
var kinds = []kind{
	{id: "lost-goodput", title: "Lost goodput",
		subtitle: "Share of the goodput at limit %s that a lower limit loses. " +
			"~ is within noise.",
		alt: "Maps of the lost goodput by backend and round trip, one for each limit. The numbers are in the tables " +
			"below.",
		classes: []float64{limitmap.LostShare, 0.1, 0.2, 0.4, 0.6},
		names:   []translations.Phrase{"below 5 %", "5 % to 10 %", "10 % to 20 %", "20 % to 40 %", "40 % to 60 %", "60 % or more"},
		value:   limitmap.Cost.Lost, text: percentText,
		told: func(c limitmap.Cost) bool { return told(c.Goodput) },
		by:   limitmap.GoodputAlone},
	{id: "p99-ratio", title: "p99 as a multiple",
		subtitle: "The 99th percentile divided by that of the same place at limit %s. " +
			"~ is within noise.",
		alt: "Maps of the 99th percentile as a multiple, by backend and round trip, one for each limit. The numbers are " +
			"in the tables below.",
		classes: []float64{1 + limitmap.AddedShare, 1.25, 1.5, 2, 4},
		names:   []translations.Phrase{"below 1.1 ×", "1.1 to 1.25 ×", "1.25 to 1.5 ×", "1.5 to 2 ×", "2 to 4 ×", "4 × or more"},
		value: func(c limitmap.Cost) *float64 {
			if c.P99 == nil {
				return nil
			}
			return &c.P99.Value
		}, text: func(v float64) string { return text.Digits(v, 3) + " ×" },
		told: func(c limitmap.Cost) bool { return told(c.P99) },
		by:   limitmap.P99Alone},
	{id: "added-p99", title: "Added p99, ms",
		subtitle: "Milliseconds that a limit adds to the 99th percentile at limit %s. " +
			"~ is within noise.",
		alt: "Maps of the milliseconds added to the 99th percentile, by backend and round trip, one for each limit. The " +
			"numbers are in the tables below.",
		classes: []float64{1, 10, 30, 100, 300},
		names:   []translations.Phrase{"below 1 ms", "1 to 10 ms", "10 to 30 ms", "30 to 100 ms", "100 to 300 ms", "300 ms or more"},
		value:   func(c limitmap.Cost) *float64 { return c.AddedMS }, text: msText,
		told: func(c limitmap.Cost) bool { return told(c.P99) },
		by:   limitmap.P99Alone},
	{id: "dials", title: "Connections accepted for one renewal", subtitle: "1 is a renewal without waste.",
		alt: "Maps of the connections accepted for one renewal, by backend and round trip, one for each limit. The " +
			"numbers are in the tables below.",
		classes: []float64{1.5, 5, 15, 30, 60},
		names:   []translations.Phrase{"below 1.5", "1.5 to 5", "5 to 15", "15 to 30", "30 to 60", "60 or more"},
		value:   limitmap.Cost.Dials, text: func(v float64) string { return text.Digits(v, 3) },
		told: func(limitmap.Cost) bool { return true }, by: uncertain},
}
