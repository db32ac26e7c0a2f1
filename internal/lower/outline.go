package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// Iteration outlining (IrGL paper, section 4.1) moves loops of Host functions to
// the device. This file chooses the nodes of the outline trees that move;
// control.go makes their control kernels.

// An Outline says which Pipes, Iterates and loops of Host functions run on the
// device: with the zero Outline none.
type Outline struct {
	Auto bool // all the outermost ones that can move and that loop
	// Nodes are numbers of nodes, as [Explain] gives them, that are to move. If
	// one is in another, the outer one moves.
	Nodes []int
}

// ParseOutline reads what [Outline.String] writes: auto, none, or numbers with
// commas between.
func ParseOutline(s string) (Outline, error) {
	switch s {
	case "auto":
		return Outline{Auto: true}, nil
	case "none":
		return Outline{}, nil
	}
	var o Outline
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return Outline{}, fmt.Errorf("%q is neither auto nor none nor numbers of nodes", s)
		}
		o.Nodes = append(o.Nodes, n)
	}
	return o, nil
}

func (o Outline) String() string {
	switch {
	case o.Auto:
		return "auto"
	case o.Nodes == nil:
		return "none"
	}
	var words []string
	for _, n := range o.Nodes {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

const (
	// outlineThreads is the number of threads of a control kernel's blocks where
	// nothing else is asked for.
	outlineThreads = 512
	// outlineBlocks is the same of blocks a multiprocessor.
	outlineBlocks = 2
)

// An OutlineNode is a node of the outline tree of a Host function: the whole
// function, a Pipe, an Iterate or a loop that invokes kernels.
type OutlineNode struct {
	ID    int        // its number in the program, in the order of the text
	Depth int        // 0 for a whole function
	Title string     // "Host bfs", "Iterate", "Pipe Once"
	Pos   source.Pos //
	// Outlined says that the node has a control kernel, of blocks of Threads
	// threads.
	Outlined bool
	Threads  int
	// Inside says that it is part of a node that has one.
	Inside bool
	Loops  bool              // it has rounds, or there are some in it
	Why    []analysis.Reason // it cannot move; none if it can
	// Rounds says which blocks execute its rounds, where that is a choice, and what
	// later passes made of them; Stays why not more was done.
	Rounds string
	Stays  []analysis.Reason
}

// String describes the node in a line, and each reason in a line below it.
func (n OutlineNode) String() string {
	state := "can be outlined"
	switch {
	case n.Outlined:
		state = fmt.Sprintf("outlined, blocks of %d threads", n.Threads)
	case n.Inside:
		state = "part of it"
	case len(n.Why) > 0:
		state = "stays on the host"
	case !n.Loops:
		state = "can be outlined, but does not loop"
	}
	indent := strings.Repeat("  ", n.Depth)
	s := fmt.Sprintf("%s%d: %s at %d:%d: %s\n", indent, n.ID, n.Title, n.Pos.Line(), n.Pos.Column(), state)
	if n.Rounds != "" {
		s = strings.TrimSuffix(s, "\n") + "; " + n.Rounds + "\n"
	}
	for _, r := range slices.Concat(n.Why, n.Stays) {
		s += fmt.Sprintf("%s   at %d:%d: %s\n", indent, r.Pos.Line(), r.Pos.Column(), r.Text)
	}
	return s
}

// Explain returns the nodes of the outline trees of a program, which checks
// without errors, in order, and what o makes of them.
func Explain(info *check.Info, o Options) []OutlineNode {
	l := newLowerer(info, new(source.List), o)
	l.collectNames()
	l.classify()
	l.plan()
	return l.nodes
}

// A region is a node that has a control kernel.
type region struct {
	*analysis.Outline
	fn      *check.FuncInfo
	id      int
	threads int
	pipe    bool // kernels of it use worklists
	aggr    bool // and reductions

	// locals are declared at the top of the control kernel: of them, in come
	// from the host and out go back.
	locals, in, out []*check.Object

	before map[syntax.Stmt]bool   // a barrier precedes the statement, or the rounds of an Iterate
	round  map[syntax.Stmt]bool   // a barrier precedes each round of an Iterate
	met    map[syntax.Stmt]bool   // and before its condition, each time
	split  map[syntax.Node]bool   // and between the arguments of an invocation and its kernel
	single map[syntax.Stmt]bool   // one thread executes the statement
	scopes map[syntax.Stmt]*scope // loops whose rounds one block may go through alone
	checks map[syntax.Stmt]room   // after it the thread sees whether there was room, or the run is to end
}

// room says what a statement can run out of, and whether it is one after which a
// run that is given up ends.
type room struct{ list, mesh, stop bool }

// plan decides which nodes get control kernels, and which kernels they and the
// host call.
func (l *lowerer) plan() {
	l.regions = map[syntax.Node]*region{}
	l.launched, l.called = map[variant]bool{}, map[variant]bool{}
	l.splits = map[variant]bool{}
	for _, f := range l.info.Funcs {
		if f.Decl.Kind == syntax.HostFunc && f.Decl.Body != nil {
			root := analysis.New(l.info, f).Outline()
			l.number(f, root, 0, nil)
			l.callers(f.Decl, nil)
		}
	}
	for _, n := range l.o.Outline.Nodes {
		if n >= len(l.nodes) {
			at := l.info.File.Pos()
			l.diags.Errorf(at, at, CodeOutline, "there is no node %d to outline: there are %d", n, len(l.nodes)).Hint = explainHint
		} else if why := l.nodes[n].Why; len(why) > 0 {
			at := l.nodes[n].Pos
			l.diags.Errorf(at, at, CodeOutline, "node %d, %s, cannot be outlined: %s", n, l.nodes[n].Title, why[0].Text).Hint = explainHint
		}
	}
}

// number gives o and the nodes below it their numbers, and chooses among them; in
// is the chosen one around it, or nil.
func (l *lowerer) number(f *check.FuncInfo, o *analysis.Outline, depth int, in *region) {
	inside := in != nil
	n := OutlineNode{ID: len(l.nodes), Depth: depth, Title: o.Title(), Pos: o.Pos(), Inside: inside, Loops: loops(o)}
	r := &region{Outline: o, fn: f, id: n.ID}
	n.Why = l.refusals(r)
	wanted := l.o.Outline.Auto && n.Loops || slices.Contains(l.o.Outline.Nodes, n.ID)
	if len(n.Why) == 0 && !inside && wanted && l.inHost[f] {
		n.Outlined, n.Threads = true, r.threads
		l.fill(r)
		l.regions[key(r)] = r
		l.ordered = append(l.ordered, r)
		in = r
	}
	if in != nil {
		n.Rounds, n.Stays = l.planScope(in, o)
	}
	l.nodes = append(l.nodes, n)
	for _, c := range o.Children {
		l.number(f, c, depth+1, in)
	}
}

const explainHint = "irgl build --explain lists the nodes and says what stands in the way"

// callers notes the kernels that the host invokes in code, and those that are
// called in the regions of it.
func (l *lowerer) callers(code syntax.Node, in *region) {
	note := func(n syntax.Node, kernel *syntax.Ident, aggr syntax.Aggr) {
		v := variant{l.info.Uses[kernel].Func, aggr}
		switch {
		case in == nil:
			l.launched[v] = true
		case in.split[n]:
			l.splits[v] = true
		default:
			l.called[v] = true
		}
	}
	syntax.Inspect(code, func(n syntax.Node) bool {
		if r := l.regions[n]; r != nil && in == nil {
			l.callers(n, r)
			return false
		}
		switch n := n.(type) {
		case *syntax.IterateStmt:
			note(n, n.Kernel, n.Aggr)
		case *syntax.InvokeExpr:
			note(n, n.Kernel, n.Aggr)
		case *syntax.CallExpr:
			if id, ok := n.Fun.(*syntax.Ident); ok && in != nil {
				if g := l.info.Uses[id]; g != nil && g.Func != nil {
					l.inKernel[g.Func] = true
					l.reach(g.Func, l.inKernel)
				}
			}
		}
		return true
	})
}

// key returns what the region is found by: its statement, or the function.
func key(r *region) syntax.Node {
	if r.Stmt == nil {
		return r.fn.Decl
	}
	return r.Stmt
}

// loops reports whether a node has rounds, its own, of a node below it or of a
// kernel that retries: without any there is nothing to gain.
func loops(o *analysis.Outline) bool {
	switch s := o.Stmt.(type) {
	case nil:
	case *syntax.PipeStmt:
		if !s.Once {
			return true
		}
	default:
		return true
	}
	return slices.ContainsFunc(o.Children, loops) ||
		slices.ContainsFunc(o.Calls, func(c analysis.Invocation) bool { return c.Kernel != nil && retries(c.Kernel) })
}

// refusals returns why a node cannot have a control kernel: what the analysis
// found, and what this package does not do. It chooses the block size.
func (l *lowerer) refusals(r *region) []analysis.Reason {
	if why := refusedIn(r.Outline); len(why) > 0 {
		return why
	}
	var why []analysis.Reason
	refuse := func(at source.Pos, format string, args ...any) {
		if n := (analysis.Reason{Pos: at, Text: fmt.Sprintf(format, args...)}); !slices.Contains(why, n) {
			why = append(why, n)
		}
	}
	if len(r.Calls) == 0 {
		refuse(r.Pos(), "it invokes no kernel")
	}
	for _, c := range inexactIn(r.Outline) {
		refuse(c.Pos(), "the last digit may differ between host and device")
	}
	for _, c := range r.Calls {
		if c.Kernel == nil {
			continue
		}
		if c.Kernel.Retries && (l.o.Coop == CoopBlock || l.o.NP != 0) {
			refuse(c.Node.Stmt.Pos(), "the kernel %s retries in fewer threads, and its blocks work together", c.Kernel.Object.Name)
		}
		if text := controllable(c.Kernel); text != "" {
			refuse(c.Node.Stmt.Pos(), "the kernel %s %s", c.Kernel.Object.Name, text)
		}
		if c.Invoke != nil && roomy(c.Kernel) && !r.alone(c) {
			refuse(c.Invoke.Pos(), "%s, which may run out of room, is invoked in a condition or beside another kernel", c.Kernel.Object.Name)
		}
	}
	l.refuseCode(r, refuse)
	most := r.Threads
	if l.o.Coop == CoopBlock || l.o.NP != 0 { // shared memory is sized by the kernels' blocks
		for _, c := range r.Calls {
			most.Max = min(most.Max, l.blockThreads(c.Kernel))
		}
	}
	switch want := l.o.OutlineThreads; {
	case most.Empty():
		refuse(r.Pos(), "its kernels have no block size in common")
	case want == 0:
		r.threads = max(most.Min, min(most.Max, outlineThreads))
	case want < most.Min || want > most.Max:
		refuse(r.Pos(), "its kernels take blocks of %s threads, not of %d", most, want)
	default:
		r.threads = want
	}
	return why
}

// refusedIn returns the reasons of a node, and which nodes below it stay.
func refusedIn(o *analysis.Outline) []analysis.Reason {
	why := slices.Clone(o.Refused)
	for _, c := range o.Children {
		if len(refusedIn(c)) > 0 {
			why = append(why, analysis.Reason{Pos: c.Pos(), Text: c.Title() + " in it stays"})
		}
	}
	return why
}

// inexactIn returns the calls of a node and of those below it that may give
// something else on the device.
func inexactIn(o *analysis.Outline) []*syntax.CallExpr {
	out := slices.Clone(o.Inexact)
	for _, c := range o.Children {
		out = append(out, inexactIn(c)...)
	}
	return out
}

// refuseCode refuses host code that a control kernel could execute, but which
// this package has no form for.
func (l *lowerer) refuseCode(r *region, refuse func(at source.Pos, format string, args ...any)) {
	for _, a := range r.Accesses {
		n := a.Node
		_, scalar := a.Object.Type.(check.Basic)
		switch {
		case slices.Contains(r.HostOnly, a.Object):
			if !scalar || a.Object.Volatile || l.onDevice[a.Object] {
				refuse(a.Expr.Pos(), "%s is in the host's memory", a.Object.Name)
			}
		case a.Mode&^analysis.Read == 0:
		case !isPlainStmt(n):
			refuse(a.Expr.Pos(), "%s is written other than by a statement of its own", a.Object.Name)
		}
	}
	for _, n := range r.Barriers {
		switch n.Kind {
		case analysis.If, analysis.Switch, analysis.Loop, analysis.Iterate, analysis.Invoke:
		default:
			if n.Kind != analysis.Plain || inInit(n) {
				refuse(n.Stmt.Pos(), "the threads would have to wait for each other before a part of a statement")
			}
		}
	}
	syntax.Inspect(l.codeOf(r), func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if id, ok := syntax.Unparen(n.Fun).(*syntax.Ident); ok {
				if g := l.info.Uses[id]; g != nil && g.Func != nil {
					if text := l.private(g.Func); text != "" {
						refuse(n.Pos(), "%s %s", id.Name, text)
					}
				}
			}
		case *syntax.ReturnStmt:
			if n.X != nil {
				refuse(n.Pos(), "return gives a value")
			}
		}
		return true
	})
}

