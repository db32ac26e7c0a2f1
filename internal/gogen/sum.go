package gogen

import (
	"fmt"
	"regexp"
	"slices"

	"irgl/internal/builtin"
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
		called := slices.ContainsFunc(k.Calls, func(f *check.FuncInfo) bool {
			return slices.Contains(f.Reads, o) || slices.Contains(f.Writes, o)
		})
		if sums > 0 && sums == uses && !called && !g.pointedTo(o) {
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
			if b := builtinOf(g.info, n); b != nil && b.Rule == builtin.AtomicCall && len(n.Args) > 0 && g.addressed(n.Args[0]) == o {
				atomics++
			}
		}
	}
	return taken != atomics
}

// startSums declares the kernel's private sums and arranges that they are added
// to their globals when the body ends. It returns the declarations. The solo
// form begins with the global's value, which keeps the order of the sum.
func (f *fn) startSums() []string {
	var out []string
	for _, o := range f.privateSums(f.kernel.info) {
		name := f.unique(o.Name + "Sum")
		if f.sums == nil {
			f.sums = map[*check.Object]string{}
		}
		f.sums[o] = name
		goType := f.goType(o.Type, f.decl)
		if f.kernel.solo {
			out = append(out, name+" := s."+f.globals[o])
			f.atEnd = append(f.atEnd, "s."+f.globals[o]+" = "+name)
			continue
		}
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

// ownLimit is the size in bytes up to which workers have copies of an array: those of a
// core's first cache.
const ownLimit = 16 << 10

// ownSums returns the small global arrays that the kernel only sums into, in order of
// declaration: partial sums, mostly, which are several because atomic operations on one
// address would serialise. Each worker has them for itself.
func (g *generator) ownSums(k *check.FuncInfo) []*check.Object {
	var out []*check.Object
	for _, o := range g.info.Globals {
		if !g.canSum(k, o) || o.Type.Size() > ownLimit {
			continue
		}
		sums, uses := 0, 0
		for n := range syntax.Preorder(k.Decl.Body) {
			if s, ok := n.(*syntax.ExprStmt); ok {
				if into, _ := g.elementAdded(s.X); into == o {
					sums++
				}
			}
			if id, ok := n.(*syntax.Ident); ok && g.info.Uses[id] == o {
				uses++
			}
		}
		if sums > 0 && sums == uses && !g.elementsPointedTo(o) {
			out = append(out, o)
		}
	}
	return out
}

// canSum reports whether o is a global array of numbers that atomicAdd knows, which no
// function that the kernel calls accesses.
func (g *generator) canSum(k *check.FuncInfo, o *check.Object) bool {
	a, ok := o.Type.(*check.Array)
	return ok && check.IsArithmetic(a.Elem) && a.Elem.Size() >= 4 && !o.Volatile &&
		!slices.ContainsFunc(k.Calls, func(f *check.FuncInfo) bool {
			return slices.Contains(f.Reads, o) || slices.Contains(f.Writes, o)
		})
}

// elementAdded returns the global array to an element of which e adds with atomicAdd,
// and the element's index; or nil.
func (g *generator) elementAdded(e syntax.Expr) (*check.Object, syntax.Expr) {
	call, ok := syntax.Unparen(e).(*syntax.CallExpr)
	if !ok {
		return nil, nil
	}
	if b := builtinOf(g.info, call); b == nil || b.Name != "atomicAdd" || len(call.Args) != 2 {
		return nil, nil
	}
	return g.element(call.Args[0])
}

// startOwned declares the arrays of a worker's own, of which package rt adds up the
// elements when the invocation ends. It returns the declarations.
func (f *fn) startOwned() []string {
	if f.kernel.solo {
		return nil
	}
	var out []string
	for _, o := range f.ownSums(f.kernel.info) {
		if f.owned == nil {
			f.owned = map[*check.Object]string{}
		}
		name, a := f.unique(o.Name+"Own"), o.Type.(*check.Array)
		f.owned[o] = name
		out = append(out, fmt.Sprintf("%s := (*%s)(rt.Own[%s](w, unsafe.Pointer(&s.%s), %d))",
			name, f.goType(a, f.decl), f.goType(a.Elem, f.decl), f.globals[o], a.Len))
	}
	return out
}

// ownDeclaration is a line of startOwned.
var ownDeclaration = regexp.MustCompile(`^(\w+) := \(\*\[`)

// needed returns the declarations without those of arrays of a worker's own that text does not
// name: the additions may be where control never comes, or in the parts of a hub's loop. What else is declared
// is used at the end.
func needed(declarations []string, text string) []string {
	var out []string
	for _, l := range declarations {
		if m := ownDeclaration.FindStringSubmatch(l); m == nil || regexp.MustCompile(`\b`+m[1]+`\b`).MatchString(text) {
			out = append(out, l)
		}
	}
	return out
}

// addOwn translates a call that adds to an element of a worker's own; it reports false
// for others.
func (f *fn) addOwn(e *syntax.CallExpr) bool {
	o, _ := f.elementAdded(e)
	if o == nil || f.owned[o] == "" {
		return false
	}
	v := f.exprTo(e.Args[1], o.Type.(*check.Array).Elem)
	f.access(e)
	at := f.expr(e.Args[0])
	f.emit("rt.SoloAdd(%s, %s)", at.s, f.typed(v).s)
	return true
}

// heldSums returns the global arrays to whose elements the kernel adds what can be
// held back, in order of declaration.
func (g *generator) heldSums(k *check.FuncInfo) []*check.Object {
	var out []*check.Object
	for _, o := range g.info.Globals {
		held := contains(k.Decl.Body, func(n syntax.Node) bool {
			s, ok := n.(*syntax.ExprStmt)
			return ok && g.heldIn(k, s.X) == o
		})
		if held && g.canSum(k, o) && !g.elementsPointedTo(o) {
			out = append(out, o)
		}
	}
	return out
}

// heldIn returns the global array to an element of which e adds with atomicAdd, if
// its index may well be the same in the next iteration; or nil.
func (g *generator) heldIn(k *check.FuncInfo, e syntax.Expr) *check.Object {
	o, index := g.elementAdded(e)
	if o == nil || g.info.Consts[index] != nil {
		return o
	}
	id, ok := syntax.Unparen(index).(*syntax.Ident)
	if !ok || g.info.Uses[id] == nil {
		return nil
	}
	v := g.info.Uses[id]
	early := slices.Contains(k.Params, v)
	for _, s := range k.Decl.Body.Stmts {
		if d, ok := s.(*syntax.VarDecls); ok {
			early = early || slices.ContainsFunc(d.Vars, func(x *syntax.VarDecl) bool { return g.info.Defs[x.Name] == v })
		}
	}
	if !early {
		return nil
	}
	return o
}

// element returns the global array and the index of &o[index], or nil.
func (g *generator) element(e syntax.Expr) (*check.Object, syntax.Expr) {
	u, ok := syntax.Unparen(e).(*syntax.UnaryExpr)
	if !ok || u.Op != "&" {
		return nil, nil
	}
	x, ok := syntax.Unparen(u.X).(*syntax.IndexExpr)
	if !ok {
		return nil, nil
	}
	if id, ok := syntax.Unparen(x.X).(*syntax.Ident); ok {
		if o := g.info.Uses[id]; o != nil && o.Global {
			return o, x.Index
		}
	}
	return nil, nil
}

// elementsPointedTo reports whether a pointer may lead to elements of an array:
// it is used other than by its elements, or the address of one is taken other than
// as the first argument of an atomic.
func (g *generator) elementsPointedTo(o *check.Object) bool {
	uses, indexed, taken, atomics := 0, 0, 0, 0
	isElement := func(e syntax.Expr) bool { x, _ := g.element(e); return x == o }
	for n := range syntax.Preorder(g.info.File) {
		switch n := n.(type) {
		case *syntax.Ident:
			if g.info.Uses[n] == o {
				uses++
			}
		case *syntax.IndexExpr:
			if id, ok := syntax.Unparen(n.X).(*syntax.Ident); ok && g.info.Uses[id] == o {
				indexed++
			}
		case *syntax.UnaryExpr:
			if isElement(n) {
				taken++
			}
		case *syntax.CallExpr:
			if b := builtinOf(g.info, n); b != nil && b.Rule == builtin.AtomicCall && len(n.Args) > 0 && isElement(n.Args[0]) {
				atomics++
			}
		}
	}
	return uses != indexed || taken != atomics
}

// startHeld declares what a chunk holds back for elements of arrays, and arranges
// that it is added when the body ends. It returns the declarations.
func (f *fn) startHeld() []string {
	var out []string
	if f.kernel.solo {
		return nil
	}
	for _, o := range f.heldSums(f.kernel.info) {
		if f.owned[o] != "" {
			continue
		}
		if f.held == nil {
			f.held = map[*check.Object]string{}
		}
		f.held[o] = f.unique(o.Name + "Sum")
		out = append(out, "var "+f.held[o]+" rt.Sum["+f.goType(o.Type.(*check.Array).Elem, f.decl)+"]")
		f.atEnd = append(f.atEnd, f.held[o]+".Flush()")
	}
	return out
}

// holdBack translates a call that adds to an element which is held back; it reports
// false for others.
func (f *fn) holdBack(e *syntax.CallExpr) bool {
	if len(f.held) == 0 {
		return false
	}
	o := f.heldIn(f.kernel.info, e)
	if f.held[o] == "" {
		return false
	}
	v := f.exprTo(e.Args[1], o.Type.(*check.Array).Elem)
	f.holding = o
	f.access(e)
	at := f.expr(e.Args[0])
	f.holding = nil
	f.emit("%s.Add(%s, %s)", f.held[o], at.s, v.s)
	return true
}

// touch adds what is held back for elements of o, before they are used in another
// way.
func (f *fn) touch(o *check.Object) {
	if name := f.held[o]; name != "" && f.holding != o {
		f.emit("%s.Flush()", name)
	}
}
