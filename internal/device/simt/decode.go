package simt

import (
	"fmt"
	"math"
	"strings"

	"irgl/internal/device"
	"irgl/internal/ptx"
	"irgl/internal/source"
)

// codeUnsupported is the code of PTX that the emulator cannot run.
const codeUnsupported source.Code = "E0001" // call of a function without a body

// control says what the execution loop does with an instruction.
type control uint8

const (
	ctlData    control = iota // run and go on
	ctlMemory                 // the same, and look for a fault afterwards
	ctlBranch                 // to target, perhaps divergent
	ctlIndexed                // brx.idx
	ctlCall
	ctlEnd     // return from a function: its last instruction
	ctlExit    // lanes end
	ctlTrap    // the launch ends with an error
	ctlBarrier // of the block
	ctlSync    // a warp instruction that waits for the lanes of a mask
	ctlYield   // nanosleep
)

// none marks an operand, guard or target that an instruction does not have.
const none = -1

// An inst is a decoded instruction. Operands are indices into a frame's
// register file: slot times 32; a lane's value is at index+lane. Predicates
// keep one bit a lane in the slot's first word.
type inst struct {
	run      func(w *warp, in *inst, m uint32)
	ctl      control
	guardNot bool
	straight int32 // instructions of straight-line code from here on: see straighten
	guard    int32
	d, e     int32       // destinations
	a, b, c  int32       // sources
	x        int32       // another source
	v1       unaryVector // the operation on all lanes, or nil: see vectorize
	v2       binaryVector
	v3       ternaryVector
	vc       compareVector
	ds       []int32
	matrices [3][]int32 // the sources of a product of matrices
	reads    []int32    // slots (not times 32) that must be written before
	writes   []int32    // slots that are written
	checks   []int32    // of reads, those that some path here has not written: see definite
	marks    []int32    // of writes, those whose writes are recorded
	known    bool       // the guard is written on every path here, or there is none
	sound    bool       // so are all of moved
	f1       func(a uint64) uint64
	f2       func(a, b uint64) uint64
	f3       func(a, b, c uint64) uint64
	k1       unaryKernel // f1, f2, f3 and fc of a range of lanes, or nil
	k2       binaryKernel
	k3       ternaryKernel
	kc       compareKernel
	negated  bool // kc returns the complement of the result
	fc       func(a, b uint64) bool
	fe       func(a, b uint64) bool // of a setp of pairs: the second predicate
	logic    byte                   // of setp: 'a' and, 'o' or, 'x' xor, 0 none

	// Memory: an address is register a (or none) plus off (plus the frame).
	off     int64
	frame   bool
	space   memSpace
	scope   scope // of a fence, and of what is volatile, relaxed, acquire, release or atomic
	acquire bool
	release bool
	spin    bool  // a read that a waiting loop polls with
	size    uint8 // bytes of one element
	dsize   uint8 // bytes of the destination registers
	signed  bool
	updates bool                                   // an atomic whose result depends on what was there
	merges  bool                                   // a load whose bits go back to where they were: see merges
	untyped bool                                   // bytes that may be padding are moved: see copied
	moved   []int32                                // slots that may be unwritten, and are passed on: of moves, untyped stores
	cached  *buffer                                // where the last access went
	within  *symbol                                // the variable that the access is meant for, where that is known
	allowed func(buffer string, write bool) string // see Restrict; nil for no restriction

	target  int32   // of a branch
	targets []int32 // of brx
	reconv  int32   // where the lanes of a branch reconverge, or none

	sub     uint8 // which operation of a family; see the run functions
	mask    int32 // slot of a member mask
	aligned bool  // all lanes do the same: bar.sync, bra.uni
	call    *callInfo

	line     int32
	commutes reduction // of an atomic whose result nothing reads
	src      *ptx.Inst
}

// memSpace is a state space of an access.
type memSpace uint8

const (
	spGeneric memSpace = iota
	spGlobal
	spShared
	spLocal
	spConst
	spParam
)