// private returns why a function of the file cannot be called from a control
// kernel, or "".
func (l *lowerer) private(g *check.FuncInfo) string {
	switch {
	case g.Decl.Kind != syntax.PlainFunc:
		return "is a Host function"
	case len(g.Reads)+len(g.Writes) > 0 || l.usesGraph[g]:
		return "uses the graph or a variable of the program"
	}
	return ""
}

// codeOf returns the text of a region.
func (l *lowerer) codeOf(r *region) syntax.Node {
	if r.Stmt == nil {
		return r.fn.Decl.Body
	}
	return r.Stmt
}

// isPlainStmt reports whether a node is an expression statement of its own.
func isPlainStmt(n *analysis.Node) bool {
	_, ok := n.Stmt.(*syntax.ExprStmt)
	return ok && n.Kind == analysis.Plain && !inInit(n)
}

// inInit reports whether a node is in the first part of a for.
func inInit(n *analysis.Node) bool { return n.Scope != nil && n.Scope.Arm == analysis.Init }

// roomy reports whether a kernel may need more room than there is.
func roomy(k *check.FuncInfo) bool { return k.UsesWL || len(k.Adds) > 0 }

// alone reports whether an invocation in an expression is in a statement, not
// in a condition, and the only one there.
func (r *region) alone(c analysis.Invocation) bool {
	switch c.Node.Stmt.(type) {
	case *syntax.ExprStmt, *syntax.VarDecls:
	default:
		return false
	}
	n := 0
	for _, other := range r.Calls {
		if other.Node == c.Node {
			n++
		}
	}
	return n == 1 && c.Node.Kind == analysis.Plain && !inInit(c.Node)
}

