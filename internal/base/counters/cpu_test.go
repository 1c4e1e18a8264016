package counters

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"h2lab/internal/facts"
)

// clock is a fake /proc with the given processor times.
func clock(used map[int]float64, machine float64) CPUMeter {
	return CPUMeter{Proxy: []int{10, 11}, Backend: []int{20}, Client: []int{30},
		Seconds: func(pids ...int) (float64, error) {
			var sum float64
			for _, pid := range pids {
				v, ok := used[pid]
				if !ok {
					return 0, errors.New("gone")
				}
				sum += v
			}
			return sum, nil
		},
		Machine: func() (float64, error) {
			return machine, nil
		}, Stolen: func() (float64, error) { return machine / 10, nil }}
}

func TestAServicesProcessorTimeIsItsOwnPart(t *testing.T) {
	me := os.Getpid()
	before := clock(map[int]float64{10: 1, 11: 2, 20: 3, 30: 4, 40: 7, me: 5}, 100)
	after := clock(map[int]float64{10: 1, 11: 4, 20: 4, 30: 7, 40: 9.25, me: 5.5}, 110)
	before.Service, after.Service = []int{40}, []int{40}
	cpu := after.Read().Since(before.Read())
	if cpu.Service == nil || *cpu.Service != 2.25 || cpu.Other == nil || *cpu.Other != 1.25 {
		t.Errorf("the service's part is %v, the rest %v", cpu.Service, cpu.Other)
	}
	after.Seconds = clock(map[int]float64{10: 1, 11: 4, 20: 4, 30: 7, me: 5.5}, 110).Seconds
	if cpu := after.Read().Since(before.Read()); cpu.Service != nil || cpu.Other != nil {
		t.Errorf("a service that has ended has %v, the rest %v", cpu.Service, cpu.Other)
	}
}

func TestADelayLinesProcessorTimeIsTheLabs(t *testing.T) {
	me := os.Getpid()
	before := clock(map[int]float64{10: 1, 11: 2, 20: 3, 30: 4, 50: 7, me: 5}, 100)
	after := clock(map[int]float64{10: 1, 11: 4, 20: 4, 30: 7, 50: 9.25, me: 5.5}, 110)
	before.Beside, after.Beside = []int{50}, []int{50}
	cpu := after.Read().Since(before.Read())
	if cpu.Lab == nil || *cpu.Lab != 2.75 || cpu.Other == nil || *cpu.Other != 1.25 {
		t.Errorf("the lab's part is %v, the rest %v", cpu.Lab, cpu.Other)
	}
}

func TestProcessorTimeIsToldApart(t *testing.T) {
	me := os.Getpid()
	before := clock(map[int]float64{10: 1, 11: 2, 20: 3, 30: 4, me: 5}, 100)
	after := clock(map[int]float64{10: 1, 11: 4, 20: 4, 30: 7, me: 5.5}, 110)
	ended := clock(map[int]float64{10: 1, 11: 4, 20: 4, me: 5.5}, 110)
	rounded := clock(map[int]float64{10: 1, 11: 4, 20: 4, 30: 7, me: 5.5}, 106.49)
	direct := func(m CPUMeter) CPUMeter { m.Proxy = nil; return m }
	for _, x := range []struct {
		name          string
		before, after CPUMeter
		want          facts.CPU
	}{
		{"all parts", before, after, facts.CPU{
			Proxy:   new(2.0),
			Backend: new(1.0),
			Client:  new(3.0),
			Lab:     new(0.5),
			Other:   new(3.5),
			Stolen:  new(1.0),
		}},
		{"no proxy", direct(before), direct(after), facts.CPU{
			Backend: new(1.0),
			Client:  new(3.0),
			Lab:     new(0.5),
			Other:   new(5.5),
			Stolen:  new(1.0),
		}},
		{"a client that ended", before, ended, facts.CPU{Proxy: new(2.0), Backend: new(1.0), Lab: new(0.5), Stolen: new(1.0)}},
		{"ticks that don't add up", before, rounded, facts.CPU{
			Proxy:   new(2.0),
			Backend: new(1.0),
			Client:  new(3.0),
			Lab:     new(0.5),
			Other:   new(0.0),
			Stolen:  new(0.649),
		}},
	} {
		got := x.after.Read().Since(x.before.Read())
		if diff := cmp.Diff(x.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, diff)
		}
	}
}

func TestARealReadingKnowsThisProcessAndTheMachine(t *testing.T) {
	var m CPUMeter
	before := m.Read()
	if before.Lab == nil || before.Machine == nil || *before.Machine < *before.Lab {
		t.Fatalf("lab %v s, machine %v s", before.Lab, before.Machine)
	}
	if got := m.Read().Since(before); got.Lab == nil || *got.Lab < 0 || got.Other == nil || got.Proxy != nil {
		t.Errorf("got %+v", got)
	}
}
