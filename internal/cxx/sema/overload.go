package sema

import (
	"fmt"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
)

// callFlags say what a resolution allows.
type callFlags struct {
	noUser   bool // no user-defined conversions of arguments
	implicit bool // explicit functions do not count
}

// A candidate is a function that a call may mean.
type candidate struct {
	fn        *function
	from      *function // the template that fn is an instance of, or fn
	builtin   *builtinOp
	seqs      []seq // of the object first, for a member, then of the arguments
	final     *seq  // of a conversion function's result; nil for other candidates
	viable    bool
	hasObject bool
	reasonArg int     // the argument that does not convert, from 1; 0 for none
	refused   refusal // why it does not
	reason    error   // of candidates that are not viable for another reason: worded only for a note
}

// candidates are what overload resolution chooses from.
type candidates struct {
	list []candidate
	seqs []seq // the storage of those of the candidates
	// naming is the naming class of members ([class.access.base]/5); nil for the class of the
	// object.
	naming *class
	found  finding // the members
}

// acquire takes the storage of candidates from the free list.
func (set *candidates) acquire(e *env) {
	if n := len(e.freeCandidates); set.list == nil && n > 0 {
		set.list, set.seqs = e.freeCandidates[n-1].list, e.freeCandidates[n-1].seqs
		e.freeCandidates = e.freeCandidates[:n-1]
	}
}

// release puts the storage on the free list: nothing may refer to the candidates any more.
func (set *candidates) release(e *env) {
	if cap(set.list) > 0 {
		e.freeCandidates = append(e.freeCandidates, candidates{list: set.list[:0], seqs: set.seqs[:0]})
		*set = candidates{}
	}
}

// A wrongCount is a call with too few or too many arguments.
type wrongCount struct {
	fn   *function
	args int
}

// A wrongObject is the call of a member that the qualifiers of its object exclude.
type wrongObject struct {
	fn  *function
	typ types.Type
}

func (w *wrongObject) Error() string {
	return fmt.Sprintf("'this' argument has type '%s', but method is not marked %s", w.typ, missingQualifiers(w.typ, w.fn))
}

// consider adds a function with the arguments of a call. The object is nil for a call
// without one.
func (set *candidates) consider(e *env, f *function, obj hir.Expr, args []hir.Expr, targs []types.Arg, flags callFlags) {
	c := candidate{fn: f, from: f}
	set.acquire(e)
	e.signature(f)
	switch {
	case f.bad, f.ignored():
		return
	case flags.implicit && f.has(ast.Explicit):
		return
	case f.tmpl != nil:
		inst, reason := e.deduceCall(f, targs, obj, args, flags)
		if inst == nil {
			c.reason = reason
			set.list = append(set.list, c)
			return
		}
		c.fn = inst
	case len(targs) > 0:
		return
	}
	set.viable(e, &c, obj, args, flags)
	set.list = append(set.list, c)
}

// viable computes the conversions of the arguments.
func (set *candidates) viable(e *env, c *candidate, obj hir.Expr, args []hir.Expr, flags callFlags) {
	f := c.fn
	n := len(f.params)
	if len(args) > n && !f.typ.Func.Variadic {
		c.reason = &wrongCount{f, len(args)}
		return
	}
	if len(args) < n && !f.hasDefault(len(args)) {
		c.reason = &wrongCount{f, len(args)}
		return
	}
	first := len(set.seqs)
	c.hasObject = obj != nil && f.class != nil && f.kind != ast.Constructor
	if c.hasObject {
		s := seq{identity: true, object: true}
		if !f.static {
			s = e.objectSeq(f, set.naming, obj)
		}
		if !s.ok() {
			c.reason = &wrongObject{f, obj.Type()}
			return
		}
		set.seqs = append(set.seqs, s)
	}
	for i, a := range args {
		if i >= n {
			set.seqs = append(set.seqs, seq{kind: ellipsisSeq})
			continue
		}
		s := e.implicit(a, f.params[i], !flags.noUser)
		if !s.ok() {
			c.reasonArg, c.refused = i+1, s.refused
			set.seqs = set.seqs[:first]
			return
		}
		set.seqs = append(set.seqs, s)
	}
	c.seqs = set.seqs[first:len(set.seqs):len(set.seqs)]
	c.viable = true
}

