package rt

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// filling is a program with a property that is its result, one that is not, one with pointers,
// and a worklist of all nodes. It fails when a property does not start as zero.
func filling(fail *bool) *Program {
	return &Program{
		Name: "filling", Graph: true, Props: []PropSize{{ofNodes, 8}, {ofNodes, 8}, {ofEdges, 4}}, Lists: true, Params: []Kind{Int64},
		Main: func(r *Run) {
			x, y, z, p := Prop[int64](r, ofNodes), Prop[int64](r, ofNodes), Prop[int32](r, ofEdges), Prop[unsafe.Pointer](r, ofNodes)
			wl := r.NewWL()
			for i := range x {
				if x[i] != 0 || y[i] != 0 || p[i] != nil {
					r.Fail("node %d starts as %d, %d, %v", i, x[i], y[i], p[i])
				}
				x[i], y[i], p[i] = Arg[int64](r, 0), -1, unsafe.Pointer(r)
				r.workers[0].Push(int32(i))
			}
			for i := range z {
				if z[i] != 0 {
					r.Fail("edge %d starts as %d", i, z[i])
				}
				z[i] = -1
			}
			wl.Swap()
			if fail != nil && *fail {
				r.Fail("as asked")
			}
			wl.Close()
			Output[int64](r, "x", "long", ofNodes, Int64, unsafe.Pointer(unsafe.SliceData(x)))
		},
	}
}

func line(nodes int) *Graph {
	g := &Graph{RowStart: make([]uint64, nodes+1), Dst: make([]uint32, nodes)}
	for i := range nodes {
		g.RowStart[i+1], g.Dst[i] = uint64(i+1), uint32(i)
	}
	return g
}

// TestMemory runs a program again and again with the memory of its runs before: all
// properties start as zero, no result changes, and little is allocated.
func TestMemory(t *testing.T) {
	var m Memory
	fail := false
	p, g := filling(&fail), line(50000)
	var results [][]int64
	for i := range 6 {
		in := Input{Graph: g, Workers: 1, Memory: &m, Args: []Value{{Kind: Int64, Int: int64(i)}}}
		if fail = i == 3; i != 2 { // without Reserve what is kept must be cleared
			p.Reserve(&m, g, 1)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		res, err := p.Execute(context.Background(), in)
		runtime.ReadMemStats(&after)
		if fail != (err != nil) {
			t.Fatal(err)
		}
		if fail {
			continue
		}
		// The pointers, 8 bytes a node, are allocated in any case; a result without Reserve, too.
		if used := after.TotalAlloc - before.TotalAlloc; i != 2 && used > 10*50000 {
			t.Errorf("run %d allocates %d bytes", i, used)
		}
		results = append(results, res.Props[0].Data.([]int64))
		for k, want := range []int64{0, 1, 2, 4, 5}[:len(results)] {
			if r := results[k]; r[0] != want || r[len(r)-1] != want {
				t.Fatalf("after run %d the result of run %d is %d", i, want, r[0])
			}
		}
	}
	// Another graph: the arrays of the one before are of no use.
	g = line(70000)
	p.Reserve(&m, g, 1)
	for range 2 {
		if _, err := p.Execute(context.Background(), Input{Graph: g, Workers: 1, Memory: &m, Args: []Value{{Kind: Int64}}}); err != nil {
			t.Fatal(err)
		}
	}
	if m.take(wordsOf(50000, 8)) != nil {
		t.Error("arrays for another graph are kept")
	}
}

// TestMemoryBounded: runs that overlap leave no more behind than the first of them, however
// many there are.
func TestMemoryBounded(t *testing.T) {
	var m Memory
	g := line(3 * blockItems)
	begun, proceed := make(chan struct{}), make(chan struct{})
	inner := filling(nil)
	p := *inner
	p.Main = func(r *Run) {
		close(begun)
		<-proceed
		inner.Main(r)
	}
	size := func() (words, blocks int) {
		for n, list := range m.arrays {
			words += n * len(list)
		}
		return words, len(m.blocks)
	}
	execute := func(p *Program) error {
		_, err := p.Execute(t.Context(), Input{Graph: g, Workers: 1, Memory: &m, Args: []Value{{Kind: Int64}}})
		return err
	}
	words, blocks := 0, 0
	for i := range 20 { // each round is a run within another one
		p.Reserve(&m, g, 1)
		begun, proceed = make(chan struct{}), make(chan struct{})
		outer := make(chan error)
		go func() { outer <- execute(&p) }()
		<-begun
		p.Reserve(&m, g, 1)
		if err := execute(inner); err != nil {
			t.Fatal(err)
		}
		close(proceed)
		if err := <-outer; err != nil {
			t.Fatal(err)
		}
		w, b := size()
		if i == 0 {
			words, blocks = w, b
		} else if w > words || b > blocks {
			t.Fatalf("after %d rounds %d words and %d blocks are kept, after the first %d and %d", i+1, w, b, words, blocks)
		}
	}
	if blocks == 0 || words == 0 {
		t.Error("nothing is kept")
	}
}

// TestMemoryAtOnce runs a program several times at once.
func TestMemoryAtOnce(t *testing.T) {
	var m Memory
	p, g := filling(nil), line(3000)
	var group sync.WaitGroup
	errs := make([]error, 8)
	for k := range errs {
		group.Go(func() {
			for i := range int64(10) {
				p.Reserve(&m, g, 2)
				res, err := p.Execute(context.Background(), Input{Graph: g, Workers: 2, Memory: &m, Args: []Value{{Kind: Int64, Int: i}}})
				if err == nil && res.Props[0].Data.([]int64)[2999] != i {
					err = errors.New("a result has changed")
				}
				errs[k] = errors.Join(errs[k], err)
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}
