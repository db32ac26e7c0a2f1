package ptx

import (
	"slices"
	"strconv"
	"strings"

	"irgl/internal/source"
)

// Verify reports whether m is well-formed: names are declared once in a scope
// and before their use, registers are used with a type of their class, labels
// exist, every instruction is in the package's table with legal modifiers and
// operands, parameters are read within their bounds, calls match their
// functions, the module's version and target have its instructions. The error holds diagnostics ([source.Diagnostics]); those of a
// module that was not parsed have no position but name function and
// instruction. Modifiers that are in another order than the table's, which assemblers take, are put into it. A module that Verify accepts may still be refused by an
// assembler for its target's limits.
func Verify(m *Module) error {
	all := &source.List{}
	verify(m, all, func(*Func) *source.List { return all })
	return all.Err()
}

// VerifyEach is Verify with what is wrong within functions apart, so that the others can
// still be used; err is about the module's variables and the functions' names.
func VerifyEach(m *Module) (funcs map[*Func]error, err error) {
	all, funcs := &source.List{}, map[*Func]error{}
	lists := map[*Func]*source.List{}
	verify(m, all, func(f *Func) *source.List {
		lists[f] = &source.List{}
		return lists[f]
	})
	for f, list := range lists {
		if err := list.Err(); err != nil {
			funcs[f] = err
		}
	}
	return funcs, all.Err()
}

// verify verifies m into all, and what is in its functions into the lists that list gives.
func verify(m *Module, all *source.List, list func(*Func) *source.List) {
	v := &verifier{diags: all, top: newScope(nil), mod: m}
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *Var:
			v.variable(v.top, d)
		case *Func:
			v.declareFunc(d)
		}
	}
	for _, d := range m.Decls {
		switch d := d.(type) {
		case *Var:
			v.initial(d)
		case *Func:
			v.diags = list(d)
			v.function(d)
			v.diags = all
		}
	}
}

type verifier struct {
	diags *source.List
	top   *scope
	mod   *Module // nil for inline PTX
	need  Need    // of the instructions so far
	fn    *Func   // under verification
	inst  *Inst
}

// A scope maps the names of one block. Registers of a range %r<N> are kept as
// their prefix and N.
type scope struct {
	outer  *scope
	vars   map[string]*Var
	ranges map[string]*Var
	funcs  map[string]*Func
	labels map[string]bool
	tables map[string]*BranchTargets
	protos map[string]*CallPrototype
}

func newScope(outer *scope) *scope {
	return &scope{outer: outer, vars: map[string]*Var{}, ranges: map[string]*Var{}, funcs: map[string]*Func{},
		labels: map[string]bool{}, tables: map[string]*BranchTargets{}, protos: map[string]*CallPrototype{}}
}

// lookup finds the declaration of a register or variable, innermost first.
func (s *scope) lookup(name string) *Var {
	prefix := strings.TrimRight(name, "0123456789")
	digits := name[len(prefix):]
	for ; s != nil; s = s.outer {
		if v := s.vars[name]; v != nil {
			return v
		}
		// %r007 is not the seventh register of %r<8>, and a prefix may itself
		// end in digits: try every split.
		for i := range len(digits) {
			if digits[i] == '0' && i+1 < len(digits) {
				continue
			}
			if v := s.ranges[prefix+digits[:i]]; v != nil {
				if n, err := strconv.Atoi(digits[i:]); err == nil && n < v.Range {
					return v
				}
			}
		}
	}
	return nil
}

func (s *scope) label(name string) bool {
	for ; s != nil; s = s.outer {
		if s.labels[name] {
			return true
		}
	}
	return false
}

// errorf reports an error at the present instruction, or at pos outside one.
func (v *verifier) errorf(pos source.Pos, code source.Code, format string, args ...any) {
	if v.diags.Errors() >= maxErrors {
		return
	}
	if v.inst != nil {
		pos = v.inst.Pos
		format += " in %q"
		args = append(args, v.inst.String())
	}
	if v.fn != nil && !pos.IsValid() {
		format += " of %s"
		args = append(args, v.fn.Name)
	}
	v.diags.Errorf(pos, source.Pos{}, code, format, args...)
}

func (v *verifier) declareFunc(f *Func) {
	if old := v.top.funcs[f.Name]; old != nil && !old.Proto && !f.Proto {
		v.errorf(f.Pos, codeRedeclared, "function %s is declared twice", f.Name)
		return
	} else if old == nil || old.Proto {
		v.top.funcs[f.Name] = f
	}
	if v.top.vars[f.Name] != nil {
		v.errorf(f.Pos, codeRedeclared, "%s is declared twice", f.Name)
	}
}

// variable enters a declaration into s and checks it.
func (v *verifier) variable(s *scope, d *Var) {
	names := s.vars
	if d.Range > 0 {
		names = s.ranges
	}
	if names[d.Name] != nil && d.Linkage != "extern" && names[d.Name].Linkage != "extern" || s.funcs[d.Name] != nil {
		v.errorf(d.Pos, codeRedeclared, "%s is declared twice", d.Name)
	}
	names[d.Name] = d
	bad := func(why string) { v.errorf(d.Pos, codeVar, "%s: %s", d, why) }
	size, known := d.ByteSize()
	switch {
	case !slices.Contains(spaces, string(d.Space)):
		bad("there is no such state space")
	case d.Type.Size() == 0 && d.Type != "pred":
		bad("there is no such type")
	case d.Type == "pred" && d.Space != Reg:
		bad("a predicate can only be a register")
	case d.Space == Reg && (d.Array || d.Type == "b128"):
		bad("a register holds one value of up to 64 bits")
	case d.Range > 0 && d.Space != Reg:
		bad("only registers are declared by range")
	case d.Align < 0 || d.Align&(d.Align-1) != 0:
		bad("the alignment is not a power of two")
	case !known && d.Linkage != "extern":
		bad("the size is not known")
	case size > 1<<40:
		bad("it is too large")
	case len(d.Init) > 0 && d.Space != Global && d.Space != Const:
		bad("only .global and .const variables have initial values")
	case known && len(d.Init) > 0 && int64(len(d.Init))*int64(d.Type.Size()) > size:
		bad("it has more initial values than elements")
	}
}