func missingQualifiers(t types.Type, f *function) string {
	if f.typ.Func.Ref == 1 {
		return "for an rvalue"
	}
	if t.IsVolatile() {
		return "volatile"
	}
	return "const"
}

// hasDefault reports whether the parameters from the i-th on have default arguments.
func (f *function) hasDefault(i int) bool {
	return i < len(f.defaults) && f.defaults[i].x != nil || i < len(f.params) && f.inherited != nil && f.inherited.hasDefault(i)
}

// Error returns the reason in clang's words.
func (w *wrongCount) Error() string {
	f, n, got := w.fn, len(w.fn.params), w.args
	least := n
	for least > 0 && f.hasDefault(least-1) {
		least--
	}
	word := ""
	want := n
	if least < n {
		word, want = "at most ", n
		if got < least {
			word, want = "at least ", least
		}
	} else if f.typ.Func.Variadic {
		word = "at least "
	}
	args := "arguments"
	if want == 1 {
		args = "argument"
	}
	verb := "were"
	if got == 1 {
		verb = "was"
	}
	return fmt.Sprintf("requires %s%d %s, but %d %s provided", word, want, args, got, verb)
}

// objectSeq is the conversion of an object to the implied parameter of a member, which is
// of the class owner or, for nil, of the object's own class: functions that one lookup
// finds in several classes come by using-declarations and count as members of the class
// that has those ([over.match.funcs]/4).
func (e *env) objectSeq(f *function, owner *class, obj hir.Expr) seq {
	t := obj.Type()
	s := seq{object: true, ref: true, rvalue: obj.Category() != hir.LValue, from: t, identity: true}
	info := f.typ.Func
	to := t.Unqualified()
	if owner != nil && owner.t != t.Class {
		to = e.types.Class(owner.t)
		s.identity, s.rank = false, conversion
	}
	s.to = e.types.Qualify(to, info.CV)
	if t.Qualifiers()&^info.CV != 0 {
		return failed
	}
	switch {
	case info.Ref == 1 && s.rvalue && info.CV&types.Const == 0, info.Ref == 2 && !s.rvalue:
		return failed
	}
	if info.Ref != 0 {
		s.object = false
		s.rref = info.Ref == 2
	}
	return s
}

// arguments returns how many arguments a candidate is called with, without the object.
func (c *candidate) arguments() int {
	if c.hasObject {
		return len(c.seqs) - 1
	}
	return len(c.seqs)
}

// best returns the best viable candidate, and whether there are several; nil for no
// viable one.
func (set *candidates) best(e *env) (best *candidate, ambiguous bool) {
	set.dropWrongSide(e)
	for i := range set.list {
		c := &set.list[i]
		if !c.viable {
			continue
		}
		if best == nil || e.better(c, best) {
			best = c
		}
	}
	if best == nil {
		return nil, false
	}
	for i := range set.list {
		c := &set.list[i]
		if c.viable && c != best && (c.fn == nil || c.fn != best.fn) && !e.better(best, c) {
			return best, true
		}
	}
	return best, false
}

// dropWrongSide removes functions of the host where one of the device is viable. It does not
// in operands that are not evaluated: types and traits choose specialisations and name
// kernels, and must be those of the host's compiler, which knows no sides.
func (set *candidates) dropWrongSide(e *env) {
	if e.unevaluated {
		return
	}
	n, wrong := 0, 0
	for i := range set.list {
		if c := &set.list[i]; c.viable {
			n++
			if c.fn != nil && e.preference(c.fn) == wrongSide {
				wrong++
			}
		}
	}
	if wrong == 0 || wrong == n {
		return
	}
	for i := range set.list {
		if c := &set.list[i]; c.viable && c.fn != nil && e.preference(c.fn) == wrongSide {
			c.viable = false
		}
	}
}

