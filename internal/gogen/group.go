package gogen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"irgl/internal/check"
	"irgl/syntax"
)

// A kernel whose threads meet is translated twice: as a body for one thread, for
// which a barrier is nothing and every Exclusive is won, and cut in segments,
// where threads are numbers from lo up to hi that several workers share (see
// rt's group.go). What a thread keeps from one segment to the next lies in its
// frame:
//
//	for c := lo; c < hi; c++ {
//		fr := rt.Frame[frame](g.Frames, c)
//		if fr.ended { continue }
//		...                                          the statements up to a barrier
//		fr.list0 = s.r.List(unsafe.Pointer(&fr.v_cavity), 0, int64(fr.v_size), 1, 64, "...")
//		fr.id = g.Claim(c)
//		fr.claimed = rt.Claim[int32](g, 3, fr.id, &fr.list0)
//	}
//
// The next segment begins with
//
//		if w.Decided(fr.claimed && rt.Holds[int32](g, 3, fr.id, &fr.list0)) { ...

// A segment is the statements between two meetings.
type segment struct {
	stmts []syntax.Stmt
	// begins is the Exclusive whose blocks come first, ends the one whose lists
	// are claimed last. decided says that an earlier segment saw who wins, and
	// decides that this one does only that: before the claims of another Exclusive.
	begins, ends     *syntax.ExclusiveStmt
	decided, decides bool
}

// A step is a ForAll whose iterations meet, or what stands beside such ForAlls.
type step struct {
	loop     *syntax.ForAllStmt // nil beside
	segments []*segment
}

// A groupPlan is the state of cutting a kernel.
type groupPlan struct {
	*generator
	kernel *check.FuncInfo
	names  []string // of the kernel's parameters, in Go
	steps  []*step
	frame  string // the Go type
	fields []string
	inside map[*check.Object]string // locals in the frame, as Go has them
	// copied are the locals of iterations that segments hold in variables: they
	// are read from the frame first and stored in it last.
	copied []*check.Object
	params []string       // statements that store parameters in the frame
	lists  int            // most that an Exclusive has
	ended  map[*step]bool // iterations can end before the last segment
}

// groupKernel prints the body of the method that invokes a kernel whose threads
// meet.
func (g *generator) groupKernel(f *fn, info *check.FuncInfo, names []string) {
	p := &groupPlan{
		generator: g, kernel: info, names: names, inside: map[*check.Object]string{}, ended: map[*step]bool{},
		frame: g.prefix + "Frame_" + info.Object.Name,
	}
	p.refuseGotos()
	p.cut()
	p.layOut()

	outer := soloForAll(g.info, info.Decl.Body)
	f.emit("solo := %s", g.kernelBody(info, names, &kernel{outer: outer, solo: true}))
	groups := "groups_" + info.Object.Name
	g.groups = append(g.groups, groups)
	f.emit("groups := &s.%s", groups)
	f.emit("groups.Size = unsafe.Sizeof(%s{})", p.frame)
	f.emit("groups.New = func(n int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]%s, n))) }", p.frame)
	f.emit("steps := []rt.Step{")
	only := true
	for _, s := range p.steps {
		f.emit("{")
		if s.loop != nil {
			f.out = append(f.out, p.over(s)...)
		} else {
			only = false
		}
		f.emit("Segments: []rt.Segment{")
		for i, seg := range s.segments {
			f.out = append(f.out, p.segment(s, seg, i)...)
		}
		f.emit("},")
		f.emit("},")
	}
	f.emit("}")
	wl, locks := "nil", 0
	if info.UsesWL {
		wl = "wl"
	}
	for _, d := range info.Locks {
		locks |= 1 << d
	}
	f.emit("launch := func() rt.Reduced {")
	f.emit("if !s.r.Grouped(%s, %d) {", f.iterations(p.kernel), locks)
	f.emit("return s.r.Alone(func() rt.Reduced { return %s })", f.launch(info, outer, rtBodies{"solo", "solo", "nil"}))
	f.emit("}")
	f.emit("return s.r.LaunchGroups(%s, rt.Plan{Groups: groups, Locks: %d, LoopsOnly: %v, Steps: steps})", wl, locks, only)
	f.emit("}")
	if info.Retries || info.Respawns {
		f.emit("return s.r.Rerun(wl, %v, launch)", info.Retries)
	} else {
		f.emit("return launch()")
	}
}

