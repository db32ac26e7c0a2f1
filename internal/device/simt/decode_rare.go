package simt

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"irgl/internal/ptx"
)

// This file decodes the instructions of package ptx's rareRows, and the special registers of the driver.

// rare decodes an instruction that few programs use; false when it is not one.
//
//irgl:flatswitch
func (fd *funcDecoder) rare(s *ptx.Inst, m mods) bool {
	switch s.Op {
	case "add", "min", "max":
		return fd.packed(s, m)
	case "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2":
		fd.ternary(s, "b32", "b32", "b32", video(s.Op, m.list))
	case "cvt":
		return fd.narrow(s, m)
	case "createpolicy":
		var w []int32
		d := fd.dest(&w, s.Args[0])
		fd.emit(inst{run: runMov, d: d, a: fd.constant(0), writes: w}) // policies do nothing here
	case "discard", "applypriority", "griddepcontrol":
		fd.emit(inst{run: runNothing})
	case "elect":
		in := inst{ctl: ctlSync, run: runElect, a: none, b: none, c: none}
		in.mask = fd.value(&in.reads, s.Args[1], "b32")
		fd.predDest(&in, s.Args[0])
		fd.emit(in)
	case "fence", "membar":
		if !m.has("proxy") && !m.has("mbarrier_init") {
			return false
		}
		fd.emit(inst{run: runNothing}) // all accesses are of one proxy here
	case "tex", "tld4", "txq", "suq", "suld", "sust":
		fd.texture(s, m)
	case "cp", "mbarrier":
		fd.asynchronous(s, m)
	case "wmma", "ldmatrix", "stmatrix", "movmatrix":
		fd.matrix(s, m)
	default:
		return false
	}
	return true
}

// runElect elects the lowest lane of m.
func runElect(w *warp, in *inst, m uint32) {
	leader := lowest(m)
	for r := m; r != 0; r &= r - 1 {
		w.regs[in.d+int32(lowest(r))] = uint64(leader)
	}
	if in.e != none {
		w.regs[in.e] = uint64(uint32(w.regs[in.e])&^m | 1<<leader)
	}
}

// packed decodes sums, minima and maxima of pairs of 16-bit integers, .relu and .xorsign.abs.
func (fd *funcDecoder) packed(s *ptx.Inst, m mods) bool {
	relu := m.has("relu")
	switch {
	case m.has("xorsign"):
		fd.binary(s, m.t, xorSign(s.Op, m))
	case m.t == "u16x2" || m.t == "s16x2":
		half := mods{list: m.list, t: m.t[:3]}
		f := intBinary(s.Op, half)
		g := func(a, b uint64) uint64 {
			if v := f(a&0xffff, b&0xffff) & 0xffff; !relu || v < 1<<15 {
				return v
			}
			return 0
		}
		fd.emitBinary(s, m.t, func(a, b uint64) uint64 { return g(a, b) | g(a>>16, b>>16)<<16 })
	case m.t == "s32" && relu:
		f := intBinary(s.Op, m)
		fd.emitBinary(s, m.t, func(a, b uint64) uint64 {
			if v := f(a, b); int32(v) > 0 {
				return v
			}
			return 0
		})
	default:
		return false
	}
	return true
}

// emitBinary emits d = f(a, b) without a kernel for ranges of lanes.
func (fd *funcDecoder) emitBinary(s *ptx.Inst, t ptx.Type, f func(a, b uint64) uint64) {
	var r, w []int32
	a, b := fd.value(&r, s.Args[1], t), fd.value(&r, s.Args[2], t)
	d := fd.dest(&w, s.Args[0])
	fd.emit(inst{run: runBinary, f2: f, d: d, a: a, b: b, reads: r, writes: w})
}

// xorSign returns min or max of absolute values, with the product of the signs; a NaN, which
// is 0x7fff or 0x7fffffff, has none (as an H200 answers).
func xorSign(op string, m mods) func(a, b uint64) uint64 {
	width := uint(8 * m.t.Size())
	if m.t == "f16x2" || m.t == "bf16x2" {
		width = 16
	}
	sign := uint64(1) << (width - 1)
	plain := mods{t: m.t}
	for _, s := range m.list {
		if s == "ftz" || s == "NaN" {
			plain.list = append(plain.list, s)
		}
	}
	var f func(a, b uint64) uint64
	switch {
	case m.t == "f32":
		f = floatBinary(op, plain)
	default:
		g := halfOp(op, plain)
		f = func(a, b uint64) uint64 { return g(a, b, 0) }
	}
	element := func(v, signs uint64) uint64 {
		if v == sign-1 {
			return v
		}
		return v | signs&sign
	}
	if width == uint(8*m.t.Size()) {
		return func(a, b uint64) uint64 { return element(f(a&^sign, b&^sign), a^b) }
	}
	both := sign | sign<<16
	return func(a, b uint64) uint64 {
		v := f(a&^both, b&^both)
		return element(v&0xffff, a^b) | element(v>>16&0xffff, (a^b)>>16)<<16
	}
}