// noMatch reports that no candidate is viable, with a note for each.
func (e *env) noMatch(at ast.Node, set *candidates, args []hir.Expr, format string, a ...any) {
	if anyBad(args) {
		return
	}
	d := e.errorf(at, codeNoMatch, format, a...)
	if e.capturing > 0 {
		return
	}
	for i := range set.list {
		if i == maxCandidates {
			d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Message: fmt.Sprintf("and %d more candidates", len(set.list)-i)})
			break
		}
		e.candidateNote(d, &set.list[i], args)
	}
}

// candidateNote says why a candidate is not viable, as clang does.
func (e *env) candidateNote(d *source.Diagnostic, c *candidate, args []hir.Expr) {
	what := "candidate function"
	f := c.fn
	if f == nil {
		return
	}
	if f.kind == ast.Constructor {
		what = "candidate constructor"
		if f.implicit && f.special != notSpecial {
			what = "candidate constructor (the implicit " + f.special.String() + ")"
		}
	}
	if f.of != nil {
		what += " template"
	}
	switch {
	case c.viable:
		e.note(d, f.at, what)
	case c.reasonArg > 0:
		e.note(d, f.at, what+" not viable: "+e.argumentReason(c, args))
	case f.tmpl != nil:
		e.note(d, f.at, "candidate template ignored: "+c.reason.Error())
	default:
		e.note(d, f.at, what+" not viable: "+c.reason.Error())
	}
}

func (e *env) argumentReason(c *candidate, args []hir.Expr) string {
	n := c.reasonArg
	to := c.fn.params[n-1]
	from := typeName(args[n-1])
	nth := ordinal(n) + " argument"
	switch c.refused {
	case losesQualifiers:
		return fmt.Sprintf("%s ('%s') would lose %s qualifier", nth, from, lost(args[n-1].Type(), to))
	case needsLvalue, isTemporary:
		return fmt.Sprintf("expects an lvalue for %s", nth)
	case needsRvalue:
		return fmt.Sprintf("expects an rvalue for %s", nth)
	}
	if k := classOfType(args[n-1].Type()); k != nil && !k.t.Complete {
		return fmt.Sprintf("cannot convert argument of incomplete type '%s' to '%s' for %s", from, to, nth)
	}
	return fmt.Sprintf("no known conversion from '%s' to '%s' for %s", from, to, nth)
}

func lost(from, to types.Type) string {
	if to.IsRef() {
		to = to.Elem
	}
	if from.IsArray() && to.IsPointer() {
		from, to = from.Elem, to.Elem
	} else if from.IsPointer() && to.IsPointer() {
		from, to = from.Elem, to.Elem
	}
	if q := from.Qualifiers() &^ to.Qualifiers(); q == types.Volatile {
		return "volatile"
	} else if q == types.Const|types.Volatile {
		return "const and volatile"
	}
	return "const"
}

// typeName returns what messages call the type of an expression.
func typeName(x hir.Expr) string {
	switch x.(type) {
	case *listExpr:
		return "initializer list"
	case *overloadExpr:
		return "<overloaded function type>"
	}
	return x.Type().String()
}

func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// ambiguity reports a call that several candidates fit equally well.
func (e *env) ambiguity(at ast.Node, set *candidates, args []hir.Expr, format string, a ...any) {
	d := e.errorf(at, codeAmbiguous, format, a...)
	n := 0
	for i := range set.list {
		if c := &set.list[i]; c.viable && c.fn != nil {
			if n++; n > maxCandidates {
				break
			}
			e.note(d, c.fn.at, "candidate function")
		}
	}
}
