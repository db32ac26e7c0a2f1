package gogen

import (
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// A kernel is the state of translating a kernel's body. The body exists twice
// where it has atomics: the solo form is for when only one worker runs.
type kernel struct {
	info  *check.FuncInfo
	outer *syntax.ForAllStmt // the one ForAll that is cut in chunks; nil for none
	solo  bool
	depth int // ForAlls around the statement
	// loopLabel is the label of the innermost ForAll's loop, and loopDepth the
	// count of loops with it.
	loopLabel string
	loopDepth int
	// item is the loop variable of outer over the worklist: pop(item) is what
	// the Go variable at points to.
	item *check.Object
	at   string
}

// kernel translates a Kernel to a method that invokes it.
func (g *generator) kernel(info *check.FuncInfo) {
	decl := info.Decl
	outer := onlyForAll(decl.Body)
	if outer != nil && g.info.Types[outer.Iter] == check.Edges {
		outer = nil // chunks are of nodes or items: the workers share edges
	}
	f := g.newFn(decl)
	f.takeKernelNames()
	list, names := f.params(info)
	if info.UsesWL {
		list = strings.TrimSuffix("wl *rt.WL, "+list, ", ")
	}
	solo := "nil"
	if info.OuterFA {
		f.emit("body := %s", g.kernelBody(info, outer, names, false))
		if outer != nil && hasAtomics(g.info, decl.Body) {
			f.emit("solo := %s", g.kernelBody(info, outer, names, true))
			solo = "solo"
		}
	} else {
		f.emit("body := %s", g.kernelBody(info, outer, names, true))
	}
	wl := "nil"
	if info.UsesWL {
		wl = "wl"
	}
	shape := kernelShape(g.info, decl.Body, outer)
	var launch string
	switch {
	case outer != nil && g.info.Types[outer.Iter] == check.Worklist:
		launch = fmt.Sprintf("s.r.LaunchWL(%s, %s, body, %s)", wl, shape, solo)
	case outer != nil:
		launch = fmt.Sprintf("s.r.LaunchNodes(%s, %s, body, %s)", wl, shape, solo)
	case info.OuterFA:
		launch = fmt.Sprintf("s.r.LaunchThreads(%s, body)", wl)
	default:
		launch = fmt.Sprintf("s.r.LaunchOnce(%s, body)", wl)
	}
	if info.Retries || info.Respawns {
		launch = fmt.Sprintf("s.r.Rerun(wl, %v, func() rt.Reduced { return %s })", info.Retries, launch)
	}
	f.emit("return %s", launch)
	name := g.funcs[info.Object]
	g.method(f, "// "+name+" invokes the kernel "+info.Object.Name+".", name, list, "rt.Reduced")
}

// takeKernelNames reserves the names that every kernel's Go uses, before its
// parameters get theirs.
func (f *fn) takeKernelNames() {
	for _, n := range []string{"w", "items", "lo", "hi", "out", "end", "wl", "body", "solo", "anyTrue", "anyFalse"} {
		f.taken[n] = true
	}
}

// kernelBody returns the function literal of a kernel's body.
func (g *generator) kernelBody(info *check.FuncInfo, outer *syntax.ForAllStmt, names []string, solo bool) string {
	f := g.newFn(info.Decl)
	f.takeKernelNames()
	f.params(info)
	f.kernel = &kernel{info: info, outer: outer, solo: solo}
	f.findLabels(info.Decl.Body)
	if info.Pushes {
		f.atEnd = append(f.atEnd, "w.Out = out")
	}
	if info.Reduces {
		f.atEnd = append(f.atEnd, "w.Reduce(anyTrue, anyFalse)")
	}
	sums := f.startSums()
	f.block(info.Decl.Body)
	if !ends(f.out) {
		f.out = append(f.out, f.atEnd...)
	}

	b := []string{"func(w *rt.Worker, items unsafe.Pointer, lo, hi int) {"}
	// The parameters belong to each thread: what it assigns is its own.
	for i, n := range names {
		if n != "_" && assigns(g.info, info, i, info.Decl.Body) {
			b = append(b, n+" := "+n)
		}
	}
	for _, field := range f.order {
		b = append(b, f.arrays[field]+" := "+field)
	}
	if info.Pushes {
		b = append(b, "out, end := w.Out, w.End")
	}
	if info.Reduces {
		b = append(b, "anyTrue, anyFalse := false, false")
	}
	b = append(b, sums...)
	b = append(b, f.lines()...)
	return strings.Join(append(b, "}"), "\n")
}

// assigns reports whether the kernel's i'th Go parameter is changed or its
// address taken in body.
func assigns(info *check.Info, k *check.FuncInfo, i int, body *syntax.Block) bool {
	for j, o := range k.Params {
		if k.Type.Params[j] == check.GraphType {
			continue
		}
		if i == 0 {
			return o != nil && changes(info, o, body)
		}
		i--
	}
	return false
}

// changes reports whether o is changed or its address taken below n.
func changes(info *check.Info, o *check.Object, n syntax.Node) bool {
	isO := func(x syntax.Expr) bool {
		for {
			switch y := syntax.Unparen(x).(type) {
			case *syntax.Ident:
				return info.Uses[y] == o
			case *syntax.MemberExpr:
				if _, ok := info.Types[y.X].(*check.Struct); !ok {
					return false
				}
				x = y.X
			case *syntax.IndexExpr:
				if _, ok := info.Types[y.X].(*check.Array); !ok {
					return false
				}
				x = y.X
			default:
				return false
			}
		}
	}
	return o.Addressed || contains(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignExpr:
			return isO(n.L)
		case *syntax.PostfixExpr:
			return isO(n.X)
		case *syntax.UnaryExpr:
			return (n.Op == "++" || n.Op == "--" || n.Op == "&") && isO(n.X)
		}
		return false
	})
}

