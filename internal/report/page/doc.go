// Package page makes one HTML file of a report: text, charts, and the raw data
// behind each number, with nothing to fetch. It can be mailed, put on a stick
// and opened in a room without a network.
//
// It stands at the end of the path, right of the door: it draws what
// internal/report/runreport and internal/report/clientreport wrote and adds no word of its own to it.
// Goldmark renders the markdown; page.js only sorts tables, switches the theme
// and shows the raw data, and the page reads well without it.
//
// Reports quote what servers and clients said, so the page trusts nothing: a
// Content-Security-Policy allows the page's own script and style, by hash, and
// no request to anywhere.
package page