// video returns an instruction on the bytes or halves of 32 bits: its types are those of d, a and b.
func video(op string, list []string) func(a, b, c uint64) uint64 {
	parts := op[len(op)-1] - '0'
	op = op[1 : len(op)-1]
	width := uint(32 / parts)
	mask := uint64(1)<<width - 1
	element := func(t string, v uint64) int64 {
		if t == "s32" {
			return int64(v<<(64-width)) >> (64 - width)
		}
		return int64(v & mask)
	}
	lo, hi := int64(0), int64(mask)
	if list[0] == "s32" {
		lo, hi = -int64(mask>>1)-1, int64(mask>>1)
	}
	last := list[len(list)-1]
	one := func(x, y int64) int64 {
		switch op {
		case "add":
			x += y
		case "sub":
			x -= y
		case "avrg":
			if x += y; x >= 0 {
				x++
			}
			x >>= 1
		case "absdiff":
			x = max(x-y, y-x)
		case "min":
			x = min(x, y)
		case "max":
			x = max(x, y)
		}
		if last == "sat" {
			x = min(max(x, lo), hi)
		}
		return x
	}
	return func(a, b, c uint64) uint64 {
		sum, packed := int64(c), uint64(0)
		for i := range uint(parts) {
			v := one(element(list[1], a>>(i*width)), element(list[2], b>>(i*width)))
			sum += v
			packed |= uint64(v) & mask << (i * width)
		}
		if last == "add" {
			return uint64(uint32(sum))
		}
		return packed
	}
}

// narrow decodes the conversions to and from formats that no register has.
func (fd *funcDecoder) narrow(s *ptx.Inst, m mods) bool {
	relu := m.has("relu")
	to8 := m.first("e4m3x2", "e5m2x2")
	switch {
	case m.has("pack"):
		fd.convertPack(s, m)
	case m.has("tf32"):
		mode := m.first("rna", "rn", "rz")
		fd.emitUnary(s, "f32", func(a uint64) uint64 { return tf32(a, mode, relu) })
	case to8 == "":
		return false
	case m.t == "f32":
		f := byteFormats[to8[:4]]
		fd.emitBinary(s, "f32", func(a, b uint64) uint64 {
			return f.encode(float64(f32of(a)), relu)<<8 | f.encode(float64(f32of(b)), relu)
		})
	case m.list[len(m.list)-1] == "f16x2":
		f := byteFormats[to8[:4]]
		fd.emitUnary(s, "b32", func(a uint64) uint64 {
			return f.encode(f16.decode(uint16(a>>16)), relu)<<8 | f.encode(f16.decode(uint16(a)), relu)
		})
	default:
		f := byteFormats[to8[:4]]
		finish := halfFinish(f16, m)
		one := func(b uint64) uint64 { return uint64(finish(f16.encode(f.decode(b), "rn"))) }
		fd.emitUnary(s, "b16", func(a uint64) uint64 { return one(a>>8&0xff)<<16 | one(a&0xff) })
	}
	return true
}

// emitUnary emits d = f(a).
func (fd *funcDecoder) emitUnary(s *ptx.Inst, u ptx.Type, f func(uint64) uint64) {
	var r, w []int32
	a := fd.value(&r, s.Args[1], u)
	d := fd.dest(&w, s.Args[0])
	fd.emit(inst{run: runUnary, f1: f, d: d, a: a, reads: r, writes: w})
}

// convertPack decodes cvt.pack: two saturated integers in one register, above them the low bits of a third operand.
func (fd *funcDecoder) convertPack(s *ptx.Inst, m mods) {
	width := uint(8 * m.t.Size())
	lo, hi := int64(0), int64(1)<<width-1
	if m.t[0] == 's' {
		lo, hi = -(int64(1) << (width - 1)), int64(1)<<(width-1)-1
	}
	one := func(v uint64) uint64 { return uint64(min(max(int64(int32(v)), lo), hi)) & (1<<width - 1) }
	pack := func(a, b, c uint64) uint64 { return (one(a)<<width | one(b) | c<<(2*width)) & math.MaxUint32 }
	if len(s.Args) == 3 {
		fd.emitBinary(s, "s32", func(a, b uint64) uint64 { return pack(a, b, 0) })
		return
	}
	fd.ternaryRun(s, "s32", "s32", "b32", runTernary)
	fd.fn.code[len(fd.fn.code)-1].f3 = pack
}