// soloForAll returns the ForAll that can be cut in chunks for one thread: the
// body's only one, with nothing beside it that could tell chunks from one
// another.
func soloForAll(info *check.Info, body *syntax.Block) *syntax.ForAllStmt {
	outer := onlyForAll(body)
	for _, s := range body.Stmts {
		switch s := s.(type) {
		case *syntax.ForAllStmt, *syntax.BarrierStmt, *syntax.EmptyStmt, *syntax.TypeDecl:
		case *syntax.VarDecls:
			if contains(s, hasEffect) {
				return nil
			}
		default:
			return nil
		}
	}
	if outer != nil && isShared(info.Types[outer.Iter]) {
		return nil // how many there are is not known before
	}
	return outer
}

// hasEffect reports whether n itself may change something.
func hasEffect(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.AssignExpr, *syntax.PostfixExpr, *syntax.CallExpr:
		return true
	case *syntax.UnaryExpr:
		return n.Op == "++" || n.Op == "--"
	}
	return false
}

// refuseGotos refuses jumps to labels beside the ForAlls, which may lie in
// another segment.
func (p *groupPlan) refuseGotos() {
	labels := map[string]bool{}
	for _, s := range p.kernel.Decl.Body.Stmts {
		if l, ok := s.(*syntax.LabelStmt); ok {
			labels[l.Name.Name] = true
		}
	}
	for n := range syntax.Preorder(p.kernel.Decl.Body) {
		if s, ok := n.(*syntax.GotoStmt); ok && labels[s.Name.Name] {
			p.errorf(s, codeGoto, "generated Go cannot jump to a label beside the ForAlls of a kernel whose threads meet")
		}
	}
}

// cut cuts the kernel in steps, and these in segments.
func (p *groupPlan) cut() {
	beside := &step{segments: []*segment{{}}}
	add := func() {
		var full []*segment
		for _, s := range beside.segments {
			if len(s.stmts) > 0 {
				full = append(full, s)
			}
		}
		if beside.segments = full; len(full) > 0 {
			p.steps = append(p.steps, beside)
		}
		beside = &step{segments: []*segment{{}}}
	}
	for _, s := range p.kernel.Decl.Body.Stmts {
		switch s := s.(type) {
		case *syntax.BarrierStmt:
			if !s.Local {
				beside.segments = append(beside.segments, &segment{})
			}
			continue
		case *syntax.ForAllStmt:
			if meetsIn(s) {
				add()
				p.steps = append(p.steps, p.cutLoop(s))
				continue
			}
		}
		last := beside.segments[len(beside.segments)-1]
		last.stmts = append(last.stmts, s)
	}
	add()
}

// meetsIn reports whether the iterations of a ForAll directly in a kernel wait
// for each other.
func meetsIn(s *syntax.ForAllStmt) bool {
	if s.Serial {
		return false
	}
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *syntax.ExclusiveStmt:
			return true
		case *syntax.BarrierStmt:
			if !x.Local {
				return true
			}
		}
	}
	return false
}

// cutLoop cuts the body of a ForAll in segments.
func (p *groupPlan) cutLoop(loop *syntax.ForAllStmt) *step {
	st := &step{loop: loop}
	now := &segment{}
	next := func() {
		st.segments = append(st.segments, now)
		now = &segment{}
	}
	for i, s := range loop.Body.Stmts {
		switch s := s.(type) {
		case *syntax.BarrierStmt:
			if !s.Local && (len(now.stmts) > 0 || now.begins != nil) {
				next()
			}
		case *syntax.ExclusiveStmt:
			p.lists = max(p.lists, len(s.Locks))
			now.ends = s
			next()
			now.begins = s
			if exclusiveFirst(loop.Body.Stmts[i+1:]) {
				// The claims of the next one must not hide who won this one.
				now.decides = true
				next()
				now.begins, now.decided = s, true
			}
		default:
			now.stmts = append(now.stmts, s)
		}
	}
	if len(now.stmts) > 0 || now.begins != nil {
		next()
	}
	p.ended[st] = len(st.segments) > 1 && contains(loop.Body, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ContinueStmt, *syntax.ReduceStmt:
			return true
		}
		return false
	})
	return st
}

// exclusiveFirst reports whether an Exclusive comes in list before a barrier.
func exclusiveFirst(list []syntax.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.ExclusiveStmt:
			return true
		case *syntax.BarrierStmt:
			if !s.Local {
				return false
			}
		}
	}
	return false
}

