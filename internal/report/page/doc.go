// Package page makes one HTML file of a report: text, charts, and the raw data behind each number.
// It loads nothing from the network, so a reader can mail it and open it offline.
//
// It renders what internal/report/runreport and internal/report/clientreport wrote and adds no
// statement of its own. Goldmark renders the Markdown. page.js only sorts tables, switches the
// theme and shows the raw data; without it the page is still readable.
//
// Reports quote messages of servers and clients, so the page trusts no text: a
// Content-Security-Policy allows only the page's own script and style, by hash, and no requests.
package page
