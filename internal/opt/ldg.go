package opt

import (
	"irgl/internal/abi"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Loads of the graph by the path for read-only data (IrGL paper, section 4.4,
// "Other optimizations": texture or read-only cache). The graph's arrays do not
// change while a program runs:
//
//	int dst = graph.dst[e];        int dst = __ldg(&graph.dst[e]);
//
// Such a load may go through the cache for read-only data, and the compiler may
// move it over stores and barriers, which it may not do with other loads.
//
// It applies to device code, to elements of the arrays of a parameter of type
// struct irgl_graph whose fields point to const: the rows and ends of edges and
// the weights. Properties, which kernels write, are not const and stay as they are.
// So do places of which the address is taken, and functions for host and device,
// since the host has no such load.
//
// It pays where the graph is larger than the caches that other data needs, and
// where a load may pass a store that the compiler cannot tell apart. It costs
// nothing on GPUs whose two paths are one (since compute capability 7.0), but for
// the missed chance to forward from the L1 cache.

// readOnly is the row ldg.
func readOnly(w *Work, f *syntax.FuncDecl, r *pass.Run) {
	graphs := tree.ParamsOf(f, abi.GraphTag)
	if !onDevice(f) || !w.ofFunc(f).wants(w, "ldg") || f.Attrs.Has(syntax.HostAttr) || len(graphs) == 0 {
		return
	}
	fields := w.constFields()
	names := tree.Resolve(f)
	kept := map[syntax.Expr]bool{} // places that are no values
	tree.Rewriter{
		Enter: func(n syntax.Node) bool {
			if x, ok := n.(*syntax.UnaryExpr); ok && x.Op == "&" {
				kept[syntax.Unparen(x.X)] = true
			}
			return true
		},
		Expr: func(x syntax.Expr) syntax.Expr {
			at, ok := x.(*syntax.IndexExpr)
			if !ok || kept[x] {
				return x
			}
			m, ok := syntax.Unparen(at.X).(*syntax.MemberExpr)
			if !ok || m.Arrow || !fields[m.Name.Name] {
				return x
			}
			if p, ok := names.Of(m.X).(*syntax.Param); !ok || !tree.IsStruct(p.Type, abi.GraphTag) {
				return x
			}
			r.Count("loads", 1)
			return tree.Call(tree.At(x), "__ldg", tree.Addr(x))
		},
	}.Rewrite(f.Body)
}

// constFields returns the fields of struct irgl_graph that point to const.
func (w *Work) constFields() map[string]bool {
	out := map[string]bool{}
	for _, d := range w.file.Decls {
		d, ok := d.(*syntax.TypeDecl)
		if !ok {
			continue
		}
		t, ok := d.Type.(*syntax.TagType)
		if !ok || !t.Defined || !tree.IsStruct(t, abi.GraphTag) {
			continue
		}
		for _, v := range t.Fields {
			p, ok := v.Type.(*syntax.PointerType)
			if !ok {
				continue
			}
			if q, ok := p.Elem.(*syntax.QualType); ok && q.Const && !q.Volatile {
				out[v.Name.Name] = true
			}
		}
	}
	return out
}
