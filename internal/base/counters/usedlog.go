package counters

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"h2lab/internal/facts"
)

// usedLog counts the lines of a log that nginx writes only for the first request of a connection
// (map $connection_requests, access_log … if=). It reads only the lines appended since the last
// reading.
type usedLog struct {
	server string
	file   *os.File
	offset int64
	count  int64
	buf    []byte
}

// openUsedLog starts at the log's end: earlier lines belong to other runs.
func openUsedLog(root string, s facts.Server) (*usedLog, error) {
	path := filepath.Join(root, filepath.FromSlash(s.UsedLog))
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("used log of %s: %w; nginx makes it when it starts; next: make down, then the same "+
			"command again", s.Name, err)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("used log of %s: %w; is %s a regular file?", s.Name, err, path)
	}
	return &usedLog{server: s.Name, file: f, offset: end, buf: make([]byte, 1<<16)}, nil
}

// lines is the number of lines added since the log was opened.
func (u *usedLog) lines() (int64, error) {
	for {
		got, err := u.file.ReadAt(u.buf, u.offset)
		u.offset += int64(got)
		u.count += int64(bytes.Count(u.buf[:got], []byte{'\n'}))
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("used log of %s: %w; look at %s", u.server, err, u.file.Name())
		}
	}
	info, err := u.file.Stat()
	if err != nil {
		return 0, fmt.Errorf("used log of %s: %w; look at %s", u.server, err, u.file.Name())
	}
	if info.Size() < u.offset {
		return 0, fmt.Errorf("used log of %s: %s was cut short while it was read; leave it alone during a run",
			u.server, u.file.Name())
	}
	return u.count, nil
}
