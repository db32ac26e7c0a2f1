package klap_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/golden"
	"irgl/internal/klap"
	"irgl/internal/klap/klaptest"
	"irgl/internal/source"
	"irgl/syntax"
)

// compiled returns the PTX of a program.
func compiled(text string, o klap.Options) (*compile.Unit, error) {
	u, err := compile.Compile(source.NewFile("in.cu", []byte(text)), syntax.CUDA, "", compile.Options{Klap: o, Check: true})
	if err == nil {
		err = u.Diags.Err()
	}
	return u, err
}

// A program is an archive of testdata/run: kernel parent(int *out, const int *in, int n) with the
// lines of section run: grid X block X [Y Z] n N out N.
type program struct {
	name, text string
	grid       device.Dim3
	block      device.Dim3
	n, out     int
	// multiprocessors of the emulator; 0 for as many as it has.
	multiprocessors int
}

func parseProgram(t *testing.T, name string, a *txtar.Archive) program {
	t.Helper()
	p := program{name: name, text: string(golden.Find(a, "in.cu").Data), block: device.Dim3{Y: 1, Z: 1}}
	line := strings.TrimSpace(string(golden.Find(a, "run").Data))
	if _, err := fmt.Sscanf(line, "grid %d block %d %d %d n %d out %d", &p.grid.X, &p.block.X, &p.block.Y, &p.block.Z, &p.n, &p.out); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return p
}

// result runs a program and returns its output, and the runner.
func (p program) result(u *compile.Unit, seed uint64) ([]byte, *klaptest.Runner, error) {
	o := simt.Checked()
	o.Seed, o.Multiprocessors = seed, p.multiprocessors
	r, err := klaptest.NewRunner(u, o)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	rng := rand.New(rand.NewPCG(7, 7))
	in := make([]byte, 4*max(1, p.n))
	for i := range p.n {
		binary.LittleEndian.PutUint32(in[4*i:], rng.Uint32()%100)
	}
	pin, err := r.Device.Alloc("in", int64(len(in)))
	if err != nil {
		return nil, nil, err
	}
	pout, err := r.Device.Alloc("out", int64(4*p.out))
	if err != nil {
		return nil, nil, err
	}
	if err := r.Device.CopyIn(pin, in); err != nil {
		return nil, nil, err
	}
	params := binary.LittleEndian.AppendUint64(nil, uint64(pout))
	params = binary.LittleEndian.AppendUint64(params, uint64(pin))
	params = binary.LittleEndian.AppendUint32(params, uint32(p.n))
	if err := r.Run("parent", device.Launch{Grid: p.grid, Block: p.block, Params: params}); err != nil {
		return nil, nil, err
	}
	out := make([]byte, 4*p.out)
	if err := r.Device.CopyOut(out, pout); err != nil {
		return nil, nil, err
	}
	for _, report := range r.Device.Reports() {
		return nil, nil, fmt.Errorf("the emulator reports: %v", report)
	}
	if at, _, err := r.Module.Global("__klap_state"); err == nil {
		state := make([]byte, 8)
		if err := r.Device.CopyOut(state, at); err != nil {
			return nil, nil, err
		}
		if v := binary.LittleEndian.Uint64(state); v != 0 {
			return nil, nil, fmt.Errorf("the pool is not empty at the end: %#x", v)
		}
	}
	return out, r, nil
}

var granularities = []string{"warp", "block", "multiblock:2", "grid"}