// controllable returns why a kernel cannot be called from a control kernel, or
// "". In the runs of a kernel that retries some threads may have to sit still.
func controllable(k *check.FuncInfo) string {
	loops := outermost(k.Decl.Body)
	switch {
	case k.Retries && k.Syncs:
		return "retries items and has barriers"
	case k.Retries && (len(loops) != 1 || len(k.Decl.Body.Stmts) != 1 || !isWorklist(loops[0])):
		return "retries items and does more than to go through WL"
	}
	return ""
}

// isWorklist reports whether a ForAll iterates over WL.
func isWorklist(s *syntax.ForAllStmt) bool {
	id, ok := syntax.Unparen(s.Iter).(*syntax.Ident)
	return ok && id.Name == "WL"
}

// fill completes a region that has been chosen.
func (l *lowerer) fill(r *region) {
	r.before, r.met, r.single = map[syntax.Stmt]bool{}, map[syntax.Stmt]bool{}, map[syntax.Stmt]bool{}
	r.round, r.scopes = map[syntax.Stmt]bool{}, map[syntax.Stmt]*scope{}
	r.split, r.checks = map[syntax.Node]bool{}, map[syntax.Stmt]room{}
	for _, n := range r.Barriers {
		switch {
		case n.Kind == analysis.Loop || n.Kind == analysis.Iterate:
			r.met[n.Stmt] = true
		case n.Kind == analysis.Invoke && r.touches(n.Stmt):
			r.round[n.Stmt] = true
		default:
			r.before[n.Stmt] = true
		}
	}
	for _, c := range r.Calls {
		k := c.Kernel
		r.pipe, r.aggr = r.pipe || k.UsesWL, r.aggr || c.Aggr != syntax.NoAggr
		if slices.Contains(r.Split, c.Node) {
			r.split[invokes(c)] = true
		}
		// An invocation in a condition lets the loop around it go on.
		if c.Invoke == nil || r.alone(c) {
			was := r.checks[c.Node.Stmt]
			r.checks[c.Node.Stmt] = room{was.list || k.UsesWL, was.mesh || len(k.Adds) > 0, true}
		}
	}
	r.in, r.out = slices.Concat(r.CopyIn, r.HostOnly), slices.Clone(r.CopyOut)
	for _, a := range r.Accesses {
		if a.Mode&^analysis.Read == 0 {
			continue
		}
		if !slices.Contains(r.HostOnly, a.Object) {
			r.single[a.Node.Stmt] = true
		} else if !slices.Contains(r.out, a.Object) {
			r.out = append(r.out, a.Object)
		}
	}
	own := map[*check.Object]bool{}
	syntax.Inspect(l.codeOf(r), func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.VarDecl:
			own[l.info.Defs[n.Name]] = true
		case *syntax.AssignExpr:
			own[l.info.Declares[n]] = true
		case *syntax.PipeStmt:
			r.pipe = true
		case *syntax.IterateStmt:
			r.pipe = r.pipe || n.Extra != nil
		}
		return true
	})
	r.locals = slices.Clone(r.in)
	for _, o := range slices.Concat(r.CopyOut, r.Private) {
		if !slices.Contains(r.locals, o) && !own[o] {
			r.locals = append(r.locals, o)
		}
	}
}

// touches reports whether host code in the rounds of an Iterate accesses device
// memory, but for the arguments: otherwise the barrier behind a round is enough
// for the next one.
func (r *region) touches(s syntax.Stmt) bool {
	return slices.ContainsFunc(r.Accesses, func(a analysis.Access) bool {
		own := a.Node.Stmt == s && a.Node.Kind == analysis.Invoke
		return a.Node.Within(s) && !own && !slices.Contains(r.HostOnly, a.Object)
	})
}

// invokes returns the node of the tree that an invocation is.
func invokes(c analysis.Invocation) syntax.Node {
	if c.Invoke != nil {
		return c.Invoke
	}
	return c.Node.Stmt
}
