package nvccdiff

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"irgl/internal/check"
	"irgl/internal/device"
)

// An attempt is a launch with random arguments.
type attempt struct {
	rng         *rand.Rand
	odd         *rand.Rand // of special numbers
	grid, block device.Dim3
	shared      uint32
	extent      [3]int64 // threads in each direction
	mode        int      // of integers, see integer
	scale       int64    // of buffers
	middle      bool     // pointers are to the middles of buffers
	below       int64    // of integers in memory
	ascending   bool     // integers in memory are
	floats      int      // range of floating-point numbers
	fillGlobals bool
	special     special
	words       bool           // buffers of bytes hold words
	extremeLeaf map[*leaf]bool // whether it has extreme integers

	params  []byte // the parameter block, without pointers
	buffers []*buffer
	pending []pendingPointer
	vars    [][]byte // contents of the kernel's globals
}

// A pendingPointer is a place in a buffer, or in the parameters, that holds the address of a buffer.
type pendingPointer struct {
	in, to int // indices of buffers; in is -1 for the parameters
	at     int64
}

// A buffer is memory that a pointer points to.
type buffer struct {
	name   string
	leaves []leaf
	stride int64
	data   []byte // its first contents
}

// shape is a grid and a block.
type shape struct{ grid, block device.Dim3 }

// shapes are by the directions that a kernel uses.
var shapes = [3][]shape{
	{
		{device.Dim3{X: 2}, device.Dim3{X: 256}}, {device.Dim3{X: 4}, device.Dim3{X: 64}}, {device.Dim3{X: 1}, device.Dim3{X: 32}}, {device.Dim3{X: 3}, device.Dim3{X: 128}},
		{device.Dim3{X: 1}, device.Dim3{X: 512}}, {device.Dim3{X: 1}, device.Dim3{X: 256}}, {device.Dim3{X: 2}, device.Dim3{X: 1024}}, {device.Dim3{X: 2}, device.Dim3{X: 16}}, {device.Dim3{X: 1}, device.Dim3{X: 1}},
	},
	{
		{device.Dim3{X: 2, Y: 2}, device.Dim3{X: 16, Y: 16}}, {device.Dim3{X: 2, Y: 1}, device.Dim3{X: 32, Y: 8}}, {device.Dim3{X: 2, Y: 3}, device.Dim3{X: 8, Y: 8}}, {device.Dim3{X: 1, Y: 1}, device.Dim3{X: 32, Y: 32}},
		{device.Dim3{X: 1, Y: 2}, device.Dim3{X: 64, Y: 1}}, {device.Dim3{X: 2, Y: 2}, device.Dim3{X: 256, Y: 1}}, {device.Dim3{X: 1, Y: 1}, device.Dim3{X: 4, Y: 4}}, {device.Dim3{X: 1, Y: 1}, device.Dim3{X: 32, Y: 4}},
	},
	{
		{device.Dim3{X: 2, Y: 2, Z: 2}, device.Dim3{X: 8, Y: 4, Z: 2}}, {device.Dim3{X: 1, Y: 1, Z: 1}, device.Dim3{X: 8, Y: 8, Z: 8}}, {device.Dim3{X: 1, Y: 2, Z: 2}, device.Dim3{X: 16, Y: 16, Z: 1}}, {device.Dim3{X: 2, Y: 2, Z: 2}, device.Dim3{X: 4, Y: 4, Z: 4}},
		{device.Dim3{X: 2, Y: 2, Z: 2}, device.Dim3{X: 64, Y: 1, Z: 1}}, {device.Dim3{X: 1, Y: 1, Z: 1}, device.Dim3{X: 2, Y: 2, Z: 2}}, {device.Dim3{X: 2, Y: 1, Z: 3}, device.Dim3{X: 256, Y: 1, Z: 1}},
	},
}

const (
	// modes is how many there are, see [attempt.integer].
	modes = 6
	// elements are those of a buffer at scale 1, and smallBytes what they may take.
	elements, smallBytes = 1 << 14, 1 << 17
	// behindPointers is how many elements of a buffer have pointers, each to a buffer of its own.
	behindPointers = 32
	// maxDepth bounds pointers to pointers.
	maxDepth = 4
)

// A draw says which attempt is made.
type draw struct {
	seed    uint64
	number  int
	scale   int64
	middle  bool
	special special
}

