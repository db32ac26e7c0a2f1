package simt

import (
	"slices"

	"irgl/internal/ptx"
)

// inst decodes one instruction.
func (fd *funcDecoder) inst(s *ptx.Inst) {
	guard, guardNot := int32(none), s.GuardNot
	if s.Guard != "" {
		guard = fd.reg(s.Guard).slot
	}
	before := len(fd.fn.code)
	fd.opcode(s, newMods(s.Mods))
	// Only the instruction itself is guarded, not what computes its operands:
	// that has no effect but on temporaries.
	if guard != none && len(fd.fn.code) > before {
		in := &fd.fn.code[len(fd.fn.code)-1]
		in.guard, in.guardNot = guard*32, guardNot
		in.reads = append(in.reads, guard)
	}
}

// mods are an instruction's modifiers.
type mods struct {
	list []string
	t, u ptx.Type // its first and second type
}

func newMods(list []string) mods {
	m := mods{list: list}
	for _, s := range list {
		if t := ptx.Type(s); t.Size() > 0 || t == "pred" {
			if m.t == "" {
				m.t = t
			} else if m.u == "" {
				m.u = t
			}
		}
	}
	return m
}

func (m mods) has(s string) bool { return slices.Contains(m.list, s) }

// first returns the first of the given modifiers that is there, or "".
func (m mods) first(of ...string) string {
	for _, s := range m.list {
		if slices.Contains(of, s) {
			return s
		}
	}
	return ""
}

// opcode decodes by opcode. Verify has checked the shape of the operands.
//
//irgl:flatswitch
func (fd *funcDecoder) opcode(s *ptx.Inst, m mods) {
	if fd.rare(s, m) || s.Op != "mma" && fd.half(s, m) {
		return
	}
	isFloat := isFloat(m.t)
	switch s.Op {
	case "add", "sub", "mul", "min", "max", "div":
		switch {
		case m.has("cc"):
			fd.carry(s, m)
		case isFloat:
			fd.binary(s, m.t, floatBinary(s.Op, m))
		case m.has("wide"):
			fd.binary(s, m.t, wideMul(m.t))
		default:
			fd.binary(s, m.t, intBinary(s.Op, m))
		}
	case "addc", "subc", "madc":
		fd.carry(s, m)
	case "mad", "fma":
		switch {
		case m.has("cc"):
			fd.carry(s, m)
		case isFloat:
			fd.ternary(s, m.t, m.t, m.t, floatFMA(m))
		case m.has("wide"):
			fd.ternary(s, m.t, m.t, wider(m.t), wideMad(m.t))
		default:
			fd.ternary(s, m.t, m.t, m.t, intMad(m))
		}
	case "mul24":
		fd.binary(s, m.t, mul24(m))
	case "mad24":
		f, mask := mul24(m), typeMask(m.t)
		fd.ternary(s, m.t, m.t, m.t, func(a, b, c uint64) uint64 { return (f(a, b) + c) & mask })
	case "rem", "and", "or", "xor", "shl", "shr", "bmsk", "szext":
		if m.t == "pred" {
			fd.predicate(s)
			return
		}
		second := m.t
		if s.Op == "shl" || s.Op == "shr" || s.Op == "szext" {
			second = "u32"
		}
		fd.binary2(s, m.t, second, intBinary(s.Op, m))
	case "not", "cnot", "popc", "clz", "bfind", "brev":
		if m.t == "pred" {
			fd.predicate(s)
			return
		}
		fd.unary(s, m.t, intUnary(s.Op, m))
	case "abs", "neg":
		if isFloat {
			fd.unary(s, m.t, floatUnary(s.Op, m))
		} else {
			fd.unary(s, m.t, intUnary(s.Op, m))
		}
	case "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh":
		fd.unary(s, m.t, floatUnary(s.Op, m))
	case "copysign":
		fd.binary(s, m.t, copysign(m.t))
	case "sad":
		fd.ternary(s, m.t, m.t, m.t, sad(m.t))
	case "bfe":
		fd.ternary(s, m.t, "u32", "u32", bfe(m.t))
	case "bfi":
		fd.quaternary(s, []ptx.Type{m.t, m.t, "u32", "u32"}, runBfi)
	case "fns":
		fd.ternary(s, "b32", "b32", "s32", fns)
	case "dp4a", "dp2a":
		fd.ternary(s, m.t, m.u, m.t, dotProduct(s.Op, m))
	case "prmt":
		fd.ternary(s, m.t, m.t, m.t, prmt(m.first("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")))
	case "lop3":
		fd.ternary(s, m.t, m.t, m.t, lop3(uint8(s.Args[4].Int)))
	case "shf":
		fd.ternary(s, m.t, m.t, "u32", shf(m))
	case "testp":
		fd.testp(s, m)
	case "setp":
		fd.setp(s, m)
	case "set":
		fd.set(s, m)
	case "selp":
		fd.ternaryRun(s, m.t, m.t, "pred", runSelp)
	case "slct":
		fd.ternary(s, m.t, m.t, m.u, slct(m))
	case "mov":
		fd.mov(s, m)
	case "cvt":
		fd.unaryTyped(s, m.t, m.u, convert(m))
	case "cvta":
		fd.cvta(s, m)
	case "isspacep":
		fd.setpUnary(s, "u64", fd.m.d.isSpace(m))
	case "ld", "ldu", "st":
		fd.loadStore(s, m)
	case "prefetch", "prefetchu", "pmevent":
		fd.emit(inst{run: runNothing})
	case "atom", "red":
		fd.atomic(s, m)
	case "membar", "fence":
		in := inst{run: runFence, scope: scopeOf(m, scopeSystem)}
		fd.k.noteScope(in.scope)
		fd.emit(in)
	case "bar", "barrier":
		fd.barrier(s, m)
	case "shfl", "vote", "match", "redux":
		fd.warpOp(s, m)
	case "mma":
		fd.product(s)
	case "activemask":
		var w []int32
		d := fd.dest(&w, s.Args[0])
		fd.emit(inst{run: runActiveMask, d: d, writes: w})
	case "bra", "brx", "call", "ret", "exit", "trap", "brkpt", "nanosleep":
		fd.controlFlow(s)
	default:
		fd.errorf("the emulator does not know %s", s.Op)
	}
}