// A function is decoded code with its frame layout.
type function struct {
	name      string
	code      []inst
	slots     int      // registers and constants
	consts    []preset // their values
	words     int      // 32-bit registers declared
	doubtful  []int32  // slots that may be read before they are written
	localSize int      // bytes of frame memory
	params    []place
	results   []place
	entry     bool
	decoded   bool
}

type preset struct {
	slot  int32
	value uint64
}

// A place is a parameter: bytes of frame memory, or a register.
type place struct {
	off, size int
	slot      int32 // times 32, or none
}

// decoder decodes the functions of one kernel.
type decoder struct {
	m     *module
	k     *kernel
	diags *source.List
	todo  []*ptx.Func
}

// decodeKernel decodes an entry and the functions that it can reach, and lays
// out its parameters and shared memory.
func (m *module) decodeKernel(f *ptx.Func) (*kernel, error) {
	k := &kernel{mod: m, funcs: map[string]*function{}, maxThreads: maxThreadsPerBlock, cluster: device.Dim3{}.Norm()}
	d := &decoder{m: m, k: k, diags: &source.List{}}
	for _, dir := range f.Directives {
		if dir.Name == "reqnctapercluster" {
			if err := k.setCluster(f.Name, dir.Args); err != nil {
				return nil, err
			}
		}
		if dir.Name != "maxntid" && dir.Name != "reqntid" {
			continue
		}
		n := int64(1)
		for i, a := range dir.Args {
			if n *= a; n > maxThreadsPerBlock {
				n = maxThreadsPerBlock
			}
			if dir.Name == "reqntid" && i < 3 {
				k.reqThreads[i] = uint32(a)
			}
		}
		if dir.Name == "reqntid" {
			for i := range k.reqThreads {
				k.reqThreads[i] = max(1, k.reqThreads[i])
			}
		}
		k.maxThreads = int(max(1, n))
	}
	k.fn = d.declare(f)
	for len(d.todo) > 0 {
		next := d.todo[0]
		d.todo = d.todo[1:]
		if err := m.wrong[next]; err != nil {
			return nil, err
		}
		d.function(d.k.funcs[next.Name], next)
	}
	if err := d.diags.Err(); err != nil {
		return nil, err
	}
	if k.shared > sharedPerBlockMost {
		return nil, fmt.Errorf("kernel %s: %d bytes of shared memory, there are %d", f.Name, k.shared, sharedPerBlockMost)
	}
	return k, nil
}

// declare returns the function for f, which is decoded later.
func (d *decoder) declare(f *ptx.Func) *function {
	if fn := d.k.funcs[f.Name]; fn != nil {
		return fn
	}
	fn := &function{name: f.Name, entry: f.Entry}
	d.k.funcs[f.Name] = fn
	d.todo = append(d.todo, f)
	return fn
}

// sharedOffset places a shared variable in the kernel's static memory.
func (d *decoder) sharedOffset(v *ptx.Var) uint64 {
	for _, s := range d.k.sharedVars {
		if s.name == v.Name {
			return s.off
		}
	}
	size, known := v.ByteSize()
	if !known {
		return 0 // dynamic: placed by dynamicBase
	}
	off := alignUp(d.k.shared, uint64(v.Alignment()))
	d.k.shared = off + uint64(size)
	d.k.sharedVars = append(d.k.sharedVars, sharedVar{v.Name, off, uint64(size)})
	return off
}

func alignUp(n, a uint64) uint64 { return (n + a - 1) / a * a }

// funcDecoder decodes one function.
type funcDecoder struct {
	*decoder
	fn     *function
	f      *ptx.Func
	scope  *nameScope
	consts map[uint64]int32
	labels []labelUse
	cur    *ptx.Inst

	symbols map[int32]*symbol // by the slots that hold their addresses
	bound   map[*ptx.Var]*symbol
}

// A nameScope resolves the names of one block.
type nameScope struct {
	outer  *nameScope
	slots  map[string]regName
	ranges map[string]regRange
	vars   map[string]varName
	labels map[string]int32
	tables map[string]*ptx.BranchTargets
	protos map[string]*ptx.CallPrototype
}

