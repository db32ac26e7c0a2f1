package emit

import (
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Parameters that are references.
//
//	__global__ void child(int &r);             __global__ void child_agg(struct __klap_launch __klap_launch, int &r);
//	child<<<1, n>>>(p[i]);                      __klap_set_child(&__klap_0, 1, n, 0, &p[i]);
//	                                            child<<<grid, block, 0, stream>>>(*k->a0);
//
// The lowered program has pointers in their place. So have the functions that the transformation has made, and their callers pass addresses;
// copies of functions have the text of the source, and so its references.

// references returns the places of parameters that are references.
func (e *emitter) references() map[source.Pos]bool {
	out := map[source.Pos]bool{}
	for _, h := range e.u.CXX.HIR.Funcs {
		for _, v := range h.Params {
			if v.Type.IsRef() {
				out[v.Pos()] = true
			}
		}
	}
	return out
}

// isReference reports whether a parameter of the lowered program, or what has its place, is a reference in the source.
func (n *names) isReference(x syntax.Node, id *syntax.Ident) bool {
	return id != nil && (n.refs[id.Pos()] || n.refs[x.Pos()])
}

// takesReference reports for each parameter of a function whether the text has a reference there. Those that the transformation has made
// have pointers, by made.
func (e *emitter) takesReference(name string, made bool) []bool {
	if e.funcs == nil {
		e.funcs = map[string]*syntax.FuncDecl{}
		for _, d := range e.u.CUDA.Decls {
			if f, ok := d.(*syntax.FuncDecl); ok {
				e.funcs[f.Name.Name] = f
			}
		}
	}
	f := e.funcs[name]
	if f == nil || made == (e.before[name] != nil || e.originOf(name) != nil) {
		return nil
	}
	out := make([]bool, len(f.Params))
	for i, p := range f.Params {
		out[i] = e.names.isReference(p, p.Name)
	}
	return out
}

// dereferenced has a function that the transformation has made, which it changes, pass what its pointers point to as references.
func (e *emitter) dereferenced(f *syntax.FuncDecl) *syntax.FuncDecl {
	if len(e.names.refs) == 0 || f.Body == nil {
		return f
	}
	for n := range syntax.Preorder(f.Body) {
		fun, args := callee(n)
		if fun == nil {
			continue
		}
		for i, ref := range e.takesReference(fun.Name, false) {
			if ref && i < len(args) {
				args[i] = &syntax.UnaryExpr{Span: tree.At(args[i]), Op: "*", X: args[i]}
			}
		}
	}
	return f
}

// callee returns the name and the arguments of a call or a launch.
func callee(n syntax.Node) (*syntax.Ident, []syntax.Expr) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		id, _ := n.Fun.(*syntax.Ident)
		return id, n.Args
	case *syntax.LaunchExpr:
		id, _ := n.Fun.(*syntax.Ident)
		return id, n.Args
	}
	return nil, nil
}

// addresses has a call of a function that the transformation has made pass the addresses of what the source passes as references.
func (d *editor) addresses(n syntax.Node) {
	c, ok := n.(*syntax.CallExpr)
	if !ok || len(d.e.names.refs) == 0 {
		return
	}
	id, ok := c.Fun.(*syntax.Ident)
	if !ok {
		return
	}
	for i, ref := range d.e.takesReference(id.Name, true) {
		if !ref || i >= len(c.Args) {
			continue
		}
		if text, ok := d.fromSource(c.Args[i]); ok {
			if loose(addressed(c.Args[i])) {
				text = "(" + text + ")"
			}
			c.Args[i] = &syntax.Ident{Name: (&filler{d, n}).add("&" + text)}
		}
	}
}

// addressed returns what an expression is the address of.
func addressed(x syntax.Expr) syntax.Expr {
	if u, ok := x.(*syntax.UnaryExpr); ok && u.Op == "&" {
		return u.X
	}
	return x
}

// referred makes a declaration a reference, that of a pointer in the lowered program.
func referred(t *syntax.TypeExpr, id *syntax.Ident) bool {
	p, ok := (*t).(*syntax.PointerType)
	if !ok {
		return false
	}
	id.Name = "&" + id.Name
	if _, array := p.Elem.(*syntax.ArrayType); array {
		id.Name = "(" + id.Name + ")"
	}
	*t = p.Elem
	return true
}
