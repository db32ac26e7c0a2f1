package gogen

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// A hostState is what orchestration around a statement means to it.
type hostState struct {
	wl   string // the Go variable of the present worklists; "" for none
	pipe bool   // inside a Pipe
}

// hostFunction translates a Host function.
func (g *generator) hostFunction(info *check.FuncInfo) {
	f := g.newFn(info.Decl)
	f.checks, f.recursive = true, info.Recursive
	f.host = &hostState{}
	f.findLabels(info.Decl.Body)
	list, _ := f.params(info)
	list = depthParam(info, list)
	f.block(info.Decl.Body)
	name := g.funcs[info.Object]
	g.method(f, "// "+name+" is the host function "+info.Object.Name+".", name, list, "")
}

// invocation returns the Go call that invokes a kernel.
func (f *fn) invocation(kernel *syntax.Ident, list []syntax.Expr, wl string) string {
	o := f.info.Uses[kernel]
	if o == nil || o.Func == nil {
		f.errorf(kernel, codeUnknown, "%s is not a kernel", kernel.Name)
		return ""
	}
	args := f.args(list, o.Func.Type.Params)
	if o.Func.UsesWL {
		args = append([]string{wl}, args...)
	}
	return "s." + f.funcs[o] + "(" + strings.Join(args, ", ") + ")"
}

// invoke translates Invoke and Any(Invoke ...), the latter to a bool.
func (f *fn) invoke(e *syntax.InvokeExpr) val {
	call := f.invocation(e.Kernel, e.Args, f.host.wl)
	if e.Aggr == syntax.NoAggr {
		return val{s: call, prec: precCall, t: check.Void}
	}
	return val{s: call + "." + e.Aggr.String() + "()", prec: precOperand, t: check.Bool, cond: true}
}

// worklist emits the making of worklists with the initial items.
func (f *fn) worklist(initial *syntax.WorklistInit) string {
	var items []string
	if initial != nil {
		params := make([]check.Type, len(initial.Items))
		for i := range params {
			params[i] = check.Node
		}
		if slices.ContainsFunc(initial.Items, isSlice) {
			items = []string{f.itemList(initial.Items) + "..."}
		} else {
			items = f.args(initial.Items, params)
			for i, x := range initial.Items {
				items[i] = f.item(x, items[i])
			}
		}
		if initial.Size != nil && f.info.Consts[initial.Size] == nil { // lists grow by blocks, whatever their size
			f.emit("rt.ListSize(%s, %d)", f.exprTo(initial.Size, check.Long).s, f.at(initial.Size))
		}
	}
	name := f.unique("wl")
	f.define(name, "*rt.WL", "s.r.NewWL("+strings.Join(items, ", ")+")")
	return name
}

// item returns an initial item, checked where those that the program pushes are
// proven to exist.
func (f *fn) item(x syntax.Expr, v string) string {
	d, ok := f.bounds.listed()
	if !ok || f.bounds.exists(x, d) {
		return v
	}
	if d == syntax.EdgeDomain {
		return "int32(" + f.inDomain(d, "int64("+v+")", x) + ")"
	}
	return f.inDomain(d, v, x)
}

func isSlice(e syntax.Expr) bool { _, ok := e.(*syntax.SliceExpr); return ok }

// itemList emits a list of the items, of which some are slices of arrays.
func (f *fn) itemList(items []syntax.Expr) string {
	name := f.unique("items")
	f.declareZero(name, "[]int32")
	if f.hoist {
		f.emit("%s = nil", name)
	}
	for _, e := range items {
		if l, ok := e.(*syntax.SliceExpr); ok {
			list := f.list(l)
			f.emit("%s = rt.AppendList[%s](%s, %s)", name, f.goType(f.info.Types[l], l), name, list)
			continue
		}
		f.emit("%s = append(%s, %s)", name, name, f.exprTo(e, check.Node).s)
	}
	return name
}

// list translates a slice of an array to an rt.List.
func (f *fn) list(l *syntax.SliceExpr) string {
	size := int64(-1)
	if a, ok := f.info.Types[l.X].(*check.Array); ok {
		size = a.Len
	}
	exprs, types := []syntax.Expr{l.X}, []check.Type{f.info.Types[l.X]}
	for _, e := range []syntax.Expr{l.Low, l.High, l.Step} {
		if e != nil {
			exprs, types = append(exprs, e), append(types, check.Long)
		}
	}
	args := f.args(exprs, types)
	if l.Low == nil {
		args = slices.Insert(args, 1, "0")
	}
	if l.Step == nil {
		args = append(args, "1")
	} else if f.info.Consts[l.Step] == nil {
		args[3] = fmt.Sprintf("rt.ListStep(%s, %d)", args[3], f.at(l.Step))
	}
	return fmt.Sprintf("rt.NewList(%s, %d, %d)", strings.Join(args, ", "), size, f.at(l))
}

