package simt

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/ptxtest"
	"irgl/internal/ptx"
)

// An eachLane is a device that executes everything lane by lane.
type eachLane struct{ *Device }

func (d eachLane) Load(name, text string) (device.Module, error) {
	m, err := d.Device.Load(name, text)
	if err == nil {
		laneByLane(m.(*module))
	}
	return m, err
}

// TestPrograms: random programs of all kinds of instructions give the same values with vector instructions of the CPU, with Go's loops
// over lanes, and lane by lane.
func TestPrograms(t *testing.T) {
	n := uint64(160)
	if testing.Short() {
		n = 20
	}
	const at = 20
	for first := uint64(0); first < n; first += at {
		var programs []*ptxtest.Program
		for s := range uint64(at) {
			programs = append(programs, ptxtest.Generate(1000+first+s))
		}
		run := func(d device.Device) [][]byte {
			t.Helper()
			out, err := ptxtest.Run(context.Background(), d, programs...)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		want := run(Open(Options{}))
		results := map[string][][]byte{"lane by lane": run(eachLane{Open(Options{})})}
		withoutVectors(func() { results["Go's loops"] = run(Open(Options{})) })
		for name, got := range results {
			for i, p := range programs {
				if d := p.Compare(got[i], want[i]); d != nil {
					t.Errorf("program %d, %s: %v", p.Seed, name, d)
				}
			}
		}
	}
}

// A mutant is a device that executes one kind of instruction wrongly: the lowest bit of what the lowest lane gets is another.
type mutant struct {
	*Device
	code    string // with its modifiers
	touched *bool
}

func (d mutant) Load(name, text string) (device.Module, error) {
	loaded, err := d.Device.Load(name, text)
	if err != nil {
		return nil, err
	}
	m := loaded.(*module)
	laneByLane(m)
	for _, k := range m.kernels {
		for _, fn := range k.funcs {
			for i := range fn.code {
				if in := &fn.code[i]; resultOf(in) != "" && in.src.String()[:codeLength(in.src)] == d.code {
					right := in.run
					in.run = func(w *warp, in *inst, m uint32) {
						right(w, in, m)
						*d.touched = true
						at, bit := in.writes[0]*32, uint64(1)<<lowest(m)
						if resultOf(in)[1] != 'p' {
							at, bit = at+int32(lowest(m)), 1
						}
						w.regs[at] ^= bit
					}
				}
			}
		}
	}
	return m, nil
}

// codeLength returns how much of an instruction's text is its guard, opcode and modifiers.
func codeLength(s *ptx.Inst) int {
	return len(s.Op) + len(strings.Join(append([]string{""}, s.Mods...), "."))
}

// resultOf returns the register that an instruction writes first, if statements share it; "" where there is none.
func resultOf(in *inst) string {
	if in.src == nil || in.run == nil || len(in.writes) == 0 || len(in.src.Args) == 0 || in.src.Guard != "" {
		return ""
	}
	name := in.src.Args[0].Name
	if in.src.Args[0].Kind == ptx.KindVector {
		name = in.src.Args[0].List[0].Name
	}
	if len(name) > 2 && strings.Contains("rlhp", name[1:2]) && '0' <= name[2] && name[2] <= '9' {
		return name
	}
	return ""
}

// TestMutants: a wrong bit in one lane's result of an instruction, whichever it is, is seen in what some program stores. About a
// third of the results of programs are overwritten before they count, so that a few programs do not suffice.
func TestMutants(t *testing.T) {
	const programs = 160
	var list []*ptxtest.Program
	var want [][]byte
	have := map[string][]int{}
	for s := range programs {
		p := ptxtest.Generate(uint64(s))
		d := Open(Options{})
		out, err := ptxtest.Run(context.Background(), d, p)
		if err != nil {
			t.Fatal(err)
		}
		list, want = append(list, p), append(want, out[0])
		m, err := d.Load("p.ptx", ptxtest.Module(p))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, k := range m.(*module).kernels {
			for i := range k.fn.code {
				if in := &k.fn.code[i]; resultOf(in) != "" {
					if code := in.src.String()[:codeLength(in.src)]; !seen[code] {
						seen[code] = true
						have[code] = append(have[code], s)
					}
				}
			}
		}
	}
	tried, every := 0, 6
	if testing.Short() {
		every = 40
	}
	for n, code := range slices.Sorted(maps.Keys(have)) {
		if n%every != 0 {
			continue
		}
		touched, seen := false, false
		for _, s := range have[code] {
			out, err := ptxtest.Run(context.Background(), mutant{Open(Options{}), code, &touched}, list[s])
			if seen = err != nil || list[s].Compare(out[0], want[s]) != nil; seen {
				break
			}
		}
		if touched {
			tried++
		}
		if touched && !seen && len(have[code]) > 5 {
			t.Errorf("%s: a wrong bit is seen in none of %d programs", code, len(have[code]))
		}
	}
	t.Logf("wrong results of %d of %d instructions", tried, len(have))
}
