// Package rooted reads and writes the files of one directory, such as a run's,
// that may come from somebody else: nothing outside of it is reached (os.Root),
// no symbolic link in it is followed, only regular files are read, and no
// more of them than the caller says. A file is written under another name,
// synced and renamed: whole or not at all.
package rooted
