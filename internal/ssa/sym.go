package ssa

import (
	"strconv"
	"strings"
)

// A Sym is what a value names besides its arguments. Which of the types below
// it has follows from the operation (see [Op]); nil stands for none, and for
// the scope of the device in atomics. String returns the text that [Print]
// writes, without its quotes or "@".
type Sym interface {
	String() string
	sym()
}

// A Name is that of a function or global variable of the module: of OpCall,
// OpFuncAddr and OpGlobalAddr.
type Name string

// A Register is a special register that OpSpecial reads, "tid.x".
type Register string

// An Instruction is one that OpNative names; see [Natives].
type Instruction string

// A Scope is the set of threads among which an atomic or a fence orders
// accesses.
type Scope uint8

// The scopes. An atomic of the device's has no Sym.
const (
	ScopeDevice Scope = iota
	ScopeBlock
	ScopeCluster
	ScopeSystem
)

// A Fence is the kind of an OpFence: its scope, and whether it only acquires
// and releases; otherwise it is sequentially consistent.
type Fence struct {
	Scope  Scope
	AcqRel bool
}

// A Reduction is what an OpBarrierRed makes of the threads' conditions.
type Reduction uint8

// The reductions.
const (
	ReduceAnd Reduction = iota
	ReduceOr
	ReducePopc // how many are true
)

// A ClusterStep is half of a barrier of a cluster, of an OpClusterBarrier.
type ClusterStep uint8

// The steps. ArriveRelaxed releases nothing.
const (
	ClusterArrive ClusterStep = iota
	ClusterArriveRelaxed
	ClusterWait
)

// A Shuffle says from which lane an OpShfl takes its result.
type Shuffle uint8

// The modes: a lane by number, so many below, so many above, and the one whose
// number differs in the bits of a mask.
const (
	ShuffleIdx Shuffle = iota
	ShuffleUp
	ShuffleDown
	ShuffleBfly
)

// A Space is the address space that an OpInSpace asks for.
type Space uint8

// The spaces.
const (
	SpaceGlobal Space = iota
	SpaceShared
	SpaceConst
	SpaceLocal
)

// Pointer returns the type of pointers to s.
func (s Space) Pointer() Type {
	return [...]Type{SpaceGlobal: PtrGlobal, SpaceShared: PtrShared, SpaceConst: PtrConst, SpaceLocal: PtrLocal}[s]
}

func (Name) sym()        {}
func (Register) sym()    {}
func (Instruction) sym() {}
func (Scope) sym()       {}
func (Fence) sym()       {}
func (Reduction) sym()   {}
func (ClusterStep) sym() {}
func (Shuffle) sym()     {}
func (Space) sym()       {}

var (
	scopeWords   = [...]string{ScopeDevice: "device", ScopeBlock: "block", ScopeCluster: "cluster", ScopeSystem: "system"}
	reduceWords  = [...]string{ReduceAnd: "and", ReduceOr: "or", ReducePopc: "popc"}
	clusterWords = [...]string{ClusterArrive: "arrive", ClusterArriveRelaxed: "arrive.relaxed", ClusterWait: "wait"}
	shuffleWords = [...]string{ShuffleIdx: "idx", ShuffleUp: "up", ShuffleDown: "down", ShuffleBfly: "bfly"}
	spaceWords   = [...]string{SpaceGlobal: "global", SpaceShared: "shared", SpaceConst: "const", SpaceLocal: "local"}
)

func (s Name) String() string        { return string(s) }
func (s Register) String() string    { return string(s) }
func (s Instruction) String() string { return string(s) }
func (s Scope) String() string       { return nth(scopeWords[:], s) }
func (s Reduction) String() string   { return nth(reduceWords[:], s) }
func (s ClusterStep) String() string { return nth(clusterWords[:], s) }
func (s Shuffle) String() string     { return nth(shuffleWords[:], s) }
func (s Space) String() string       { return nth(spaceWords[:], s) }

// nth returns the word of a member; of a number that is not a member, which Verify
// refuses, it is shown.
func nth[T ~uint8](words []string, i T) string {
	if int(i) < len(words) {
		return words[i]
	}
	return strconv.Itoa(int(i))
}

// acqRel ends the text of a fence that is not sequentially consistent.
const acqRel = ".acq_rel"

func (s Fence) String() string {
	if s.AcqRel {
		return s.Scope.String() + acqRel
	}
	return s.Scope.String()
}

