package simt

import (
	"math"

	"irgl/internal/ptx"
)

// This file has products of matrices whose fragments PTX leaves open (wmma), and moves of 8 by 8 matrices between
// shared memory and the fragments of mma.sync (ldmatrix, stmatrix, movmatrix).
//
// A lane has the elements of a wmma fragment that follow each other in the rows of the matrix; where it has more registers
// than elements, the fragment is there twice.

// A wmmaFragment is a matrix in the registers of a warp.
type wmmaFragment struct {
	rows, cols int
	bits       uint // of an element
	slots      []int32
}

// perLane returns how many different elements a lane has.
func (f *wmmaFragment) perLane() int { return f.rows * f.cols / 32 }

// held returns how many elements fit the registers of a lane.
func (f *wmmaFragment) held() int { return len(f.slots) * int(max(32, f.bits)/f.bits) }

// at returns the row and the column of a lane's i-th element.
func (f *wmmaFragment) at(lane, i int) (row, col int) {
	e := lane*f.perLane() + i%f.perLane()
	return e / f.cols, e % f.cols
}

// get and set access a lane's i-th element.
func (f *wmmaFragment) get(w *warp, lane, i int) uint64 {
	at, size := uint(i)*f.bits, max(32, f.bits)
	v := w.regs[f.slots[at/size]+int32(lane)] >> (at % size)
	if f.bits < 64 {
		v &= 1<<f.bits - 1
	}
	return v
}

func (f *wmmaFragment) set(w *warp, lane, i int, v uint64) {
	at, size := uint(i)*f.bits, max(32, f.bits)
	r := &w.regs[f.slots[at/size]+int32(lane)]
	if f.bits == 64 {
		*r = v
		return
	}
	mask := uint64(1)<<f.bits - 1
	*r = *r&^(mask<<(at%size)) | v&mask<<(at%size)
}

// values returns the matrix as numbers.
func (f *wmmaFragment) values(w *warp, decode func(uint64) float64) [][]float64 {
	out := make([][]float64, f.rows)
	for r := range out {
		out[r] = make([]float64, f.cols)
	}
	for lane := range 32 {
		for i := range f.perLane() {
			r, c := f.at(lane, i)
			out[r][c] = decode(f.get(w, lane, i))
		}
	}
	return out
}

// matrix decodes wmma, ldmatrix, stmatrix and movmatrix.
func (fd *funcDecoder) matrix(s *ptx.Inst, m mods) {
	switch {
	case s.Op == "movmatrix":
		in := inst{ctl: ctlSync, run: runMoveMatrix, e: none, a: none, b: none, c: none}
		in.ds = []int32{fd.value(&in.reads, s.Args[1], "b32")}
		in.d = fd.dest(&in.writes, s.Args[0])
		in.mask = fd.fullWarp()
		fd.emit(in)
	case s.Op != "wmma":
		fd.moveMatrices(s, m)
	case m.list[0] == "mma":
		fd.wmmaProduct(s, m)
	default:
		fd.wmmaMove(s, m)
	}
}

// wmmaShape returns the extents of a product.
func wmmaShape(name string) (m, n, k int) {
	switch name {
	case "m16n16k16":
		return 16, 16, 16
	case "m32n8k16":
		return 32, 8, 16
	case "m8n32k16":
		return 8, 32, 16
	case "m16n16k8":
		return 16, 16, 8
	}
	return 8, 8, 4
}

// wmmaExtent returns the extents of one of the matrices of a product, by its letter.
func wmmaExtent(letter, shape string) (rows, cols int) {
	m, n, k := wmmaShape(shape)
	switch letter {
	case "a":
		return m, k
	case "b":
		return k, n
	}
	return m, n
}