// ByteSize returns the bytes that a variable takes; false when a dimension
// is left open, as in extern .shared arrays.
func (v *Var) ByteSize() (int64, bool) {
	size := int64(v.Type.Size())
	for _, d := range v.Dims {
		if d < 0 {
			return 0, false
		}
		if size *= d; size > 1<<40 {
			return 1<<40 + 1, true
		}
		if d > 1<<40 {
			return 1<<40 + 1, true
		}
	}
	return size, true
}

// Alignment returns the bytes that a variable's address is a multiple of: those that are stated, or the type's.
func (v *Var) Alignment() int64 { return int64(max(v.Align, v.Type.Size(), 1)) }

// initial checks that the symbols of initial values exist.
func (v *verifier) initial(d *Var) {
	for _, o := range d.Init {
		if o.Kind == KindSym && v.top.vars[o.Name] == nil && v.top.funcs[o.Name] == nil {
			v.errorf(d.Pos, codeUndeclared, "%s: %s is not declared", d.Name, o.Name)
		}
	}
}

func (v *verifier) function(f *Func) {
	v.fn = f
	defer func() { v.fn = nil }()
	s := newScope(v.top)
	for _, p := range slices.Concat(f.Results, f.Params) {
		switch {
		case p.Space != Param && (f.Entry || p.Space != Reg):
			v.errorf(p.Pos, codeVar, "%s: a parameter is in .param", p)
		case f.Entry && len(f.Results) > 0:
			v.errorf(f.Pos, codeVar, "entry %s has a result", f.Name)
		}
		v.variable(s, p)
	}
	if f.Entry && f.Proto {
		v.errorf(f.Pos, codeVar, "entry %s has no body", f.Name)
	}
	v.block(newScope(s), f.Body)
}

// block verifies a list of statements. Labels may be used before they stand;
// variables may not.
func (v *verifier) block(s *scope, body []Stmt) {
	for _, st := range body {
		name, pos := "", source.Pos{}
		switch st := st.(type) {
		case *Label:
			name, pos = st.Name, st.Pos
		case *BranchTargets:
			name, pos = st.Name, st.Pos
			s.tables[name] = st
		case *CallPrototype:
			name, pos = st.Name, st.Pos
			s.protos[name] = st
		default:
			continue
		}
		if s.labels[name] {
			v.errorf(pos, codeRedeclared, "label %s is defined twice", name)
		}
		s.labels[name] = true
	}
	for _, st := range body {
		switch st := st.(type) {
		case *Var:
			v.variable(s, st)
		case *Scope:
			v.block(newScope(s), st.Body)
		case *BranchTargets:
			for _, l := range st.Labels {
				if !s.label(l) {
					v.errorf(st.Pos, codeNoLabel, "there is no label %s", l)
				}
			}
		case *Inst:
			v.inst = st
			v.instruction(s, st)
			v.inst = nil
		}
	}
}

// reorder puts the modifiers of an instruction into the table's order where they are in another.
func reorder(forms []form, in *Inst) {
	for i := range forms {
		if _, _, ok := forms[i].match(in.Mods); ok {
			return
		}
	}
	for i := range forms {
		if mods, ok := forms[i].reordered(in.Mods); ok {
			in.Mods = mods
			return
		}
	}
}

// instruction checks one instruction against the table.
func (v *verifier) instruction(s *scope, in *Inst) {
	if in.Guard != "" {
		if g := s.lookup(in.Guard); g == nil {
			v.errorf(in.Pos, codeUndeclared, "register %s is not declared", in.Guard)
		} else if g.Type != "pred" || g.Space != Reg {
			v.errorf(in.Pos, codeGuard, "%s is not a predicate", in.Guard)
		}
	}
	forms := table()[in.Op]
	if forms == nil {
		v.errorf(in.Pos, codeUnknownOp, "instruction %s is not supported", in.Op)
		return
	}
	matched := false
	reorder(forms, in)
	for i := range forms {
		f := &forms[i]
		t, u, ok := f.match(in.Mods)
		if !ok {
			continue
		}
		matched = true
		if why := illegal(in, t, u); why != "" {
			v.errorf(in.Pos, codeModifier, "%s", why)
			return
		}
		if len(f.args) == 1 && f.args[0] == "call" {
			v.call(s, in)
			return
		}
		if len(f.args) == len(in.Args) {
			if n := needs(in, t, u); v.mod != nil && n != oldest && !n.Met(v.mod.Version, v.mod.Target) {
				v.errorf(in.Pos, codeTarget, "the instruction needs %s, and the module is PTX %s for %s", n, v.mod.Version, v.mod.Target)
			} else {
				v.need = v.need.more(n)
			}
			c := &operandChecker{v: v, s: s, in: in, t: t, u: u}
			for j, a := range f.args {
				c.check(a, in.Args[j])
			}
			return
		}
	}
	if !matched {
		v.errorf(in.Pos, codeModifier, "%s has no such form", in.Op)
		return
	}
	v.errorf(in.Pos, codeOperands, "%d operands do not fit", len(in.Args))
}