// tf32 rounds a float to ten bits of fraction. Of a NaN, .rna cuts the bits off (one whose
// ten bits are zero becomes infinity), the others make 0x7fffe000 (as an H200 answers).
func tf32(a uint64, mode string, relu bool) uint64 {
	v := uint32(a)
	switch {
	case v&0x7fffffff > 0x7f800000 && mode != "rna":
		return 0x7fffe000
	case relu && v>>31 != 0:
		return 0
	case v&0x7fffffff >= 0x7f800000:
	case mode == "rna":
		v += 1 << 12
	case mode == "rn":
		v += 1<<12 - 1 + v>>13&1
	}
	return uint64(v &^ 0x1fff)
}

// A byteFormat is an 8-bit float.
type byteFormat struct {
	mant uint
	bias int
	most uint64 // bits of the largest finite number
	inf  uint64 // bits of infinity; 0 where the format has none
}

var byteFormats = map[string]byteFormat{
	"e4m3": {mant: 3, bias: 7, most: 0x7e},
	"e5m2": {mant: 2, bias: 15, most: 0x7b, inf: 0x7c},
}

// decode returns the value of a byte.
func (f byteFormat) decode(b uint64) float64 {
	mag := b & 0x7f
	exp, frac := int(mag>>f.mant), float64(mag&(1<<f.mant-1))
	var x float64
	switch {
	case f.inf != 0 && mag == f.inf:
		x = math.Inf(1)
	case mag > f.most:
		return math.NaN()
	case exp == 0:
		x = math.Ldexp(frac, 1-f.bias-int(f.mant))
	default:
		x = math.Ldexp(frac+float64(uint64(1)<<f.mant), exp-f.bias-int(f.mant))
	}
	if b>>7&1 != 0 {
		return -x
	}
	return x
}

// encode rounds to the nearest number of the format, ties to even, and saturates.
func (f byteFormat) encode(x float64, relu bool) uint64 {
	sign := uint64(0)
	switch {
	case x != x:
		return 0x7f
	case relu && !(x > 0):
		return 0
	case math.Signbit(x):
		sign = 0x80
	}
	mag := math.Abs(x)
	if mag >= f.decode(f.most) {
		return sign | f.most
	}
	if mag == 0 {
		return sign
	}
	_, exp := math.Frexp(mag)
	least := 1 - f.bias - int(f.mant)
	place := max(exp-1-int(f.mant), least)
	units := uint64(math.RoundToEven(math.Ldexp(mag, -place)))
	return sign | min(units+uint64(place-least)<<f.mant, f.most)
}

// special emits the read of a special register.
func (fd *funcDecoder) special(name string, d int32, writes []int32) {
	if n, ok := strings.CutPrefix(name, "%envreg"); ok {
		number, _ := strconv.Atoi(n)
		if number == 1 || number == 2 {
			fd.m.workspace()
		}
		fd.emit(inst{run: runEnvironment, d: d, off: int64(number), writes: writes})
		return
	}
	if name == "%smid" || strings.HasPrefix(name, "%clock") || strings.HasPrefix(name, "%globaltimer") {
		fd.k.ordered = true
	}
	fd.emit(inst{run: runSpecial, d: d, sub: specialIndex(name), writes: writes})
}

// The driver gives the address of a workspace of the grid in two of its registers: the barrier of a cooperative
// launch is behind the size, in its second word. Launches that are under way together have different ones.
const (
	workspaceSize  = 64
	workspaceCount = 128
	workspaceName  = "the grid's workspace"
)

// workspace allocates the memory of the grids' barriers.
func (m *module) workspace() {
	if m.vars[workspaceName] != nil {
		return
	}
	if b, err := m.d.mem.alloc(workspaceName, workspaceSize*workspaceCount); err == nil {
		b.module = m
		m.vars[workspaceName] = b
	}
}

// runEnvironment reads %envreg1 and %envreg2, the high and the low half of the address of the workspace of a cooperative
// launch, and the others, which are zero.
func runEnvironment(w *warp, in *inst, m uint32) {
	v := uint64(0)
	if b := w.l.k.mod.vars[workspaceName]; b != nil && w.l.cooperative {
		at := b.base + w.l.id%workspaceCount*workspaceSize
		switch in.off {
		case 1:
			v = at >> 32
		case 2:
			v = at & math.MaxUint32
		}
	}
	for ; m != 0; m &= m - 1 {
		w.regs[in.d+int32(bits.TrailingZeros32(m))] = v
	}
}
