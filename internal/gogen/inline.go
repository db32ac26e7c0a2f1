package gogen

import (
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// Calls of small functions in kernels are replaced by the functions' bodies. Go's compiler
// inlines by its own measure, by which a function with a loop and a few accesses is too
// large; as a call it costs more than what it does, keeps what the kernel holds out of the
// registers, and loads the arrays' bases and a node's bounds again each time:
//
//	sum += part(n, first);      var t float64
//	                            {
//	                                k := first
//	                                for ; k < first+4; k++ { ... }
//	                                t = x
//	                            }
//	                            sum += t
//
// A return before the end leaves a switch around the body. What is proven of a function's
// parameters holds for all its calls, and so for the body in each place.

// inlineLimit is the size, in nodes of the tree, up to which a function is inlined, and
// inlineGrowth how many nodes may be added to a kernel.
const (
	inlineLimit  = 160
	inlineGrowth = 1200
)

// An inlined is a function whose body is being translated in the place of a call.
type inlined struct {
	result string // the variable that takes the result; "" for none
	label  string // of the switch around the body
	last   syntax.Stmt
}

// inlines reports whether calls of o in this function are replaced by its body.
func (f *fn) inlines(o *check.Object) bool {
	k := f.kernel
	if k == nil || k.info.Syncs || f.hoist || o.Func == nil || o.Func.Decl.Kind != syntax.PlainFunc {
		return false
	}
	size := f.inlineSize(o)
	return size > 0 && f.grown+size <= inlineGrowth
}

// inlineSize returns the size of a function that can be inlined, 0 of another one.
func (g *generator) inlineSize(o *check.Object) int {
	if n, ok := g.inlineSizes[o]; ok {
		return n
	}
	n := 0
	if body := o.Func.Decl.Body; body != nil && !o.Func.Recursive {
		n = g.inlineNodes(body)
	}
	for _, p := range o.Func.Params {
		if p != nil && (p.Addressed || p.Volatile) {
			n += inlineLimit
		}
	}
	if n > inlineLimit {
		n = 0
	}
	g.inlineSizes[o] = n
	return n
}

// inlineNodes returns the number of nodes that become Go; one that is not inlined counts as
// too many.
func (g *generator) inlineNodes(x syntax.Node) int {
	n := 0
	syntax.Inspect(x, func(x syntax.Node) bool {
		if x == nil { // behind a node's children
			return false
		}
		n++
		switch x := x.(type) {
		case *syntax.Block:
			if live := g.live(x); len(live) < len(x.Stmts) {
				for _, s := range live {
					n += g.inlineNodes(s)
				}
				return false
			}
		case *syntax.IfStmt:
			if branch, ok := g.selected(x); ok {
				if branch != nil {
					n += g.inlineNodes(branch)
				}
				return false
			}
		case *syntax.GotoStmt, *syntax.LabelStmt, *syntax.AtomicStmt, *syntax.ExclusiveStmt, *syntax.SwitchStmt:
			n += inlineLimit
		case *syntax.ForAllStmt:
			if !x.Serial {
				n += inlineLimit
			}
		case *syntax.VarDecl:
			if d := g.info.Defs[x.Name]; d != nil && (d.Global || d.Addressed) {
				n += inlineLimit
			}
		}
		return true
	})
	return n
}

// inline translates a call of o by its body.
func (f *fn) inline(e *syntax.CallExpr, o *check.Object) val {
	info := o.Func
	f.grown += f.inlineSize(o)
	args := f.demanded(e.Args, o)
	f.forget(info.Decl.Body)
	saved, result1, accessed, holding := f.inlined, f.result1, f.accessed, f.holding
	in := &inlined{label: f.unique("done")}
	t := info.Type.Result
	if t != check.Void {
		in.result = f.unique(o.Name)
		f.emit("var %s %s", in.result, f.goType(t, e))
	}
	in.last = f.lastOf(info.Decl.Body)
	f.inlined, f.result1, f.accessed, f.holding = in, t, nil, nil
	f.emit("%s%s", labelMark, in.label)
	open := len(f.out)
	f.emit("{")
	k := 0
	for i, p := range info.Params {
		if isWorld(info.Type.Params[i]) {
			continue
		}
		arg := args[k]
		k++
		if p == nil {
			continue // and its value has no effects
		}
		f.bindParam(p, e.Args[i], arg, info)
	}
	f.block(info.Decl.Body)
	if f.usedLabels[in.label] {
		f.out[open] = "switch { default:"
	}
	f.emit("}")
	f.noteRead()
	f.inlined, f.result1, f.accessed, f.holding = saved, result1, accessed, holding
	return val{s: in.result, prec: precOperand, t: check.Decay(t)}
}

// lastOf returns the statement behind which control comes to the end of a body; it may be nil.
func (g *generator) lastOf(s syntax.Stmt) syntax.Stmt {
	switch x := s.(type) {
	case *syntax.Block:
		if live := g.live(x); len(live) > 0 {
			return g.lastOf(live[len(live)-1])
		}
	case *syntax.IfStmt:
		if branch, ok := g.selected(x); ok {
			return g.lastOf(branch)
		}
	}
	return s
}

// forget forgets the names of the variables of a function that was inlined before.
func (f *fn) forget(body *syntax.Block) {
	for n := range syntax.Preorder(body) {
		switch n := n.(type) {
		case *syntax.Ident:
			delete(f.names, f.info.Defs[n])
		case *syntax.AssignExpr:
			delete(f.names, f.info.Declares[n])
		}
	}
}

// bindParam gives the parameter p of an inlined function its value: it stands for the
// variable that the argument is, or is a variable of its own.
func (f *fn) bindParam(p *check.Object, arg syntax.Expr, value string, info *check.FuncInfo) {
	delete(f.alias, p)
	d, isHandle := domainOf(p.Type)
	constant := !changes(f.info, p, info.Decl.Body)
	f.proven[p] = isHandle && constant && f.exists(arg, d)
	if from := f.variable(arg); from != nil && f.names[from] == value && from.Type == p.Type && constant {
		f.alias[p], f.names[p] = f.origin(from), value
		f.used[from] = true
		return
	}
	name := f.unique(p.Name)
	f.names[p] = name
	f.emit("var %s %s = %s", name, f.goType(check.Decay(p.Type), info.Decl), value)
	f.emit("%s%s", useMark, name)
}

// exists reports whether a handle is proven to be one of domain d: by what is known of it
// everywhere, or, of the parameter of an inlined function, by the argument in this place.
func (f *fn) exists(x syntax.Expr, d syntax.Domain) bool {
	return f.bounds.exists(x, d) || f.proven[f.variable(x)]
}

// variable returns the local variable that x is, or nil.
func (f *fn) variable(x syntax.Expr) *check.Object {
	id, ok := syntax.Unparen(x).(*syntax.Ident)
	if !ok {
		return nil
	}
	o := f.info.Uses[id]
	if o == nil || o.Global || o.Addressed || o.Kind != check.VarObj && o.Kind != check.ParamObj {
		return nil
	}
	return o
}

// origin returns the variable for which a parameter of an inlined function stands, or the
// variable itself.
func (f *fn) origin(o *check.Object) *check.Object {
	if from := f.alias[o]; from != nil {
		return from
	}
	return o
}

// noteRead notes the names of the variables that are read so far: an inlined function's
// have other ones in the place of the next call.
func (f *fn) noteRead() {
	for o := range f.used {
		f.read[f.names[o]] = true
	}
}

// leaveInlined translates the return s of an inlined function.
func (f *fn) leaveInlined(s syntax.Stmt, value string) {
	in := f.inlined
	if in.result != "" && value != "" {
		f.emit("%s = %s", in.result, value)
	}
	if s == in.last {
		return
	}
	f.usedLabels[in.label] = true
	f.emit("break %s", in.label)
}

// A plainMethod is the method of a C function: how it is called, and its lines.
type plainMethod struct {
	call     string
	from, to int
}

// dropUncalled drops the methods of functions whose calls have all been inlined.
func (g *generator) dropUncalled(setup []string) {
	called := make([]bool, len(g.plain))
	var look func(lines []string)
	look = func(lines []string) {
		for i, p := range g.plain {
			if !called[i] && slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, p.call) }) {
				called[i] = true
				look(g.bodies[p.from:p.to])
			}
		}
	}
	at := 0
	for _, p := range g.plain {
		look(g.bodies[at:p.from])
		at = p.to
	}
	look(g.bodies[at:])
	look(setup)
	for i, p := range slices.Backward(g.plain) {
		if !called[i] {
			g.bodies = slices.Delete(g.bodies, p.from, p.to)
		}
	}
}
