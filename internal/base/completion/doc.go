// Package completion makes the scripts that complete a command line in bash, zsh and fish, from the
// command's own kong model. The scripts need neither the program nor another package at completion
// time, so an archive can hold them: kong-completion and posener/complete call the program by an
// absolute path (docs/decisions/0021-releases.md).
package completion
