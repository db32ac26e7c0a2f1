package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

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