// wmmaMove decodes loads and stores: .load.a.sync.aligned.row.shape{.space}.type.
func (fd *funcDecoder) wmmaMove(s *ptx.Inst, m mods) {
	in := inst{ctl: ctlSync, e: none, b: none, c: none, d: none}
	isStore := m.list[0] == "store"
	mem, data := s.Args[1], s.Args[0]
	if isStore {
		mem, data = data, mem
	}
	fd.memory(&in, mem, m)
	f := wmmaFragment{}
	letter := m.list[1]
	f.rows, f.cols = wmmaExtent(letter, m.list[5])
	f.bits, _, _ = elementOf(m.list[len(m.list)-1])
	for _, o := range data.List {
		if isStore {
			f.slots = append(f.slots, fd.value(&in.reads, o, "b32"))
		} else {
			f.slots = append(f.slots, fd.dest(&in.writes, o))
		}
	}
	byRow := m.list[4] == "row"
	stride := fd.constant(uint64(f.cols))
	if !byRow {
		stride = fd.constant(uint64(f.rows))
	}
	if len(s.Args) > 2 {
		stride = fd.value(&in.reads, s.Args[2], "u32")
	}
	in.size = uint8(f.bits / 8)
	in.mask = fd.fullWarp()
	in.run = func(w *warp, in *inst, mask uint32) { f.move(w, in, mask, stride, byRow, isStore) }
	fd.emit(in)
}

// move loads or stores a fragment.
func (f *wmmaFragment) move(w *warp, in *inst, mask uint32, stride int32, byRow, write bool) {
	if !w.common(in, mask, stride) {
		return
	}
	one := *in
	size := uint64(f.bits / 8)
	for ; mask != 0; mask &= mask - 1 {
		lane := lowest(mask)
		for i := range f.held() {
			row, col := f.at(lane, i)
			if write && i >= f.perLane() {
				break
			}
			if !byRow {
				row, col = col, row
			}
			one.off = in.off + int64(size)*(int64(row)*int64(w.regs[stride+int32(lane)])+int64(col))
			var loc location
			if !w.resolve(&one, lane, size, write, &loc) {
				return
			}
			same := write && load(loc.mem, uint8(size)) == f.get(w, lane, i)
			if loc.buf != nil && w.l.races != nil {
				w.l.races.access(w, in, lane, &loc, size, write, same)
			}
			if !write {
				f.set(w, lane, i, load(loc.mem, uint8(size)))
				continue
			}
			if !same {
				w.l.progress()
			}
			store(loc.mem, uint8(size), f.get(w, lane, i))
		}
	}
}

// common reports whether the lanes of a warp have one address and one stride, as loads and stores of fragments must.
func (w *warp) common(in *inst, mask uint32, stride int32) bool {
	first := lowest(mask)
	address, rows := in.address(w, first), w.regs[stride+int32(first)]
	for m := mask & (mask - 1); m != 0; m &= m - 1 {
		lane := lowest(m)
		if a := in.address(w, lane); a != address {
			w.misused(in, different, "%s: the address of %q is %#x, and %#x of %s", w.thread(lane), in.src, a, address, w.thread(first))
			return false
		}
		if r := w.regs[stride+int32(lane)]; r != rows {
			w.misused(in, different, "%s: the stride of %q is %d, and %d of %s", w.thread(lane), in.src, r, rows, w.thread(first))
			return false
		}
	}
	return true
}

