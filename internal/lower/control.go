package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/syntax"
)

// A loop of a Host function that moves to the device becomes a control kernel
// (IrGL paper, section 4.1, Listing 7), which is launched once, with no more
// blocks than the device holds at once:
//
//	extern "C" __global__ void irgl_control_1(struct irgl_graph graph, struct irgl_frame_1 irgl_frame) {
//	  int LEVEL = irgl_frame.LEVEL;
//	  struct irgl_pipe irgl_wl = irgl_frame.irgl_wl;
//	  while (irgl_wl.size > 0) {
//	    irgl_call_BFS(graph, &irgl_wl, LEVEL);
//	    if (irgl_wl.need != 0) { goto irgl_leave; }
//	    LEVEL += 1;
//	  }
//	irgl_leave:
//	  if (irgl_thread() == 0) { irgl_result_1.LEVEL = LEVEL; ... }
//	}
//
// All threads execute the host's code, each on its own copies of the variables,
// and evaluates the same conditions. One thread performs the writes to device memory,
// with barriers where others could read too early or too late. Kernels are
// called as functions, with a barrier of the grid behind each. In the plain loop
// above that is the only one: items alternate between two arrays, and the
// counters of the lists and the values of reductions rotate, so that what is
// read behind a barrier is changed behind the next one at the earliest.
//
// All threads see that a list or a mesh has no more room; they leave the loop, and the
// host repeats the run with more. They also leave when the host cancels the run, which one
// thread sees and publishes.

// outlineBlocks is how many blocks a control kernel has a multiprocessor where the plan
// does not say.
const outlineBlocks = 2

// slotVar is the variable of a control kernel that says which value the next
// reduction has.
const slotVar = "irgl_flag"

// callsVar is the variable of a control kernel that counts calls of kernels, and
// is negative when the run has been given up.
const callsVar = "irgl_calls"

func (r *region) kernelName() string { return fmt.Sprintf(abi.ControlPrefix+"%d", r.ID) }
func (r *region) frameTag() string   { return fmt.Sprintf("irgl_frame_%d", r.ID) }

// launchName returns the host function that launches the control kernel of a region: launches in device
// code have functions irgl_launch_N of their own (package dynpar).
func (l *lowerer) launchName(r *region) string {
	if l.fires() {
		return fmt.Sprintf("irgl_start_%d", r.ID)
	}
	return fmt.Sprintf("irgl_launch_%d", r.ID)
}

func (r *region) resultName() string { return fmt.Sprintf("irgl_result_%d", r.ID) }

// bodyName returns the function that is the kernel for control kernels.
func (l *lowerer) bodyName(v variant) string { return abi.BodyPrefix + l.variantNames[v] }

// callName returns the function that calls it: with a barrier before it that
// keeps the kernel from changing what threads have yet to read for its
// arguments, or without.
func (l *lowerer) callName(v variant, split bool) string {
	if split {
		return abi.SplitPrefix + l.variantNames[v]
	}
	return abi.CallPrefix + l.variantNames[v]
}

// callFuncs writes the functions by which control kernels call a kernel.
func (l *lowerer) callFuncs(v variant) {
	if l.called[v] {
		l.callFunc(v, false)
	}
	if l.splits[v] {
		l.callFunc(v, true)
	}
}

// barrierText is regionBarrier in a function that a control kernel calls.
func (l *lowerer) barrierText() string {
	if l.scoping {
		return syntax.String(l.ofScope(syntax.Span{}, "barrier")) + ";"
	}
	return "irgl_grid_barrier();"
}

