package gogen

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// Sums into a global from all iterations of a kernel,
//
//	atomicAdd(&dangling, n.rank);
//
// would make all workers wait for one cache line. Where a kernel uses a global
// in no other way, and drops the old value, each chunk adds up in a variable of
// its own, and adds that to the global at its end. What the sum is after the
// invocation stays the same, but for the order in which floats are added, which
// is open with several threads anyhow. A global whose address is taken other
// than by atomics is left alone, as a pointer may read it.

// privateSums returns the globals that the kernel only sums into, in order of
// declaration.
func (g *generator) privateSums(k *check.FuncInfo) []*check.Object {
	for _, f := range k.Calls {
		if len(f.Reads)+len(f.Writes) > 0 {
			return nil
		}
	}
	var out []*check.Object
	for _, o := range g.info.Globals {
		if !check.IsArithmetic(o.Type) || o.Volatile {
			continue
		}
		sums, uses := 0, 0
		for n := range syntax.Preorder(k.Decl.Body) {
			if s, ok := n.(*syntax.ExprStmt); ok && g.sumInto(s.X) == o {
				sums++
			}
			if id, ok := n.(*syntax.Ident); ok && g.info.Uses[id] == o {
				uses++
			}
		}
		if sums > 0 && sums == uses && !g.pointedTo(o) {
			out = append(out, o)
		}
	}
	return out
}

// sumInto returns the global scalar that e adds to with atomicAdd, or nil.
func (g *generator) sumInto(e syntax.Expr) *check.Object {
	call, ok := syntax.Unparen(e).(*syntax.CallExpr)
	if !ok {
		return nil
	}
	if b := builtinOf(g.info, call); b == nil || b.Name != "atomicAdd" || len(call.Args) != 2 {
		return nil
	}
	return g.addressed(call.Args[0])
}

// addressed returns the global o of &o, or nil.
func (g *generator) addressed(e syntax.Expr) *check.Object {
	u, ok := syntax.Unparen(e).(*syntax.UnaryExpr)
	if !ok || u.Op != "&" {
		return nil
	}
	id, ok := syntax.Unparen(u.X).(*syntax.Ident)
	if !ok {
		return nil
	}
	if o := g.info.Uses[id]; o != nil && o.Global {
		return o
	}
	return nil
}

// pointedTo reports whether the address of o is taken other than as the first
// argument of an atomic.
func (g *generator) pointedTo(o *check.Object) bool {
	taken, atomics := 0, 0
	for n := range syntax.Preorder(g.info.File) {
		switch n := n.(type) {
		case *syntax.UnaryExpr:
			if g.addressed(n) == o {
				taken++
			}
		case *syntax.CallExpr:
			if b := builtinOf(g.info, n); b != nil && b.Rule == check.AtomicCall && len(n.Args) > 0 && g.addressed(n.Args[0]) == o {
				atomics++
			}
		}
	}
	return taken != atomics
}

// startSums declares the kernel's private sums and arranges that they are added
// to their globals when the body ends. It returns the declarations. The solo
// form has nobody to wait for, and keeps the order of the sum.
func (f *fn) startSums() []string {
	var out []string
	if f.kernel.solo {
		return nil
	}
	for _, o := range f.privateSums(f.kernel.info) {
		name := f.unique(o.Name + "Sum")
		if f.sums == nil {
			f.sums = map[*check.Object]string{}
		}
		f.sums[o] = name
		goType := f.goType(o.Type, f.decl)
		out = append(out, "var "+name+" "+goType)
		add := "Add"
		switch {
		case o.Type == check.Float:
			add = "AddF32"
		case o.Type == check.Double:
			add = "AddF64"
		}
		f.atEnd = append(f.atEnd, "rt."+add+"(unsafe.Pointer(&s."+f.globals[o]+"), "+name+")")
	}
	return out
}