// layOut declares the frame: the locals that more than one segment uses, those
// whose address an earlier segment may have left somewhere, and parameters that
// the kernel changes.
func (p *groupPlan) layOut() {
	if len(p.kernel.Locks) > 0 {
		p.fields = append(p.fields, "id uint64", "claimed bool")
	}
	p.fields = append(p.fields, "ended bool")
	for i := range p.lists {
		p.fields = append(p.fields, fmt.Sprintf("list%d rt.List", i))
	}
	at := 0
	for i, o := range p.kernel.Params {
		if isWorld(p.kernel.Type.Params[i]) {
			continue
		}
		if o != nil && changes(p.info, o, p.kernel.Decl.Body) {
			p.params = append(p.params, p.field(o, check.Decay(o.Type))+" = "+p.names[at])
		}
		at++
	}
	u := p.usage()
	for _, o := range u.order {
		if u.in[o] != inMany || u.variables[o] {
			continue
		}
		p.field(o, o.Type)
		if !u.beside[o] && !needsMemory(o) {
			p.copied = append(p.copied, o)
		}
	}
	if len(p.params) > 0 && (len(p.steps) == 0 || p.steps[0].loop != nil) {
		p.steps = append([]*step{{segments: []*segment{{}}}}, p.steps...)
	}
	p.typeDecls = append(p.typeDecls, fmt.Sprintf("// %s is what a thread of the kernel %s keeps where threads meet.\ntype %s struct {\n%s\n}\n",
		p.frame, p.kernel.Object.Name, p.frame, strings.Join(p.fields, "\n")))
}

// field adds a local of type t to the frame and returns its place there.
func (p *groupPlan) field(o *check.Object, t check.Type) string {
	name := "v_" + o.Name
	for i := 2; slices.ContainsFunc(p.fields, func(f string) bool { return strings.HasPrefix(f, name+" ") }); i++ {
		name = fmt.Sprintf("v_%s%d", o.Name, i)
	}
	p.fields = append(p.fields, name+" "+p.goType(t, p.kernel.Decl))
	p.inside[o] = "fr." + name
	return p.inside[o]
}

// A usage is where a kernel's locals are used: in is the number of the one
// segment that does, or inMany.
type usage struct {
	in        map[*check.Object]int
	order     []*check.Object        // of first use
	variables map[*check.Object]bool // of the ForAlls: each segment has its own
	beside    map[*check.Object]bool // declared beside the ForAlls
}

const inMany = -1

// usage finds out where locals are used. One that pointers may point to counts
// as used after the segment that declares it.
func (p *groupPlan) usage() *usage {
	u := &usage{in: map[*check.Object]int{}, variables: map[*check.Object]bool{}, beside: map[*check.Object]bool{}}
	number := 0
	for i, s := range p.steps {
		if s.loop != nil {
			number++
			u.mark(p.info, s.loop.Iter, number)
			u.variables[p.info.Defs[s.loop.Var]] = true
		}
		for j, seg := range s.segments {
			number++
			for _, n := range seg.nodes() {
				u.mark(p.info, n, number)
			}
			goesOn := i < len(p.steps)-1 && s.loop == nil || j < len(s.segments)-1
			for _, o := range p.declared(seg.stmts) {
				u.beside[o] = s.loop == nil
				if goesOn && needsMemory(o) && u.in[o] != 0 {
					u.in[o] = inMany
				}
			}
		}
	}
	return u
}

// mark notes the locals that n names, in the segment of that number.
func (u *usage) mark(info *check.Info, n syntax.Node, number int) {
	for n := range syntax.Preorder(n) {
		id, ok := n.(*syntax.Ident)
		if !ok {
			continue
		}
		o := info.Uses[id]
		if o == nil {
			o = info.Defs[id]
		}
		switch {
		case o == nil || o.Kind != check.VarObj || o.Global:
		case u.in[o] == 0:
			u.order = append(u.order, o)
			u.in[o] = number
		case u.in[o] != number:
			u.in[o] = inMany
		}
	}
}

// nodes returns all that belongs to a segment.
func (s *segment) nodes() []syntax.Node {
	var list []syntax.Node
	if x := s.begins; x != nil && !s.decides {
		list = append(list, x.Body)
		if x.Else != nil {
			list = append(list, x.Else)
		}
	}
	for _, x := range s.stmts {
		list = append(list, x)
	}
	if s.ends != nil {
		for _, l := range s.ends.Locks {
			list = append(list, l)
		}
	}
	return list
}

// declared returns the variables that stmts declare themselves.
func (p *groupPlan) declared(stmts []syntax.Stmt) []*check.Object {
	var list []*check.Object
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.VarDecls:
			for _, d := range s.Vars {
				list = append(list, p.info.Defs[d.Name])
			}
		case *syntax.ExprStmt:
			for a, ok := s.X.(*syntax.AssignExpr); ok; a, ok = a.R.(*syntax.AssignExpr) {
				list = append(list, p.info.Declares[a])
			}
		}
	}
	return list
}