// onlyForAll returns the body's one outermost ForAll when it stands directly in
// the body: the form whose iterations are cut in chunks.
func onlyForAll(body *syntax.Block) *syntax.ForAllStmt {
	var only *syntax.ForAllStmt
	for _, s := range body.Stmts {
		fa, ok := s.(*syntax.ForAllStmt)
		switch {
		case ok && !fa.Serial && only == nil:
			only = fa
		case contains(s, func(n syntax.Node) bool { fa, ok := n.(*syntax.ForAllStmt); return ok && !fa.Serial }):
			return nil
		}
	}
	if only == nil {
		return nil
	}
	for _, s := range body.Stmts {
		if contains(s, func(n syntax.Node) bool { _, ok := n.(*syntax.GotoStmt); return ok }) {
			return nil
		}
	}
	return only
}

// atomicEachEdge reports whether a loop over edges in body does an atomic
// operation in every iteration, under no condition.
func atomicEachEdge(info *check.Info, body *syntax.Block) bool {
	for _, s := range body.Stmts {
		switch s := s.(type) {
		case *syntax.Block:
			if atomicEachEdge(info, s) {
				return true
			}
		case *syntax.IfStmt:
			for _, branch := range []syntax.Stmt{s.Then, s.Else} {
				if b, ok := branch.(*syntax.Block); ok && atomicEachEdge(info, b) {
					return true
				}
			}
		case *syntax.ForAllStmt:
			if info.Types[s.Iter] != check.Edges {
				continue
			}
			for _, inner := range s.Body.Stmts {
				if x, ok := inner.(*syntax.ExprStmt); ok && hasAtomics(info, x) {
					return true
				}
			}
		}
	}
	return false
}

// kernelShape returns rt's facts about a kernel.
func kernelShape(info *check.Info, body *syntax.Block, outer *syntax.ForAllStmt) string {
	var facts []string
	if outer != nil && contains(outer.Body, func(n syntax.Node) bool {
		fa, ok := n.(*syntax.ForAllStmt)
		return ok && info.Types[fa.Iter] == check.Edges
	}) {
		facts = append(facts, "rt.EdgeWork")
	}
	if outer != nil && atomicEachEdge(info, outer.Body) {
		facts = append(facts, "rt.EdgeAtomics")
	}
	for _, s := range body.Stmts {
		if s == syntax.Stmt(outer) {
			continue
		}
		if contains(s, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.ReduceStmt, *syntax.CallExpr, *syntax.AtomicStmt, *syntax.RetryStmt:
				return true
			}
			return false
		}) {
			facts = append(facts, "rt.Outside")
			break
		}
	}
	if len(facts) == 0 {
		return "0"
	}
	return strings.Join(facts, "|")
}

