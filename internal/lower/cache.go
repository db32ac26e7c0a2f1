package lower

import (
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// A __shared__ array of operator code is a cache of one iteration (IrGL paper, section
// 3.2). Those of a block's threads lie in one array of shared memory, element by element,
// so that the lanes of a warp access different banks. A variable says whose elements the code
// uses: in the iteration those of its thread, and in an inner ForAll that is executed by other
// threads those of the thread whose iteration it is in, with whose closure they get it:
//
//	__shared__ int best[8];     __shared__ int best_all[2048];     (at the top of the kernel)
//	                            int best = (int)threadIdx.x;
//	best[i] = n.a;              best_all[(i) * 256 + best] = graph.a[n];

// cacheSuffix ends the name of the array with the caches of all threads of a block.
const cacheSuffix = "_all"

// CacheName returns the name in the program of the cache that a shared variable of the
// lowered program holds, if it holds one.
func CacheName(variable string) (string, bool) {
	return strings.CutSuffix(strings.TrimRight(variable, "_"), cacheSuffix)
}

// cacheDecls lowers the declaration of caches.
func (l *lowerer) cacheDecls(d *syntax.VarDecls) *syntax.VarDecls {
	out := &syntax.VarDecls{Span: d.Span}
	for _, v := range d.Vars {
		s, obj := v.Span, l.info.Defs[v.Name]
		if l.tp.caches == nil {
			l.tp.caches = map[*check.Object]string{}
		}
		if l.tp.caches[obj] == "" {
			a := obj.Type.(*check.Array)
			l.tp.caches[obj] = l.sharedVar(l.typeText(a.Elem), nameOf(obj)+cacheSuffix, l.tp.threads*int(a.Len))
		}
		thread := cast(s, basic(s, "int"), member(ident(s, "threadIdx"), "x"))
		out.Vars = append(out.Vars, &syntax.VarDecl{Span: s, Type: basic(s, "int"), Name: ident(at(v.Name), nameOf(obj)), Init: thread})
	}
	return out
}

// cacheElement lowers an element of a cache, or returns nil for one of something else.
func (l *lowerer) cacheElement(x *syntax.IndexExpr) syntax.Expr {
	id, ok := syntax.Unparen(x.X).(*syntax.Ident)
	if !ok || l.tp == nil {
		return nil
	}
	obj := l.info.Uses[id]
	all := l.tp.caches[obj]
	if obj == nil || all == "" {
		return nil
	}
	s := x.Span
	index := binary(binary(paren(l.expr(x.Index)), "*", number(s, int64(l.tp.threads))), "+", ident(at(id), nameOf(obj)))
	return &syntax.IndexExpr{Span: s, X: ident(at(id), all), Index: index}
}
