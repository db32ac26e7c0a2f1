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
	identity  bool    // nothing but an lvalue transformation
	fixed     bool    // an enumeration is promoted to its fixed underlying type
	ref       bool    // binds a reference directly
	rref      bool    // an rvalue reference
	rvalue    bool    // the argument is an rvalue
	function  bool    // of a function
	boolean   bool    // a pointer becomes bool
	literal   bool    // a string literal loses its const
	object    bool    // the implied object, without a ref-qualifier
	list      bool    // of an initialiser list
	initList  bool    // of one to std::initializer_list
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
		switch {
		case from.IsFloat():
		case e.promotes(x, from) == to:
			s.rank = promotion
		case isFixedBase(from, to):
			s.rank, s.fixed = promotion, true
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

// isFixedBase reports whether t is the fixed underlying type of the enumeration from.
func isFixedBase(from, t types.Type) bool {
	return from.IsEnum() && !from.Enum.Scoped && from.Enum.Fixed && from.Enum.Base == t
}

// promotes returns what the integral promotions make of x.
func (e *env) promotes(x hir.Expr, from types.Type) types.Type {
	if f := bitField(x); f != nil {
		return e.types.PromoteBits(from, f.Field.Width)
	}
	if x := enumOf(from); x != nil {
		e.resolveEnum(x)
	}
	return e.types.Promote(from)
}

func (e *env) boolSeq(s seq) seq {
	if x := enumOf(s.from); x != nil {
		e.resolveEnum(x)
	}
	switch {
	case isFixedBase(s.from, s.to):
		s.rank, s.fixed = promotion, true
		return s
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
		return s
	}
	if !s.from.IsPointer() {
		return failed
	}
	a, b := s.from.Elem, s.to.Elem
	if e.sameFunc(a, b) {
		return s
	}
	if ok, _ := e.qualifies(s.from, s.to); ok {
		return s
	}
	if _, ok := x.(*hir.StringExpr); ok && a.Unqualified() == b { // deprecated, as g++ and nvcc have it
		s.literal = true
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
			if !first && from.Elem.Qualifiers() != to.Elem.Qualifiers() && !to.IsConst() {
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
		from, to = from.Elem, to.Elem
	}
}

func (e *env) memberPointerSeq(x hir.Expr, s seq) seq {
	if isNull(x) {
		s.rank = conversion
		return s
	}
	if !s.from.Is(types.MemberPointer) {
		return failed
	}
	if ok, _ := e.qualifies(s.from, s.to); ok {
		return s
	}
	switch same := s.from.Elem == s.to.Elem || e.sameFunc(s.from.Elem, s.to.Elem); {
	case same && s.from.Of == s.to.Of: // noexcept is lost
		return s
	case same && e.derives(s.to.Of, s.from.Of):
		s.rank = conversion
		return s
	}
	return failed
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
	lvalue := x.Category() == hir.LValue
	s.ref, s.rref, s.rvalue, s.function = true, rref, !lvalue, from.IsFunc()
	compatible := related && from.Qualifiers()&^t.Qualifiers() == 0
	converts := user && from.IsClass() && !related
	if rref {
		if compatible && lvalue && from.IsFunc() {
			return s
		}
	} else {
		if compatible && lvalue && !isBitField(x) {
			return s
		}
		if converts {
			if c := e.referenceConversion(x, to, true, false); c.ok() {
				return c
			}
		}
		if !t.IsConst() || t.IsVolatile() {
			return seq{kind: noSeq, refused: lvalueRefusal(related, compatible, lvalue)}
		}
	}
	if compatible && !lvalue && (x.Category() == hir.XValue || from.IsClass() || from.IsArray()) {
		return s
	}
	if converts {
		if c := e.referenceConversion(x, to, false, false); c.ok() {
			return c
		}
	}
	switch {
	case related && !compatible:
		return seq{kind: noSeq, refused: losesQualifiers}
	case related && rref && lvalue:
		return seq{kind: noSeq, refused: needsRvalue}
	case t.IsFunc() || t.IsArray() && !related:
		return failed
	}
	// A temporary is made ([dcl.init.ref]/5.4).
	c := e.implicit(x, t.Unqualified(), user)
	if rref && c.kind == userSeq && c.fn != nil && c.fn.kind == ast.Conversion && c.fn.result().Is(types.LRef) {
		if related, _ := e.related(c.fn.result().Elem, t); related {
			return seq{kind: noSeq, refused: needsRvalue}
		}
	}
	c.ref, c.rref, c.rvalue = true, rref, true
	if c.ok() && c.to.IsValid() {
		c.to = e.types.Qualify(c.to, t.Qualifiers()) // a reference with fewer qualifiers is better
	}
	return c
}

// lvalueRefusal says why an lvalue reference that is not to const does not bind.
func lvalueRefusal(related, compatible, lvalue bool) refusal {
	switch {
	case related && !compatible:
		return losesQualifiers
	case related && !lvalue:
		return isTemporary
	}
	return needsLvalue
}

// referenceConversion finds the conversion function whose result a reference binds to
// directly: an lvalue, or an rvalue ([over.match.ref]). Explicit ones count in direct
// initialisation.
func (e *env) referenceConversion(x hir.Expr, to types.Type, lvalue, direct bool) seq {
	k := classOfType(x.Type())
	if k == nil || e.depth > maxDepth || !e.checker.complete(k, k.at) {
		return failed
	}
	var set candidates
	defer set.release(e)
	for _, f := range e.conversions(k) {
		f, from := e.conversionFor(f, to), f
		if f == nil {
			continue
		}
		r := f.result()
		if isLvalue := r.Is(types.LRef) || r.Is(types.RRef) && r.Elem.IsFunc(); isLvalue != lvalue {
			continue
		}
		if related, _ := e.related(r.Unref(), to.Elem); related {
			e.considerConversion(&set, f, from, x, to, direct)
		}
	}
	return set.conversion(e)
}

// explicitReference binds a reference to the result of an explicit conversion function, as
// direct initialisation may; nil where the reference binds without one, or not at all.
func (e *env) explicitReference(to types.Type, x hir.Expr) hir.Expr {
	if !to.IsRef() || !x.Type().IsClass() {
		return nil
	}
	if s := e.implicit(x, to, true); s.ok() {
		return nil
	}
	for _, lvalue := range []bool{to.Is(types.LRef) || to.Elem.IsFunc(), false} {
		if lvalue || to.Is(types.RRef) || to.Elem.IsConst() {
			if s := e.referenceConversion(x, to, lvalue, true); s.ok() && !s.ambiguous {
				return e.apply(x, to, &s)
			}
		}
	}
	return nil
}

// related reports whether a reference to t can refer to from: the same type or a base.
func (e *env) related(from, t types.Type) (bool, seq) {
	a, b := e.types.Unqualify(from), e.types.Unqualify(t)
	s := seq{from: from, to: t}
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
	return false, s
}

func isBitField(x hir.Expr) bool { return x.Category() != hir.PRValue && bitField(x) != nil }

// bitField returns the bit-field whose value x has, if it has one: also as the right operand of a
// comma ([expr.comma]/1), and as the left one of an assignment ([expr.ass]/1, [expr.pre.incr]/1).
// Values of x++ are promoted like those of x, as g++ and nvcc have it.
func bitField(x hir.Expr) *hir.Field {
	switch x := x.(type) {
	case *hir.Field:
		if x.Field.Width >= 0 {
			return x
		}
	case *hir.Comma:
		return bitField(x.Y)
	case *hir.Assign:
		return bitField(x.X)
	case *hir.IncDec:
		return bitField(x.X)
	}
	return nil
}

// userConversion finds the function that converts x to an object of a type ([over.match.copy]
// and [over.match.conv]). Explicit functions count in direct initialisation.
func (e *env) userConversion(x hir.Expr, to types.Type, direct bool) seq {
	if e.depth > maxDepth {
		return failed
	}
	var set candidates
	defer set.release(e)
	if k := classOfType(to); k != nil && e.checker.complete(k, k.at) {
		for _, f := range e.constructors(k) {
			set.consider(e, f, nil, []hir.Expr{x}, nil, callFlags{noUser: true, implicit: !direct})
		}
	}
	if k := classOfType(x.Type()); k != nil && e.checker.complete(k, k.at) {
		for _, f := range e.conversions(k) {
			if g := e.conversionFor(f, to); g != nil {
				e.considerConversion(&set, g, f, x, to, direct)
			}
		}
	}
	return set.conversion(e)
}

// conversion returns the sequence of the best constructor or conversion function.
func (set *candidates) conversion(e *env) seq {
	best, ambiguous := set.best(e)
	if best == nil {
		return failed
	}
	t := types.Type{}
	if best.fn.kind == ast.Constructor {
		t = e.types.Class(best.fn.class.t)
	}
	s := seq{from: t, to: t, identity: true, rvalue: true}
	if best.final != nil {
		s = *best.final
	}
	s.kind, s.fn, s.ambiguous = userSeq, best.fn, ambiguous
	return s
}

// conversionFor returns a conversion function whose result is known: the instance, for a
// type, of a template. It returns nil if there is none.
func (e *env) conversionFor(f *function, to types.Type) *function {
	if f.tmpl != nil {
		if f = e.deduceConversion(f, to); f == nil {
			return nil
		}
	}
	e.resolveResult(f)
	if f.bad || !f.result().IsValid() || hasAuto(f.result()) {
		return nil
	}
	return f
}

// considerConversion adds a conversion function to the candidates, if what it returns
// converts to the type. From is the template that it is an instance of, or itself.
func (e *env) considerConversion(set *candidates, f, from *function, x hir.Expr, to types.Type, direct bool) {
	if f.has(ast.Explicit) && !direct {
		return
	}
	obj := e.objectSeq(f, nil, x)
	if !obj.ok() {
		return
	}
	final := e.implicit(&stubExpr{Info: resultInfo(ast.Span{}, f.result())}, to, false)
	if !final.ok() || f.has(ast.Explicit) && to.IsScalar() && !e.similarTo(f.result(), to) {
		return
	}
	set.list = append(set.list, candidate{fn: f, from: from, seqs: []seq{obj}, final: &final, viable: true})
}

// similarTo reports whether a value of one type converts to a scalar one by a qualification
// conversion at most, as the results of explicit conversion functions must ([over.match.conv]/1).
func (e *env) similarTo(from, to types.Type) bool {
	from, to = from.Unref().Unqualified(), to.Unqualified()
	if from == to {
		return true
	}
	ok, _ := e.qualifies(from, to)
	return ok
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
	if a.list && b.list && a.initList != b.initList && a.ok() && b.ok() {
		return prefer(a.initList) // [over.ics.rank]/3.1
	}
	if a.kind != b.kind {
		return int(a.kind) - int(b.kind)
	}
	switch a.kind {
	case ellipsisSeq, noSeq:
		return 0
	case userSeq:
		if a.ambiguous || b.ambiguous || a.fn != b.fn || a.fn == nil && a.to.Unqualified() != b.to.Unqualified() {
			return 0
		}
	}
	if a.list != b.list && a.to.IsClass() && !b.to.IsClass() {
		return 0
	}
	return e.compareStandard(a, b)
}

// compareStandard ranks two standard conversion sequences ([over.ics.rank]/3.2 and 4).
//
//irgl:flatswitch
func (e *env) compareStandard(a, b *seq) int {
	switch {
	case a.rank != b.rank:
		return int(a.rank) - int(b.rank)
	case a.identity != b.identity:
		return prefer(a.identity)
	case a.boolean != b.boolean:
		return prefer(b.boolean)
	case a.literal != b.literal:
		return prefer(b.literal)
	case a.fixed != b.fixed && a.rank == promotion: // CWG 1601
		return prefer(a.fixed)
	}
	if c := e.compareBases(a, b); c != 0 {
		return c
	}
	if a.ref && b.ref && !a.object && !b.object && a.rref != b.rref {
		if a.function {
			return prefer(!a.rref)
		}
		if a.rvalue && b.rvalue {
			return prefer(a.rref)
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

// prefer is the order of two sequences one of which is better.
func prefer(a bool) int {
	if a {
		return -1
	}
	return 1
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

// compareBases prefers the nearer of two bases, and any base to void. Of the classes of
// pointers to members it prefers the nearer derived one.
func (e *env) compareBases(a, b *seq) int {
	if a.rank != conversion {
		return 0
	}
	x, y := a.to.Unqualified(), b.to.Unqualified()
	if x == y && a.from.Node != b.from.Node { // of conversion functions' results: the nearer one
		x, y = b.from.Unqualified(), a.from.Unqualified()
	}
	switch {
	case x.IsPointer() && y.IsPointer() && a.from.IsPointer() && b.from.IsPointer():
		x, y = x.Elem.Unqualified(), y.Elem.Unqualified()
		if x.IsVoid() != y.IsVoid() {
			return prefer(y.IsVoid())
		}
	case x.Is(types.MemberPointer) && y.Is(types.MemberPointer):
		if !a.from.Is(types.MemberPointer) || !b.from.Is(types.MemberPointer) {
			return 0 // a null pointer constant
		}
		x, y = y.Of, x.Of
	}
	switch {
	case e.derives(x, y):
		return -1
	case e.derives(y, x):
		return 1
	}
	return 0
}
