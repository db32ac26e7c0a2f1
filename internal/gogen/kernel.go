package gogen

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// A kernel is the state of translating a kernel's body. The body exists twice
// where it has atomics: the solo form is for when only one worker runs; and once more for
// nodes whose edges several workers share (hub.go).
type kernel struct {
	info  *check.FuncInfo
	outer *syntax.ForAllStmt // the one ForAll that is cut in chunks; nil for none
	solo  bool
	hub   bool // the form for nodes of very many edges,
	split bool // which runs a loop over these in parts
	depth int  // ForAlls around the statement
	// loopLabel is the label of the innermost ForAll's loop, and loopDepth the
	// count of loops with it.
	loopLabel string
	loopDepth int
	// ends says that the innermost ForAll's iterations note that they ended, as
	// segments follow in which they must not go on.
	ends bool
	// thread and threads are the Go expressions for the thread's number and the
	// number of threads, among which an outermost ForAll is shared.
	thread, threads string
	// item is the loop variable of outer over the worklist: pop(item) is what
	// the Go variable at points to.
	item *check.Object
	at   string
}

// kernel translates a Kernel to a method that invokes it.
func (g *generator) kernel(info *check.FuncInfo) {
	decl := info.Decl
	outer := onlyForAll(decl.Body)
	if outer != nil && isShared(g.info.Types[outer.Iter]) && !g.fixedRange(info, outer) {
		outer = nil // chunks are of a whole that is known before: the workers share what is not
	}
	f := g.newFn(decl)
	f.takeKernelNames(info)
	list, names := f.params(info)
	if info.UsesWL {
		list = strings.TrimSuffix("wl *rt.WL, "+list, ", ")
	}
	f.emit("s.r.Kernel(%q)", info.Object.Name)
	name := g.funcs[info.Object]
	doc := "// " + name + " invokes the kernel " + info.Object.Name + "."
	if info.Syncs {
		g.groupKernel(f, info, names)
		g.method(f, doc, name, list, "rt.Reduced")
		return
	}
	solo, hub := "nil", "nil"
	if outer != nil && g.info.Types[outer.Iter] == check.Ints {
		f.emit("span := %s", f.rangeOf(outer.Iter).s)
	}
	if info.OuterFA {
		f.emit("body := %s", g.kernelBody(info, names, &kernel{outer: outer}))
		if hasAtomics(g.info, decl.Body) {
			f.emit("solo := %s", g.kernelBody(info, names, &kernel{outer: outer, solo: true}))
			solo = "solo"
		}
		if outer != nil && slices.Contains(loopShape(g.info, outer), "rt.EdgeWork") {
			k := &kernel{outer: outer, hub: true}
			if text := g.kernelBody(info, names, k); k.split {
				f.emit("hub := %s", text)
				hub = "hub"
			}
		}
	} else {
		f.emit("body := %s", g.kernelBody(info, names, &kernel{outer: outer, solo: true}))
	}
	launch := f.launch(info, outer, rtBodies{"body", solo, hub})
	if info.Retries || info.Respawns {
		launch = fmt.Sprintf("s.r.Rerun(wl, %v, func() rt.Reduced { return %s })", info.Retries, launch)
	}
	f.emit("return %s", launch)
	g.method(f, doc, name, list, "rt.Reduced")
}

// rtBodies are the Go expressions for the forms of a kernel's body.
type rtBodies struct{ body, solo, hub string }