// needsMemory reports whether pointers to o may exist.
func needsMemory(o *check.Object) bool {
	if o == nil {
		return false
	}
	switch o.Type.(type) {
	case *check.Array, *check.Struct:
		return true
	}
	return o.Addressed
}

// newFn begins the translation of a segment.
func (p *groupPlan) newFn() *fn {
	f := p.generator.newFn(p.kernel.Decl)
	f.takeKernelNames(p.kernel)
	f.params(p.kernel)
	f.framed = map[*check.Object]bool{}
	for o, name := range p.inside {
		f.names[o], f.framed[o], f.hoisted[o] = name, true, true
	}
	f.kernel = &kernel{info: p.kernel, thread: "c", threads: "g.Threads"}
	f.findLabels(p.kernel.Decl.Body)
	f.depth = append(f.depth, p.kernel.Decl.Body)
	return f
}

// over returns the function that gives the range of a ForAll.
func (p *groupPlan) over(s *step) []string {
	out := []string{"Over: func(g *rt.Group) rt.Range {"}
	if t := p.info.Types[s.loop.Iter]; !isShared(t) {
		return append(out, "return rt.Range{Hi: int64("+countOf(t)+")}", "},")
	}
	f := p.newFn()
	r := f.rangeOf(s.loop.Iter)
	f.emit("return %s", r.s)
	return append(append(out, f.wrap(p.frameLine("0"))...), "},")
}

// frameLine is the line that makes fr the frame of a thread.
func (p *groupPlan) frameLine(thread string) string {
	return fmt.Sprintf("fr := rt.Frame[%s](g.Frames, %s)", p.frame, thread)
}

// wrap returns the function's lines with what they need before; frameLine is
// only there if they use the frame.
func (f *fn) wrap(frameLine string) []string {
	var out []string
	for _, field := range f.order {
		out = append(out, f.arrays[field]+" := "+field)
	}
	lines := f.lines()
	if slices.ContainsFunc(lines, frameUse().MatchString) {
		out = append(out, frameLine)
	}
	return append(out, lines...)
}

