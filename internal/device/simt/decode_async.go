package simt

import (
	"math"
	"slices"

	"irgl/internal/ptx"
)

// asynchronous decodes copies that go on beside their thread, and barriers in memory.
func (fd *funcDecoder) asynchronous(s *ptx.Inst, m mods) {
	switch {
	case s.Op == "mbarrier":
		fd.memoryBarrier(s, m)
	case m.has("bulk"):
		fd.bulkCopy(s)
	case m.has("commit_group"):
		fd.emit(inst{run: runCommit})
	case m.has("wait_group"):
		fd.emit(inst{ctl: ctlMemory, run: runWaitGroup, off: s.Args[0].Int})
	case m.has("wait_all"):
		fd.emit(inst{ctl: ctlMemory, run: runWaitGroup, off: -1})
	case m.has("mbarrier"):
		in := fd.barrierInst(s.Args[0], m)
		in.run, in.release = runArriveCopies, true
		if m.has("noinc") {
			in.sub = 1
		}
		fd.emit(in)
	default:
		fd.copyAsync(s)
	}
}

func (fd *funcDecoder) copyAsync(s *ptx.Inst) {
	a := &asyncCopy{size: uint64(s.Args[2].Int), bytes: none, ignored: none}
	if a.size != 4 && a.size != 8 && a.size != 16 {
		fd.errorf("a copy of %d bytes: it can be of 4, 8 or 16", a.size)
		a.size = 4
	}
	in := inst{ctl: ctlMemory, a: none}
	fd.memory(&a.dst, s.Args[0], mods{list: []string{"shared"}})
	fd.memory(&a.src, s.Args[1], mods{list: []string{"global"}})
	in.reads = append(in.reads, a.dst.reads...)
	in.reads = append(in.reads, a.src.reads...)
	if len(s.Args) > 3 && !(len(s.Args) == 4 && contains(s.Mods, "L2::cache_hint")) {
		o := s.Args[3]
		if o.Kind == ptx.KindReg && ptx.SpecialType(o.Name) == "" && fd.reg(o.Name).typ == "pred" {
			a.ignored = fd.value(&in.reads, o, "pred")
		} else {
			a.bytes = fd.value(&in.reads, o, "u32")
		}
	}
	in.run = a.run
	fd.emit(in)
}

func (fd *funcDecoder) bulkCopy(s *ptx.Inst) {
	c := &bulkCopy{bar: fd.barrierInst(s.Args[3], mods{list: []string{"shared"}})}
	fd.memory(&c.dst, s.Args[0], mods{list: []string{"shared"}})
	fd.memory(&c.src, s.Args[1], mods{list: []string{"global"}})
	in := inst{ctl: ctlMemory, a: none}
	in.reads = slices.Concat(c.dst.reads, c.src.reads, c.bar.reads)
	in.b = fd.value(&in.reads, s.Args[2], "u32")
	in.run = c.run
	fd.emit(in)
}

func contains(list []string, s string) bool { return mods{list: list}.has(s) }

// barrierInst returns an instruction on the barrier at an address, strong within the block.
func (fd *funcDecoder) barrierInst(at ptx.Operand, m mods) inst {
	in := inst{ctl: ctlMemory, size: 8, scope: scopeBlock, updates: true, b: none, c: none, d: none, e: none}
	in.f3 = func(a, _, _ uint64) uint64 { return a }
	fd.memory(&in, at, m)
	fd.k.noteScope(scopeBlock)
	return in
}

func (fd *funcDecoder) memoryBarrier(s *ptx.Inst, m mods) {
	if m.has("pending_count") {
		fd.emitUnary(s, "b64", func(a uint64) uint64 { return memoryBarrier(a).pending() })
		return
	}
	args := s.Args
	kind := m.first("init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "test_wait", "try_wait")
	isTest, hasResult := kind == "test_wait" || kind == "try_wait", kind == "arrive" || kind == "arrive_drop"
	var result ptx.Operand
	if isTest || hasResult {
		result, args = args[0], args[1:]
	}
	in := fd.barrierInst(args[0], m)
	if len(args) > 1 {
		t := ptx.Type("u32")
		if isTest && !m.has("parity") {
			t = "b64"
		}
		in.b = fd.value(&in.reads, args[1], t)
	}
	switch {
	case isTest:
		in.spin = true
		in.e = fd.dest(&in.writes, result)
		t := &barrierTest{parity: m.has("parity")}
		in.run = t.run
		fd.emit(in)
		return
	case hasResult:
		in.d = fd.dest(&in.writes, result)
	}
	in.release = hasResult
	in.aligned = m.has("noComplete")
	switch {
	case kind == "init" || kind == "inval":
		in.run, in.updates, in.scope, in.f3 = runInitBarrier, false, weak, nil
	case kind == "arrive" && m.has("expect_tx"):
		in.run = runUpdateBarrier(memoryBarrier.arriveExpecting)
	case kind == "arrive_drop" && m.has("expect_tx"):
		in.run = runUpdateBarrier(memoryBarrier.dropExpecting)
	case kind == "arrive":
		in.run = runUpdateBarrier(memoryBarrier.arrive)
	case kind == "arrive_drop":
		in.run = runUpdateBarrier(memoryBarrier.arriveDrop)
	case kind == "expect_tx":
		in.run = runUpdateBarrier(memoryBarrier.expectBytes)
	default:
		in.run = runUpdateBarrier(memoryBarrier.completeBytes)
	}
	fd.emit(in)
}

// fullWarp is the member mask of what all lanes of a warp execute together.
func (fd *funcDecoder) fullWarp() int32 { return fd.constant(math.MaxUint32) }
