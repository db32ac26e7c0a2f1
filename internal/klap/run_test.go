package klap_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
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

// TestBehind has kernels leave their launches to one behind them in the programs of testdata/run, in several schedules and twice in a stream, also where
// the pool is exhausted and where no kernel is behind.
func TestBehind(t *testing.T) {
	none := 0
	golden.Each(t, "testdata/run/*.txtar", func(t *testing.T, a *txtar.Archive) {
		p := parseProgram(t, t.Name(), a)
		o := klap.Options{PerThread: true, HostLaunch: true, Granularity: klap.Grid}
		u, err := compiled(p.text, o)
		if err != nil {
			t.Fatal(err)
		}
		if u.Klap.Behind["parent"] == "" {
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
			seed    uint64
			options klap.Options
		}{{0, o}, {1, o}, {klaptest.Alone, o}, {2, klap.Options{Automatic: true, Threshold: klap.Auto}}, {3, klap.Options{Granularity: klap.Grid, Pool: 512}}} {
			c.options.PerThread, c.options.HostLaunch = true, true
			u, err := compiled(p.text, c.options)
			if err != nil {
				t.Fatal(err)
			}
			got, r, err := p.result(u, c.seed)
			switch {
			case err != nil:
				t.Errorf("%+v: %v", c, err)
			case !bytes.Equal(got, want):
				t.Errorf("%+v: %s", c, difference(got, want))
			case c.seed == klaptest.Alone && len(direct.Launched) > 0 && len(r.Launched) == 0:
				t.Errorf("%+v: nothing is launched, and nothing is behind the kernel", c)
			case len(r.Launched) == 0 && len(direct.Launched) > 0:
				none++
			}
		}
	})
	if none < 3 {
		t.Errorf("%d runs launch nothing by the device, want 3", none)
	}
}

// TestBehindAgain has grids that launch nothing, or for which there is no room in the pool, between others of their stream: what is left of an earlier one is not done again.
func TestBehindAgain(t *testing.T) {
	const text = `
__global__ void child(int *out, int i, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < n) atomicAdd(&out[i], 1);
}
__global__ void parent(int *out, const int *in, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) child<<<(n + 31) / 32, 32, 0, (cudaStream_t)4>>>(out, i, n);
}`
	u, err := compiled(text, klap.Options{PerThread: true, HostLaunch: true, Granularity: klap.Grid, Pool: 2048})
	if err != nil {
		t.Fatal(err)
	}
	const busy = 50 // threads that launch: of the first grid, and of one whose record is in use
	for seed := range uint64(4) {
		o := simt.Checked()
		o.Seed = seed
		r, err := klaptest.NewRunner(u, o)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		out, err := r.Device.Alloc("out", 4*1024)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Device.CopyIn(out, make([]byte, 4*1024)); err != nil {
			t.Fatal(err)
		}
		lefts, size, err := r.Module.Global("__klap_lefts_parent")
		if err != nil {
			t.Fatal(err)
		}
		want := make([]uint32, 1024)
		for i, n := range []uint32{50, 0, 300, 50, 20, 0, 33} { // the pool has no room for 300 launches
			blocks := uint32(5)
			if n == 20 {
				blocks = 200 // nor for the record of so many blocks
			}
			if i == 3 {
				if err := r.Device.CopyIn(lefts+device.Ptr(size/1024*int64(i+1)), binary.LittleEndian.AppendUint64(nil, 7)); err != nil {
					t.Fatal(err)
				}
			}
			before := len(r.Launched)
			params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(out)), 0)
			if err := r.Run("parent", device.Launch{Grid: device.Dim3{X: blocks}, Block: device.Dim3{X: 64}, Params: binary.LittleEndian.AppendUint32(params, n)}); err != nil {
				t.Fatal(err)
			}
			if n == busy && (len(r.Launched) > before) != (i == 3) {
				t.Errorf("seed %d: %d launches by the device", seed, len(r.Launched)-before)
			}
			for i := range n {
				want[i] += n
			}
			got := make([]byte, 4*len(want))
			if err := r.Device.CopyOut(got, out); err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				if g := binary.LittleEndian.Uint32(got[4*i:]); g != w {
					t.Fatalf("seed %d, behind %d: out[%d] is %d, want %d", seed, n, i, g, w)
				}
			}
			if r.Held != 0 {
				t.Errorf("seed %d, behind %d: the pool is not given back: %#x", seed, n, r.Held)
			}
		}
		if r.Exhausted == 0 || len(r.Launched) == 0 {
			t.Error("the pool had room for all launches")
		}
		for _, report := range r.Device.Reports() {
			t.Error(report)
		}
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