// frameUse finds a use of the frame in a line.
var frameUse = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bfr\.`) })

// segment returns the function literal of a segment: number i of its step.
func (p *groupPlan) segment(s *step, seg *segment, i int) []string {
	f := p.newFn()
	sums := f.startSums()
	label := ""
	if s.loop != nil {
		k := f.kernel
		label = f.unique("next_" + s.loop.Var.Name)
		k.loopLabel, k.loopDepth, k.depth, f.loops = label, 1, 1, 1
		k.ends = p.ended[s] && i < len(s.segments)-1
		f.depth = append(f.depth, s.loop.Body)
		p.startIteration(f, s, i)
		p.load(f, seg)
	} else if s == p.steps[0] && i == 0 {
		f.out = append(f.out, p.params...)
	}
	if seg.begins != nil {
		f.exclusive(seg)
	}
	for _, x := range seg.stmts {
		f.stmt(x)
	}
	if seg.ends != nil {
		f.claims(seg.ends)
	}
	if s.loop != nil && i < len(s.segments)-1 {
		p.store(f, seg)
	}
	lines := f.lines()
	uses := func(s string) bool {
		for _, l := range lines {
			if strings.Contains(l, s) {
				return true
			}
		}
		return false
	}

	out := []string{"func(w *rt.Worker, g *rt.Group, lo, hi int) {"}
	for _, field := range f.order {
		out = append(out, f.arrays[field]+" := "+field)
	}
	var after []string
	if uses("out == end") {
		out, after = append(out, "out, end := w.Out, w.End"), append(after, "w.Out = out")
	}
	if uses("anyTrue = true") || uses("anyFalse = true") {
		out, after = append(out, "anyTrue, anyFalse := false, false"), append(after, "w.Reduce(anyTrue, anyFalse)")
	}
	for j, declaration := range sums {
		if name := strings.Fields(declaration)[1]; uses(name + " +=") {
			out, after = append(out, declaration), append(after, f.atEnd[j])
		}
	}
	if f.usedLabels[label] {
		out = append(out, label+":")
	}
	out = append(out, "for c := lo; c < hi; c++ {")
	if slices.ContainsFunc(lines, frameUse().MatchString) {
		out = append(out, p.frameLine("c"))
	}
	out = append(out, lines...)
	out = append(append(out, "}"), after...)
	return append(out, "},")
}

// startIteration begins an iteration of a ForAll in one of its segments.
func (p *groupPlan) startIteration(f *fn, s *step, i int) {
	switch {
	case p.ended[s] && i == 0:
		f.emit("fr.ended = false")
	case p.ended[s]:
		f.emit("if fr.ended { continue }")
	}
	o := p.info.Defs[s.loop.Var]
	name := f.unique(s.loop.Var.Name)
	f.names[o] = name
	value := fmt.Sprintf("%s(g.First + int64(c)*g.Stride)", f.goType(o.Type, s.loop))
	if changes(p.info, o, s.loop.Body) {
		f.emit("%s := %s", name, value)
		f.emit("%s%s", useMark, name)
		return
	}
	f.emit("%s%s %s := %s", readMark, name, name, value)
}

// load gives a segment its variables for the locals that are copied. Those that
// it declares itself need none.
func (p *groupPlan) load(f *fn, seg *segment) {
	own := map[*check.Object]bool{}
	for _, o := range p.declared(seg.stmts) {
		own[o] = true
	}
	for _, o := range p.copied {
		delete(f.framed, o)
		delete(f.hoisted, o)
		delete(f.names, o)
		if own[o] || !p.uses(seg, o) {
			continue
		}
		name := f.unique(o.Name)
		f.names[o] = name
		f.define(name, f.goType(o.Type, f.decl), p.inside[o])
		f.emit("%s%s", useMark, name)
	}
}

// store puts back what the segment declared or may have changed.
func (p *groupPlan) store(f *fn, seg *segment) {
	own := map[*check.Object]bool{}
	for _, o := range p.declared(seg.stmts) {
		own[o] = true
	}
	for _, o := range p.copied {
		if own[o] || slices.ContainsFunc(seg.nodes(), func(n syntax.Node) bool { return changes(p.info, o, n) }) {
			f.emit("%s = %s", p.inside[o], f.names[o])
		}
	}
}

// uses reports whether a segment names o.
func (p *groupPlan) uses(seg *segment, o *check.Object) bool {
	return slices.ContainsFunc(seg.nodes(), func(n syntax.Node) bool {
		return contains(n, func(n syntax.Node) bool {
			id, ok := n.(*syntax.Ident)
			return ok && p.info.Uses[id] == o
		})
	})
}

// lockDomain returns the domain of what an Exclusive locks.
func (g *generator) lockDomain(s *syntax.ExclusiveStmt) syntax.Domain {
	switch g.info.Types[s.Object] {
	case check.MeshType, check.Elements:
		return syntax.ElementDomain
	case check.Points:
		return syntax.PointDomain
	}
	return syntax.NodeDomain
}

// claims emits the claims of an Exclusive.
func (f *fn) claims(s *syntax.ExclusiveStmt) {
	f.node = s
	d := f.lockDomain(s)
	for i, l := range s.Locks {
		f.emit("fr.list%d = %s", i, f.list(l))
	}
	f.emit("fr.id = g.Claim(c)")
	f.emit("fr.claimed = %s", f.eachList(s, "rt.Claim[%s](g, %d, fr.id, &fr.list%d)", d))
}

// eachList returns the conjunction of what format says of each list.
func (f *fn) eachList(s *syntax.ExclusiveStmt, format string, d syntax.Domain) string {
	all := []string{}
	for i, l := range s.Locks {
		all = append(all, fmt.Sprintf(format, f.goType(f.info.Types[l], l), d, i))
	}
	if len(all) == 0 {
		return "true"
	}
	return strings.Join(all, " && ")
}

// exclusive emits what comes after the claims of an Exclusive: the decision, or
// the blocks, or both.
func (f *fn) exclusive(seg *segment) {
	s := seg.begins
	test := "fr.claimed"
	if !seg.decided {
		test = "w.Decided(fr.claimed && " + f.eachList(s, "rt.Holds[%s](g, %d, fr.id, &fr.list%d)", f.lockDomain(s)) + ")"
	}
	if seg.decides {
		f.emit("fr.claimed = %s", test)
		return
	}
	f.emit("if %s {", test)
	f.block(s.Body)
	if s.Else != nil {
		f.emit("} else {")
		f.block(s.Else)
	}
	f.emit("}")
}

// soloExclusive translates an Exclusive for one thread, which wins: its lists are
// only checked, unless what is in them is proven.
func (f *fn) soloExclusive(s *syntax.ExclusiveStmt) {
	for _, l := range s.Locks {
		if o := f.bounds.array(l.X); o != nil && f.bounds.of(o).existsOrNegative(syntax.Domain(f.lockDomain(s))) {
			f.emit("_ = %s", f.list(l)) // its bounds
			continue
		}
		f.emit("rt.SoloClaim[%s](s.r, %d, %s)", f.goType(f.info.Types[l], l), f.lockDomain(s), f.list(l))
	}
	f.emit("{")
	f.block(s.Body)
	f.emit("}")
}
