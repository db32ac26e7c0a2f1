package bench

import (
	"context"
	"os"
	"slices"
	"testing"

	"irgl/internal/device/simt"
	"irgl/internal/pass"
	"irgl/internal/source"
)

// target is what the tests compile for; nvcc makes PTX for it too.
const target = "sm_90"

func kernels(t testing.TB) []*Spec {
	t.Helper()
	specs, err := Kernels()
	if err != nil {
		t.Fatal(err)
	}
	return specs
}

// compiled returns the PTX of a benchmark.
func compiled(t *testing.T, s *Spec, switches map[string]bool) string {
	t.Helper()
	text, _, err := s.Compile(target, switches, true)
	if err != nil {
		if diags := source.Diagnostics(err); diags != nil {
			diags.Render(t.Output())
		}
		t.Fatal(err)
	}
	return text
}

// racy names the benchmarks whose threads write the same value to one place,
// or read what another may be writing, and says why that is right.
var racy = map[string]string{
	"bfs_step":  "a level is only ever set to the next one",
	"irgl_bfs":  "a level is only ever set to the next one",
	"irgl_sssp": "a distance that is too large only costs an atomic more",
}

// TestKernels runs every benchmark on the emulator, all checks on: with all
// passes, with none, and, where $NVCC names one, nvcc's PTX. The results
// are the same, and those that references computes where it has the benchmark.
func TestKernels(t *testing.T) {
	specs := kernels(t)
	if len(specs) < 40 {
		t.Fatalf("%d benchmarks", len(specs))
	}
	nvcc := Tools{NVCC: os.Getenv("NVCC")}
	if testing.Short() {
		nvcc.NVCC = ""
	}
	for name := range references {
		if !slices.ContainsFunc(specs, func(s *Spec) bool { return s.Name == name }) {
			t.Errorf("there is a reference for %s, which is no benchmark", name)
		}
	}
	for _, s := range specs {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			o := simt.Checked()
			if _, ok := racy[s.Name]; ok {
				o.CheckRaces = false
			}
			dev := simt.Open(o)
			defer dev.Close()
			x, err := newInstance(dev, s, false)
			if err != nil {
				t.Fatal(err)
			}
			defer x.close()
			want := runOn(t, x, "all passes", compiled(t, s, nil))
			texts := []struct{ name, text string }{{"no pass", compiled(t, s, Without(PassNames()...))}}
			theirs, _, err := nvcc.nvcc(t.Context(), t.TempDir(), s, target)
			if err != nil {
				t.Error(err)
			}
			if theirs != "" {
				texts = append(texts, struct{ name, text string }{"nvcc", theirs})
			}
			for _, v := range texts {
				if err := s.compare(runOn(t, x, v.name, v.text), want); err != nil {
					t.Errorf("%s: %v", v.name, err)
				}
			}
			if reports := dev.Reports(); len(reports) > 0 {
				t.Errorf("report: %v", reports[0])
			}
			if f := references[s.Name]; f != nil {
				checkReference(t, x.resolved, f, want)
			}
			checkNonTrivial(t, s, x, want)
		})
	}
}

func runOn(t *testing.T, x *instance, name, text string) [][]byte {
	t.Helper()
	p, err := x.load(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer p.module.Close()
	if _, err := x.run(context.Background(), p); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got, err := x.results()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return got
}

// checkNonTrivial checks that a benchmark changes each of its results: one
// that leaves its memory alone would compare equal whatever the compiler does.
func checkNonTrivial(t *testing.T, s *Spec, x *instance, got [][]byte) {
	for i := range s.Buffers {
		if !s.Buffers[i].Out {
			continue
		}
		before, err := x.fill(i)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(before, got[i]) {
			t.Errorf("%s is what it was at first", s.Buffers[i].Name)
		}
	}
}

// TestLargeSizes fills the smaller of the large buffers: what a GPU run needs
// must not fail there first.
func TestLargeSizes(t *testing.T) {
	for _, s := range kernels(t) {
		r, err := s.resolve(true)
		if err != nil {
			t.Fatal(err)
		}
		total := int64(0)
		for i := range s.Buffers {
			size := r.counts[i] * int64(s.Buffers[i].Type.Size())
			total += size
			if size > 1<<20 || s.Buffers[i].Fill == "zero" {
				continue
			}
			if _, err := r.fill(i); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
		if total > 4<<30 {
			t.Errorf("%s needs %d bytes", s.Name, total)
		}
		for _, l := range r.launches {
			if l.block.Count() > 1024 || l.grid.Y > 65535 || l.grid.Z > 65535 {
				t.Errorf("%s: a launch of %v blocks of %v", s.Name, l.grid, l.block)
			}
		}
	}
}

// TestEveryPassMatters checks that each pass makes the PTX of at least one
// benchmark another: what none of them shows cannot be measured with them.
func TestEveryPassMatters(t *testing.T) {
	specs := kernels(t)
	all, counters := map[*Spec]string{}, map[*Spec]map[string]bool{}
	compile := func(s *Spec, switches map[string]bool) (string, pass.Stats) {
		text, stats, err := s.Compile(target, switches, false)
		if err != nil {
			t.Fatalf("%s with %v: %v", s.Name, switches, err)
		}
		return text, stats
	}
	for _, s := range specs {
		text, stats := compile(s, nil)
		all[s], counters[s] = text, map[string]bool{}
		for _, c := range stats.All() {
			counters[s][c.Pass] = counters[s][c.Pass] || c.N > 0
		}
	}
	for _, name := range PassNames() {
		// Those in which the pass counts something are most likely to differ.
		first := slices.Clone(specs)
		slices.SortStableFunc(first, func(x, y *Spec) int {
			switch {
			case counters[x][name] == counters[y][name]:
				return 0
			case counters[x][name]:
				return -1
			}
			return 1
		})
		matters := slices.ContainsFunc(first, func(s *Spec) bool {
			text, _ := compile(s, Without(name))
			return text != all[s]
		})
		if !matters {
			t.Errorf("pass %s changes no benchmark's PTX", name)
		}
	}
}
