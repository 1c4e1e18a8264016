package runs

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// Every knob, including future ones, reaches the pod.
func TestAnOrderCarriesEveryKnob(t *testing.T) {
	var o Order
	nonzero(t, reflect.ValueOf(&o).Elem())
	b, err := json.Marshal(o)
	labtest.Check(t, err)
	var got Order
	labtest.Check(t, json.Unmarshal(b, &got))
	if !reflect.DeepEqual(got, o) {
		t.Errorf("an order arrives as %+v, sent was %+v", got, o)
	}
	if got.Knobs.Duration == 0 || got.Knobs.Only == nil || got.Lacks == nil || *got.Budgets["a"] == 0 {
		t.Errorf("the test leaves something empty: %+v", got)
	}
}

// nonzero sets every field to a value that isn't its zero value.
func nonzero(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			nonzero(t, field)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		nonzero(t, v.Elem())
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		nonzero(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("a").Convert(v.Type().Key()), value)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		nonzero(t, v.Index(0))
	case reflect.String:
		v.SetString("a")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(3 * time.Second))
	case reflect.Uint64:
		v.SetUint(1<<63 + 1) // no float64 holds it
	default:
		t.Fatalf("no value for a %s", v.Type())
	}
}

func TestBudgetsOfAnOrderLeaveOutWhatIsUnlimited(t *testing.T) {
	half := 0.5
	o := Order{Budgets: map[string]*float64{"nginx-1000": &half, "backend": nil}}
	if got := o.budgets(); len(got) != 1 || got["nginx-1000"] != half {
		t.Errorf("budgets %v", got)
	}
}

func TestTheCheckoutOfAnOrderIsTheHosts(t *testing.T) {
	want := facts.Git{Commit: "abc", Dirty: true}
	if got := (&Lab{Root: "/nowhere", Order: &Order{Git: want}}).git(context.Background()); got != want {
		t.Errorf("git %+v, want %+v", got, want)
	}
}