// callFunc writes one of them: what an invocation is on the host (launch.go),
// but for the rotation of counters.
func (l *lowerer) callFunc(v variant, split bool) {
	f, adds := v.kernel, len(v.kernel.Adds) > 0
	graph := l.textGraph
	params := "struct " + abi.GraphTag + " " + graph
	if adds {
		params, graph = "struct "+abi.GraphTag+" *"+l.textGraph, "*"+l.textGraph
	}
	params += ", int *" + callsVar
	if l.scoping {
		params += ", int " + abi.BlocksVar
	}
	var b strings.Builder
	if split {
		b.WriteString("  " + l.barrierText() + "\n")
	}
	args := []string{graph}
	if f.UsesWL {
		params += ", struct irgl_pipe *irgl_wl"
		args = append(args, "irgl_wl->in", "irgl_wl->out")
	}
	if retries(f) {
		args = append(args, "irgl_wl->retry")
	}
	if v.aggr != syntax.NoAggr {
		params += ", int *" + slotVar
		fmt.Fprintf(&b, "  int *irgl_reduced_at = irgl_next_reduced(%s);\n", slotVar)
	}
	for i, p := range f.Params {
		if isWorld(p.Type) {
			continue
		}
		name := fmt.Sprintf("irgl_%d", i)
		params += ", " + l.declarator(p.Type, name)
		args = append(args, name)
	}
	if v.aggr != syntax.NoAggr {
		args = append(args, "irgl_reduced_at")
	}
	if l.scoping {
		args = append(args, abi.BlocksVar)
	}
	l.runs(&b, v, l.callName(v, split), strings.Join(args, ", "))
	if f.UsesWL {
		b.WriteString("  irgl_pipe_turn(irgl_wl);\n")
	}
	result := "void"
	switch v.aggr {
	case syntax.Any:
		result = "bool"
		b.WriteString("  return *irgl_reduced_at != 0;\n")
	case syntax.All:
		result = "bool"
		b.WriteString("  return *irgl_reduced_at == 0;\n")
	}
	l.text("static __device__ __forceinline__ %s %s(%s) {\n%s}\n", result, l.callName(v, split), params, b.String())
}

// runs writes the run of a kernel and the barrier behind it, again and again
// when it retries items.
func (l *lowerer) runs(b *strings.Builder, v variant, name, args string) {
	f, in := v.kernel, "  "
	if retries(f) {
		in = "    "
		b.WriteString("  do {\n")
	}
	sc := l.runsScope(v, name)
	if sc != nil {
		b.WriteString(l.scopeFront(sc))
	}
	if f.UsesWL {
		b.WriteString(in + "irgl_pipe_clear(irgl_wl);\n")
	}
	fmt.Fprintf(b, "%sirgl_look(*%s);\n", in, callsVar)
	run := fmt.Sprintf("%s(%s);\n", l.bodyName(v), args)
	switch {
	case f.Retries:
		fmt.Fprintf(b, "%[1]sif (irgl_works(irgl_wl)) {\n%[1]s  %[2]s%[1]s} else {\n%[1]s  %[3]s(irgl_wl);\n%[1]s}\n", in, run, "irgl_retry_all")
	case len(analysis.OuterForAlls(f.Decl.Body)) == 0:
		fmt.Fprintf(b, "%[1]sif (irgl_thread() == 0) {\n%[1]s  %[2]s%[1]s}\n", in, run)
	case l.waits[v]: // it ends with a barrier of the grid; is another needed?
		fmt.Fprintf(b, "%[1]sif (%[2]s) {\n%[1]s  irgl_grid_barrier();\n%[1]s}\n", in, strings.TrimSuffix(run, ";\n"))
	default:
		b.WriteString(in + run)
	}
	if !l.waits[v] {
		b.WriteString(in + l.barrierText() + "\n")
	}
	fmt.Fprintf(b, "%sirgl_looked(%s);\n", in, callsVar)
	full := fmt.Sprintf(" && *%s >= 0", callsVar)
	if len(f.Adds) > 0 {
		// The next run may add before all threads have read what this one did.
		fmt.Fprintf(b, "%[1]s%[2]s->npoints = %[2]s->mesh_count[0];\n%[1]s%[2]s->nelements = %[2]s->mesh_count[1];\n%[1]sirgl_grid_barrier();\n", in, l.textGraph)
		full += fmt.Sprintf(" && !(%s)", fullText(l.textGraph+"->"))
	}
	switch {
	case f.Retries:
		fmt.Fprintf(b, "  } while (irgl_pipe_retry(irgl_wl)%s);\n", full)
	case f.Respawns:
		fmt.Fprintf(b, "  } while (irgl_pipe_respawn(irgl_wl)%s);\n", full)
	}
	if sc != nil {
		b.WriteString(sc.scopeEnd())
	}
}

// fullText returns the condition that a mesh had too little room; graph ends
// with the operator for its members.
func fullText(graph string) string {
	return fmt.Sprintf("irgl_full(%[1]snpoints, %[1]spoint_room) || irgl_full(%[1]snelements, %[1]selement_room)", graph)
}

