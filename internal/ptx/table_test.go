package ptx

import (
	"slices"
	"strconv"
	"strings"
)

// sampleReg returns a register of kernelOf for a value of type t.
func sampleReg(t Type) Operand {
	switch {
	case t == "pred":
		return R("%p1")
	case t == "f32":
		return R("%f1")
	case t == "f64":
		return R("%fd1")
	case t.Size() <= 2:
		return R("%rs1")
	case t.Size() == 4:
		return R("%r1")
	}
	return R("%rd1")
}

// sampleArgs gives in operands for its form; false when this combination of
// modifiers is one that the row's text cannot exclude but PTX does.
func sampleArgs(in *Inst, f *form, t, u Type) bool {
	has := func(m string) bool { return slices.Contains(in.Mods, m) }
	if illegal(in, t, u) != "" {
		return false
	}
	switch {
	case in.Op == "ld" || in.Op == "st":
		if has("param") || has("const") || has("local") || has("v2") && t.Size() == 16 {
			return false
		}
		global := has("global")
		if !global && slices.ContainsFunc(in.Mods, func(m string) bool {
			return strings.Contains(m, "L1::") || strings.Contains(m, "L2::") || slices.Contains([]string{"ca", "cg", "cs", "lu", "cv", "wb", "wt"}, m)
		}) {
			return false
		}
		if has("volatile") && len(in.Mods) > 3 || has("L1::evict_normal") && (has("wb") || has("ca")) {
			return false
		}
	case in.Op == "cvt" && t.Size() == 1 && u == "bf16", in.Op == "cvt" && u.Size() == 1 && t == "bf16":
		return false // in registers of bytes, which kernelOf has not
	case in.Op == "cvta" && t == "u32":
		return false // of 32-bit address spaces only
	case in.Op == "atom" && t == "b16" && len(in.Mods) > 2 && has("cluster"):
		return false
	}
	return sampleOperands(in, f, t, u)
}

// sampleOperands appends an operand for every word of the form.
func sampleOperands(in *Inst, f *form, t, u Type) bool {
	c := &operandChecker{in: in, t: t, u: u}
	for _, a := range f.args {
		a, dest := strings.CutPrefix(a, "=")
		switch a {
		case "M", "Mg":
			at := Mem("%rd1", 16)
			if in.Op == "txq" || in.Op == "suq" {
				at.Int = 0
			}
			in.Args = append(in.Args, at)
		case "Ms":
			in.Args = append(in.Args, Mem("%r1", 16))
		case "M1", "M2", "M3", "M4":
			at := Mem("%rd1", 0)
			at.List = []Operand{{Kind: KindVector}}
			for range a[1] - '0' {
				at.List[0].List = append(at.List[0].List, R("%r1"))
			}
			in.Args = append(in.Args, at)
		case "L":
			in.Args = append(in.Args, Sym("$L"))
		case "I":
			in.Args = append(in.Args, I(sampleConstant(in)))
		case "p", "pp":
			in.Args = append(in.Args, Operand{Kind: KindPair, List: []Operand{R("%p1"), R("%p2")}})
		case "Tp", "b32p":
			in.Args = append(in.Args, Operand{Kind: KindPair, List: []Operand{sampleReg(c.typeOf(strings.TrimSuffix(a, "p"))), R("%p2")}})
		case "V":
			n := 1
			if slices.Contains(in.Mods, "v2") {
				n = 2
			}
			o := sampleReg(t)
			if n > 1 {
				o = Vector(o, sampleReg(t))
				if dest {
					// Each element needs a register of its own.
					o.List[1].Name = strings.TrimSuffix(o.List[1].Name, "1") + "2"
				}
			}
			in.Args = append(in.Args, o)
		case "R", "X", "A":
			in.Args = append(in.Args, sampleReg(t))
		case "S":
			in.Args = append(in.Args, sampleReg(u))
		case "u32":
			// Barrier numbers and the like: constants are always legal.
			if in.Op == "bar" || in.Op == "barrier" {
				n := int64(1)
				if len(in.Args) > 0 && in.Args[len(in.Args)-1].Kind == KindInt {
					n = 64 // the number of threads
				}
				in.Args = append(in.Args, I(n))
				continue
			}
			in.Args = append(in.Args, sampleReg("u32"))
		case "N":
			in.Args = append(in.Args, R("%r2"))
		default:
			if n, t, ok := vectorSpec(a); ok {
				v := Vector()
				for i := range n {
					o := sampleReg(c.typeOf(string(t)))
					o.Name = strings.TrimSuffix(o.Name, "1") + strconv.Itoa(i+1)
					v.List = append(v.List, o)
				}
				in.Args = append(in.Args, v)
				continue
			}
			in.Args = append(in.Args, sampleReg(c.typeOf(a)))
		}
	}
	return true
}

// sampleConstant returns a constant that in can have.
func sampleConstant(in *Inst) int64 {
	switch {
	case in.Op == "cp" && slices.Contains(in.Mods, "wait_group"):
		return 1
	case in.Op == "cp":
		return 16
	case in.Op == "discard", in.Op == "applypriority":
		return 128
	}
	return 5
}
