package rt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// claimers runs rounds of a kernel in which every iteration that is not done
// claims its own element and the next ones, and adds one to each: plainly, so
// that the race detector sees two winners that share an element.
func claimers(r *Run, n, width int) (counts []int, rounds int) {
	counts = make([]int, n)
	done := make([]bool, n)
	type frame struct {
		id    uint64
		list  List
		mine  [4]int32
		claim bool
	}
	groups := &Groups{Size: unsafe.Sizeof(frame{}), New: func(n int) unsafe.Pointer {
		return unsafe.Pointer(unsafe.SliceData(make([]frame, n)))
	}}
	left := n
	for ; left > 0; rounds++ {
		r.LaunchGroups(nil, Plan{Groups: groups, Locks: 1 << ofNodes, LoopsOnly: true, Steps: []Step{{
			Over: func(*Group) Range { return Range{Hi: int64(n)} },
			Segments: []Segment{
				func(w *Worker, g *Group, lo, hi int) {
					for c := lo; c < hi; c++ {
						fr := Frame[frame](g.Frames, c)
						i := int(g.First + int64(c)*g.Stride)
						for k := range width {
							fr.mine[k] = int32((i + k) % n)
						}
						fr.id = g.Claim(c)
						fr.list = NewList(unsafe.Pointer(&fr.mine), 0, int64(width), 1, 4, 0)
						fr.claim = !done[i] && Claim[int32](g, ofNodes, fr.id, &fr.list)
					}
				},
				func(w *Worker, g *Group, lo, hi int) {
					for c := lo; c < hi; c++ {
						fr := Frame[frame](g.Frames, c)
						i := int(g.First + int64(c)*g.Stride)
						if !done[i] && w.Decided(fr.claim && Holds[int32](g, ofNodes, fr.id, &fr.list)) {
							for _, e := range fr.mine[:width] {
								counts[e]++
							}
							done[i] = true
						}
					}
				},
			},
		}}})
		before := left
		left = 0
		for _, is := range done {
			if !is {
				left++
			}
		}
		if left == before {
			r.Fail("nobody won")
		}
	}
	return counts, rounds
}

