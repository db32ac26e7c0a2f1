package ptx

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A formRow is one legal shape of an instruction, as text.
//
// mods lists the modifiers in order, separated by blanks: "a|b" is one of the
// alternatives, "?a|b" may be missing, "$set" inside alternatives stands for a
// set below, and "T=" or "U=" names the type that the alternatives choose.
//
// args lists the operands: a "=" marks a destination, then comes
//
//	T U        a value of the chosen type     W   of twice T's size
//	u32 pred…  a value of that fixed type     I   an integer constant
//	V          a value or vector of T, in registers that may be wider
//	R S        a value of type T or U in a register that may be wider
//	X          a value, a symbol's address or, to pack and unpack, a vector
//	A          a value of type T or a symbol's address
//	M          memory     L  a label     B  a .branchtargets label
//	Ms Mg      memory in .shared, in .global, whatever the modifiers say
//	M1 … M4    memory and in its brackets a vector of one to four 32-bit coordinates
//	v4:f32     a vector of four values of a type, which may be T
//	p          with "=": a predicate or a pair of predicates "p|q"
//	pp         with "=": a pair of predicates
//	N          a u32 value: how many bytes are copied, or a predicate: that none are
//	Tp b32p    with "=": a value that may be paired with a predicate
type formRow struct{ op, mods, args string }

// sets are the named lists of modifiers.
var sets = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"int":   "u16|s16|u32|s32|u64|s64",
		"wint":  "u32|s32|u64|s64",
		"bits":  "b16|b32|b64",
		"reg":   "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
		"mem":   "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
		"cvt":   "u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64",
		"rnd":   "rn|rz|rm|rp",
		"irnd":  "rni|rzi|rmi|rpi",
		"scope": "cta|cluster|gpu|sys",
		"space": "global|shared|shared::cta|local|const|param|param::entry|param::func",
		"dspc":  "global|shared|shared::cta|local|param|param::func",
		"aspc":  "global|shared|shared::cta",
		"ltag":  "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate",
		"lpre":  "L2::64B|L2::128B|L2::256B",
		"icmp":  "eq|ne|lt|le|gt|ge|lo|ls|hi|hs",
		"fcmp":  "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan",
		"bool":  "and|or|xor",
	}
})