func wider(t ptx.Type) ptx.Type {
	switch t {
	case "u16":
		return "u32"
	case "s16":
		return "s32"
	case "u32":
		return "u64"
	}
	return "s64"
}

func (fd *funcDecoder) unary(s *ptx.Inst, t ptx.Type, f func(uint64) uint64) {
	fd.unaryTyped(s, t, t, f)
}

// unaryTyped decodes d = f(a), with a of type u. The result of a conversion
// to a signed type fills a wider register with its sign.
func (fd *funcDecoder) unaryTyped(s *ptx.Inst, t, u ptx.Type, f func(uint64) uint64) {
	var r, w []int32
	a := fd.value(&r, s.Args[1], u)
	d := fd.dest(&w, s.Args[0])
	extends := false
	if s.Op == "cvt" && t[0] == 's' && s.Args[0].Kind == ptx.KindReg {
		if reg := fd.reg(s.Args[0].Name).typ; reg.Size() > t.Size() {
			extends = true
			g, mask := f, typeMask(reg)
			f = func(a uint64) uint64 { return uint64(signExtend(g(a), t.Size())) & mask }
		}
	}
	in := inst{run: runUnary, f1: f, d: d, a: a, reads: r, writes: w}
	if in.k1 = kernelsOf().unary[kernelName(s)]; in.k1 != nil && !extends {
		in.run = runUnaryKernel
	}
	fd.emit(in)
}

func (fd *funcDecoder) binary(s *ptx.Inst, t ptx.Type, f func(a, b uint64) uint64) {
	fd.binary2(s, t, t, f)
}