// launch returns the call of rt that runs a kernel.
func (f *fn) launch(info *check.FuncInfo, outer *syntax.ForAllStmt, b rtBodies) string {
	g, wl := f.generator, "nil"
	if info.UsesWL {
		wl = "wl"
	}
	if outer == nil {
		if info.OuterFA {
			return fmt.Sprintf("s.r.LaunchThreads(%s, %s, %s, %s, %s)", wl, f.iterations(info), threadsShape(g.info, info.Decl.Body), b.body, b.solo)
		}
		return fmt.Sprintf("s.r.LaunchOnce(%s, %s)", wl, b.body)
	}
	shape := kernelShape(g.info, info.Decl.Body, outer)
	if g.fuses(info, outer) {
		shape = strings.TrimPrefix(shape+"|rt.Fuse", "0|")
	}
	switch t := g.info.Types[outer.Iter]; t {
	case check.Worklist:
		return fmt.Sprintf("s.r.LaunchWL(%s, %s, %s, %s, %s)", wl, shape, b.body, b.solo, b.hub)
	case check.Ints:
		return fmt.Sprintf("s.r.LaunchRange(%s, int(span.Hi-span.Lo), %s, %s, %s)", wl, shape, b.body, b.solo)
	case check.Nodes:
		return fmt.Sprintf("s.r.LaunchNodes(%s, %s, %s, %s, %s)", wl, shape, b.body, b.solo, b.hub)
	default:
		return fmt.Sprintf("s.r.LaunchRange(%s, int(%s), %s, %s, %s)", wl, countOf(t), shape, b.body, b.solo)
	}
}

// iterations returns the Go expression for the number of iterations of the kernel, as far
// as it is known before the kernel is invoked.
func (f *fn) iterations(k *check.FuncInfo) string {
	var sum []string
	for _, s := range k.Decl.Body.Stmts {
		fa, ok := s.(*syntax.ForAllStmt)
		switch ok = ok && !fa.Serial; {
		case ok && f.fixedRange(k, fa):
			sum = append(sum, "int("+f.rangeOf(fa.Iter).s+".Count())")
		case ok && !isShared(f.info.Types[fa.Iter]):
			sum = append(sum, "int("+countOf(f.info.Types[fa.Iter])+")")
		case contains(s, func(n syntax.Node) bool { fa, ok := n.(*syntax.ForAllStmt); return ok && !fa.Serial }):
			sum = append(sum, "rt.ManyIterations")
		}
	}
	return strings.Join(sum, "+")
}

// isRow reports whether t is the range of one node's edges, and isShared whether
// it is a range that is known only where its bounds are evaluated.
func isRow(t check.Type) bool    { return t == check.Edges || t == check.InEdges }
func isShared(t check.Type) bool { return isRow(t) || t == check.Ints }

// countOf returns the Go expression for how many of all nodes, points, elements
// or items there are.
func countOf(t check.Type) string {
	switch t {
	case check.Points:
		return "s.r.Points"
	case check.Elements:
		return "s.r.Elements"
	case check.Worklist:
		return "wl.Size()"
	case check.AllEdges:
		return "s.r.Arcs"
	}
	return "s.r.Nodes"
}

// takeKernelNames reserves the names that every kernel's Go uses, before its
// parameters get theirs.
func (f *fn) takeKernelNames(info *check.FuncInfo) {
	names := []string{"w", "items", "lo", "hi", "out", "end", "wl", "body", "solo", "hub", "span", "anyTrue", "anyFalse"}
	if info.Syncs {
		names = append(names, "g", "c", "fr", "steps", "groups", "launch")
	}
	for _, n := range names {
		f.taken[n] = true
	}
}

// kernelBody returns the function literal of a form of a kernel's body, that of k.
func (g *generator) kernelBody(info *check.FuncInfo, names []string, k *kernel) string {
	f := g.newFn(info.Decl)
	f.takeKernelNames(info)
	f.params(info)
	k.info, k.thread, k.threads = info, "lo", "hi"
	f.kernel = k
	f.findLabels(info.Decl.Body)
	if info.Pushes {
		f.atEnd = append(f.atEnd, "w.Out = out")
	}
	if info.Reduces {
		f.atEnd = append(f.atEnd, "w.Reduce(anyTrue, anyFalse)")
	}
	if info.Pushes {
		f.atBegin = append(f.atBegin, "out, end := w.Out, w.End")
	}
	if info.Reduces {
		f.atBegin = append(f.atBegin, "anyTrue, anyFalse := false, false")
	}
	f.atBegin = slices.Concat(f.atBegin, f.startSums(), f.startOwned(), f.startHeld())
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
	b = append(b, f.early...)
	begin := needed(f.atBegin, strings.Join(f.out, "\n"))
	b = append(b, begin...)
	// All pushes may be where one thread never comes, or in parts of the loop over a hub's edges.
	if info.Pushes && (k.split || !slices.ContainsFunc(f.out, func(l string) bool { return strings.Contains(l, "out == end") })) {
		b = append(b, "_ = end")
	}
	if k.split {
		for _, l := range begin {
			if m := ownDeclaration.FindStringSubmatch(l); m != nil {
				b = append(b, "_ = "+m[1])
			}
		}
	}
	b = append(b, f.lines()...)
	return strings.Join(append(b, "}"), "\n")
}