// rows is the instruction table: what compilers print for C99-tier kernels.
// Those on 16-bit floats are in table_half.go, those on matrices in table_mma.go, those on textures and surfaces
// in table_texture.go, those that are asynchronous in table_async.go, and what few programs use in table_rare.go. Instructions for the
// shared memory of a cluster, and copies of tensors, are not supported.
var rows = []formRow{
	{"add sub", "T=$int", "=T T T"},
	{"add sub", "sat T=s32", "=T T T"},
	{"add sub", "cc T=$wint", "=T T T"},
	{"addc subc", "?cc T=$wint", "=T T T"},
	{"add sub mul", "?$rnd ?ftz ?sat T=f32", "=T T T"},
	{"add sub mul", "?$rnd T=f64", "=T T T"},
	{"mul", "lo|hi T=$int", "=T T T"},
	{"mul", "wide T=u16|s16|u32|s32", "=W T T"},
	{"mad", "lo|hi T=$int", "=T T T T"},
	{"mad", "hi sat T=s32", "=T T T T"},
	{"mad", "lo|hi cc T=$wint", "=T T T T"},
	{"madc", "lo|hi ?cc T=$wint", "=T T T T"},
	{"mad", "wide T=u16|s16|u32|s32", "=W T T W"},
	{"mad fma", "$rnd ?ftz ?sat T=f32", "=T T T T"},
	{"mad fma", "$rnd T=f64", "=T T T T"},
	{"mul24", "lo|hi T=u32|s32", "=T T T"},
	{"mad24", "lo|hi T=u32|s32", "=T T T T"},
	{"sad", "T=$int", "=T T T T"},
	{"div rem", "T=$int", "=T T T"},
	{"div", "approx|full ?ftz T=f32", "=T T T"},
	{"div", "$rnd ?ftz T=f32", "=T T T"},
	{"div", "$rnd T=f64", "=T T T"},
	{"abs neg", "T=s16|s32|s64|f64", "=T T"},
	{"abs neg", "?ftz T=f32", "=T T"},
	{"min max", "T=$int|f64", "=T T T"},
	{"min max", "?ftz ?NaN T=f32", "=T T T"},
	{"popc clz", "T=b32|b64", "=u32 T"},
	{"bfind", "?shiftamt T=$wint", "=u32 T"},
	{"fns", "T=b32", "=T T b32 s32"},
	{"brev", "T=b32|b64", "=T T"},
	{"bfe", "T=$wint", "=T T u32 u32"},
	{"bfi", "T=b32|b64", "=T T T u32 u32"},
	{"szext", "clamp|wrap T=u32|s32", "=T T u32"},
	{"bmsk", "clamp|wrap T=b32", "=T T T"},
	{"dp4a", "T=u32|s32 U=u32|s32", "=T T U T"},
	{"dp2a", "lo|hi T=u32|s32 U=u32|s32", "=T T U T"},
	{"rcp sqrt", "approx|$rnd ?ftz T=f32", "=T T"},
	{"rcp sqrt", "$rnd T=f64", "=T T"},
	{"rcp", "approx ftz T=f64", "=T T"},
	{"rsqrt", "approx ?ftz T=f32|f64", "=T T"},
	{"sin cos lg2 ex2", "approx ?ftz T=f32", "=T T"},
	{"tanh", "approx T=f32", "=T T"},
	{"testp", "finite|infinite|number|notanumber|normal|subnormal T=f32|f64", "=pred T"},
	{"copysign", "T=f32|f64", "=T T T"},

	{"setp", "$icmp T=$bits|$int", "=p T T"},
	{"setp", "$icmp $bool T=$bits|$int", "=p T T pred"},
	{"setp", "$fcmp ?ftz T=f32|f64", "=p T T"},
	{"setp", "$fcmp $bool ?ftz T=f32|f64", "=p T T pred"},
	{"set", "$icmp T=u32|s32|f32 U=$bits|$int", "=T U U"},
	{"set", "$icmp $bool T=u32|s32|f32 U=$bits|$int", "=T U U pred"},
	{"set", "$fcmp ?ftz T=u32|s32|f32 U=f32|f64", "=T U U"},
	{"set", "$fcmp $bool ?ftz T=u32|s32|f32 U=f32|f64", "=T U U pred"},
	{"selp", "T=$reg", "=T T T pred"},
	{"slct", "?ftz T=$reg U=s32|f32", "=T T T U"},

	{"and or xor", "T=$bits|pred", "=T T T"},
	{"not", "T=$bits|pred", "=T T"},
	{"cnot", "T=$bits", "=T T"},
	{"lop3", "T=b32", "=T T T T I"},
	{"shf", "l|r wrap|clamp T=b32", "=T T T u32"},
	{"shl", "T=$bits", "=T T u32"},
	{"shr", "T=$bits|$int", "=T T u32"},
	{"prmt", "T=b32 ?f4e|b4e|rc8|ecl|ecr|rc16", "=T T T T"},

	{"mov", "T=$reg|pred", "=X X"},
	{"cvt", "?$rnd|$irnd ?ftz ?sat T=$cvt U=$cvt", "=R S"},
	{"cvta", "global|local|shared|shared::cta|const|param T=u32|u64", "=T A"},
	{"cvta", "to global|local|shared|shared::cta|const|param T=u32|u64", "=T A"},
	{"isspacep", "global|local|shared|shared::cta|const|param", "=pred u64"},

	{"ld", "?weak|volatile ?$space ?ca|cg|cs|lu|cv ?$ltag ?$lpre ?v2|v4 T=$mem", "=V M"},
	{"ld", "relaxed|acquire $scope ?$space ?$ltag ?$lpre ?v2|v4 T=$mem", "=V M"},
	{"ld", "global ?ca|cg|cs nc ?$ltag ?$lpre ?v2|v4 T=$mem", "=V M"},
	{"ldu", "?global ?v2|v4 T=$mem", "=V M"},
	{"st", "?weak|volatile ?$dspc ?wb|cg|cs|wt ?$ltag ?v2|v4 T=$mem", "M V"},
	{"st", "relaxed|release $scope ?$dspc ?$ltag ?v2|v4 T=$mem", "M V"},
	{"prefetch", "?global|local L1|L2", "M"},
	{"prefetchu", "L1", "M"},

	{"atom", "$sem add T=u32|s32|u64|f32|f64", "=T M T"},
	{"atom", "$sem min|max T=$wint", "=T M T"},
	{"atom", "$sem inc|dec T=u32", "=T M T"},
	{"atom", "$sem and|or|xor|exch T=b32|b64", "=T M T"},
	{"atom", "$sem cas T=b16|b32|b64", "=T M T T"},
	{"red", "$sem add T=u32|s32|u64|f32|f64", "M T"},
	{"red", "$sem min|max T=$wint", "M T"},
	{"red", "$sem inc|dec T=u32", "M T"},
	{"red", "$sem and|or|xor T=b32|b64", "M T"},

	{"membar", "cta|gl|sys", ""},
	{"fence", "?sc|acq_rel $scope", ""},
	{"bar", "?cta sync", "u32"},
	{"bar", "?cta sync|arrive", "u32 u32"},
	{"bar", "?cta red popc T=u32", "=T u32 pred"},
	{"bar", "?cta red popc T=u32", "=T u32 u32 pred"},
	{"bar", "?cta red and|or T=pred", "=T u32 pred"},
	{"bar", "?cta red and|or T=pred", "=T u32 u32 pred"},
	{"bar", "warp sync", "b32"},
	{"barrier", "?cta sync ?aligned", "u32"},
	{"barrier", "?cta sync|arrive ?aligned", "u32 u32"},
	{"barrier", "?cta red ?aligned popc T=u32", "=T u32 pred"},
	{"barrier", "?cta red ?aligned popc T=u32", "=T u32 u32 pred"},
	{"barrier", "?cta red ?aligned and|or T=pred", "=T u32 pred"},
	{"barrier", "?cta red ?aligned and|or T=pred", "=T u32 u32 pred"},

	{"barrier", "cluster arrive ?release|relaxed ?aligned", ""},
	{"barrier", "cluster wait ?acquire ?aligned", ""},

	{"shfl", "sync up|down|bfly|idx T=b32", "=Tp T b32 b32 b32"},
	{"vote", "sync all|any|uni T=pred", "=T pred b32"},
	{"vote", "sync ballot T=b32", "=T pred b32"},
	{"match", "any sync T=b32|b64", "=b32 T b32"},
	{"match", "all sync T=b32|b64", "=b32p T b32"},
	{"redux", "sync add|min|max T=u32|s32", "=T T b32"},
	{"redux", "sync and|or|xor T=b32", "=T T b32"},
	{"activemask", "T=b32", "=T"},

	{"bra", "?uni", "L"},
	{"brx", "idx ?uni", "u32 B"},
	{"call", "?uni", "call"},
	{"ret", "?uni", ""},
	{"exit trap brkpt", "", ""},
	{"nanosleep", "T=u32", "T"},
	{"pmevent", "", "I"},
	{"pmevent", "mask", "I"},
}