func (fd *funcDecoder) binary2(s *ptx.Inst, t, u ptx.Type, f func(a, b uint64) uint64) {
	var r, w []int32
	a, b := fd.value(&r, s.Args[1], t), fd.value(&r, s.Args[2], u)
	d := fd.dest(&w, s.Args[0])
	in := inst{run: runBinary, f2: f, d: d, a: a, b: b, reads: r, writes: w}
	if in.k2 = kernelsOf().binary[kernelName(s)]; in.k2 != nil {
		in.run = runBinaryKernel
	}
	fd.emit(in)
}

func (fd *funcDecoder) ternary(s *ptx.Inst, t, u, v ptx.Type, f func(a, b, c uint64) uint64) {
	fd.ternaryRun(s, t, u, v, runTernary)
	in := &fd.fn.code[len(fd.fn.code)-1]
	in.f3 = f
	if in.k3 = kernelsOf().ternary[kernelName(s)]; in.k3 != nil {
		in.run = runTernaryKernel
	}
}

func (fd *funcDecoder) ternaryRun(s *ptx.Inst, t, u, v ptx.Type, run func(*warp, *inst, uint32)) {
	var r, w []int32
	a, b, c := fd.value(&r, s.Args[1], t), fd.value(&r, s.Args[2], u), fd.value(&r, s.Args[3], v)
	d := fd.dest(&w, s.Args[0])
	fd.emit(inst{run: run, d: d, a: a, b: b, c: c, reads: r, writes: w})
}

func (fd *funcDecoder) quaternary(s *ptx.Inst, types []ptx.Type, run func(*warp, *inst, uint32)) {
	var r, w []int32
	a, b := fd.value(&r, s.Args[1], types[0]), fd.value(&r, s.Args[2], types[1])
	c, x := fd.value(&r, s.Args[3], types[2]), fd.value(&r, s.Args[4], types[3])
	d := fd.dest(&w, s.Args[0])
	fd.emit(inst{run: run, d: d, a: a, b: b, c: c, x: x, dsize: uint8(types[0].Size()), reads: r, writes: w})
}

// carry decodes the instructions of extended precision, which read or write
// the carry flag.
func (fd *funcDecoder) carry(s *ptx.Inst, m mods) {
	var r, w []int32
	a, b := fd.value(&r, s.Args[1], m.t), fd.value(&r, s.Args[2], m.t)
	c := int32(none)
	if len(s.Args) > 3 {
		c = fd.value(&r, s.Args[3], m.t)
	}
	d := fd.dest(&w, s.Args[0])
	in := inst{run: runCarry, d: d, a: a, b: b, c: c, dsize: uint8(m.t.Size()), signed: m.t[0] == 's', reads: r, writes: w}
	in.sub = carryKind(s.Op, m)
	fd.emit(in)
}

// predicate decodes and, or, xor and not of predicates, which are bit masks.
func (fd *funcDecoder) predicate(s *ptx.Inst) {
	var r, w []int32
	in := inst{run: runPredLogic, logic: s.Op[0]}
	in.a = fd.value(&r, s.Args[1], "pred")
	if s.Op != "not" {
		in.b = fd.value(&r, s.Args[2], "pred")
	}
	in.d = fd.dest(&w, s.Args[0])
	in.reads, in.writes = r, w
	fd.emit(in)
}

// predDest sets d and e of an instruction with a destination p or p|q.
func (fd *funcDecoder) predDest(in *inst, o ptx.Operand) {
	in.e = none
	if o.Kind != ptx.KindPair {
		in.d = fd.dest(&in.writes, o)
		return
	}
	in.d = fd.dest(&in.writes, o.List[0])
	if o.List[1].Kind == ptx.KindReg {
		in.e = fd.dest(&in.writes, o.List[1])
	}
}

func (fd *funcDecoder) setp(s *ptx.Inst, m mods) {
	in := inst{run: runSetp, fc: compare(m.list[0], m.t, m.has("ftz"))}
	in.a, in.b = fd.value(&in.reads, s.Args[1], m.t), fd.value(&in.reads, s.Args[2], m.t)
	if len(s.Args) > 3 {
		in.c = fd.value(&in.reads, s.Args[3], "pred")
		in.logic = m.first("and", "or", "xor")[0]
	}
	fd.predDest(&in, s.Args[0])
	if in.logic == 0 && in.e == none {
		var swapped bool
		var name string
		name, swapped, in.negated = comparison(m)
		if in.kc = kernelsOf().compare[name]; in.kc != nil {
			in.run = runCompareKernel
		}
		if swapped {
			in.a, in.b = in.b, in.a
		}
	}
	fd.emit(in)
}