// assigns reports whether the kernel's i'th Go parameter is changed or its
// address taken in body.
func assigns(info *check.Info, k *check.FuncInfo, i int, body *syntax.Block) bool {
	for j, o := range k.Params {
		if isWorld(k.Type.Params[j]) {
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
			if !isRow(info.Types[s.Iter]) {
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

// kernelShape returns rt's facts about a kernel whose iterations are those of outer.
func kernelShape(info *check.Info, body *syntax.Block, outer *syntax.ForAllStmt) string {
	facts := loopShape(info, outer)
	if atomicEachEdge(info, outer.Body) {
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
	return joinFacts(facts)
}

// threadsShape returns those about a kernel with several ForAlls, or one of unknown length.
func threadsShape(info *check.Info, body *syntax.Block) string {
	var facts []string
	for _, s := range body.Stmts {
		fa, ok := s.(*syntax.ForAllStmt)
		if !ok || fa.Serial {
			continue
		}
		for _, fact := range loopShape(info, fa) {
			if !slices.Contains(facts, fact) {
				facts = append(facts, fact)
			}
		}
	}
	return joinFacts(facts)
}

// loopShape returns rt's facts about the work of an iteration of an outermost ForAll.
func loopShape(info *check.Info, loop *syntax.ForAllStmt) []string {
	t := info.Types[loop.Iter]
	through := func(t check.Type) bool {
		return contains(loop.Body, func(n syntax.Node) bool {
			fa, ok := n.(*syntax.ForAllStmt)
			return ok && info.Types[fa.Iter] == t
		})
	}
	if t == check.Nodes || t == check.Worklist {
		switch out, in := through(check.Edges), through(check.InEdges); {
		case out:
			return []string{"rt.EdgeWork"}
		case in:
			return []string{"rt.EdgeWork", "rt.InEdgeWork"}
		}
	}
	if t == check.Ints && contains(loop.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case syntax.Loop, *syntax.AtomicStmt:
			return true
		case *syntax.CallExpr:
			id, ok := syntax.Unparen(n.Fun).(*syntax.Ident)
			return ok && info.Uses[id] != nil && info.Uses[id].Kind == check.FuncObj
		}
		return false
	}) {
		return []string{"rt.AnyWork"}
	}
	return nil
}

// joinFacts returns the Go expression for a set of facts.
func joinFacts(facts []string) string {
	if len(facts) == 0 {
		return "0"
	}
	return strings.Join(facts, "|")
}

// fuses reports whether a worker may run items again while others still run those that
// were there before: all that the kernel writes and reads is declared Racy, so that what the others have
// not written yet may be missed, and nothing in it depends on which run it is. An item that conflicts
// (Retry) is better run later. What is added to a mesh is counted between runs.
func (g *generator) fuses(k *check.FuncInfo, outer *syntax.ForAllStmt) bool {
	if !k.Respawns || k.Retries || k.Syncs || g.info.Types[outer.Iter] != check.Worklist || g.info.Mesh != nil {
		return false
	}
	for _, o := range k.Writes {
		if g.info.Racy[o.Name] == "" && slices.Contains(k.Reads, o) {
			return false
		}
	}
	number := g.info.Defs[outer.Var]
	pops, uses, others := 0, 0, 0
	for n := range syntax.Preorder(outer.Body) {
		switch n := n.(type) {
		case *syntax.Ident:
			if g.info.Uses[n] == number {
				uses++
			}
		case *syntax.MemberExpr:
			if g.info.Types[n.X] == check.Worklist && n.Name.Name == "size" {
				others++
			}
		case *syntax.CallExpr:
			m, ok := syntax.Unparen(n.Fun).(*syntax.MemberExpr)
			if !ok || g.info.Types[m.X] != check.Worklist || m.Name.Name != "pop" {
				continue
			}
			if id, ok := syntax.Unparen(n.Args[0]).(*syntax.Ident); ok && g.info.Uses[id] == number {
				pops++
			} else {
				others++
			}
		}
	}
	return others == 0 && pops == uses && number != nil
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
		return b != nil && b.Rule == builtin.AtomicCall
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
		k.loopLabel, k.loopDepth, k.ends = label, f.loops+1, false
		k.depth++
		defer func() {
			k.loopLabel, k.loopDepth, k.depth, k.ends = saved.loopLabel, saved.loopDepth, saved.depth, saved.ends
		}()
	}
	defer f.holdRows(s)()
	f.loops++
	defer func() { f.loops-- }()
	// The loop counts in a variable of its own where the program changes its.
	index := name
	goType := f.goType(o.Type, s)
	row, first := "", 0 // of a loop over edges: their range, and the first line
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
	case outermost && !isShared(t):
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
	case !isShared(t):
		to := f.wholeCount(t)
		if _, isMember := syntax.Unparen(s.Iter).(*syntax.MemberExpr); !isMember && t != check.Worklist {
			f.effect(s.Iter)
		}
		f.startInner(o, &index, name, separate, func() { start(goType+"(0)", to) })
	case outermost && s == k.outer:
		f.startInner(o, &index, name, separate, func() { start("int32(span.Lo+int64(lo))", "int32(span.Lo+int64(hi))") })
	default:
		r := f.save(f.rangeOf(s.Iter)).s
		row, first = r, len(f.out)
		from, to := r+".Lo", r+".Hi"
		if outermost {
			lo, hi := f.unique("from"), f.unique("to")
			f.emit("%s, %s := rt.Share(%s.Hi-%s.Lo, %s, %s)", lo, hi, r, r, k.thread, k.threads)
			from, to = fmt.Sprintf("%s.Lo+int64(%s)", r, lo), fmt.Sprintf("%s.Lo+int64(%s)", r, hi)
			end := f.unique("stop")
			f.define(end, "int64", to)
			to = end
		}
		if t == check.Ints {
			from, to = "int32("+from+")", "int32("+to+")"
		}
		f.startInner(o, &index, name, separate, func() { start(from, to) })
		f.holdDst(o, s, separate)
	}
	if f.checks {
		f.emit("s.r.Check()")
	}
	f.block(s.Body)
	if last := len(f.out) - 1; f.out[last] == "continue" {
		f.out = f.out[:last] // what comes next anyway
	}
	f.emit("}")
	if row != "" && k != nil && k.hub {
		f.splitHub(s, row, first)
	}
}

// fixedRange reports whether the bounds of a range are the same for all threads of the
// kernel, and can be evaluated before it is invoked.
func (g *generator) fixedRange(k *check.FuncInfo, s *syntax.ForAllStmt) bool {
	return g.info.Types[s.Iter] == check.Ints && !contains(s.Iter, func(n syntax.Node) bool {
		x, ok := n.(syntax.Expr)
		if !ok || g.info.Consts[x] != nil {
			return false
		}
		switch x := x.(type) {
		case *syntax.Ident:
			o := g.info.Uses[x]
			switch {
			case o == nil || o.Kind != check.VarObj && o.Kind != check.ParamObj:
				return false
			case o.Global:
				return !check.IsArithmetic(o.Type) || g.pointedTo(o) // the kernel does not write it, or check has refused it
			}
			return !check.IsArithmetic(o.Type) || !slices.Contains(k.Params, o) || changes(g.info, o, k.Decl.Body)
		case *syntax.BinaryExpr, *syntax.ParenExpr, *syntax.CastExpr, *syntax.CondExpr, *syntax.BasicLit:
			return false
		case *syntax.UnaryExpr:
			return x.Op == "++" || x.Op == "--" || x.Op == "&" || x.Op == "*"
		case *syntax.MemberExpr:
			return g.info.Types[x.X] != check.GraphType
		case *syntax.CallExpr:
			b := builtinOf(g.info, x)
			return x != syntax.Unparen(s.Iter) && (b == nil || b.Name != "min" && b.Name != "max")
		}
		return true
	})
}

// rangeOf translates a range of a node's edges, or of ints.
func (f *fn) rangeOf(x syntax.Expr) val {
	if f.info.Types[x] != check.Ints {
		return f.expr(x)
	}
	low, high := check.RangeBounds(x)
	args := []syntax.Expr{low, high}
	if low == nil {
		args = args[1:]
	}
	list := f.args(args, []check.Type{check.Int, check.Int})
	if low == nil {
		list = append([]string{"0"}, list...)
	}
	return val{s: "rt.Ints(" + strings.Join(list, ", ") + ")", prec: precOperand, t: check.Ints}
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

// holdDst reads an edge's other end once, where the loop's body needs it: the
// graph does not change.
func (f *fn) holdDst(o *check.Object, s *syntax.ForAllStmt, separate bool) {
	far, array := "dst", "dst"
	if o.Type == check.InEdge {
		far, array = "src", "inDst"
	}
	needs := contains(s.Body, func(n syntax.Node) bool {
		m, ok := n.(*syntax.MemberExpr)
		if !ok || m.Name.Name != far {
			return false
		}
		id, ok := syntax.Unparen(m.X).(*syntax.Ident)
		return ok && f.info.Uses[id] == o && (f.info.Types[m.X] == check.Edge || o.Type == check.InEdge)
	})
	if !needs || separate || f.checks {
		return
	}
	name := f.unique(f.names[o] + strings.ToUpper(far[:1]) + far[1:])
	// As an unsigned number, which needs no extension before it is an index.
	f.emit("%s := *rt.AtEdge[uint32](%s, %s)", name, f.array(array), f.names[o])
	f.emit("_ = %s", name)
	f.dstOf[o] = "int32(" + name + ")"
}

// share emits the part of an outermost ForAll that the thread runs, in a
// kernel of which every thread runs the whole.
func (f *fn) share(t check.Type) (lo, hi string) {
	lo, hi = f.unique("from"), f.unique("to")
	f.emit("%s, %s := rt.Share(int64(%s), %s, %s)", lo, hi, countOf(t), f.kernel.thread, f.kernel.threads)
	return lo, hi
}

// wholeCount returns the number of all that a loop goes through. Host code
// counts once, as what the loop invokes may add to the mesh.
func (f *fn) wholeCount(t check.Type) string {
	count := countOf(t)
	switch {
	case t == check.Worklist:
		return count
	case f.checks && t != check.Nodes && t != check.AllEdges:
		return f.save(val{s: count, prec: precOperand, t: check.Int}).s
	}
	name := map[check.Type]string{check.Nodes: "nodes", check.AllEdges: "arcs", check.Points: "npoints", check.Elements: "nelements"}[t]
	return f.hold(count, name)
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
	if k.ends {
		f.emit("fr.ended = true")
	}
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

// continueStmt translates continue, of a loop or a ForAll.
func (f *fn) continueStmt() {
	if k := f.kernel; k != nil && k.ends && f.loops == k.loopDepth {
		f.emit("fr.ended = true")
	}
	f.emit("continue")
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
	return val{s: fmt.Sprintf("wl.At(%s, %d)", f.exprTo(e.Args[0], check.Int).s, f.at(e)), prec: precOperand, t: check.Node}
}
