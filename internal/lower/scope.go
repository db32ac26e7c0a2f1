package lower

import (
	"fmt"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Scopes smaller than the grid. A barrier of the grid costs a microsecond, one of a
// cluster of blocks a fifth and one of a block a thirtieth; a round that has no more
// items than a block has threads keeps one block busy, one of a few thousand a
// cluster. Where it is planned, one block or cluster executes the rounds of an outlined
// loop alone while the worklist is short:
//
//	while (irgl_wl.size > 0) {
//	  if (irgl_working > 1) {
//	    if (irgl_wl.size <= 512) {                     // all blocks see the same
//	      irgl_grid_barrier();                         // no block reads the counters any more
//	      irgl_working = 1;
//	      if (blockIdx.x >= 1) {                       // or 8, of a cluster
//	        irgl_sit_out();                            // waits at the barrier that ends the rounds of the first block
//	        irgl_take_over(&irgl_wl, &irgl_state_1_0_at.irgl_wl); LEVEL = irgl_state_1_0_at.LEVEL; ...
//	        irgl_working = (int)gridDim.x;
//	        if (irgl_where_1 == 1) { break; }
//	        if (irgl_where_1 == 2) { goto irgl_leave; }
//	      }
//	    }
//	  } else if (irgl_working < (int)gridDim.x && irgl_wl.size > 1024) {
//	    if (irgl_thread() == 0) { irgl_where_1 = 0; irgl_hand_on(...); ... }
//	    irgl_grid_barrier();
//	    irgl_working = (int)gridDim.x;
//	  }
//	  irgl_call_BFS(graph, &irgl_calls, irgl_working, &irgl_wl, LEVEL);
//	  ...
//	}
//	if (irgl_working < (int)gridDim.x) { ... irgl_where_1 = 1; ... }  // and so behind the loop
//
// The text of a round exists once: the number of working blocks is a variable, which
// gives kernels their stride and selects the barriers. The other blocks wait at a barrier of
// the grid, which orders the writes of both sides, as does the one in front. The blocks of a
// cluster communicate through global memory as in a grid, ordered by
// the cluster's barrier (devlib/scope.cu says why that is enough). The control
// kernels of such a program all have clusters, and grids of whole ones; in a grid of
// one cluster its barrier is that of the grid. The other blocks copy the
// variables that the rounds change: those of the host's code, the lists, and the
// counts. A loop begins with all blocks, since loops around it may; it returns to
// them where lists exceed the limit, and to one block where lists are half as long, so that it
// does not alternate.
// (IrGL paper, section 4.1, has barriers of the grid alone.)

// few is how many blocks execute rounds alone.
func (l *lowerer) few() int { return max(1, l.cluster) }

// clustered reports whether the control kernels of the program have clusters.
func (l *lowerer) clustered() bool { return l.cluster > 0 }

// someSitOut is the condition that not all do.
const someSitOut = abi.BlocksVar + " < (int)gridDim.x"

// A scope is a loop that one block or cluster may execute alone.
type scope struct {
	state  string          // name of what the other blocks copy
	items  int             // that the list may have
	where  string          // and of where it is taken over: 0 in front of a round, 1 behind the loop, 2 at the end
	locals []*check.Object // of the host's code, that its rounds change
	list   string          // the pipe, as an operand of .
	runs   bool            // what runs change of it is more
	own    []string        // declarations of the other variables, which begin with their types
	places []string        // and these, as expressions
	jumps  bool            // it may be left for the end of the control kernel
}

// scopeIn has one block or cluster execute the rounds of a node of region r alone,
// or the runs of its kernels that respawn items.
func (l *lowerer) scopeIn(r *region, o *analysis.Outline, n plan.Node) {
	l.scoping, l.cluster = true, n.Cluster
	respawns := false
	for _, c := range o.Calls {
		if c.Kernel.Respawns {
			l.scopedRuns[c.Kernel], respawns = n.Items, true
		}
	}
	if !respawns {
		locals, _ := r.Carried(o.Stmt)
		r.scopes[o.Stmt] = &scope{
			state: fmt.Sprintf("irgl_state_%d_%d", r.ID, len(r.scopes)), where: fmt.Sprintf("irgl_where_%d", r.ID), items: n.Items, locals: locals, jumps: true,
		}
	}
}

// stateOf declares what is handed on at the ends of a scope.
func (l *lowerer) stateOf(sc *scope) {
	fields := "  struct irgl_lists irgl_wl;\n"
	if sc.runs {
		fields = "  int where;\n  struct irgl_runs irgl_wl;\n"
	}
	for _, o := range sc.locals {
		fields += "  " + l.declarator(o.Type, nameOf(o)) + ";\n"
	}
	for _, d := range sc.own {
		fields += "  " + d + ";\n"
	}
	l.text("struct %[1]s {\n%[2]s};\n__device__ struct %[1]s %[1]s_at;\n", sc.state, fields)
}

// handOn and takeOver return the statements that write and read the state.
func (sc *scope) handOn(where int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "if (irgl_thread() == 0) {\n%s = %d;\n", sc.where, where)
	fmt.Fprintf(&b, "irgl_hand_on%s(&%s_at.irgl_wl, &%s);\n", sc.suffix(), sc.state, sc.list)
	sc.fields(func(field, place string) { fmt.Fprintf(&b, "%s_at.%s = %s;\n", sc.state, field, place) })
	b.WriteString("}\nirgl_grid_barrier();\n" + abi.BlocksVar + " = (int)gridDim.x;\n")
	return b.String()
}

