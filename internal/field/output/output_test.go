package output

import "testing"

func TestFiguresHaveThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0:       "0",
		1:       "1",
		0.25:    "0.25",
		12.345:  "12.3",
		1234.5:  "1,235",
		0.00012: "0.00012",
		9.999:   "10",
		-3.456:  "−3.46",
	} {
		if got := Digits(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
	if Percent(0.125) != "12.5 %" {
		t.Error(Percent(0.125))
	}
}