func TestExclusive(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		for _, n := range []int{5, 100, 3000} {
			_, err := program(func(r *Run) {
				for width := range 4 {
					counts, rounds := claimers(r, n, width)
					for i, c := range counts {
						if c != width {
							t.Fatalf("%d workers, %d iterations: element %d is claimed %d times, not %d", workers, n, i, c, width)
						}
					}
					if width <= 1 && rounds != 1 {
						t.Errorf("%d workers: who disturbs nobody took %d rounds", workers, rounds)
					}
				}
			}).Execute(context.Background(), Input{Graph: pathGraph(n), Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRounds lets the rounds of claims run out of numbers.
func TestRounds(t *testing.T) {
	_, err := program(func(r *Run) {
		claimers(r, 500, 2)
		r.round = 1<<32 - 3
		counts, _ := claimers(r, 500, 3)
		if slices.Min(counts) != 3 || slices.Max(counts) != 3 || r.round > 1000 {
			t.Errorf("counts %v, round %d", counts, r.round)
		}
	}).Execute(context.Background(), Input{Graph: pathGraph(500), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCrowd has iterations of which each wants the same element: one a group
// wins, and the groups become small.
func TestCrowd(t *testing.T) {
	const n = 20000
	type frame struct {
		id    uint64
		list  List
		claim bool
	}
	zero := int32(0)
	won := 0
	_, err := program(func(r *Run) {
		groups := &Groups{Size: unsafe.Sizeof(frame{}), New: func(n int) unsafe.Pointer {
			return unsafe.Pointer(unsafe.SliceData(make([]frame, n)))
		}}
		r.LaunchGroups(nil, Plan{Groups: groups, Locks: 1 << ofNodes, LoopsOnly: true, Steps: []Step{{
			Over: func(*Group) Range { return Range{Hi: n} },
			Segments: []Segment{
				func(w *Worker, g *Group, lo, hi int) {
					for c := lo; c < hi; c++ {
						fr := Frame[frame](g.Frames, c)
						fr.id, fr.list = g.Claim(c), List{unsafe.Pointer(&zero), 0, 1, 1, 0}
						fr.claim = Claim[int32](g, ofNodes, fr.id, &fr.list)
					}
				},
				func(w *Worker, g *Group, lo, hi int) {
					for c := lo; c < hi; c++ {
						if fr := Frame[frame](g.Frames, c); w.Decided(fr.claim && Holds[int32](g, ofNodes, fr.id, &fr.list)) {
							won++
						}
					}
				},
			},
		}}})
		if groups.size >= firstGroup && groups.serial == 0 {
			t.Errorf("groups of %d threads a worker when all but one lose", groups.size)
		}
	}).Execute(context.Background(), Input{Graph: pathGraph(1), Workers: 3})
	if err != nil || won == 0 {
		t.Errorf("%d wins: %v", won, err)
	}
}

// TestGroupFailures checks that a worker that fails between barriers, or a
// context, ends the run.
func TestGroupFailures(t *testing.T) {
	endless := func(segment Segment) *Program {
		return program(func(r *Run) {
			groups := &Groups{Size: 8, New: func(n int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]int64, n))) }}
			for {
				r.LaunchGroups(nil, Plan{Groups: groups, Steps: []Step{{Segments: []Segment{segment, segment}}, {
					Over:     func(*Group) Range { return Range{Hi: 5000} },
					Segments: []Segment{segment, segment},
				}}})
			}
		})
	}
	for _, workers := range []int{1, 2, 5} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		start := time.Now()
		_, err := endless(func(*Worker, *Group, int, int) {}).Execute(ctx, Input{Graph: pathGraph(5), Workers: workers})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
			t.Errorf("%d workers: %v after %v", workers, err, time.Since(start))
		}
		cancel()
		_, err = endless(func(w *Worker, g *Group, lo, hi int) {
			if lo <= 100 && 100 < hi && g.Stride == 1 {
				panic(noHandle(ofPoints, 7, 3, 0))
			}
		}).Execute(context.Background(), Input{Graph: pathGraph(5), Workers: workers})
		if err == nil || !strings.Contains(err.Error(), "the mesh has no point 7: its points are 0 to 2") {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

func TestListBounds(t *testing.T) {
	for _, tt := range []struct {
		low, high, step, n int64
		want               string
	}{
		{0, 4, 1, 4, ""}, {0, 5, 1, 4, "index 4 is out of range: the array has 4 elements"}, {-1, 2, 1, 4, "index -1 is out of range"}, {9, 3, 1, 4, ""},
		{-5, 100, 1, -1, ""}, {0, 4, 0, 4, "must be positive"},
	} {
		_, err := program(func(r *Run) { NewList(nil, tt.low, tt.high, ListStep(tt.step, 0), tt.n, 0) }).
			Execute(context.Background(), Input{Graph: pathGraph(1)})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	a := []int16{5, 6, 7, 8}
	if got := AppendList[int16]([]int32{1}, List{unsafe.Pointer(&a[0]), 1, 4, 2, 0}); !slices.Equal(got, []int32{1, 6, 8}) {
		t.Errorf("items %v", got)
	}
}

// TestGrowing adds more and more points: properties move before they are full,
// and keep their values. What one invocation adds at once needs a restart.
func TestGrowing(t *testing.T) {
	for _, tt := range []struct{ adds, restarts int }{{1, 0}, {400, 8}} {
		p := &Program{Name: "test", Mesh: true, Grows: true}
		p.Main = func(r *Run) {
			s := Prop[float64](r, ofPoints)
			base := unsafe.Pointer(unsafe.SliceData(s))
			Growing[float64](r, ofPoints, &base)
			for round := range 500 {
				seen := r.Points
				r.LaunchOnce(nil, func(*Worker, unsafe.Pointer, int, int) {
					for range tt.adds {
						p := r.NewPoint()
						*At[float64](base, p) = float64(p)
					}
					if r.Points != seen {
						r.Fail("the count changes while a kernel runs")
					}
				})
				if int(r.Points) != 2+(round+1)*tt.adds {
					r.Fail("%d points after round %d", r.Points, round)
				}
			}
			Output[float64](r, "v", "double", ofPoints, Float64, base)
			r.Printf("done\n")
		}
		var out strings.Builder
		res, err := p.Execute(context.Background(), Input{Mesh: &Mesh{X: make([]float64, 2), Y: make([]float64, 2)}, Room: 2, Stdout: &out})
		if err != nil {
			t.Fatal(err)
		}
		if (res.Restarts > 0) != (tt.restarts > 0) || int(res.Restarts) > tt.restarts || out.String() != "done\n" {
			t.Errorf("%d points at a time: %d restarts, %q", tt.adds, res.Restarts, out.String())
		}
		v := res.Props[0].Data.([]float64)
		for i := range v {
			if want := float64(i); i >= 2 && v[i] != want || len(v) != 2+500*tt.adds {
				t.Fatalf("point %d of %d has %g", i, len(v), v[i])
			}
		}
	}
}