func (sc *scope) takeOver() string {
	var b strings.Builder
	fmt.Fprintf(&b, "irgl_take_over%s(&%s, &%s_at.irgl_wl);\n", sc.suffix(), sc.list, sc.state)
	sc.fields(func(field, place string) { fmt.Fprintf(&b, "%s = %s_at.%s;\n", place, sc.state, field) })
	return b.String()
}

// suffix is that of the library's functions for what changes of the pipe.
func (sc *scope) suffix() string {
	if sc.runs {
		return "_runs"
	}
	return ""
}

func (sc *scope) fields(each func(field, place string)) {
	for _, o := range sc.locals {
		each(nameOf(o), nameOf(o))
	}
	for i, d := range sc.own {
		each(d[strings.LastIndexByte(d, ' ')+1:], sc.places[i])
	}
}

// front returns the statements in front of a round, as text. Where the loop may be
// left for the end of the control kernel there is a hole for the jump.
func (l *lowerer) scopeFront(sc *scope) string {
	leave := ""
	if sc.jumps {
		leave = fmt.Sprintf("if (%s == 2) {\nirgl_hole(0);\n}\n", sc.where)
	}
	return fmt.Sprintf(`if (%[1]s > %[9]d) {
if (%[2]s.size <= %[3]d) {
irgl_grid_barrier();
%[1]s = %[9]d;
if (blockIdx.x >= %[9]d) {
irgl_sit_out();
%[4]s%[1]s = (int)gridDim.x;
if (%[5]s == 1) {
break;
}
%[6]s}
}
} else if (%[10]s && %[2]s.size > %[7]d) {
%[8]s}
`, abi.BlocksVar, sc.list, (sc.items+1)/2, sc.takeOver(), sc.where, leave, sc.items, sc.handOn(0), l.few(), someSitOut)
}

// scopeEnd returns the statements behind the loop, as text.
func (sc *scope) scopeEnd() string {
	return fmt.Sprintf("if (%s) {\n%s}\n", someSitOut, sc.handOn(1))
}

// inScope returns the statements in front of each round of an Iterate or Pipe of a
// control kernel and behind the loop, where some blocks may execute it alone;
// again is the variable of its condition, or nil.
func (l *lowerer) inScope(s syntax.Stmt, again *syntax.Ident) (front, end []syntax.Stmt) {
	if l.region == nil || l.region.scopes[s] == nil {
		return nil, nil
	}
	sc := l.region.scopes[s]
	add := func(typ, name, place string) {
		sc.own, sc.places = append(sc.own, typ+" "+name), append(sc.places, place)
	}
	sc.list = l.context()
	add("long", abi.IterationsVar, abi.IterationsVar)
	add("int", callsVar, callsVar)
	if l.region.aggr {
		add("int", slotVar, slotVar)
	}
	if again != nil {
		add("bool", again.Name, again.Name)
	}
	l.stateOf(sc)
	return l.template(l.scopeFront(sc), []syntax.Stmt{l.leaving(at(s))}), l.template(sc.scopeEnd())
}

// endOfScopes returns the statements at the end of a control kernel, to which some
// blocks may have come alone.
func (l *lowerer) endOfScopes(r *region) []syntax.Stmt {
	if len(r.scopes) == 0 {
		return nil
	}
	return l.template(fmt.Sprintf("if (%s) {\nif (irgl_thread() == 0) {\nirgl_where_%d = 2;\n}\nirgl_grid_barrier();\n}\n", someSitOut, r.ID))
}

// runsScope returns the scope of the runs of a kernel that respawns items, or nil.
func (l *lowerer) runsScope(v variant, name string) *scope {
	items := l.scopedRuns[v.kernel]
	if items == 0 {
		return nil
	}
	sc := &scope{items: items, state: "irgl_state_" + name, where: "irgl_state_" + name + "_at.where", list: "(*irgl_wl)", runs: true}
	sc.own, sc.places = []string{"int " + callsVar}, []string{"*" + callsVar}
	l.stateOf(sc)
	return sc
}

// regionBarrier returns a barrier of the blocks that work.
func (l *lowerer) regionBarrier(s syntax.Span) syntax.Stmt {
	if l.scoping && l.region != nil {
		return stmt(l.ofScope(s, "barrier"))
	}
	return gridBarrier(s)
}

// ofScope returns the call of the library's function for the blocks that work.
func (l *lowerer) ofScope(s syntax.Span, what string) *syntax.CallExpr {
	if l.cluster > 0 {
		return call(s, "irgl_cluster_"+what+"_of", ident(s, abi.BlocksVar), number(s, int64(l.cluster)))
	}
	return call(s, "irgl_"+what+"_of", ident(s, abi.BlocksVar))
}

// strideOf returns the number of threads that work, in a kernel's body.
func (l *lowerer) strideOf(s syntax.Span) *syntax.CallExpr {
	if l.blocks {
		return call(s, "irgl_threads_of", ident(s, abi.BlocksVar))
	}
	return call(s, "irgl_threads")
}

// strideText is strideOf as text.
func (l *lowerer) strideText() string { return syntax.String(l.strideOf(syntax.Span{})) }