// control writes the control kernel of a region, its frame and the variable
// that holds the frame when it ends.
func (l *lowerer) control(r *region) {
	l.begin(r.Func(), false)
	l.region, l.leave = r, l.fresh("irgl_leave")
	s := r.Func().Decl.Span
	if r.Stmt != nil {
		s = at(r.Stmt)
	}
	frame := ident(s, "irgl_frame")
	if r.planned.Launches {
		l.launchingControl(r, s)
		return
	}
	l.frame(r)
	var body []syntax.Stmt
	for _, o := range r.locals {
		var init syntax.Expr
		if slices.Contains(r.in, o) {
			init = member(frame, nameOf(o))
		}
		body = append(body, variable(s, l.typeName(s, o.Type), nameOf(o), init))
	}
	body = append(body, variable(s, basic(s, "long"), abi.IterationsVar, member(frame, abi.IterationsVar)))
	if r.pipe {
		name := l.fresh("irgl_wl")
		body = append(body, variable(s, structType(s, "irgl_pipe"), name, member(frame, "irgl_wl")))
		l.contexts, l.inPipe = []string{name}, true
	}
	if r.aggr {
		body = append(body, variable(s, basic(s, "int"), slotVar, number(s, 0)))
	}
	body = append(body, variable(s, basic(s, "int"), callsVar, number(s, 0)))
	if l.scoping {
		body = append(body, variable(s, basic(s, "int"), abi.BlocksVar, cast(s, basic(s, "int"), member(ident(s, "gridDim"), "x"))))
	}
	if len(r.scopes) > 0 {
		l.text("__device__ int irgl_where_%d;\n", r.ID)
	}
	var code []syntax.Stmt
	if r.Stmt != nil {
		code = l.listOf(r.Stmt)
	} else {
		code = l.block(r.Func().Decl.Body).Stmts
	}
	if l.leaves { // no jump may pass an initialisation
		code = []syntax.Stmt{block(s, code...), &syntax.LabelStmt{Span: s, Name: ident(s, l.leave)}}
	}
	body = append(body, code...)
	body = append(body, l.endOfScopes(r)...)
	body = append(body, l.results(s, r))
	params := []*syntax.Param{l.graphParam(s), {Span: s, Type: structType(s, r.frameTag()), Name: frame}}
	kernel := &syntax.FuncDecl{Span: s, Attrs: syntax.ExternC | syntax.Global, Result: basic(s, "void"), Name: ident(s, r.kernelName()),
		Params: params, Bounds: []syntax.Expr{number(s, int64(r.planned.Threads))}, Body: block(s, body...)}
	if l.clustered() {
		kernel.Cluster = []syntax.Expr{number(s, int64(l.cluster))}
	}
	l.out = append(l.out, kernel)
	l.function = function{}
}

// listOf lowers a statement with the statements before and after it.
func (l *lowerer) listOf(s syntax.Stmt) []syntax.Stmt {
	out := l.body(s)
	if b, ok := out.(*syntax.Block); ok {
		return b.Stmts
	}
	return []syntax.Stmt{out}
}

// frame declares what goes to a control kernel and comes back.
func (l *lowerer) frame(r *region) {
	var b strings.Builder
	for _, o := range slices.Concat(r.in, r.out) {
		if d := "  " + l.declarator(o.Type, nameOf(o)) + ";\n"; !strings.Contains(b.String(), d) {
			b.WriteString(d)
		}
	}
	fmt.Fprintf(&b, "  long %s;\n", abi.IterationsVar)
	if r.pipe {
		b.WriteString("  struct irgl_pipe irgl_wl;\n")
	}
	l.text("struct %[1]s {\n%[2]s};\n__device__ struct %[1]s %[3]s;\n", r.frameTag(), b.String(), r.resultName())
}

// results returns the statement by which one thread gives the results back.
func (l *lowerer) results(s syntax.Span, r *region) syntax.Stmt {
	result := ident(s, r.resultName())
	put := func(field string, value syntax.Expr) syntax.Stmt {
		return stmt(assign(member(result, field), "=", value))
	}
	var out []syntax.Stmt
	for _, o := range r.out {
		out = append(out, put(nameOf(o), ident(s, nameOf(o))))
	}
	out = append(out, put(abi.IterationsVar, ident(s, abi.IterationsVar)))
	if r.pipe {
		out = append(out, put("irgl_wl", ident(s, l.contexts[0])))
	}
	return l.byOne(s, block(s, out...))
}

// byOne returns a statement as one that a single thread of the grid executes.
func (l *lowerer) byOne(s syntax.Span, x syntax.Stmt) syntax.Stmt {
	b, ok := x.(*syntax.Block)
	if !ok {
		b = block(s, x)
	}
	return &syntax.IfStmt{Span: s, Cond: binary(call(s, "irgl_thread"), "==", number(s, 0)), Then: b}
}