// hasAtomics reports whether body itself has CUDA atomics or Atomic statements.
func hasAtomics(info *check.Info, body syntax.Node) bool {
	return contains(body, func(n syntax.Node) bool {
		if _, ok := n.(*syntax.AtomicStmt); ok {
			return true
		}
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return false
		}
		b := builtinOf(info, call)
		return b != nil && b.Rule == check.AtomicCall
	})
}

// forAll translates a ForAll and the serial for over a range.
func (f *fn) forAll(s *syntax.ForAllStmt) {
	o := f.info.Defs[s.Var]
	t := f.info.Types[s.Iter]
	k := f.kernel
	if o == nil || o.Type == nil {
		return
	}
	name := f.unique(s.Var.Name)
	label := ""
	if k != nil && !s.Serial {
		label = f.unique("next_" + s.Var.Name)
		saved := *k
		k.loopLabel, k.loopDepth = label, f.loops+1
		k.depth++
		defer func() { k.loopLabel, k.loopDepth, k.depth = saved.loopLabel, saved.loopDepth, saved.depth }()
	}
	f.loops++
	defer func() { f.loops-- }()
	// The loop counts in a variable of its own where the program changes its.
	index := name
	goType := f.goType(o.Type, s)
	separate := changes(f.info, o, s.Body)
	outermost := k != nil && !s.Serial && k.depth == 1
	start := func(from, to string) {
		if label != "" {
			f.emit("%s%s", labelMark, label)
		}
		f.emit("for %s := %s; %s < %s; %s++ {", index, from, index, to, index)
	}
	switch {
	case outermost && t == check.Worklist && s == k.outer:
		f.startItems(o, name, label, separate)
		defer func() { k.item = nil }()
	case outermost && (t == check.Nodes || t == check.Worklist):
		index = f.unique("i")
		lo, hi := "lo", "hi"
		if s != k.outer {
			lo, hi = f.share(t)
		}
		start(lo, hi)
		f.names[o] = name
		if separate {
			f.emit("%s := %s(%s)", name, goType, index)
			f.emit("%s%s", useMark, name)
		} else {
			f.emit("%s%s%s := %s(%s)", readMark, name+" ", name, goType, index)
		}
	case t == check.Nodes || t == check.Worklist:
		to := f.hold("s.r.Nodes", "nodes")
		if t == check.Worklist {
			to = "wl.Size()"
		} else if _, isMember := syntax.Unparen(s.Iter).(*syntax.MemberExpr); !isMember {
			f.effect(s.Iter)
		}
		f.startInner(o, &index, name, separate, func() { start(goType+"(0)", to) })
	default:
		r := f.save(f.expr(s.Iter)).s
		from, to := r+".Lo", r+".Hi"
		if outermost {
			lo, hi := f.unique("from"), f.unique("to")
			f.emit("%s, %s := rt.Share(%s.Hi-%s.Lo, lo, hi)", lo, hi, r, r)
			from, to = fmt.Sprintf("%s.Lo+int64(%s)", r, lo), fmt.Sprintf("%s.Lo+int64(%s)", r, hi)
			end := f.unique("stop")
			f.define(end, "int64", to)
			to = end
		}
		f.startInner(o, &index, name, separate, func() { start(from, to) })
		f.holdDst(o, s, separate)
	}
	f.block(s.Body)
	if last := len(f.out) - 1; f.out[last] == "continue" {
		f.out = f.out[:last] // what comes next anyway
	}
	f.emit("}")
}

