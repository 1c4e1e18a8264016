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
	{id: "lost-goodput", title: "matters.lost-goodput",
		subtitle: "chart.share-goodput-limit-lower",
		alt:      "matters.maps-lost-goodput-backend",
		classes:  []float64{limitmap.LostShare, 0.1, 0.2, 0.4, 0.6},
		names:    []translations.Phrase{"chart.below-5", "chart.5-10", "chart.10-20", "chart.20-40", "chart.40-60", "chart.60-more"},
		value:    limitmap.Cost.Lost, text: percentText,
		told: func(c limitmap.Cost) bool { return told(c.Goodput) },
		by:   limitmap.GoodputAlone},
	{id: "p99-ratio", title: "matters.p99-multiple",
		subtitle: "chart.99th-percentile-divided",
		alt:      "matters.maps-99th-percentile",
		classes:  []float64{1 + limitmap.AddedShare, 1.25, 1.5, 2, 4},
		names:    []translations.Phrase{"chart.below-11", "chart.11-125", "chart.125-15", "chart.15-2", "chart.2-4", "chart.4-more"},
		value: func(c limitmap.Cost) *float64 {
			if c.P99 == nil {
				return nil
			}
			return &c.P99.Value
		}, text: func(v float64) string { return text.Digits(v, 3) + " ×" },
		told: func(c limitmap.Cost) bool { return told(c.P99) },
		by:   limitmap.P99Alone},
	{id: "added-p99", title: "chart.added-p99-ms",
		subtitle: "chart.milliseconds-limit-adds",
		alt:      "matters.maps-milliseconds-added",
		classes:  []float64{1, 10, 30, 100, 300},
		names: []translations.Phrase{"chart.below-1-ms", "chart.1-10-ms", "chart.10-30-ms", "chart.30-100-ms",
			"chart.100-300-ms", "chart.300-ms-more"},
		value: func(c limitmap.Cost) *float64 { return c.AddedMS }, text: msText,
		told: func(c limitmap.Cost) bool { return told(c.P99) },
		by:   limitmap.P99Alone},
	{id: "dials", title: "chart.connections-accepted", subtitle: "chart.1-renewal-without-waste",
		alt:     "matters.maps-connections-accepted",
		classes: []float64{1.5, 5, 15, 30, 60},
		names:   []translations.Phrase{"chart.below-15", "chart.15-5", "chart.5-15", "chart.15-30", "chart.30-60", "chart.60-more-2"},
		value:   limitmap.Cost.Dials, text: func(v float64) string { return text.Digits(v, 3) },
		told: func(limitmap.Cost) bool { return true }, by: uncertain},
}
