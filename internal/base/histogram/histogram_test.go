package histogram

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"h2lab/internal/base/labtest"
)

func of(t *testing.T, samples ...int64) *Histogram {
	t.Helper()
	h := New()
	for _, us := range samples {
		labtest.Check(t, h.Add(us, 1))
	}
	return h
}

// again writes and reads a histogram.
func again(t *testing.T, h *Histogram) *Histogram {
	t.Helper()
	text, err := h.Text()
	labtest.Check(t, err)
	h, err = Read(text)
	labtest.Check(t, err)
	return h
}

// TestMergedPercentilesAreThoseOfTheUnion compares with sorted samples. The median of the percentiles is
// far from it, since one of the trials had all slow requests.
func TestMergedPercentilesAreThoseOfTheUnion(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []int64
	merged := New()
	for trial := range 6 {
		var some []int64
		for range 5000 {
			us := int64(1000 + random.ExpFloat64()*2000)
			if trial == 3 && random.IntN(10) == 0 {
				us *= 50
			}
			some = append(some, us)
		}
		labtest.Check(t, merged.Merge(again(t, of(t, some...))))
		all = append(all, some...)
	}
	slices.Sort(all)
	if merged.Samples() != 30000 {
		t.Errorf("%d samples", merged.Samples())
	}
	for _, p := range []float64{50, 90, 99, 99.9, 99.99} {
		want := float64(all[int(math.Round(p/100*30000))-1]) / 1000
		if got := *merged.AtMS(p); math.Abs(got-want) > 0.002*want {
			t.Errorf("p%v is %v ms, of the union %v", p, got, want)
		}
	}
	if got, want := *merged.MaxMS(), float64(all[29999])/1000; math.Abs(got-want) > 0.002*want {
		t.Errorf("the largest is %v ms, not %v", got, want)
	}
}

func TestAPercentileBeyondTheSamplesIsUnknown(t *testing.T) {
	for _, c := range []struct {
		samples    int64
		percentile float64
		known      bool
	}{
		{0, 50, false}, {1, 50, false}, {2, 50, true}, {99, 99, false}, {100, 99, true}, {5000, 99.99, false},
		{9999, 99.99, false}, {10000, 99.99, true}, {10000, 100, false}, {10, -1, false}, {10, math.NaN(), false},
	} {
		h := New()
		labtest.Check(t, h.Add(5000, c.samples))
		if got := h.AtMS(c.percentile); (got != nil) != c.known {
			t.Errorf("p%v of %d samples is %v", c.percentile, c.samples, got)
		}
	}
	if New().MaxMS() != nil {
		t.Error("no samples have a maximum")
	}
}

// A client in another range, such as the Go client's two minutes, merges without a loss.
func TestHistogramsOfOtherRangesAreRead(t *testing.T) {
	for _, foreign := range []*hdrhistogram.Histogram{hdrhistogram.New(1, 120_000_000, 3),
		hdrhistogram.New(1, 60_000_000, 2), hdrhistogram.New(1, longestUS, 3)} {
		for _, us := range []int64{0, 1, 999, 20_000, foreign.HighestTrackableValue()} {
			labtest.Check(t, foreign.RecordValues(us, 3))
		}
		text, err := foreign.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		labtest.Check(t, err)
		h, err := Read(string(text))
		labtest.Check(t, err)
		if got := *h.AtMS(70); h.Samples() != 15 || math.Abs(got-20) > 0.2 {
			t.Errorf("%d samples, p70 is %v ms", h.Samples(), got)
		}
	}
}

func TestCountsThatAreNoneAreRejected(t *testing.T) {
	h := New()
	for _, c := range [][2]int64{{-1, 1}, {1, -1}, {1, mostSamples + 1}, {1, math.MaxInt64}} {
		if err := h.Add(c[0], c[1]); err == nil {
			t.Errorf("%d latencies of %d µs were counted", c[1], c[0])
		}
	}
	labtest.Check(t, h.Add(math.MaxInt64, mostSamples))
	if err := h.Merge(of(t, 1)); err == nil {
		t.Error("more samples than a histogram holds were merged")
	}
}

// encode writes any header and payload.
func encode(t *testing.T, h head, payload []byte) string {
	t.Helper()
	var inside, packed, out bytes.Buffer
	h.Cookie, h.Length = 0x1c849313, int32(len(payload))
	for _, part := range []any{h, payload} {
		labtest.Check(t, binary.Write(&inside, binary.BigEndian, part))
	}
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(inside.Bytes()); err != nil {
		t.Fatal(err)
	}
	labtest.Check(t, z.Close())
	for _, part := range []any{int32(0x1c849314), int32(packed.Len()), packed.Bytes()} {
		labtest.Check(t, binary.Write(&out, binary.BigEndian, part))
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

func TestHostileHistogramsAreErrors(t *testing.T) {
	usual := head{Digits: 3, Lowest: 1, Highest: 60_000_000, Ratio: 1}
	changed := func(change func(*head)) string {
		h := usual
		change(&h)
		return encode(t, h, []byte{2})
	}
	if _, err := Read(encode(t, usual, []byte{2})); err != nil {
		t.Fatalf("the histogram that the others differ from: %v", err)
	}
	good, err := of(t, 1000, 2000).Text()
	labtest.Check(t, err)
	f := labtest.NewFaults(t, labtest.CorruptResults)
	for _, c := range []struct{ name, text string }{
		{"no histogram", ""},
		{"a histogram that is no base64", "%%%"},
		{"a histogram that was cut", good[:len(good)/2]},
		{"a histogram with another cookie", "AAAA" + good[4:]},
		{"a histogram of noise", base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 900))},
		{"a histogram of a gigabyte of text", strings.Repeat("A", 1<<20)},
		{"a histogram that asks for 50 MB", changed(func(h *head) { h.Digits, h.Highest = 5, math.MaxInt64 })},
		{"a histogram for a latency of a century", changed(func(h *head) { h.Highest = math.MaxInt64 })},
		{"a histogram with a negative range", changed(func(h *head) { h.Lowest, h.Highest = -5, -1 })},
		{"a histogram with no digits", changed(func(h *head) { h.Digits = 0 })},
		{"a histogram with negative digits", changed(func(h *head) { h.Digits = -3 })},
		{"a histogram in other units", changed(func(h *head) { h.Ratio = 1000 })},
		{"a histogram in units that are no number", changed(func(h *head) { h.Ratio = math.NaN() })},
		{"a histogram with counts beyond its range", encode(t, usual, bytes.Repeat([]byte{0xfe, 0x7f}, 40000))},
		{"a histogram with more zeros than counts", encode(t, usual, []byte{0xff, 0xff, 0xff, 0x7f, 2})},
		{"a histogram whose counts overflow", encode(t, usual,
			bytes.Repeat([]byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 3))},
		{"a histogram whose payload is cut", encode(t, usual, []byte{0xff})},
	} {
		f.Try(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			h, err := Read(c.text)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Fatalf("it was read, with %d samples", h.Samples())
			}
			if !strings.HasPrefix(err.Error(), "the histogram can't be read: ") {
				t.Errorf("it says %q", err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
				t.Errorf("it took %s", fmt.Sprint(used>>20, " MB"))
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	h := New()
	for _, us := range []int64{0, 1, 999, 20_000, longestUS} {
		if err := h.Add(us, 3); err != nil {
			f.Fatal(err)
		}
	}
	text, err := h.Text()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Read(text)
		if err == nil && (h.Samples() < 0 || h.Samples() > mostSamples) {
			t.Errorf("%d samples", h.Samples())
		}
	})
}
