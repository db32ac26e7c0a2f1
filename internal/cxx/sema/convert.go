package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// A seqKind is the kind of an implicit conversion sequence, from best to worst.
type seqKind uint8

const (
	standardSeq seqKind = iota
	userSeq
	ellipsisSeq
	noSeq
)

// A rank is the rank of a standard conversion sequence.
type rank uint8

const (
	exact rank = iota
	promotion
	conversion
)

// A seq is an implicit conversion sequence: of an argument to a parameter.
type seq struct {
	fn        *function  // of a userSeq: a constructor or conversion function
	from, to  types.Type // of the standard conversion, without references
	kind      seqKind
	rank      rank    // of the standard conversion; of the second one of a userSeq
	refused   refusal // of a noSeq
	ambiguous bool    // several functions convert equally well
	qualified bool    // adds qualifiers, or binds to a more qualified type
	identity  bool
	ref       bool // binds a reference directly
	rref      bool // an rvalue reference
	rvalue    bool // the argument is an rvalue
	function  bool // of a function
	boolean   bool // a pointer becomes bool
	object    bool // the implied object, without a ref-qualifier
	list      bool // of an initialiser list
}

// A refusal is why there is no conversion, where a message says it.
type refusal uint8

const (
	unconvertible refusal = iota
	losesQualifiers
	needsLvalue
	needsRvalue
	isTemporary // a temporary for a reference that is not const
)

func (s *seq) ok() bool { return s.kind != noSeq }

var failed = seq{kind: noSeq}

// isNull reports whether x is a null pointer constant.
func isNull(x hir.Expr) bool {
	if x.Type().Is(types.Nullptr) {
		return true
	}
	k, ok := x.(*hir.ConstExpr)
	return ok && k.Literal && x.Type().IsInteger() && k.Value.Int == 0
}

// implicit returns how x converts to the type of a parameter. User says that functions
// may convert.
func (e *env) implicit(x hir.Expr, to types.Type, user bool) seq {
	if isBad(x) || !to.IsValid() {
		return seq{identity: true}
	}
	if to.IsRef() {
		return e.bindSeq(x, to, user)
	}
	switch x := x.(type) {
	case *listExpr:
		return e.listSeq(x, to, user)
	case *overloadExpr:
		return e.addressSeq(x, to)
	}
	from := x.Type()
	to = to.Unqualified()
	if to.IsClass() {
		return e.classSeq(x, to, user)
	}
	if from.IsClass() {
		if !user {
			return failed
		}
		return e.userConversion(x, to, false)
	}
	return e.standard(x, to)
}

// classSeq is the conversion to a class: of the class itself or a derived one no
// function counts, although a constructor copies it.
func (e *env) classSeq(x hir.Expr, to types.Type, user bool) seq {
	from := x.Type().Unqualified()
	if from == to {
		return seq{from: from, to: to, identity: true}
	}
	if e.derives(from, to) {
		return seq{rank: conversion, from: from, to: to}
	}
	if !user {
		return failed
	}
	return e.userConversion(x, to, false)
}

// derives reports whether from is a class derived from the class to.
func (e *env) derives(from, to types.Type) bool {
	if !from.IsClass() || !to.IsClass() || from.Node == to.Node {
		return false
	}
	k := classOfType(from)
	if k == nil {
		return false
	}
	e.checker.complete(k, k.at)
	return k.basePath(classOfType(to)) != nil
}

// basePath returns the classes from k's base on to b, or nil if b is no base of k.
func (k *class) basePath(b *class) []*types.Class {
	for i := range k.bases {
		x := k.bases[i].class
		if x == b {
			return []*types.Class{b.t}
		}
		if p := x.basePath(b); p != nil {
			return append([]*types.Class{x.t}, p...)
		}
	}
	return nil
}

// standard returns the standard conversion of x to a scalar type.
func (e *env) standard(x hir.Expr, to types.Type) seq {
	from := e.types.Decayed(x.Type())
	s := seq{from: from, to: to}
	switch {
	case from == to:
		s.identity = true
		return s
	case to.IsVoid():
		return failed
	case from.IsVoid():
		return failed
	case to.Is(types.Bool):
		return e.boolSeq(s)
	case to.IsInteger():
		if !from.IsInteger() && !from.IsFloat() && !(from.IsEnum() && !from.Enum.Scoped) {
			return failed
		}
		s.rank = conversion
		if !from.IsFloat() && e.promotes(x, from) == to {
			s.rank = promotion
		}
		return s
	case to.IsFloat():
		if !from.IsArithmetic() && !from.IsIntegerOrEnum() {
			return failed
		}
		s.rank = conversion
		if from.Is(types.Float) && to.Is(types.Double) {
			s.rank = promotion
		}
		return s
	case to.IsPointer():
		return e.pointerSeq(x, s)
	case to.Is(types.MemberPointer):
		return e.memberPointerSeq(x, s)
	case to.Is(types.Nullptr):
		if isNull(x) {
			s.rank = conversion
			return s
		}
	}
	return failed
}

