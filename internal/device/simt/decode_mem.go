package simt

import (
	"irgl/internal/ptx"
)

// memory sets an instruction's address fields from a memory operand.
func (fd *funcDecoder) memory(in *inst, o ptx.Operand, m mods) {
	in.a, in.off = none, o.Int
	switch m.first("global", "shared", "shared::cta", "local", "const", "param", "param::entry", "param::func") {
	case "global":
		in.space = spGlobal
	case "shared", "shared::cta":
		in.space = spShared
	case "local":
		in.space = spLocal
	case "const":
		in.space = spConst
	case "param", "param::entry", "param::func":
		in.space = spParam
	}
	if o.Name == "" {
		return
	}
	if v, ok := fd.findVar(o.Name); ok {
		switch {
		case v.v.Space == ptx.Local || v.v.Space == ptx.Param && !(fd.fn.entry && fd.isEntryParam(o.Name)):
			// In the frame, whose place is not known yet.
			in.space, in.frame, in.off = spLocal, true, v.off+o.Int
			if v.v.Space == ptx.Local {
				in.within = fd.symbol(v.v, spLocal, v.off)
			}
			return
		case v.v.Space == ptx.Param:
			in.off = paramWindow + v.off + o.Int
			return
		case v.v.Space == ptx.Shared:
			in.space = spShared
			if _, known := v.v.ByteSize(); known {
				at := int64(fd.sharedOffset(v.v))
				in.off, in.within = sharedStart+at+o.Int, fd.symbol(v.v, spShared, at)
				return
			}
			in.a, in.off = fd.address(o.Name, 0), o.Int
			return
		}
	}
	if b := fd.m.vars[o.Name]; b != nil {
		in.off = int64(b.base) + o.Int
		return
	}
	r := fd.reg(o.Name)
	in.reads = append(in.reads, r.slot)
	in.a = r.slot * 32
}

// loadStore decodes ld and st.
func (fd *funcDecoder) loadStore(s *ptx.Inst, m mods) {
	in := inst{ctl: ctlMemory, size: uint8(m.t.Size()), signed: m.t[0] == 's', untyped: m.t[0] == 'b'}
	mem, data := s.Args[1], s.Args[0]
	if s.Op == "st" {
		mem, data = data, mem
	}
	fd.memory(&in, mem, m)
	if m.first("volatile", "relaxed", "acquire", "release") != "" {
		in.scope = scopeOf(m, scopeSystem)
		fd.k.noteScope(in.scope)
		fd.k.ordered = fd.k.ordered || in.space == spGlobal
	}
	in.acquire, in.release = m.has("acquire"), m.has("release")
	in.spin = s.Op != "st" && (in.scope != weak || m.has("cv"))
	list := []ptx.Operand{data}
	if data.Kind == ptx.KindVector {
		list = data.List
	}
	if s.Op == "st" {
		in.run = runStore
		for _, o := range list {
			reads := &in.reads
			if in.untyped {
				reads = &in.moved
			}
			in.ds = append(in.ds, fd.value(reads, o, m.t))
		}
		fd.emit(in)
		return
	}
	in.run = runLoad
	in.dsize = uint8(m.t.Size())
	for _, o := range list {
		in.ds = append(in.ds, fd.dest(&in.writes, o))
		if o.Kind == ptx.KindReg {
			in.dsize = uint8(fd.reg(o.Name).typ.Size())
		}
	}
	if in.space == spParam && in.a == none && in.off >= paramWindow {
		in.ctl, in.run = ctlData, runLoadParam
	}
	fd.emit(in)
}

// atomic decodes atom and red.
func (fd *funcDecoder) atomic(s *ptx.Inst, m mods) {
	in := inst{ctl: ctlMemory, run: runAtomic, size: uint8(m.t.Size()), scope: scopeOf(m, scopeDevice), d: none, c: none}
	fd.k.noteScope(in.scope)
	args := s.Args
	if s.Op == "atom" {
		in.d = fd.dest(&in.writes, args[0])
		args = args[1:]
	}
	fd.memory(&in, args[0], m)
	in.b = fd.value(&in.reads, args[1], m.t)
	if len(args) > 2 {
		in.c = fd.value(&in.reads, args[2], m.t)
	}
	in.acquire = m.has("acquire") || m.has("acq_rel")
	in.release = m.has("release") || m.has("acq_rel")
	op := m.first("add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas")
	in.spin, in.updates = op == "exch" || op == "cas", op != "exch"
	in.f3 = atomicOp(op, m)
	if in.scope >= scopeDevice { // otherwise threads of different blocks race
		in.commutes = commutative(op, m.t)
	}
	fd.emit(in)
}

// A callInfo says how a call passes values.
type callInfo struct {
	fn       *function // nil for an indirect or a built-in call
	builtin  builtin
	indirect int32 // register with the function's address, or none
	args     []passed
	results  []passed
}

// passed is a value or result of a call: a .param variable in the caller's
// frame, or a register.
type passed struct {
	off, size int
	reg       int32 // times 32, or none
}

func (fd *funcDecoder) callInst(s *ptx.Inst) {
	c := &callInfo{indirect: none}
	in := inst{ctl: ctlCall, call: c}
	args := s.Args
	var results, params []ptx.Operand
	if args[0].Kind == ptx.KindList {
		results, args = args[0].List, args[1:]
	}
	if len(args) > 1 && args[1].Kind == ptx.KindList {
		params = args[1].List
	}
	for _, o := range params {
		c.args = append(c.args, fd.passed(&in.reads, o, false))
	}
	for _, o := range results {
		c.results = append(c.results, fd.passed(&in.writes, o, true))
	}
	callee := args[0]
	if callee.Kind == ptx.KindReg {
		// Any function of the module may be meant.
		for _, name := range fd.m.order {
			if f := fd.m.funcs[name]; !f.Proto && !f.Entry {
				fd.declare(f)
			}
		}
		c.indirect = fd.value(&in.reads, callee, "b64")
		fd.emit(in)
		return
	}
	f := fd.m.funcs[callee.Name]
	if !f.Proto {
		c.fn = fd.declare(f)
	} else if c.builtin = builtins[f.Name]; c.builtin == nil {
		fd.errorf("function %s has no body", f.Name)
		return
	}
	fd.emit(in)
}

// passed resolves one value of a call. A register result is only marked as
// written; it is filled when the function returns.
func (fd *funcDecoder) passed(slots *[]int32, o ptx.Operand, result bool) passed {
	if o.Kind == ptx.KindSym {
		if v, ok := fd.findVar(o.Name); ok && v.v.Space == ptx.Param && !(fd.fn.entry && fd.isEntryParam(o.Name)) {
			size, _ := v.v.ByteSize()
			return passed{off: int(v.off), size: int(size), reg: none}
		}
		fd.errorf("%s cannot be passed", o.Name)
		return passed{reg: none}
	}
	if result {
		return passed{reg: fd.dest(slots, o)}
	}
	return passed{reg: fd.value(slots, o, "b64")}
}
