// Package clientreport writes the page of the client matrix: clients.md for people,
// clients.json for tools, and the chart of the field. It is the last step of
// the path, beside report, and is pure: it reads a result, touches neither
// network nor clock nor file, and gives the same bytes for the same input.
//
// Every section is a file of its own, in the order guide.go calls them. What a
// client's verdict is, package survive says; nothing is judged here.
package clientreport
