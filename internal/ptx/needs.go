package ptx

import (
	"slices"
	"strconv"
	"strings"
)

// A Need is the oldest PTX version and target that have an instruction.
type Need struct {
	Version float64 // such as 7.8
	Target  int     // such as 90, for sm_90
}

// oldest is the need of instructions that every module of the project may use.
var oldest = Need{7.0, 75}

// more returns the need of two instructions together.
func (n Need) more(o Need) Need { return Need{max(n.Version, o.Version), max(n.Target, o.Target)} }

// Met reports whether a module of the given version ("7.8") and target ("sm_90a") has it.
// A name that is not of this form is taken to have everything.
func (n Need) Met(version, target string) bool {
	v, err1 := strconv.ParseFloat(version, 64)
	t, err2 := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(target, "sm_"), "af"))
	return err1 != nil || err2 != nil || v >= n.Version && t >= n.Target
}

func (n Need) String() string {
	return "PTX " + strconv.FormatFloat(n.Version, 'f', 1, 64) + " and sm_" + strconv.Itoa(n.Target)
}

// needs returns the need of an instruction whose modifiers choose the types t and u, from
// the sections "PTX ISA Notes" and "Target ISA Notes" of the PTX manual.
func needs(in *Inst, t, u Type) Need {
	has := func(m string) bool { return slices.Contains(in.Mods, m) }
	bf := strings.HasPrefix(string(t), "bf") || strings.HasPrefix(string(u), "bf")
	half := t != "" && isHalf(t)
	if n, ok := needsRare(in, t); ok {
		return n
	}
	switch in.Op {
	case "add", "sub", "mul", "ex2", "tanh", "setp", "set", "atom", "red":
		if bf {
			return Need{7.8, 90}
		}
	case "abs", "neg":
		if bf {
			return Need{7.0, 80}
		}
	case "fma":
		if bf || has("relu") {
			return Need{7.0, 80}
		}
	case "min", "max":
		if half || has("NaN") {
			return Need{7.0, 80}
		}
	case "redux":
		return Need{7.0, 80}
	case "mma":
		return needsMMA(in)
	case "wmma":
		return needsWMMA(in)
	case "stmatrix":
		return Need{7.8, 90}
	case "movmatrix":
		return Need{7.8, 75}
	case "cp":
		if has("bulk") {
			return needsBulk(in)
		}
		if slices.ContainsFunc(in.Mods, func(m string) bool { return strings.HasPrefix(m, "L2::") }) {
			return Need{7.4, 80}
		}
		return Need{7.0, 80}
	case "mbarrier", "elect", "createpolicy", "discard", "applypriority", "griddepcontrol":
		return needsAsync(in).more(needsScope(in))
	case "cvt":
		return needsCvt(in, t, u, bf)
	case "barrier", "bar":
		switch {
		case has("cluster") && (has("release") || has("relaxed") || has("acquire")):
			return Need{8.0, 90}
		case has("cta"):
			return Need{7.8, 75}
		}
	case "szext", "bmsk":
		return Need{7.6, 75}
	}
	return needsScope(in)
}

func needsBulk(in *Inst) Need {
	if slices.Contains(in.Mods, "shared::cta") {
		return Need{8.6, 90}
	}
	return Need{8.0, 90}
}

func needsCvt(in *Inst, t, u Type, bf bool) Need {
	has := func(m string) bool { return slices.Contains(in.Mods, m) }
	switch {
	case t == "f32" && u == "bf16" && !has("ftz"):
		return Need{7.1, 80}
	case u == "f32" && (has("rn") || has("rz") && !has("ftz")) && (bf || has("relu") || t == "f16x2"):
		return Need{7.0, 80}
	case bf:
		return Need{7.8, 90}
	}
	return oldest
}

// needsRare returns the need of an instruction of rareRows that has another than its opcode's.
func needsRare(in *Inst, t Type) (Need, bool) {
	has := func(m string) bool { return slices.Contains(in.Mods, m) }
	switch {
	case t == "u16x2", t == "s16x2", t == "s32" && has("relu"):
		return Need{8.0, 90}, true
	case has("xorsign"):
		return Need{7.2, 86}, true
	case has("proxy") && has("async"), has("mbarrier_init"):
		return Need{8.0, 90}, true
	case has("proxy"):
		return Need{7.5, 75}, true
	case has("e4m3x2"), has("e5m2x2"):
		return Need{7.8, 89}, true
	case has("tf32") && has("rna"):
		return Need{7.0, 80}, true
	case has("tf32") && in.Op == "cvt":
		return Need{7.8, 90}, true
	}
	return Need{}, false
}

// needsAsync returns the need of asynchronous copies, of barriers in memory, and of hints to caches.
func needsAsync(in *Inst) Need {
	has := func(m string) bool { return slices.Contains(in.Mods, m) }
	switch in.Op {
	case "elect":
		return Need{8.0, 90}
	case "griddepcontrol":
		return Need{7.8, 90}
	case "createpolicy", "discard", "applypriority":
		return Need{7.4, 80}
	}
	switch {
	case has("try_wait"), has("expect_tx"), has("complete_tx"):
		n := Need{7.8, 90}
		if has("cta") || !has("try_wait") {
			n.Version = 8.0
		}
		return n
	case has("cta"):
		return Need{8.0, 90}
	case (has("arrive") || has("arrive_drop")) && !has("noComplete") && len(in.Args) == 3:
		return Need{7.8, 90}
	case has("parity"):
		return Need{7.1, 80}
	}
	return Need{7.0, 80}
}

// needsScope returns the need of scopes and cache hints.
func needsScope(in *Inst) Need {
	n := oldest
	for _, m := range in.Mods {
		switch {
		case m == "cluster":
			n = n.more(Need{7.8, 90})
		case m == "shared::cta", m == "param::entry", m == "param::func":
			n = n.more(Need{7.8, 75})
		case strings.HasPrefix(m, "L1::"), strings.HasPrefix(m, "L2::"):
			n = n.more(Need{7.4, 75})
		}
	}
	return n
}
