// Package rooted reads and writes the files of one directory, such as a run's, that may come from
// an untrusted source: it accesses nothing outside of it (os.Root), follows no symbolic link in it,
// and reads only regular files, up to a size that the caller sets. It writes a file under another
// name, syncs it and renames it, so that no half file appears.
package rooted
