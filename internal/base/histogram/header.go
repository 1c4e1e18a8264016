package histogram

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// longestText is more than a histogram of New can take: 24,576 counts of at most nine bytes, in base64.
const longestText = 1 << 19

// prefix is the cookie and the length of what follows, which is compressed.
const prefix = 8

// head is the beginning of the uncompressed histogram, as the V2 encoding orders it
// (AbstractHistogram.encodeIntoByteBuffer in HdrHistogram's Java implementation).
type head struct {
	Cookie, Length, Offset, Digits int32
	Lowest, Highest                int64
	Ratio                          float64
}

// header reads the head alone.
func header(text string) (out head, err error) {
	if len(text) > longestText {
		return out, fmt.Errorf("it has %d characters, more than %d", len(text), longestText)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return out, err
	}
	if len(data) < prefix {
		return out, errors.New("it is too short")
	}
	z, err := zlib.NewReader(bytes.NewReader(data[prefix:]))
	if err != nil {
		return out, err
	}
	var raw [40]byte
	if _, err := io.ReadFull(z, raw[:]); err != nil {
		return out, err
	}
	_, err = binary.Decode(raw[:], binary.BigEndian, &out)
	return out, err
}