// startItems begins the loop over a chunk of the worklist. It steps a pointer
// through the items rather than an index, which costs registers in the loops
// inside; the index is computed where the program looks at it.
func (f *fn) startItems(o *check.Object, name, label string, separate bool) {
	k := f.kernel
	k.at = f.unique("at")
	last := f.unique("last")
	f.emit("%s := unsafe.Add(items, uintptr(hi-lo)*4)", last)
	if label != "" {
		f.emit("%s%s", labelMark, label)
	}
	f.emit("for %s := items; %s != %s; %s = unsafe.Add(%s, 4) {", k.at, k.at, last, k.at, k.at)
	f.names[o] = name
	index := fmt.Sprintf("%s := int32(lo) + int32(rt.PtrDiff(%s, items, 4))", name, k.at)
	if separate {
		f.emit("%s", index)
		f.emit("%s%s", useMark, name)
		return
	}
	k.item = o
	f.emit("%s%s %s", readMark, name, index)
}

// startInner begins a loop that the function runs by itself.
func (f *fn) startInner(o *check.Object, index *string, name string, separate bool, start func()) {
	if separate {
		*index = f.unique("i")
	}
	start()
	f.names[o] = name
	if separate {
		f.emit("%s := %s", name, *index)
		f.emit("%s%s", useMark, name)
	} else {
		f.used[o] = true
	}
}

// holdDst reads an edge's destination once, where the loop's body needs it: the
// graph does not change.
func (f *fn) holdDst(o *check.Object, s *syntax.ForAllStmt, separate bool) {
	needs := contains(s.Body, func(n syntax.Node) bool {
		m, ok := n.(*syntax.MemberExpr)
		if !ok || m.Name.Name != "dst" {
			return false
		}
		id, ok := syntax.Unparen(m.X).(*syntax.Ident)
		return ok && f.info.Uses[id] == o && f.info.Types[m.X] == check.Edge
	})
	if !needs || separate || f.checked {
		return
	}
	name := f.unique(f.names[o] + "Dst")
	// As an unsigned number, which needs no extension before it is an index.
	f.emit("%s := *rt.AtEdge[uint32](%s, %s)", name, f.array("dst"), f.names[o])
	f.emit("_ = %s", name)
	f.dstOf[o] = "int32(" + name + ")"
}

// share emits the part of an outermost ForAll that the thread runs, in a
// kernel of which every thread runs the whole.
func (f *fn) share(t check.Type) (lo, hi string) {
	lo, hi = f.unique("from"), f.unique("to")
	n := "int64(s.r.Nodes)"
	if t == check.Worklist {
		n = "int64(wl.Len())"
	}
	f.emit("%s, %s := rt.Share(%s, lo, hi)", lo, hi, n)
	return lo, hi
}

// reduce translates ReduceAndReturn: it ends the iteration of the innermost
// ForAll, or the kernel.
func (f *fn) reduce(s *syntax.ReduceStmt) {
	v := f.cond(s.Value)
	switch v.s {
	case "true":
		f.emit("anyTrue = true")
	case "false":
		f.emit("anyFalse = true")
	default:
		f.emit("if %s { anyTrue = true } else { anyFalse = true }", v.s)
	}
	k := f.kernel
	switch {
	case k.depth == 0:
		f.leave("")
	case f.loops == k.loopDepth:
		f.emit("continue")
	default:
		f.usedLabels[k.loopLabel] = true
		f.emit("continue %s", k.loopLabel)
	}
}

// push translates WL.push.
func (f *fn) push(x val) {
	f.emit("if out == end { out, end = w.Grow() }")
	f.emit("*(*int32)(out) = %s", x.s)
	f.emit("out = unsafe.Add(out, 4)")
}

// pop translates WL.pop: an item of the chunk, or any other.
func (f *fn) pop(e *syntax.CallExpr) val {
	k := f.kernel
	if id, ok := syntax.Unparen(e.Args[0]).(*syntax.Ident); ok && k.item != nil && f.info.Uses[id] == k.item {
		return val{s: "*(*int32)(" + k.at + ")", prec: precUnary, t: check.Node}
	}
	return val{s: "wl.At(" + f.exprTo(e.Args[0], check.Int).s + ")", prec: precOperand, t: check.Node}
}