type regName struct {
	slot int32
	typ  ptx.Type
}

type regRange struct {
	slot, n int32
	typ     ptx.Type
}

// varName is a variable in memory: shared, or at off in the frame, or a
// parameter of an entry at off of the parameter block.
type varName struct {
	v   *ptx.Var
	off int64
}

type labelUse struct {
	at    int // instruction
	which int // none for target, else index in targets
	name  string
	scope *nameScope
}

func newNameScope(outer *nameScope) *nameScope {
	return &nameScope{outer: outer, slots: map[string]regName{}, ranges: map[string]regRange{}, vars: map[string]varName{},
		labels: map[string]int32{}, tables: map[string]*ptx.BranchTargets{}, protos: map[string]*ptx.CallPrototype{}}
}

func (d *decoder) function(fn *function, f *ptx.Func) {
	fd := &funcDecoder{decoder: d, fn: fn, f: f, scope: newNameScope(nil), consts: map[uint64]int32{},
		symbols: map[int32]*symbol{}, bound: map[*ptx.Var]*symbol{}}
	off := 0
	for _, p := range f.Params {
		if f.Entry {
			off = int(alignUp(uint64(off), uint64(p.Alignment())))
			size, _ := p.ByteSize()
			fd.scope.vars[p.Name] = varName{p, int64(off)}
			off += int(size)
		} else {
			fn.params = append(fn.params, fd.place(p))
		}
	}
	if f.Entry {
		d.k.params = off
	}
	for _, p := range f.Results {
		fn.results = append(fn.results, fd.place(p))
	}
	fd.scope = newNameScope(fd.scope)
	fd.block(f.Body)
	// Falling off the end returns.
	fd.emit(inst{ctl: fd.endControl()})
	for _, u := range fd.labels {
		fd.resolve(u)
	}
	reconverge(fn)
	fd.bind()
	merges(fn)
	d.reductions(fn)
	definite(fn)
	straighten(fn)
	vectorize(fn)
	fn.decoded = true
}

func (fd *funcDecoder) endControl() control {
	if fd.fn.entry {
		return ctlExit
	}
	return ctlEnd
}

// place declares a parameter or result of a .func.
func (fd *funcDecoder) place(v *ptx.Var) place {
	fd.variable(v)
	if v.Type == "pred" {
		fd.errorAt(v.Pos, "a predicate parameter is not supported")
	}
	if v.Space == ptx.Reg {
		return place{slot: fd.scope.slots[v.Name].slot * 32}
	}
	size, _ := v.ByteSize()
	return place{off: int(fd.scope.vars[v.Name].off), size: int(size), slot: none}
}

func (fd *funcDecoder) newSlots(n int) int32 {
	s := fd.fn.slots
	fd.fn.slots += n
	return int32(s)
}

// maxSlots bounds a frame's registers: 512 KiB of them a lane. sssp_nf with rounds and
// iterations laid out at once and all schedulers has 20,000, nvcc's products of matrices by wmma, whose loops it unrolls, 35,000.
const maxSlots = 1 << 16

func (fd *funcDecoder) variable(v *ptx.Var) {
	switch v.Space {
	case ptx.Reg:
		n := max(1, v.Range)
		if fd.fn.slots+n > maxSlots {
			fd.errorAt(v.Pos, "function %s has more than %d registers", fd.f.Name, maxSlots)
			n = 1
		}
		fd.fn.words += n * max(1, v.Type.Size()/4)
		slot := fd.newSlots(n)
		if v.Range > 0 {
			fd.scope.ranges[v.Name] = regRange{slot, int32(n), v.Type}
		} else {
			fd.scope.slots[v.Name] = regName{slot, v.Type}
		}
	case ptx.Shared:
		fd.scope.vars[v.Name] = varName{v: v}
		fd.sharedOffset(v)
	case ptx.Local, ptx.Param:
		size, known := v.ByteSize()
		most := fd.m.d.opts.maxLocal()
		if !known || size > int64(most) {
			fd.errorAt(v.Pos, "variable %s is larger than %d bytes", v.Name, most)
			size = 0
		}
		off := alignUp(uint64(fd.fn.localSize), uint64(v.Alignment()))
		fd.scope.vars[v.Name] = varName{v, int64(off)}
		fd.fn.localSize = int(off) + int(size)
		if fd.fn.localSize > most {
			fd.errorAt(v.Pos, "function %s has more than %d bytes of local memory", fd.f.Name, most)
			fd.fn.localSize = 0
		}
	default:
		fd.errorAt(v.Pos, "a .%s variable in a function is not supported", v.Space)
	}
}