// TestRun has the programs of testdata/run do in each form what they do as they are, in several
// schedules, and with a pool that is exhausted.
func TestRun(t *testing.T) {
	golden.Each(t, "testdata/run/*.txtar", func(t *testing.T, a *txtar.Archive) {
		p := parseProgram(t, t.Name(), a)
		plain, err := compiled(p.text, klap.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, direct, err := p.result(plain, 0)
		if err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		exhausted := false
		fmt.Fprintf(&table, "none: %s\n", direct.Counted())
		for i, g := range granularities {
			for _, pool := range []string{"1M", "512"} {
				if chosen := len(p.text) % 4; testing.Short() && (pool == "512" && i != chosen || pool == "1M" && i != 3-chosen) {
					continue
				}
				o := klap.Options{PerThread: true}
				if err := cmp.Or(o.SetGranularity(g), o.SetPool(pool)); err != nil {
					t.Fatal(err)
				}
				u, err := compiled(p.text, o)
				if err != nil {
					t.Fatalf("%s: %v", g, err)
				}
				seeds := 3
				if testing.Short() {
					seeds = 1
				}
				for seed := range uint64(seeds) {
					got, r, err := p.result(u, seed)
					if err != nil {
						t.Errorf("%s, pool %s, seed %d: %v", g, pool, seed, err)
						break
					}
					if !bytes.Equal(got, want) {
						t.Errorf("%s, pool %s, seed %d: %s", g, pool, seed, difference(got, want))
						break
					}
					if r.Errors != direct.Errors {
						t.Errorf("%s, pool %s, seed %d: %d errors, want %d", g, pool, seed, r.Errors, direct.Errors)
					}
					if exhausted = exhausted || r.Exhausted > 0; r.Exhausted > 0 && pool == "1M" {
						t.Errorf("%s: the pool is exhausted %d times", g, r.Exhausted)
					}
					if pool == "1M" && seed == 0 {
						fmt.Fprintf(&table, "%s: %s\n", g, r.Counted())
					}
				}
			}
		}
		if !testing.Short() {
			if !exhausted {
				t.Error("no pool is exhausted")
			}
			golden.Section(t, a, "launches", table.String())
		}
	})
}

// TestReuse has the blocks of grids that the device holds do launches of the programs of testdata/run, in several schedules, also where blocks give up at once and where
// the device holds fewer than all of them.
func TestReuse(t *testing.T) {
	none := 0
	golden.Each(t, "testdata/run/*.txtar", func(t *testing.T, a *txtar.Archive) {
		p := parseProgram(t, t.Name(), a)
		o := klap.Options{PerThread: true, Reuse: true, Granularity: klap.Grid}
		u, err := compiled(p.text, o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(u.Klap.Sites, func(s klap.Site) bool { return strings.Contains(s.Done, "by the blocks of a grid") }) {
			return
		}
		plain, err := compiled(p.text, klap.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, direct, err := p.result(plain, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			processors, patience int
			seed                 uint64
			options              klap.Options
		}{{4, 50000, 0, o}, {32, 50000, 1, o}, {32, 50000, 2, klap.Options{Automatic: true, Threshold: klap.Auto}}, {1, 50000, 1, o}, {32, 0, 1, o}, {32, 50000, 3, klap.Options{Granularity: klap.Grid, Pool: 512}}} {
			c.options.PerThread, c.options.Reuse = true, true
			restore := klap.SetPatience(c.patience)
			u, err := compiled(p.text, c.options)
			restore()
			if err != nil {
				t.Fatal(err)
			}
			p.multiprocessors = c.processors
			got, r, err := p.result(u, c.seed)
			switch {
			case err != nil:
				t.Errorf("%+v: %v", c, err)
			case !bytes.Equal(got, want):
				t.Errorf("%+v: %s", c, difference(got, want))
			case len(r.Launched) == 0 && len(direct.Launched) > 0:
				none++
			case c.processors == 1 && len(r.Launched) == 0:
				t.Errorf("%+v: nothing is launched, where the device does not hold the grid", c)
			}
		}
	})
	if none < 3 {
		t.Errorf("%d runs launch nothing, want 3", none)
	}
}

func difference(got, want []byte) string {
	for i := 0; i < len(want); i += 4 {
		if g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:]); g != w {
			return fmt.Sprintf("out[%d] is %d, want %d", i/4, int32(g), int32(w))
		}
	}
	return "equal"
}

// TestCrowded has grids that run at a time share an entry of the table.
func TestCrowded(t *testing.T) {
	defer klap.SetEntries(1)()
	for _, name := range []string{"nested", "recursion", "small"} {
		a, err := txtar.ParseFile("testdata/run/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		p := parseProgram(t, name, a)
		plain, err := compiled(p.text, klap.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := p.result(plain, 0)
		if err != nil {
			t.Fatal(err)
		}
		o := klap.Options{PerThread: true, Granularity: klap.Multiblock, Blocks: 1}
		u, err := compiled(p.text, o)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(2) {
			if testing.Short() && (seed > 0 || name != "nested") {
				continue
			}
			if got, _, err := p.result(u, seed); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s, seed %d: %s", name, seed, difference(got, want))
			}
		}
	}
}