// setpUnary decodes a predicate of one value.
func (fd *funcDecoder) setpUnary(s *ptx.Inst, t ptx.Type, f func(a uint64) bool) {
	in := inst{run: runSetp, fc: func(a, _ uint64) bool { return f(a) }}
	in.a = fd.value(&in.reads, s.Args[1], t)
	in.b = in.a
	fd.predDest(&in, s.Args[0])
	fd.emit(in)
}

func (fd *funcDecoder) testp(s *ptx.Inst, m mods) {
	fd.setpUnary(s, m.t, testProperty(m.list[0], m.t))
}

func (fd *funcDecoder) set(s *ptx.Inst, m mods) {
	in := inst{run: runSet, fc: compare(m.list[0], m.u, m.has("ftz")), off: 0xffffffff}
	if m.t == "f32" {
		in.off = 0x3f800000
	}
	in.a, in.b = fd.value(&in.reads, s.Args[1], m.u), fd.value(&in.reads, s.Args[2], m.u)
	if len(s.Args) > 3 {
		in.c = fd.value(&in.reads, s.Args[3], "pred")
		in.logic = m.first("and", "or", "xor")[0]
	}
	in.d = fd.dest(&in.writes, s.Args[0])
	fd.emit(in)
}

// mov decodes moves, of predicates too, and packing and unpacking.
func (fd *funcDecoder) mov(s *ptx.Inst, m mods) {
	var in inst
	dst, src := s.Args[0], s.Args[1]
	switch {
	case dst.Kind == ptx.KindVector:
		in = inst{run: runUnpack, size: uint8(8 * m.t.Size() / len(dst.List))}
		in.a = fd.value(&in.reads, src, m.t)
		for _, o := range dst.List {
			in.ds = append(in.ds, fd.dest(&in.writes, o))
		}
	case src.Kind == ptx.KindVector:
		n := len(src.List)
		part := map[int]ptx.Type{2: "b16", 4: "b32", 1: "b8"}[m.t.Size()/n]
		in = inst{run: runPack, size: uint8(8 * m.t.Size() / n)}
		for _, o := range src.List { // as with mov of one
			in.ds = append(in.ds, fd.value(&in.moved, o, part))
		}
		in.d = fd.dest(&in.writes, dst)
	case src.Kind == ptx.KindReg && ptx.SpecialType(src.Name) != "":
		d := fd.dest(&in.writes, dst)
		fd.special(src.Name, d, in.writes)
		return
	case m.t == "pred":
		in = inst{run: runPredLogic, logic: 'm'}
		in.a = fd.value(&in.reads, src, m.t)
		in.d = fd.dest(&in.writes, dst)
	default:
		// What was never written may be moved: only its use is a fault.
		in = inst{run: runMov}
		in.a = fd.value(&in.moved, src, m.t)
		in.d = fd.dest(&in.writes, dst)
	}
	fd.emit(in)
}

// cvta adds or subtracts the window of a state space.
func (fd *funcDecoder) cvta(s *ptx.Inst, m mods) {
	window := uint64(0)
	switch {
	case m.has("shared") || m.has("shared::cta"):
		window = sharedWindow
	case m.has("local"):
		window = localWindow
	}
	if m.has("to") {
		window = -window
	}
	mask := typeMask(m.t)
	fd.unary(s, m.t, func(a uint64) uint64 { return (a + window) & mask })
}