// barrierBefore returns the barrier before a statement of a control kernel, or
// nothing.
func (l *lowerer) barrierBefore(s syntax.Stmt) []syntax.Stmt {
	if l.region == nil || !l.region.before[s] {
		return nil
	}
	return []syntax.Stmt{l.regionBarrier(at(s))}
}

// barrierBeforeRound returns the barrier before a round of an Iterate.
func (l *lowerer) barrierBeforeRound(s syntax.Stmt) []syntax.Stmt {
	if l.region == nil || !l.region.round[s] {
		return nil
	}
	return []syntax.Stmt{l.regionBarrier(at(s))}
}

// meeting returns the condition of a loop, with a barrier before it if there has
// to be one.
func (l *lowerer) meeting(s syntax.Stmt, cond syntax.Expr) syntax.Expr {
	if l.region == nil || !l.region.met[s] {
		return cond
	}
	met := call(at(s), "irgl_met")
	if l.scoping {
		met = l.ofScope(at(s), "met")
	}
	return binary(met, "&&", paren(cond))
}

// roomAfter returns checkRoom for the place behind a statement; an Iterate has
// it inside.
func (l *lowerer) roomAfter(s syntax.Stmt) []syntax.Stmt {
	if _, iterate := s.(*syntax.IterateStmt); iterate {
		return nil
	}
	return l.checkRoom(s)
}

// checkRoom returns the statement by which a control kernel ends when what s
// calls has run out of room, or the run has been given up.
func (l *lowerer) checkRoom(s syntax.Stmt) []syntax.Stmt {
	if l.region == nil || l.region.checks[s] == (room{}) {
		return nil
	}
	span, check := at(s), l.region.checks[s]
	var cond syntax.Expr
	or := func(x syntax.Expr) {
		if cond != nil {
			x = binary(cond, "||", x)
		}
		cond = x
	}
	if check.stop {
		or(binary(ident(span, callsVar), "<", number(span, 0)))
	}
	if check.list {
		or(binary(member(ident(span, l.context()), "need"), "!=", number(span, 0)))
	}
	if check.mesh {
		graph := ident(span, l.graph)
		for _, d := range []syntax.Domain{syntax.PointDomain, syntax.ElementDomain} {
			or(call(span, "irgl_full", member(graph, domains[d].count), member(graph, domains[d].room)))
		}
	}
	return []syntax.Stmt{&syntax.IfStmt{Span: span, Cond: cond, Then: block(span, l.leaving(span))}}
}

// leaving returns the jump to the end of a control kernel.
func (l *lowerer) leaving(s syntax.Span) syntax.Stmt {
	if !l.region.byGrid() {
		return &syntax.ReturnStmt{Span: s}
	}
	l.leaves = true
	return &syntax.GotoStmt{Span: s, Name: ident(s, l.leave)}
}

// launchRegion returns what replaces a region in a Host function.
func (l *lowerer) launchRegion(r *region) *syntax.Block {
	s := r.Func().Decl.Span
	if r.Stmt != nil {
		s = at(r.Stmt)
	}
	out := block(s)
	if r.Lists {
		var init *syntax.WorklistInit
		switch x := r.Stmt.(type) {
		case *syntax.PipeStmt:
			init = x.Initial
		case *syntax.IterateStmt:
			init = x.Initial
		}
		out.Stmts = append(out.Stmts, l.open(s, init)...)
	}
	frame := ident(s, l.fresh("irgl_frame"))
	out.Stmts = append(out.Stmts, variable(s, structType(s, r.frameTag()), frame.Name, nil))
	for _, o := range r.in {
		out.Stmts = append(out.Stmts, stmt(assign(member(frame, nameOf(o)), "=", ident(s, nameOf(o)))))
	}
	args := []syntax.Expr{ident(s, l.graph), addr(frame)}
	if r.pipe {
		args = append(args, addr(ident(s, l.context())))
	}
	out.Stmts = append(out.Stmts, stmt(call(s, l.launchName(r), args...)))
	for _, o := range r.out {
		out.Stmts = append(out.Stmts, stmt(assign(ident(s, nameOf(o)), "=", member(frame, nameOf(o)))))
	}
	if r.Lists {
		out.Stmts = append(out.Stmts, l.close(s))
	}
	return out
}