// Split returns the name of the register and its axis: "tid" and "x".
func (s Register) Split() (name, axis string) {
	name, axis, _ = strings.Cut(string(s), ".")
	return name, axis
}

// VariesInTime reports whether reading the register twice in one thread may
// give two results, so that two reads are not one value.
func (s Register) VariesInTime() bool {
	switch s {
	case "clock", "clock_hi", "clock64", "globaltimer", "globaltimer_lo", "globaltimer_hi", "warpid", "smid":
		return true
	}
	return strings.HasPrefix(string(s), "pm") // performance counters
}

// Callee returns the name in the Sym of a call, of the address of a function or
// of that of a variable, and "" for any other value.
func (v *Value) Callee() string {
	name, _ := v.Sym.(Name)
	return string(name)
}

// Scope returns the scope of an atomic or of an acquiring load.
func (v *Value) Scope() Scope {
	s, _ := v.Sym.(Scope)
	return s
}

// A field is what an operation carries besides its arguments.
type field uint8

const (
	fieldNone        field = iota
	fieldInt               // Int: a number
	fieldFloat             // Float: a number
	fieldName              // Sym: a Name, "@name"
	fieldRegister          // Sym: a Register; this and the rest are strings in the text
	fieldNative            // Sym: an Instruction
	fieldScope             // Sym: a Scope; nil, and left out in the text, for the device's
	fieldFence             // Sym: a Fence
	fieldReduction         // Sym: a Reduction
	fieldClusterStep       // Sym: a ClusterStep
	fieldShuffle           // Sym: a Shuffle
	fieldSpace             // Sym: a Space
	fieldAsm               // Sym: an Asm
	fieldSignature         // Sym: a Signature
)

// quoted reports whether the text of the field is a string.
func (f field) quoted() bool {
	switch f {
	case fieldNone, fieldInt, fieldFloat, fieldName:
		return false
	}
	return true
}

// word returns the Sym of the field that the text s stands for.
func (f field) word(s string) (sym Sym, ok bool) {
	switch f {
	case fieldRegister:
		return Register(s), true
	case fieldNative:
		return Instruction(s), true
	case fieldScope:
		return wordOf[Scope](scopeWords[:], s)
	case fieldFence:
		scope, relaxed := strings.CutSuffix(s, acqRel)
		sym, ok = wordOf[Scope](scopeWords[:], scope)
		if ok {
			sym = Fence{sym.(Scope), relaxed}
		}
		return sym, ok
	case fieldReduction:
		return wordOf[Reduction](reduceWords[:], s)
	case fieldClusterStep:
		return wordOf[ClusterStep](clusterWords[:], s)
	case fieldShuffle:
		return wordOf[Shuffle](shuffleWords[:], s)
	case fieldSpace:
		return wordOf[Space](spaceWords[:], s)
	case fieldSignature:
		_, ok := Signature(s).Params()
		return Signature(s), ok
	case fieldAsm:
		a, ok := parseAsm(s)
		return a, ok
	}
	return nil, false
}

// wordOf returns the member of T that words calls s.
func wordOf[T interface {
	~uint8
	Sym
}](words []string, s string) (Sym, bool) {
	for i, w := range words {
		if w == s {
			return T(i), true
		}
	}
	return nil, false
}

// holds reports whether s is a Sym that a value with the field may have.
func (f field) holds(s Sym) bool {
	ok := s == nil
	switch f {
	case fieldName:
		_, ok = s.(Name)
	case fieldRegister:
		r, is := s.(Register)
		ok = is && isName(string(r))
	case fieldNative:
		i, is := s.(Instruction)
		_, known := Natives()[string(i)]
		ok = is && known
	case fieldScope:
		ok = ok || s == ScopeBlock || s == ScopeSystem
	case fieldFence:
		x, is := s.(Fence)
		ok = is && int(x.Scope) < len(scopeWords)
	case fieldReduction:
		x, is := s.(Reduction)
		ok = is && int(x) < len(reduceWords)
	case fieldClusterStep:
		x, is := s.(ClusterStep)
		ok = is && int(x) < len(clusterWords)
	case fieldShuffle:
		x, is := s.(Shuffle)
		ok = is && int(x) < len(shuffleWords)
	case fieldSpace:
		x, is := s.(Space)
		ok = is && int(x) < len(spaceWords)
	case fieldSignature:
		x, is := s.(Signature)
		_, valid := x.Params()
		ok = is && valid
	case fieldAsm:
		x, is := s.(Asm)
		ok = is && x.valid()
	}
	return ok
}