func (fd *funcDecoder) controlFlow(s *ptx.Inst) {
	switch s.Op {
	case "bra":
		fd.labels = append(fd.labels, labelUse{len(fd.fn.code), none, s.Args[0].Name, fd.scope})
		fd.emit(inst{ctl: ctlBranch, aligned: slices.Contains(s.Mods, "uni")})
	case "brx":
		var in inst
		in.ctl = ctlIndexed
		in.a = fd.value(&in.reads, s.Args[0], "u32")
		for sc := fd.scope; sc != nil; sc = sc.outer {
			if t := sc.tables[s.Args[1].Name]; t != nil {
				for i, l := range t.Labels {
					fd.labels = append(fd.labels, labelUse{len(fd.fn.code), i, l, fd.scope})
				}
				in.targets = make([]int32, len(t.Labels))
				break
			}
		}
		fd.emit(in)
	case "ret":
		if fd.fn.entry {
			fd.emit(inst{ctl: ctlExit})
			return
		}
		// A return jumps to the function's end, where the lanes reconverge.
		fd.emit(inst{ctl: ctlBranch, target: none, sub: 1})
	case "exit":
		fd.emit(inst{ctl: ctlExit})
	case "trap", "brkpt":
		fd.emit(inst{ctl: ctlTrap})
	case "nanosleep":
		fd.emit(inst{ctl: ctlYield})
	case "call":
		fd.callInst(s)
	}
}

// barrier decodes bar and barrier, and bar.warp.sync.
func (fd *funcDecoder) barrier(s *ptx.Inst, m mods) {
	if m.has("warp") {
		in := inst{ctl: ctlSync, sub: syncWarp}
		in.mask = fd.value(&in.reads, s.Args[0], "b32")
		fd.emit(in)
		return
	}
	in := inst{ctl: ctlBarrier, aligned: s.Op == "bar" || m.has("aligned"), a: none, b: none, c: none, d: none}
	if m.has("cluster") {
		switch {
		case m.has("wait"):
			in.sub = barClusterWait
		case m.has("relaxed"):
			in.sub, fd.k.relaxes = barClusterRelaxed, true
		default:
			in.sub = barClusterArrive
		}
		fd.emit(in)
		return
	}
	args := s.Args
	switch {
	case m.has("arrive"):
		in.sub = barArrive
	case m.has("red"):
		in.sub = map[string]uint8{"popc": barPopc, "and": barAnd, "or": barOr}[m.first("popc", "and", "or")]
		in.d = fd.dest(&in.writes, args[0])
		in.c = fd.value(&in.reads, args[len(args)-1], "pred")
		args = args[1 : len(args)-1]
	}
	in.a = fd.value(&in.reads, args[0], "u32")
	if len(args) > 1 {
		in.b = fd.value(&in.reads, args[1], "u32")
	}
	fd.emit(in)
}

// warpOp decodes the operations among the lanes of a mask.
func (fd *funcDecoder) warpOp(s *ptx.Inst, m mods) {
	in := inst{ctl: ctlSync, e: none, size: uint8(max(1, m.t.Size()))}
	last := len(s.Args) - 1
	switch s.Op {
	case "shfl":
		in.run, in.sub = runShuffle, map[string]uint8{"up": shflUp, "down": shflDown, "bfly": shflBfly, "idx": shflIdx}[m.list[1]]
		in.a, in.b, in.c = fd.value(&in.moved, s.Args[1], "b32"), fd.value(&in.reads, s.Args[2], "b32"), fd.value(&in.reads, s.Args[3], "b32")
	case "vote":
		in.run, in.sub = runVote, map[string]uint8{"all": voteAll, "any": voteAny, "uni": voteUni, "ballot": voteBallot}[m.list[1]]
		in.a = fd.value(&in.reads, s.Args[1], "pred")
	case "match":
		in.run, in.sub = runMatch, map[string]uint8{"any": 0, "all": 1}[m.list[0]]
		in.a = fd.value(&in.reads, s.Args[1], m.t)
	case "redux":
		in.run, in.f2 = runRedux, intBinary(m.list[1], m)
		in.a = fd.value(&in.reads, s.Args[1], m.t)
	}
	in.mask = fd.value(&in.reads, s.Args[last], "b32")
	fd.predDest(&in, s.Args[0])
	fd.emit(in)
}