// iterate translates Iterate.
//
//	for wl.Len() != 0 { invoke; body }           without a condition
//	for again := true; again; { again = invoke; body }   with one; also ends
//	                                             when a worklist it has is empty
func (f *fn) iterate(s *syntax.IterateStmt) {
	o := f.info.Uses[s.Kernel]
	if o == nil || o.Func == nil {
		f.errorf(s.Kernel, codeUnknown, "%s is not a kernel", s.Kernel.Name)
		return
	}
	usesWL := o.Func.UsesWL
	saved := *f.host
	wl := saved.wl
	f.emit("{")
	own := usesWL && !saved.pipe
	if own {
		wl = f.worklist(s.Initial)
	}
	*f.host = hostState{wl: wl, pipe: saved.pipe}
	test := ""
	if usesWL {
		test = wl + ".Len() != 0"
	}
	f.loops++
	again := ""
	if s.Cond != syntax.NoCond {
		again = f.unique("again")
	}
	switch {
	case s.Extra != nil:
		f.extraLoop(s.Extra, usesWL, wl, again)
	case again == "":
		f.emit("for %s {", test)
	case test == "":
		f.emit("for %s := true; %s; {", again, again)
	default:
		f.emit("for %s := true; %s && %s; {", again, again, test)
	}
	f.emit("s.r.Round()")
	value := f.invocation(s.Kernel, s.Args, wl)
	if again != "" {
		value += "." + max(s.Aggr, syntax.Any).String() + "()"
		if s.Cond == syntax.Until {
			value = "!" + value
		}
		value = again + " = " + value
	}
	f.emit("%s", value)
	f.block(s.Body)
	f.emit("}")
	f.loops--
	*f.host = saved
	if own {
		f.emit("%s.Close()", wl)
	}
	f.emit("}")
}

// extraLoop begins the loop of an Iterate with And or Or. The condition is
// evaluated after the body, not before the first round; wl are the kernel's worklists,
// if it uses any, and again is the variable of While or Until, "" for none.
func (f *fn) extraLoop(x *syntax.ExtraCond, usesWL bool, wl, again string) {
	first := f.unique("first")
	var cond val
	pre := f.capture(func() { cond = f.cond(x.Cond) })
	init, goesOn := first+" := true", []string{}
	if again != "" {
		init, goesOn = first+", "+again+" := true, true", append(goesOn, again)
	}
	if usesWL && !x.Or {
		goesOn = append(goesOn, wl+".Len() != 0")
	}
	f.emit("for %s; %s; %s = false {", init, strings.Join(goesOn, " && "), first)
	if x.Or {
		f.emit("if !%s && %s.Len() == 0 {", first, wl)
	} else {
		f.emit("if !%s {", first)
	}
	f.test(pre, cond.s)
	f.emit("}")
}

// pipe translates Pipe. The outermost one makes the worklists; it runs its
// first round even without items when it gives none.
func (f *fn) pipe(s *syntax.PipeStmt) {
	saved := *f.host
	wl := saved.wl
	f.emit("{")
	own := !saved.pipe
	if own {
		wl = f.worklist(s.Initial)
	} else if s.Initial != nil {
		f.errorf(s.Initial, codeUnknown, "generated Go has no Initial in a Pipe within another")
	}
	*f.host = hostState{wl: wl, pipe: true}
	switch {
	case s.Once && contains(s.Body, jumps):
		// A break or continue in it leaves the Pipe.
		once := f.unique("once")
		f.loops++
		f.emit("for %s := true; %s; %s = false {", once, once, once)
		f.block(s.Body)
		f.emit("}")
		f.loops--
	case s.Once:
		f.block(s.Body)
	default:
		f.loops++
		if own && s.Initial == nil {
			first := f.unique("first")
			f.emit("for %s := true; %s || %s.Len() != 0; %s = false {", first, first, wl, first)
		} else {
			f.emit("for %s.Len() != 0 {", wl)
		}
		f.emit("s.r.Round()")
		f.block(s.Body)
		f.emit("}")
		f.loops--
	}
	*f.host = saved
	if own {
		f.emit("%s.Close()", wl)
	}
	f.emit("}")
}

// jumps reports whether n is a break or continue.
func jumps(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.BreakStmt, *syntax.ContinueStmt:
		return true
	}
	return false
}

// initNames are the Go variables for id in a property's initialiser.
type initNames struct {
	id   string
	edge bool // the property is one of edges, whose numbers are 64 bits wide
}

// propInitName translates id, degree and in_degree in a property's initialiser.
func (f *fn) propInitName(e *syntax.Ident) (val, bool) {
	if f.inInit == nil {
		return val{}, false
	}
	if o := f.info.Uses[e]; o != nil && o.Kind == check.ConstObj {
		return val{}, false
	}
	switch e.Name {
	case "id":
		if f.inInit.edge {
			return val{s: "int64(" + f.inInit.id + ")", prec: precOperand, t: check.Long}, true
		}
		return val{s: "int32(" + f.inInit.id + ")", prec: precOperand, t: check.Int}, true
	case "degree":
		return val{s: fmt.Sprintf("rt.Degree(s.r.Row, int32(%s))", f.inInit.id), prec: precOperand, t: check.Int}, true
	case "in_degree":
		return val{s: fmt.Sprintf("rt.Degree(s.r.InRow, int32(%s))", f.inInit.id), prec: precOperand, t: check.Int}, true
	}
	return val{}, false
}
