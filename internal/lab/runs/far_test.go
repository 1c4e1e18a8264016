package runs

import (
	"errors"
	"net"
	"strings"
	"testing"
)

// RFC 5737: no machine has 192.0.2.1, as a line's far end doesn't have 127.0.0.1.
func TestALineInsideALineIsNamed(t *testing.T) {
	_, none := net.Listen("tcp4", "192.0.2.1:0")
	if err := besideALine(none); !errors.Is(err, none) || !strings.Contains(err.Error(), "run h2lab delay outside of it") {
		t.Errorf("%v", err)
	}
	if other := errors.New("x"); besideALine(other) != other {
		t.Error("another error changed")
	}
}