// semOrders are the places that compilers give to scope and space among an
// atomic's modifiers; rows write them as $sem.
var semOrders = []string{
	"?relaxed|acquire|release|acq_rel ?$scope ?$aspc",
	"?relaxed|acquire|release|acq_rel $aspc ?$scope",
}

// allRows returns the rows of all tables.
func allRows() []formRow {
	return slices.Concat(rows, halfRows, mmaRows, wmmaRows(), textureRows(), asyncRows, rareRows)
}

// A modSlot is one position among an instruction's modifiers.
type modSlot struct {
	optional bool
	bind     byte // 'T' or 'U' when the modifier chooses that type
	choices  []string
}

type form struct {
	mods []modSlot
	args []string
}

// table returns the forms of every instruction by opcode.
var table = sync.OnceValue(func() map[string][]form {
	t := map[string][]form{}
	add := func(ops, mods, args string) {
		f := form{args: strings.Fields(args)}
		for _, m := range strings.Fields(mods) {
			f.mods = append(f.mods, slot(m))
		}
		for _, op := range strings.Fields(ops) {
			t[op] = append(t[op], f)
		}
	}
	for _, r := range allRows() {
		if rest, ok := strings.CutPrefix(r.mods, "$sem "); ok {
			for _, s := range semOrders {
				add(r.op, s+" "+rest, r.args)
			}
			continue
		}
		add(r.op, r.mods, r.args)
	}
	return t
})

