package rt

import (
	"context"
	"encoding/binary"
	"os"
	"sort"
	"testing"
	"time"
	"unsafe"
)

type handBFS struct {
	r     *Run
	level unsafe.Pointer
}

func (s *handBFS) kBFS(wl *WL, LEVEL int32) {
	s.r.LaunchWL(wl, EdgeWork, func(w *Worker, items unsafe.Pointer, lo, hi int) {
		row, dst, level := s.r.Row, s.r.Dst, s.level
		out, end := w.Out, w.End
		for i := lo; i < hi; i++ {
			n := *(*int32)(unsafe.Add(items, uintptr(i-lo)<<2))
			p := unsafe.Add(row, uintptr(uint32(n))<<3)
			edges := Range{*(*int64)(p), *(*int64)(unsafe.Add(p, 8))}
			for e := edges.Lo; e < edges.Hi; e++ {
				eDst := *(*int32)(unsafe.Add(dst, e<<2))
				if *(*int32)(unsafe.Add(level, uintptr(uint32(eDst))<<2)) == 2147483647 {
					*(*int32)(unsafe.Add(level, uintptr(uint32(eDst))<<2)) = LEVEL
					if out == end {
						out, end = w.Grow()
					}
					*(*int32)(out) = eDst
					out = unsafe.Add(out, 4)
				}
			}
		}
		w.Out = out
	}, nil)
}

var handProg = &Program{Name: "bfs", Params: []Kind{Int32}, Main: func(r *Run) {
	s := &handBFS{r: r}
	level := Prop[int32](r, false)
	s.level = unsafe.Pointer(unsafe.SliceData(level))
	for i := range level {
		level[i] = 2147483647
	}
	src := Arg[int32](r, 0)
	level[r.Node(src)] = 0
	LEVEL := int32(1)
	wl := r.NewWL(src)
	for wl.Len() != 0 {
		r.Round()
		s.kBFS(wl, LEVEL)
		LEVEL++
	}
	Output(r, "level", false, Int32, level)
}}

func TestHand(t *testing.T) {
	for _, f := range []string{"rmat20.gr", "grid.gr"} {
		b, err := os.ReadFile("/tmp/gogenw/" + f)
		if err != nil {
			t.Skip(err)
		}
		n := int(binary.LittleEndian.Uint64(b[16:]))
		m := int(binary.LittleEndian.Uint64(b[24:]))
		g := &Graph{RowStart: make([]uint64, n+1), Dst: make([]uint32, m)}
		for i := range n {
			g.RowStart[i+1] = binary.LittleEndian.Uint64(b[32+8*i:])
		}
		for i := range m {
			g.Dst[i] = binary.LittleEndian.Uint32(b[32+8*n+4*i:])
		}
		for workers := 1; workers <= 2; workers++ {
			var ts []float64
			var res *Result
			for range 15 {
				t0 := time.Now()
				res, err = handProg.Execute(context.Background(), Input{Graph: g, Workers: workers, Args: []Value{{Kind: Int32}}})
				if err != nil {
					t.Fatal(err)
				}
				ts = append(ts, float64(time.Since(t0).Microseconds())/1000)
			}
			sort.Float64s(ts)
			sum, reached := 0, 0
			for _, x := range res.Props[0].Data.([]int32) {
				if x != 2147483647 {
					sum += int(x)
					reached++
				}
			}
			t.Log(f, workers, ts[7], "reached", reached, "sum", sum, res.Iterations)
		}
	}
}
