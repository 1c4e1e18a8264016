package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"

	"h2lab/internal/report/translations"
)

// fallbacks are added after the font that the layout was measured with, for viewers that lack it. A browser takes each
// character from the first family that has it (CSS Fonts 4, section 5), so in chineseFallbacks letters and digits have
// the widths of Liberation Sans and Han characters come from the font that the system brings: PingFang on macOS,
// Microsoft YaHei on Windows, Noto on Linux. Any other font is left to the browser's choice by the text's language:
// WenQuanYi has no bold face, and Chromium makes one only where the list doesn't name it (fontconfig promises one).
const (
	fallbacks        = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"
	chineseFallbacks = "font-family:'Liberation Sans',Arial,Helvetica,'PingFang SC','Microsoft YaHei'," +
		"'Noto Sans CJK SC',sans-serif;"
)

// families returns the font families of a language, and the root element's attribute that names the language: a viewer
// chooses Chinese or Japanese forms of Han characters by it, and a screen reader its voice.
func families(l translations.Language) (families, attribute string) {
	if l == translations.Chinese {
		return chineseFallbacks, ` xml:lang="` + string(l) + `"`
	}
	return fallbacks, ""
}

// finish adds to the canvas's bytes what vgsvg lacks: a size in CSS pixels that scales down with
// the page, a title and a description for screen readers, fallback font families, and a length for
// each text.
func finish(c *vgsvg.Canvas, w Words, height vg.Length) []byte {
	width := w.wide()
	var raw bytes.Buffer
	if _, err := c.WriteTo(&raw); err != nil {
		panic(err) // a bytes.Buffer doesn't fail; if it ever does, render returns an error
	}
	drawing := raw.String()
	drawing = drawing[strings.Index(drawing, "<g "):] // remove vgsvg's own header
	fonts, language := families(w.Language)
	drawing = strings.NewReplacer(
		"font-family:Liberation Sans;font-variant:normal;", fonts,
		"font-weight:normal;font-style:normal;", "",
		"font-style:normal;", "",
	).Replace(drawing)
	drawing = textElement.ReplaceAllStringFunc(drawing, withLength)

	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg"%s width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" `+
		`style="max-width:100%%;height:auto" role="img" aria-labelledby="title desc">`+"\n",
		language, width.Points(), height.Points(), width.Points(), height.Points())
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n", html.EscapeString(w.Title))
	fmt.Fprintf(&b, "<desc id=\"desc\">%s</desc>\n", html.EscapeString(strings.TrimSpace(w.Subtitle+w.say("join.sentences")+w.Desc)))
	b.WriteString(drawing)
	return b.Bytes()
}

// textElement matches a text as vgsvg writes it.
var textElement = regexp.MustCompile(`(<text )([^>]*?(font-weight:bold;)?font-size:([0-9.]+)px[^>]*>)([^<]*)(</text>)`)

// withLength adds the width that the layout used for a text. A viewer without Liberation Sans or
// Arial uses another font: DejaVu Sans and Verdana are 15 % to 25 % wider. With textLength the
// viewer fits the text to that width (SVG 1.1, section 10.4), so no text is cut off or overlaps
// another, whatever the font.
func withLength(element string) string {
	m := textElement.FindStringSubmatch(element)
	words := html.UnescapeString(m[5])
	size, err := strconv.ParseFloat(m[4], 64)
	if err != nil || strings.TrimSpace(words) == "" {
		return element
	}
	f := sans
	if m[3] != "" {
		f = boldSans
	}
	wide := style(f, vg.Length(size), color.Black).Width(words).Points()
	return fmt.Sprintf(`%stextLength="%.2f" lengthAdjust="spacingAndGlyphs" %s%s%s`, m[1], wide, m[2], m[5], m[6])
}