// promotes returns what the integral promotions make of x.
func (e *env) promotes(x hir.Expr, from types.Type) types.Type {
	if f, ok := x.(*hir.Field); ok && f.Field.Width >= 0 {
		return e.types.PromoteBits(from, f.Field.Width)
	}
	if x := enumOf(from); x != nil {
		e.resolveEnum(x)
	}
	return e.types.Promote(from)
}

func (e *env) boolSeq(s seq) seq {
	switch {
	case s.from.IsArithmetic(), s.from.IsEnum() && !s.from.Enum.Scoped:
	case s.from.IsPointer(), s.from.Is(types.MemberPointer):
		s.boolean = true
	default:
		return failed
	}
	s.rank = conversion
	return s
}

func (e *env) pointerSeq(x hir.Expr, s seq) seq {
	if isNull(x) {
		s.rank = conversion
		if s.from.Is(types.Nullptr) {
			return s
		}
		return s
	}
	if !s.from.IsPointer() {
		return failed
	}
	a, b := s.from.Elem, s.to.Elem
	if e.sameFunc(a, b) {
		return s
	}
	if ok, added := e.qualifies(s.from, s.to); ok {
		s.qualified = added
		return s
	}
	if a.Qualifiers()&^b.CV != 0 || a.IsFunc() {
		s.refused = qualifierRefusal(a, b)
		s.kind = noSeq
		return s
	}
	switch {
	case b.IsVoid(), e.derives(a.Unqualified(), b.Unqualified()):
		s.rank = conversion
		s.qualified = a.CV != b.CV
		return s
	}
	return failed
}

func qualifierRefusal(a, b types.Type) refusal {
	if a.Unqualified() == b.Unqualified() && a.CV&^b.CV != 0 {
		return losesQualifiers
	}
	return unconvertible
}

// sameFunc reports whether two function types differ in noexcept alone, so that a
// pointer to the first converts to one to the second.
func (e *env) sameFunc(a, b types.Type) bool {
	if !a.IsFunc() || !b.IsFunc() || a == b {
		return a.IsFunc() && a == b
	}
	x, y := *a.Func, *b.Func
	if !x.Noexcept || y.Noexcept {
		return false
	}
	x.Noexcept = false
	return e.types.Func(a.Elem, x) == b
}

// qualifies reports whether from becomes to by adding qualifiers alone, and whether it
// adds any.
func (e *env) qualifies(from, to types.Type) (ok, added bool) {
	outer := true // every level of to outside of this one is const
	for first := true; ; first = false {
		if !first {
			if from.CV&^to.CV != 0 {
				return false, false
			}
			if from.CV != to.CV {
				added = true
				if !outer {
					return false, false
				}
			}
			outer = outer && to.CV&types.Const != 0
		}
		switch {
		case from.Node == to.Node:
			return true, added
		case from.Is(types.Pointer) && to.Is(types.Pointer):
		case from.Is(types.MemberPointer) && to.Is(types.MemberPointer) && from.Of == to.Of:
		case from.IsArray() && to.IsArray() && (from.Len == to.Len || to.Len < 0):
			if !first && from.Elem.Qualifiers() != to.Elem.Qualifiers() && !outerConst(to) {
				outer = true
			}
			from, to = from.Elem, to.Elem
			from.CV, to.CV = from.Qualifiers(), to.Qualifiers()
			if from.Node == to.Node {
				return from.CV&^to.CV == 0, added || from.CV != to.CV
			}
			continue
		default:
			return false, false
		}
		if first {
			outer = true
		}
		from, to = from.Elem, to.Elem
	}
}

func outerConst(t types.Type) bool { return t.IsConst() }

func (e *env) memberPointerSeq(x hir.Expr, s seq) seq {
	if isNull(x) {
		s.rank = conversion
		return s
	}
	if !s.from.Is(types.MemberPointer) {
		return failed
	}
	if ok, added := e.qualifies(s.from, s.to); ok {
		s.qualified = added
		return s
	}
	if s.from.Elem == s.to.Elem && e.derives(s.to.Of, s.from.Of) && e.offsetOfBase(s.to.Of, s.from.Of) == 0 {
		s.rank = conversion
		return s
	}
	return failed
}

