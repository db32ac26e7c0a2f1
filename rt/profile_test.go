package rt

import (
	"bytes"
	"context"
	"reflect"
	"testing"
	"unsafe"
)

// TestProfile checks what is recorded of a kernel that pops, pushes and retries,
// with as many items as several workers share, and that a restart begins the sums
// again.
func TestProfile(t *testing.T) {
	const n = 50000
	for _, workers := range []int{1, 3} {
		runs := make([]int, n)
		p := program(func(r *Run) {
			clear(runs)
			wl := r.NewWL(3, 4)
			r.Kernel("seed")
			r.LaunchNodes(wl, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
				for i := lo; i < hi; i++ {
					w.Push(int32(i))
				}
			}, nil, nil)

			r.Round()
			r.Kernel("work")
			r.Rerun(wl, false, func() Reduced {
				return r.LaunchWL(wl, 0, func(w *Worker, items unsafe.Pointer, lo, hi int) {
					each(items, lo, hi, func(x int32) {
						if runs[x]++; runs[x] == 1 && x%2 == 0 {
							w.Retry(x)
						} else if x%5 == 0 {
							w.Push(x)
						}
					})
				}, nil, nil)

			})
			wl.Close()
		})
		for _, c := range []Collect{CollectNothing, CollectKernels, CollectLaunches} {
			res, err := p.Execute(context.Background(), Input{Graph: loose(n), Workers: workers, Collect: c})
			if err != nil {
				t.Fatal(err)
			}
			if c == CollectNothing {
				if res.Profile != nil {
					t.Errorf("%+v", res.Profile)
				}
				continue
			}
			// What is popped by seed is nothing, but the list has two items.
			want := []KernelProfile{{Name: "seed", Launches: 1, Work: Work{2, n, 0}}, {Name: "work", Launches: 2, Work: Work{n + n/2, n / 5, n / 2}}}
			var launches []LaunchProfile
			if c == CollectLaunches {
				launches = []LaunchProfile{
					{Name: "seed", Work: Work{2, n, 0}}, {Name: "work", Iteration: 1, Work: Work{n, n / 10, n / 2}}, {Name: "work", Iteration: 1, Work: Work{n / 2, n / 10, 0}},
				}
			}
			got, end := *res.Profile, 0.0
			for i := range got.Kernels {
				end += got.Kernels[i].Time
				got.Kernels[i].Time = 0
			}
			if end <= 0 || end > got.Time {
				t.Errorf("the kernels took %v of %v", end, got.Time)
			}
			end = 0
			for i := range got.Launches {
				l := &got.Launches[i]
				if l.Start < end {
					t.Errorf("launch %d begins at %v, before %v", i, l.Start, end)
				}
				end = l.Start + l.Time
				l.Start, l.Time = 0, 0
			}
			if !reflect.DeepEqual(got.Kernels, want) || !reflect.DeepEqual(got.Launches, launches) {
				t.Errorf("%d workers: %+v", workers, got)
			}
		}
	}
	p := newProfiler(CollectLaunches)
	r := &Run{kernel: "k", prof: p}
	for range 2 {
		p.begin(r, nil)
		p.end(r)
		p.restart()
	}
	p.begin(r, nil)
	p.end(r)
	if got := p.profile(); len(got.Kernels) != 1 || got.Kernels[0].Launches != 1 || len(got.Launches) != 3 || len(got.Restarts) != 2 {
		t.Errorf("after two restarts: %+v", got)
	}
}

// TestProfileFile checks that a profile comes back from a result as it was, and
// that no part of one is taken for a whole.
func TestProfileFile(t *testing.T) {
	for _, p := range []*Profile{
		{},
		{Time: 2.5, Dropped: 1, Restarts: []float64{0.5, 1},
			Kernels:  []KernelProfile{{"k", 7, 1.25, Work{1, 2, 3}}, {"", 1, 0, Work{}}},
			Launches: []LaunchProfile{{"old", 0.25, 0.5, 9, Work{4, 5, 6}}}},
	} {
		res := &Result{Iterations: 1, Profile: p}
		var b bytes.Buffer
		if err := WriteResult(&b, res); err != nil {
			t.Fatal(err)
		}
		all := b.Bytes()
		got, err := ReadResult(bytes.NewReader(all), int64(len(all)))
		if err != nil || !reflect.DeepEqual(got, res) {
			t.Errorf("%+v comes back as %+v (%v)", p, got, err)
		}
		for n := range all {
			if _, err := ReadResult(bytes.NewReader(all[:n]), int64(n)); err == nil {
				t.Fatalf("%d of %d bytes are accepted", n, len(all))
			}
		}
		// The first array is that of a kernel: not all arrays are one.
		if at := bytes.Index(all, []byte("k")); at > 0 {
			bad := bytes.Clone(all)
			bad[at-16] = byte(Float64)
			if _, err := ReadResult(bytes.NewReader(bad), int64(len(bad))); err == nil {
				t.Error("numbers of another kind are accepted")
			}
		}
	}
}