// launchFunc writes the host function that launches a control kernel and takes
// over its results.
func (l *lowerer) launchFunc(r *region) {
	var read, written []*check.Object
	for _, c := range r.Calls {
		read, written = append(read, c.Kernel.Reads...), append(written, c.Kernel.Writes...)
	}
	for _, a := range r.Accesses {
		read = append(read, a.Object)
		if r.single[a.Node.Stmt] {
			written = append(written, a.Object)
		}
	}
	before, after := l.coherence(read, written)
	params := ""
	b := new(strings.Builder)
	b.WriteString(before)
	if l.info.Mesh != nil {
		b.WriteString(l.setCounts("  "))
	}
	fmt.Fprintf(b, "  irgl_frame->%[1]s = %[1]s;\n", abi.IterationsVar)
	if r.pipe {
		params = ", struct irgl_pipe *irgl_wl"
		b.WriteString("  irgl_pipe_lend(irgl_wl);\n  irgl_frame->irgl_wl = *irgl_wl;\n")
	}
	if r.planned.Launches {
		b.WriteString(l.startText(r))
	} else {
		b.WriteString(l.cooperativeText(r))
	}
	if r.pipe {
		b.WriteString("  *irgl_wl = irgl_frame->irgl_wl;\n  irgl_pipe_back(irgl_wl);\n  if (irgl_wl->need != 0) {\n    irgl_overflow(irgl_wl->need);\n  }\n")
	}
	if r.Adds {
		fmt.Fprintf(b, "  irgl_mesh_counted(%[1]s.mesh_count, %[1]s.point_room, %[1]s.element_room);\n", l.textGraph)
	}
	fmt.Fprintf(b, "  %[1]s = irgl_frame->%[1]s;\n%[2]s", abi.IterationsVar, after)
	l.text("static void %s(struct %s %s, struct %s *irgl_frame%s) {\n%s}\n", l.launchName(r), abi.GraphTag, l.textGraph, r.frameTag(), params, b.String())
}

// cooperativeText returns the statements that launch a control kernel that calls the kernels, and copy
// its results back.
func (l *lowerer) cooperativeText(r *region) string {
	b := new(strings.Builder)
	if r.aggr {
		b.WriteString("  irgl_reduce_begin();\n")
	}
	blocks := cmp.Or(r.planned.Blocks, outlineBlocks)
	size := fmt.Sprintf("blocks((const void *)%s, %d, %d, %s", r.kernelName(), r.planned.Threads, blocks, l.useful(r))
	if l.clustered() {
		size = fmt.Sprintf("clusters%s, %d", strings.TrimPrefix(size, "blocks"), l.cluster)
	}
	fmt.Fprintf(b, "  int irgl_b = irgl_control_%s);\n", size)
	fmt.Fprintf(b, "  void *irgl_args[] = {&%s, irgl_frame};\n", l.textGraph)
	fmt.Fprintf(b, "  irgl_check(cudaLaunchCooperativeKernel((const void *)%s, dim3(irgl_b), dim3(%d), irgl_args, 0, 0));\n", r.kernelName(), r.planned.Threads)
	fmt.Fprintf(b, "  irgl_check(cudaMemcpyFromSymbol(irgl_frame, %s, sizeof(struct %s)));\n", r.resultName(), r.frameTag())
	return b.String()
}

// useful returns how many blocks there is work for: an item, node, point or
// element a thread in the ForAll with most of them.
func (l *lowerer) useful(r *region) string {
	var sizes []string
	for _, c := range r.Calls {
		for _, s := range analysis.OuterForAlls(c.Kernel.Decl.Body) {
			size := ""
			switch l.info.Types[s.Iter] {
			case check.Worklist:
				size = "irgl_wl->in.capacity"
			case check.Nodes:
				size = l.textGraph + ".nnodes"
			case check.AllEdges:
				size = l.someEdges()
			case check.Points:
				size = l.textGraph + ".point_room"
			case check.Elements:
				size = l.textGraph + ".element_room"
			default:
				return "irgl_max_blocks"
			}
			if !slices.Contains(sizes, size) {
				sizes = append(sizes, size)
			}
		}
	}
	if len(sizes) == 0 {
		return "1"
	}
	most := sizes[0]
	for _, s := range sizes[1:] {
		most = fmt.Sprintf("irgl_more(%s, %s)", most, s)
	}
	return fmt.Sprintf("irgl_blocks(%s, %d)", most, r.planned.Threads)
}