func (fd *funcDecoder) errorAt(pos source.Pos, format string, args ...any) {
	fd.diags.Errorf(pos, source.Pos{}, codeUnsupported, format, args...)
}

func (fd *funcDecoder) errorf(format string, args ...any) {
	fd.errorAt(fd.cur.Pos, format, args...)
}

func (fd *funcDecoder) block(body []ptx.Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *ptx.BranchTargets:
			fd.scope.tables[s.Name] = s
		case *ptx.CallPrototype:
			fd.scope.protos[s.Name] = s
		}
	}
	for _, s := range body {
		switch s := s.(type) {
		case *ptx.Var:
			fd.variable(s)
		case *ptx.Label:
			fd.scope.labels[s.Name] = int32(len(fd.fn.code))
		case *ptx.Scope:
			fd.scope = newNameScope(fd.scope)
			fd.block(s.Body)
			fd.scope = fd.scope.outer
		case *ptx.Inst:
			fd.cur = s
			fd.inst(s)
		}
	}
}

// resolve sets a branch target, once all labels are known.
func (fd *funcDecoder) resolve(u labelUse) {
	for s := u.scope; s != nil; s = s.outer {
		if pc, ok := s.labels[u.name]; ok {
			if u.which == none {
				fd.fn.code[u.at].target = pc
			} else {
				fd.fn.code[u.at].targets[u.which] = pc
			}
			return
		}
	}
}

// emit appends an instruction with the position and guard of the present one.
func (fd *funcDecoder) emit(in inst) *inst {
	in.guard, in.reconv = none, none
	if fd.cur != nil {
		in.line, in.src = int32(fd.cur.Pos.Line()), fd.cur
	}
	fd.fn.code = append(fd.fn.code, in)
	return &fd.fn.code[len(fd.fn.code)-1]
}

// reg finds a register: its slot and type.
func (fd *funcDecoder) reg(name string) regName {
	prefix := strings.TrimRight(name, "0123456789")
	for s := fd.scope; s != nil; s = s.outer {
		if r, ok := s.slots[name]; ok {
			return r
		}
		for i := len(prefix); i < len(name); i++ {
			if name[i] == '0' && i+1 < len(name) {
				continue
			}
			if r, ok := s.ranges[name[:i]]; ok {
				n := 0
				for _, c := range name[i:] {
					if n = 10*n + int(c-'0'); n > maxSlots {
						break
					}
				}
				if n < int(r.n) {
					return regName{r.slot + int32(n), r.typ}
				}
			}
		}
	}
	fd.errorf("register %s is not declared", name)
	return regName{0, "b32"}
}

// constant returns the index of a slot that holds v in every lane.
func (fd *funcDecoder) constant(v uint64) int32 {
	if s, ok := fd.consts[v]; ok {
		return s * 32
	}
	s := fd.newSlots(1)
	fd.consts[v] = s
	fd.fn.consts = append(fd.fn.consts, preset{s, v})
	return s * 32
}

// size masks a value of a type's width.
func typeMask(t ptx.Type) uint64 {
	if s := t.Size(); s > 0 && s < 8 {
		return 1<<(8*s) - 1
	}
	return math.MaxUint64
}

