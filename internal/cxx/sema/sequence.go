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