// newAttempt draws an attempt for a kernel. What has special numbers is otherwise drawn as
// without.
func newAttempt(k *kernelPair, d draw) *attempt {
	h := fnv.New64a()
	h.Write([]byte(k.symbol))
	i := d.number
	seed := d.seed&(1<<48-1) + uint64(i)<<32
	a := &attempt{rng: rand.New(rand.NewPCG(seed, h.Sum64())), scale: d.scale, mode: i % modes, middle: d.middle, words: k.words}
	a.odd, a.special = rand.New(rand.NewPCG(d.seed, h.Sum64()+1)), d.special
	list := shapes[k.dims-1]
	s := list[(i+i/modes)%len(list)]
	a.grid, a.block = s.grid.Norm(), s.block.Norm()
	if k.reqThreads != (device.Dim3{}) {
		a.block = k.reqThreads
	}
	if most := uint64(k.maxThreads); most > 0 && a.block.Count() > most {
		a.block = device.Dim3{X: uint32(min(most, 32)), Y: 1, Z: 1}
	}
	a.extent = [3]int64{int64(a.grid.X * a.block.X), int64(a.grid.Y * a.block.Y), int64(a.grid.Z * a.block.Z)}
	if k.dynamicShared {
		a.shared = 16 << 10
	}
	a.below = []int64{a.extent[0], 8, 2, 64, 4, 16}[a.rng.IntN(6)]
	a.ascending = a.rng.IntN(3) == 0
	a.floats = a.rng.IntN(3)
	a.fillGlobals = a.rng.IntN(2) == 0
	return a
}

// margin returns where in a buffer the pointers to it point.
func (a *attempt) margin(b *buffer) uint64 {
	if !a.middle {
		return 0
	}
	half := int64(len(b.data)) / b.stride / 2
	return uint64(half &^ 63 * b.stride)
}

// integer draws an integer parameter: number i.
func (a *attempt) integer(i int) int64 {
	n := a.extent[0] * a.extent[1] * a.extent[2]
	switch a.mode {
	case 0:
		return a.extent[0]
	case 1:
		return a.extent[i%3]
	case 2:
		return n
	case 3:
		return int64(1 + a.rng.IntN(8))
	case 4:
		return []int64{1, 2, 4, 8, 16, 32, a.extent[0], n}[a.rng.IntN(8)]
	}
	return []int64{0, 1, 2, 3, 5, 7, int64(a.block.X), int64(a.grid.X), a.extent[0], a.extent[1]}[a.rng.IntN(10)]
}

// number draws a floating-point number.
func (a *attempt) number() float64 {
	switch a.floats {
	case 0:
		return 2*a.rng.Float64() - 1
	case 1:
		return 0.5 + a.rng.Float64()
	}
	return float64(a.rng.IntN(8))
}

// arguments makes the parameter block, the buffers and the contents of variables.
func (a *attempt) arguments(k *kernelPair) error {
	block := make([]byte, k.bytes)
	a.params = block
	n := 0
	for i, p := range k.params {
		for j := range p.leaves {
			l := &p.leaves[j]
			at := p.at + l.at
			switch l.kind {
			case pointer:
				if err := a.point(-1, at, l.to, fmt.Sprintf("parameter %d", i), 1); err != nil {
					return err
				}
			case integer, untyped:
				v := a.integer(n)
				if l.size == 1 {
					v = int64(a.rng.IntN(8))
				}
				put(block[at:], l.size, uint64(v))
				n++
			case boolean:
				block[at] = byte(a.rng.IntN(2))
			default:
				put(block[at:], l.size, a.float(l))
			}
		}
	}
	a.vars = a.globals(k)
	return nil
}

// point makes a buffer for the pointer at a place.
func (a *attempt) point(in int, at int64, to check.Type, name string, depth int) error {
	if depth > maxDepth {
		return nil // null
	}
	list, stride, err := element(to)
	if err != nil {
		return err
	}
	if a.words && stride == 1 {
		list, stride, _ = element(check.Void)
	}
	b := &buffer{name: name, leaves: list, stride: stride}
	count := min(elements, smallBytes/stride) * a.scale
	if depth > 1 {
		count = min(count, elements/4)
	}
	pointers := false
	for i := range list {
		pointers = pointers || list[i].kind == pointer
	}
	if pointers {
		count = min(count, behindPointers)
	}
	count = max(count, 1)
	b.data = make([]byte, count*stride)
	index := len(a.buffers)
	a.buffers = append(a.buffers, b)
	a.pending = append(a.pending, pendingPointer{in, index, at})
	for e := range count {
		for i := range list {
			l := &list[i]
			if l.kind != pointer {
				a.fill(l, b.data[e*stride+l.at:], e, count)
			} else if err := a.point(index, e*stride+l.at, l.to, fmt.Sprintf("%s, behind byte %d", name, e*stride+l.at), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill draws a scalar in memory, of element e of count.
func (a *attempt) fill(l *leaf, b []byte, e, count int64) {
	switch l.kind {
	case boolean:
		b[0] = byte(a.rng.IntN(2))
	case integer, untyped:
		v := a.rng.Int64N(max(a.below, 1))
		if a.ascending {
			v = min(e, 4*a.extent[0])
		}
		if l.size == 1 {
			v &= 0x7f
		}
		put(b, l.size, a.extreme(l, uint64(v)))
	default:
		put(b, l.size, a.float(l))
	}
}