func slot(s string) modSlot {
	var m modSlot
	if rest, ok := strings.CutPrefix(s, "?"); ok {
		m.optional, s = true, rest
	}
	if len(s) > 2 && s[1] == '=' {
		m.bind, s = s[0], s[2:]
	}
	for _, c := range strings.Split(s, "|") {
		if set, ok := strings.CutPrefix(c, "$"); ok {
			m.choices = append(m.choices, strings.Split(sets()[set], "|")...)
		} else {
			m.choices = append(m.choices, c)
		}
	}
	return m
}

// match binds T and U when mods fit the form. Every modifier occurs in at
// most one later slot, so that taking the first slot that fits is right.
func (f *form) match(mods []string) (t, u Type, ok bool) {
	i := 0
	for _, s := range f.mods {
		if i < len(mods) && slices.Contains(s.choices, mods[i]) {
			switch s.bind {
			case 'T':
				t = Type(mods[i])
			case 'U':
				u = Type(mods[i])
			}
			i++
		} else if !s.optional {
			return "", "", false
		}
	}
	return t, u, i == len(mods)
}

// reordered returns mods in the form's order, if they are its modifiers in another: assemblers take
// atom.add.release.gpu.u32 for atom.release.gpu.add.u32. The types keep their order.
func (f *form) reordered(mods []string) ([]string, bool) {
	if len(mods) > len(f.mods) {
		return nil, false
	}
	at := make([]string, len(f.mods))
	last := -1 // slot of the last type
	for _, m := range mods {
		i := slices.IndexFunc(f.mods, func(s modSlot) bool { return slices.Contains(s.choices, m) })
		for i >= 0 && at[i] != "" { // a type that the form has twice
			next := slices.IndexFunc(f.mods[i+1:], func(s modSlot) bool { return slices.Contains(s.choices, m) })
			if next < 0 {
				return nil, false
			}
			i += 1 + next
		}
		if i < 0 || Type(m).Size() > 0 && i < last {
			return nil, false
		}
		if at[i] = m; Type(m).Size() > 0 {
			last = i
		}
	}
	for i, s := range f.mods {
		if at[i] == "" && !s.optional {
			return nil, false
		}
	}
	return slices.DeleteFunc(at, func(m string) bool { return m == "" }), true
}

// specials gives the type of every special register.
var specials = sync.OnceValue(func() map[string]Type {
	m := map[string]Type{
		"%laneid": "u32", "%warpid": "u32", "%nwarpid": "u32", "%smid": "u32", "%nsmid": "u32",
		"%gridid": "u64", "%clock": "u32", "%clock_hi": "u32", "%clock64": "u64",
		"%globaltimer": "u64", "%globaltimer_lo": "u32", "%globaltimer_hi": "u32",
		"%cluster_ctarank": "u32", "%cluster_nctarank": "u32",
		"%dynamic_smem_size": "u32", "%total_smem_size": "u32",
	}
	for i := range 32 {
		m["%envreg"+strconv.Itoa(i)] = "b32"
	}
	for _, n := range []string{"%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"} {
		for _, c := range []string{".x", ".y", ".z"} {
			m[n+c] = "u32"
		}
	}
	for _, c := range []string{"eq", "le", "lt", "ge", "gt"} {
		m["%lanemask_"+c] = "u32"
	}
	return m
})

// SpecialType returns the type of a special register such as %tid.x, or ""
// when name is not one.
func SpecialType(name string) Type { return specials()[name] }