// offsetOfBase returns the offset of a base in a derived class. A pointer to a member keeps
// its value when it is converted, so that it is only converted where this is 0.
func (e *env) offsetOfBase(derived, base types.Type) int64 {
	off := int64(0)
	k := classOfType(derived)
	for _, b := range k.basePath(classOfType(base)) {
		for i := range k.t.Bases {
			if k.t.Bases[i].Class == b {
				off += k.t.Bases[i].Offset
			}
		}
		if k, _ = b.Decl.(*class); k == nil {
			break
		}
	}
	return off
}

// bindSeq returns how a reference binds to x.
func (e *env) bindSeq(x hir.Expr, to types.Type, user bool) seq {
	t := to.Elem
	rref := to.Is(types.RRef)
	switch x := x.(type) {
	case *listExpr:
		return e.listRefSeq(x, to, user)
	case *overloadExpr:
		s := e.addressSeq(x, t)
		s.ref, s.rref, s.function = true, rref, true
		return s
	}
	from := x.Type()
	related, s := e.related(from, t)
	s.ref, s.rref, s.rvalue = true, rref, x.Category() != hir.LValue
	compatible := related && from.Qualifiers()&^t.Qualifiers() == 0
	s.function = from.IsFunc()
	isBits := isBitField(x)
	if compatible && (x.Category() == hir.LValue && (!rref || from.IsFunc()) && !isBits || rref && s.rvalue && (x.Category() == hir.XValue || from.IsClass() || from.IsArray())) {
		return s
	}
	if compatible && s.rvalue && !rref && t.IsConst() && !t.IsVolatile() && (x.Category() == hir.XValue || from.IsClass() || from.IsArray()) {
		return s
	}
	if from.IsClass() && !related && user {
		if c := e.userConversion(x, to, false); c.ok() {
			return c
		}
	}
	if related && !compatible {
		return seq{kind: noSeq, refused: losesQualifiers}
	}
	if rref {
		if x.Category() == hir.LValue && related {
			return seq{kind: noSeq, refused: needsRvalue}
		}
	} else if !t.IsConst() || t.IsVolatile() {
		r := needsLvalue
		if related && s.rvalue {
			r = isTemporary
		}
		return seq{kind: noSeq, refused: r}
	}
	if t.IsFunc() || t.IsArray() && !related {
		return failed
	}
	// A temporary of the type is made.
	c := e.implicit(x, t.Unqualified(), user)
	c.ref, c.rref, c.rvalue = true, rref, true
	return c
}

// related reports whether a reference to t can refer to from: the same type or a base.
func (e *env) related(from, t types.Type) (bool, seq) {
	a, b := e.types.Unqualify(from), e.types.Unqualify(t)
	s := seq{from: from, to: t, qualified: from.Qualifiers() != t.Qualifiers()}
	if a == b || e.sameFunc(a, b) {
		s.identity = true
		return true, s
	}
	if a.IsArray() && b.IsArray() && a.Elem == b.Elem && b.Len < 0 {
		s.identity = true
		return true, s
	}
	if e.derives(a, b) {
		s.rank = conversion
		return true, s
	}
	if a.IsPointer() && b.IsPointer() {
		if ok, added := e.qualifies(a, b); ok && added && (t.IsConst() || from.CV == 0) {
			return false, s // similar types: a temporary, which is nearly as good
		}
	}
	return false, s
}

func isBitField(x hir.Expr) bool {
	f, ok := x.(*hir.Field)
	return ok && f.Field.Width >= 0
}

// userConversion finds the function that converts x to a class, or from a class. Explicit
// functions count in direct initialisation.
func (e *env) userConversion(x hir.Expr, to types.Type, direct bool) seq {
	if e.depth > maxDepth {
		return failed
	}
	var set candidates
	defer set.release(e)
	target := to.Unref().Unqualified()
	if k := classOfType(target); k != nil && (!to.IsRef() || !to.Is(types.LRef) || to.Elem.IsConst()) {
		if e.checker.complete(k, k.at) {
			for _, f := range e.constructors(k) {
				set.consider(e, f, nil, []hir.Expr{x}, nil, callFlags{noUser: true, implicit: !direct})
			}
		}
	}
	if k := classOfType(x.Type()); k != nil && e.checker.complete(k, k.at) {
		for _, f := range e.conversions(k) {
			e.considerConversion(&set, f, x, to, direct)
		}
	}
	best, ambiguous := set.best(e)
	if best == nil {
		return failed
	}
	s := seq{kind: userSeq, fn: best.fn, ambiguous: ambiguous, ref: to.IsRef(), rref: to.Is(types.RRef)}
	if f := best.final; f != nil {
		s.from, s.to, s.rank, s.rvalue, s.qualified, s.identity = f.from, f.to, f.rank, f.rvalue, f.qualified, f.identity
	}
	return s
}

