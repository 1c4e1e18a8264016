//go:build linux

package load

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"h2lab/internal/base/labtest"
)

// Every request here would count as VU 1 if the gate accepted it.
func TestWebPagesDoNotPassTheGate(t *testing.T) {
	g, err := openGate(1)
	labtest.Check(t, err)
	defer g.close()
	u, err := url.Parse(g.url)
	labtest.Check(t, err)
	port, err := strconv.Atoi(u.Port())
	labtest.Check(t, err)
	paths := []string{"/warm?vu=1", "/done?vu=1", "/tally?vu=1"}
	faults := labtest.NewFaults(t, labtest.HostilePages)
	refused := func(t *testing.T, f labtest.PageFault, want int) {
		for _, path := range paths {
			if status, body := labtest.AskAs(t, g.url+path, f); status != want {
				t.Errorf("%s: status %d: %s", path, status, body)
			}
		}
	}
	for _, f := range labtest.PageFaults(port) {
		faults.Try("k6's gate: "+f.Name, func(t *testing.T) { refused(t, f, http.StatusForbidden) })
	}
	faults.Try("k6's gate: GET, as an image in a page of an old browser sends it", func(t *testing.T) {
		refused(t, labtest.PageFault{}, http.StatusMethodNotAllowed)
	})
	for _, b := range []*barrier{g.warm, g.done, g.told} {
		if len(b.come) != 0 {
			t.Errorf("%s: %v have arrived", b.what, b.come)
		}
	}
}