// value returns the index of an operand of type t, and records that in reads
// it. Special registers and frame addresses are first put into a temporary.
func (fd *funcDecoder) value(reads *[]int32, o ptx.Operand, t ptx.Type) int32 {
	switch o.Kind {
	case ptx.KindReg:
		if st := ptx.SpecialType(o.Name); st != "" {
			slot := fd.newSlots(1)
			fd.special(o.Name, slot*32, []int32{slot})
			return slot * 32
		}
		r := fd.reg(o.Name)
		if t == "pred" && o.Not {
			slot := fd.newSlots(1)
			fd.emit(inst{run: runPredNot, d: slot * 32, a: r.slot * 32, reads: []int32{r.slot}, writes: []int32{slot}})
			return slot * 32
		}
		*reads = append(*reads, r.slot)
		return r.slot * 32
	case ptx.KindInt:
		if t == "pred" {
			if o.Int != 0 {
				return fd.constant(math.MaxUint32)
			}
			return fd.constant(0)
		}
		return fd.constant(uint64(o.Int) & typeMask(t))
	case ptx.KindF32:
		return fd.constant(o.Bits)
	case ptx.KindF64:
		if t.Size() == 4 {
			return fd.constant(uint64(math.Float32bits(float32(math.Float64frombits(o.Bits)))))
		}
		return fd.constant(o.Bits)
	case ptx.KindSym:
		return fd.address(o.Name, o.Int)
	}
	return fd.constant(0)
}

// findVar finds a variable of the function; module variables are elsewhere.
func (fd *funcDecoder) findVar(name string) (varName, bool) {
	for s := fd.scope; s != nil; s = s.outer {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	if v := fd.m.shared[name]; v != nil {
		return varName{v: v}, true
	}
	return varName{}, false
}

// address returns the index of a slot with the address of a symbol, as mov
// gives it: of a shared or local variable in its own state space.
func (fd *funcDecoder) address(name string, off int64) int32 {
	if v, ok := fd.findVar(name); ok {
		switch {
		case v.v.Space == ptx.Shared:
			if _, known := v.v.ByteSize(); !known {
				slot := fd.newSlots(1)
				fd.emit(inst{run: runDynamicAddress, d: slot * 32, off: off, writes: []int32{slot}})
				return slot * 32
			}
			// A slot of its own: a number that has this value is no address.
			at := int64(fd.sharedOffset(v.v))
			slot := fd.newSlots(1)
			fd.fn.consts = append(fd.fn.consts, preset{slot, uint64(sharedStart + at + off)})
			fd.symbols[slot] = fd.symbol(v.v, spShared, at)
			return slot * 32
		case v.v.Space == ptx.Param && fd.fn.entry && fd.isEntryParam(name):
			return fd.constant(uint64(paramWindow + v.off + off))
		default:
			slot := fd.newSlots(1)
			in := inst{run: runFrameAddress, d: slot * 32, off: v.off + off, writes: []int32{slot}}
			if v.v.Space == ptx.Param {
				in.off += localWindow
			} else {
				fd.symbols[slot] = fd.symbol(v.v, spLocal, v.off)
			}
			fd.emit(in)
			return slot * 32
		}
	}
	if b := fd.m.vars[name]; b != nil {
		return fd.constant(b.base + uint64(off))
	}
	if i, ok := fd.m.index[name]; ok {
		if f := fd.m.funcs[name]; !f.Proto && !f.Entry { // a kernel is not called by its address
			fd.declare(f)
		}
		return fd.constant(funcAddress(i))
	}
	fd.errorf("%s is not declared", name)
	return fd.constant(0)
}

func (fd *funcDecoder) isEntryParam(name string) bool {
	for s := fd.scope; s != nil; s = s.outer {
		if _, ok := s.vars[name]; ok {
			return s.outer == nil
		}
	}
	return false
}

// dest returns the index of a destination register and records the write.
func (fd *funcDecoder) dest(writes *[]int32, o ptx.Operand) int32 {
	if o.Kind != ptx.KindReg {
		return fd.newSlots(1) * 32 // _: a register that is never read
	}
	r := fd.reg(o.Name)
	*writes = append(*writes, r.slot)
	return r.slot * 32
}
