// Package docs has no code: its tests hold the pages beside it against the
// types and commands they describe.
package docs