// considerConversion adds a conversion function to the candidates, if what it returns
// converts to the type.
func (e *env) considerConversion(set *candidates, f *function, x hir.Expr, to types.Type, direct bool) {
	if f.tmpl != nil {
		f = e.deduceConversion(f, to)
		if f == nil {
			return
		}
	}
	if f.has(ast.Explicit) && !direct {
		return
	}
	obj := e.objectSeq(f, x)
	if !obj.ok() {
		return
	}
	e.resolveResult(f)
	r := f.result()
	if !r.IsValid() || r.Is(types.Auto) {
		return
	}
	final := e.implicit(&stubExpr{Info: resultInfo(ast.Span{}, r)}, to, false)
	if !final.ok() {
		return
	}
	set.list = append(set.list, candidate{fn: f, seqs: []seq{obj}, final: &final, viable: true})
}

// resultInfo returns the type and category of a call whose result has type r.
func resultInfo(at ast.Span, r types.Type) hir.Info {
	i := hir.Info{Span: at, T: r.Unref()}
	switch {
	case r.Is(types.LRef) || r.Is(types.RRef) && r.Elem.IsFunc():
		i.Cat = hir.LValue
	case r.Is(types.RRef):
		i.Cat = hir.XValue
	default:
		if r.IsScalar() {
			i.T = r.Unqualified()
		}
	}
	return i
}

// compare ranks two implicit conversion sequences of one argument: negative if a is
// better.
func (e *env) compare(a, b *seq) int {
	if a.kind != b.kind {
		return int(a.kind) - int(b.kind)
	}
	switch a.kind {
	case ellipsisSeq, noSeq:
		return 0
	case userSeq:
		if a.ambiguous || b.ambiguous || a.fn != b.fn {
			return 0
		}
	}
	if a.list != b.list && a.to.IsClass() && !b.to.IsClass() {
		return 0
	}
	if c := e.compareStandard(a, b); c != 0 {
		return c
	}
	return 0
}

//irgl:flatswitch
func (e *env) compareStandard(a, b *seq) int {
	if a.identity != b.identity && !a.qualified && !b.qualified && a.rank == b.rank {
		if a.identity {
			return -1
		}
		return 1
	}
	if a.rank != b.rank {
		return int(a.rank) - int(b.rank)
	}
	if a.boolean != b.boolean {
		if b.boolean {
			return -1
		}
		return 1
	}
	if c := e.compareBases(a, b); c != 0 {
		return c
	}
	if a.ref && b.ref && !a.object && !b.object && a.rref != b.rref {
		if a.function {
			if !a.rref {
				return -1
			}
			return 1
		}
		if a.rvalue && b.rvalue {
			if a.rref {
				return -1
			}
			return 1
		}
	}
	// Fewer qualifiers are better.
	at, bt := a.to, b.to
	if at.IsValid() && bt.IsValid() {
		if a.ref && b.ref && e.types.Unqualify(at) == e.types.Unqualify(bt) {
			return qualifierOrder(at.Qualifiers(), bt.Qualifiers())
		}
		if at.IsPointer() && bt.IsPointer() && at.Elem.Node == bt.Elem.Node {
			return qualifierOrder(at.Elem.Qualifiers(), bt.Elem.Qualifiers())
		}
		if at.IsPointer() && bt.IsPointer() {
			if ok, _ := e.qualifies(at, bt); ok {
				return -1
			}
			if ok, _ := e.qualifies(bt, at); ok {
				return 1
			}
		}
	}
	return 0
}

func qualifierOrder(a, b types.CV) int {
	switch {
	case a == b:
		return 0
	case a&^b == 0:
		return -1
	case b&^a == 0:
		return 1
	}
	return 0
}

// compareBases prefers the nearer of two bases, and any base to void.
func (e *env) compareBases(a, b *seq) int {
	if a.rank != conversion {
		return 0
	}
	x, y := a.to.Unqualified(), b.to.Unqualified()
	if x.IsPointer() && y.IsPointer() && a.from.IsPointer() {
		x, y = x.Elem.Unqualified(), y.Elem.Unqualified()
		if x.IsVoid() != y.IsVoid() {
			if y.IsVoid() {
				return -1
			}
			return 1
		}
	}
	switch {
	case e.derives(x, y):
		return -1
	case e.derives(y, x):
		return 1
	}
	return 0
}
