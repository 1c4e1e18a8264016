// Package docs has no code: its tests compare the pages beside it with the types and commands that
// they describe.
package docs