// wmmaProduct decodes .mma.sync.aligned.alayout.blayout.shape and the types of D and C, or of D, A, B and C.
func (fd *funcDecoder) wmmaProduct(s *ptx.Inst, m mods) {
	types := m.list[6:]
	saturate := false
	if last := types[len(types)-1]; last == "satfinite" || last == "rn" {
		saturate, types = last == "satfinite", types[:len(types)-1]
	}
	names := [4]string{types[0], "f16", "f16", types[len(types)-1]} // of D, A, B and C
	if len(types) == 4 {
		copy(names[:], types)
	}
	in := inst{ctl: ctlSync, e: none, a: none, b: none, c: none, d: none}
	var frags [4]wmmaFragment
	for i, letter := range [...]string{"d", "a", "b", "c"} {
		f := &frags[i]
		f.rows, f.cols = wmmaExtent(letter, m.list[5])
		f.bits, _, _ = elementOf(names[i])
		for _, o := range s.Args[i].List {
			if i == 0 {
				f.slots = append(f.slots, fd.dest(&in.writes, o))
			} else {
				f.slots = append(f.slots, fd.value(&in.reads, o, "b32"))
			}
		}
	}
	_, decodeA, _ := elementOf(names[1])
	_, decodeB, _ := elementOf(names[2])
	_, decodeC, _ := elementOf(names[3])
	_, _, encode := elementOf(names[0])
	in.mask = fd.fullWarp()
	in.run = func(w *warp, _ *inst, mask uint32) {
		a, b, c := frags[1].values(w, decodeA), frags[2].values(w, decodeB), frags[3].values(w, decodeC)
		d := &frags[0]
		for ; mask != 0; mask &= mask - 1 {
			lane := lowest(mask)
			for i := range d.held() {
				row, col := d.at(lane, i)
				x := c[row][col]
				for k := range a[row] {
					x = math.FMA(a[row][k], b[k][col], x)
				}
				if saturate {
					x = min(max(x, math.MinInt32), math.MaxInt32)
				}
				d.set(w, lane, i, encode(x))
			}
		}
	}
	fd.emit(in)
}

// moveMatrices decodes ldmatrix and stmatrix: lanes 8i to 8i+7 have the addresses of the rows of the i-th matrix, and
// each lane has two neighbours of a row, or with .trans of a column, in its i-th register.
func (fd *funcDecoder) moveMatrices(s *ptx.Inst, m mods) {
	in := inst{ctl: ctlSync, e: none, b: none, c: none, d: none, size: 16}
	isStore := s.Op == "stmatrix"
	mem, data := s.Args[1], s.Args[0]
	if isStore {
		mem, data = data, mem
	}
	fd.memory(&in, mem, m)
	for _, o := range data.List {
		if isStore {
			in.ds = append(in.ds, fd.value(&in.reads, o, "b32"))
		} else {
			in.ds = append(in.ds, fd.dest(&in.writes, o))
		}
	}
	in.mask = fd.fullWarp()
	trans := m.has("trans")
	in.run = func(w *warp, in *inst, _ uint32) { w.matrices(in, trans, isStore) }
	fd.emit(in)
}

// matrices executes ldmatrix and stmatrix.
func (w *warp) matrices(in *inst, trans, write bool) {
	for i, reg := range in.ds {
		for row := range 8 {
			var loc location
			lane := 8*i + row
			if !w.resolve(in, lane, 16, write, &loc) {
				return
			}
			if loc.buf != nil && w.l.races != nil {
				w.l.races.access(w, in, lane, &loc, 16, write, false)
			}
			for col := range 8 {
				owner, part := 4*row+col/2, uint(col%2)
				if trans {
					owner, part = 4*col+row/2, uint(row%2)
				}
				r := &w.regs[reg+int32(owner)]
				if write {
					store(loc.mem[2*col:], 2, *r>>(16*part)&0xffff)
				} else {
					*r = *r&math.MaxUint32&^(0xffff<<(16*part)) | load(loc.mem[2*col:], 2)<<(16*part)
				}
			}
		}
	}
	if write {
		w.l.progress()
	}
}

// runMoveMatrix transposes a matrix of 8 by 8 halves.
func runMoveMatrix(w *warp, in *inst, m uint32) {
	a := *lanes(w.regs, in.ds[0])
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		row, v := lane/4, uint64(0)
		for part := range 2 {
			col := 2*(lane%4) + part // of the result; the element is at (col, row)
			v |= a[4*col+row/2] >> (16 * (row % 2)) & 0xffff << (16 * part)
		}
		w.regs[in.d+int32(lane)] = v
	}
}
