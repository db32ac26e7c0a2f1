package simt

import (
	"fmt"
	"math"

	"irgl/internal/ptx"
)

// This file has the products of matrices, mma.sync. The fragments of a warp's lanes are those of
// the PTX manual's section on the instruction. A sum of products is computed in double and rounded
// once: what tensor cores round in between is not specified.

// A fragment says what of a matrix a lane has: its i-th element is at a row and a column.
type fragment struct {
	perLane int
	bits    uint // of an element in its register
	at      func(group, thread, i int) (row, col int)
	decode  func(bits uint64) float64
}

// A product is D = A * B + C: m by k, k by n, m by n.
type product struct {
	m, n, k  int
	a, b, c  fragment
	encode   func(x float64) uint64
	saturate bool
}

// product decodes mma.sync.
func (fd *funcDecoder) product(s *ptx.Inst) {
	in := inst{ctl: ctlSync, e: none}
	for _, o := range s.Args[0].List {
		in.ds = append(in.ds, fd.dest(&in.writes, o))
	}
	for i := range in.matrices {
		for _, o := range s.Args[i+1].List {
			in.matrices[i] = append(in.matrices[i], fd.value(&in.reads, o, "b32"))
		}
	}
	in.mask = fd.constant(math.MaxUint32)
	p := productOf(s.Mods)
	in.run = func(w *warp, in *inst, m uint32) { p.run(w, in, m) }
	fd.emit(in)
}

// productOf returns the product of an instruction's modifiers: the shape is the third, then
// come the layouts, and the types of D, A, B and C.
func productOf(mods []string) *product {
	types := mods[len(mods)-4:]
	p := &product{saturate: mods[5] == "satfinite"}
	if _, err := fmt.Sscanf(mods[2], "m%dn%dk%d", &p.m, &p.n, &p.k); err != nil {
		panic(err) // the table has such shapes alone
	}
	p.a.bits, p.a.decode, _ = elementOf(types[1])
	p.b.bits, p.b.decode, _ = elementOf(types[2])
	p.c.bits, p.c.decode, p.encode = elementOf(types[3])
	p.a.perLane, p.b.perLane, p.c.perLane = p.m*p.k/32, p.k*p.n/32, p.m*p.n/32
	// Elements that share a register are neighbours in a row of A, and in a column of B.
	pack := int(max(1, 32/p.a.bits))
	if types[1] == "f64" {
		pack = 1
	}
	p.a.at = func(g, t, i int) (int, int) {
		j := i / pack
		return g + 8*(j%(p.m/8)), pack*t + i%pack + 4*pack*(j/(p.m/8))
	}
	p.b.at = func(g, t, i int) (int, int) { return pack*t + i%pack + 4*pack*(i/pack), g }
	p.c.at = func(g, t, i int) (int, int) { return g + 8*(i/2), 2*t + i%2 }
	return p
}

// elementOf returns the bits of an element of a type, and how its values are read and written.
func elementOf(t string) (bits uint, decode func(uint64) float64, encode func(float64) uint64) {
	switch t {
	case "f16", "bf16":
		f, _, _ := halfOf(ptx.Type(t))
		return 16, func(b uint64) float64 { return f.decode(uint16(b)) }, func(x float64) uint64 { return uint64(f.encode(x, "rn")) }
	case "tf32":
		return 32, func(b uint64) float64 { return float64(math.Float32frombits(uint32(b) &^ 0x1fff)) }, nil
	case "f32":
		return 32, func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }, func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	case "s8":
		return 8, func(b uint64) float64 { return float64(int8(b)) }, nil
	case "u8":
		return 8, func(b uint64) float64 { return float64(uint8(b)) }, nil
	case "s4":
		return 4, func(b uint64) float64 { return float64(int8(b<<4) >> 4) }, nil
	case "u4":
		return 4, func(b uint64) float64 { return float64(b) }, nil
	case "e4m3", "e5m2":
		f := byteFormats[t]
		return 8, f.decode, nil
	case "s32":
		return 32, func(b uint64) float64 { return float64(int32(b)) }, func(x float64) uint64 { return uint64(uint32(int64(x))) }
	}
	return 64, math.Float64frombits, math.Float64bits
}

// run executes the product for the lanes of a warp.
func (p *product) run(w *warp, in *inst, m uint32) {
	var a, b, c matrix
	p.a.gather(w, in.matrices[0], &a, p.k)
	p.b.gather(w, in.matrices[1], &b, p.n)
	p.c.gather(w, in.matrices[2], &c, p.n)
	for r := m; r != 0; r &= r - 1 {
		lane := lowest(r)
		for _, d := range in.ds {
			w.regs[d+int32(lane)] = 0
		}
		for i := range p.c.perLane {
			row, col := p.c.at(lane/4, lane%4, i)
			x := c[row*p.n+col]
			for k := range p.k {
				x = math.FMA(a[row*p.k+k], b[k*p.n+col], x)
			}
			if p.saturate {
				x = min(max(x, math.MinInt32), math.MaxInt32)
			}
			at := uint(i) * p.c.bits
			size := p.c.register()
			w.regs[in.ds[at/size]+int32(lane)] |= p.encode(x) << (at % size)
		}
	}
}

// A matrix is one of a product, by rows: none has more than 16 by 64 elements.
type matrix [16 * 64]float64

// register returns the bits of the registers that hold elements.
func (f *fragment) register() uint { return max(32, f.bits) }

// gather reads a matrix from the registers of all lanes.
func (f *fragment) gather(w *warp, slots []int32, to *matrix, cols int) {
	size := f.register()
	for lane := range 32 {
		for i := range f.perLane {
			at := uint(i) * f.bits
			bits := w.regs[slots[at/size]+int32(lane)] >> (at % size)
			row, col := f.at(lane/4, lane%4, i)
			to[row*cols+col] = f.decode(bits & (1<<f.bits - 1))
		}
	}
}
