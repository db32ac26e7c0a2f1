package opt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/pass"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/syntax"
)

// Iteration outlining (IrGL paper, section 4.1): a loop of a Host function around
// invocations of kernels costs a launch and a copy of a counter a round. This row
// plans which of them become control kernels, which are launched once and call the
// kernels as functions; package lower writes them:
//
//	Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; }
//
//	[[outline(threads 512)]] Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; }
//
// The Pipes, Iterates and loops of a Host function that invoke kernels are a tree, of
// which the function is the root (analysis.Outline). With --outline=auto the outermost
// nodes that are legal and that loop are outlined, with --outline=3,5 those with these
// numbers, of which none may be in another.
//
// What is legal: nothing in the node is for the host alone, such as output or an inexact
// function of mathematics; its kernels have a block size in common, with --np and --coop
// block one that their shared memory is made for; and package lower has a form for it.
// Control kernels have none for writes of properties inside of other expressions, for
// kernels that may run out of room in a condition, and for kernels that retry items and
// do more than iterate over WL, since in their runs some threads may have no work.
//
// It pays wherever rounds are short. It loses where a kernel needs more registers or
// blocks than the others: all of them run with the registers of the control kernel.

// outlineThreads is the number of threads of a control kernel's blocks where nothing
// else is asked for.
const outlineThreads = 512

// outline is the row outline.
func outline(w *Work, r *pass.Run) error {
	if w.facts == nil {
		return nil
	}
	w.checkNodes("outline")
	for _, root := range w.facts.Outlines() {
		if err := r.Unit(root.Func().Object.Name, func() error {
			if w.facts.FromHost[root.Func()] {
				w.outlineIn(root, r)
			}
			if r.Remarks() {
				for _, n := range w.explained(nil, root, 0, false) {
					n.say(r)
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	w.refuseNumbers()
	return nil
}

// refuseNumbers reports which nodes that are asked for by their numbers cannot be
// outlined.
func (w *Work) refuseNumbers() {
	if len(w.Options.Outline.Nodes) == 0 {
		return
	}
	var all []*analysis.Outline
	for _, root := range w.facts.Outlines() {
		all = append(all, root.Nodes()...)
	}
	for _, n := range w.Options.Outline.Nodes {
		if n >= len(all) {
			at := w.facts.Info.File.Pos()
			w.diags.Errorf(at, at, CodeOutline, "there is no node %d to outline%s", n, numbered(len(all))).Hint = explainHint
		} else if _, why := w.movable(all[n]); len(why) > 0 {
			at := all[n].Pos()
			w.diags.Errorf(at, at, CodeOutline, "node %d, %s, cannot be outlined: %s", n, all[n].Title(), why[0].Text).Hint = explainHint
		} else {
			w.refuseNested(all[n])
		}
	}
}

// numbered says which numbers nodes have.
func numbered(n int) string {
	switch n {
	case 0:
		return ": the program has none"
	case 1:
		return ": the only node is 0"
	}
	return fmt.Sprintf(": the nodes are 0 to %d", n-1)
}

// refuseNested reports nodes that are asked for and in a node that is, too.
func (w *Work) refuseNested(o *analysis.Outline) {
	for _, below := range o.Nodes()[1:] {
		if slices.Contains(w.Options.Outline.Nodes, below.ID) {
			at := below.Pos()
			d := w.diags.Errorf(at, at, CodeOutline, "node %d, %s, is in node %d, %s, which is outlined as a whole", below.ID, below.Title(), o.ID, o.Title())
			d.Hint = "leave one of the two out of --outline"
		}
	}
}

const explainHint = "irgl build --explain lists the nodes and says why they stay"

// outlineIn chooses a node or, if it is not wanted or stays, among those below it.
func (w *Work) outlineIn(o *analysis.Outline, r *pass.Run) {
	n, given := w.plan.Nodes[o.Key()], w.given(o.Key(), "outline")
	if given || w.Options.Outline.Auto && o.Loops() || slices.Contains(w.Options.Outline.Nodes, o.ID) {
		threads, why := w.movable(o)
		if len(why) == 0 {
			n.Outline, n.Launches = true, w.launches(o)
			if !n.Launches {
				n.Threads, n.Blocks = threads, cmp.Or(n.Blocks, w.Options.OutlineBlocks)
			}
			w.plan.Nodes[o.Key()] = n
			r.Count("nodes", 1)
			return
		}
		if given {
			w.refuse(o.Key(), "outline", fmt.Sprintf("%s cannot be outlined", o.Title()), why)
		}
	}
	for _, child := range o.Children {
		w.outlineIn(child, r)
	}
}

// checkNodes reports statements with an attribute for nodes that are not nodes: loops
// without invocations.
func (w *Work) checkNodes(name string) {
	if len(w.facts.Info.File.Attributes) == 0 {
		return
	}
	nodes := map[syntax.Node]bool{}
	for _, root := range w.facts.Outlines() {
		for _, o := range root.Nodes() {
			nodes[o.Key()] = true
		}
	}
	for n := range syntax.Preorder(w.facts.Info.File) {
		if !nodes[n] && w.given(n, name) {
			w.refuse(n, name, "it invokes no kernel", nil)
		}
	}
}

// refuse reports a decision of the program that is not legal, with the first reason.
func (w *Work) refuse(n syntax.Node, name, text string, why []analysis.Reason) {
	a := attributeOf(w.facts.Info.File, n, name)
	if len(why) > 0 {
		text += ": " + why[0].Text
	}
	d := w.diags.Errorf(a.Pos(), a.End(), plan.CodeRefused, "%s", text)
	d.Hint = "leave the attribute out"
	if len(why) > 0 && why[0].Pos.IsValid() && why[0].Pos != n.Pos() {
		d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: why[0].Pos, End: why[0].Pos, Message: "here"})
	}
}

// legalNodes reports a decision about nodes that is not legal: a fault of the compiler,
// unless the program decides it and its row has not run.
func (w *Work) legalNodes() error {
	clear(w.verdicts)
	cluster := w.clusterSize()
	var check func(o, in *analysis.Outline) error
	check = func(o, in *analysis.Outline) error {
		n := w.plan.Nodes[o.Key()]
		if n.Outline {
			v := w.verdict(o)
			switch {
			case in != nil:
				return fmt.Errorf("%s is outlined in %s, which is, too", o.Title(), in.Title())
			case len(v.why) > 0:
				return fmt.Errorf("%s cannot be outlined: %s", o.Title(), v.why[0])
			case !n.Launches && (n.Threads < v.sizes.Min || n.Threads > v.sizes.Max):
				return fmt.Errorf("%s is outlined in blocks of %d threads, and its kernels take %s", o.Title(), n.Threads, v.sizes)
			}
			in = o
		}
		if n.Items > 0 {
			if why := w.unscoped(in, o, n, cluster); len(why) > 0 {
				return fmt.Errorf("the grid has to execute the rounds of %s: %s", o.Title(), why[0])
			}
		}
		for _, child := range o.Children {
			if err := check(child, in); err != nil {
				return err
			}
		}
		return nil
	}
	for _, root := range w.facts.Outlines() {
		if err := check(root, nil); err != nil {
			return fmt.Errorf("the plan is not legal: %w", err)
		}
	}
	return nil
}

// A verdict says whether a node can have a control kernel.
type verdict struct {
	why   []analysis.Reason // it cannot
	sizes analysis.Sizes    // of the blocks that it can have
}

// movable returns the block size that a node's control kernel gets, or why it cannot
// have one.
func (w *Work) movable(o *analysis.Outline) (threads int, why []analysis.Reason) {
	v := w.verdict(o)
	if w.launches(o) {
		return 0, v.why
	}
	want, preferred := w.Options.OutlineThreads, outlineThreads
	if w.given(o.Key(), "outline") { // the option gives way
		want, preferred = w.plan.Nodes[o.Key()].Threads, cmp.Or(want, preferred)
	}
	switch {
	case v.sizes.Empty():
		return 0, v.why
	case want == 0:
		want = max(v.sizes.Min, min(v.sizes.Max, preferred))
	case want < v.sizes.Min || want > v.sizes.Max:
		return 0, append(slices.Clone(v.why), analysis.Reason{Pos: o.Pos(), Text: fmt.Sprintf("its kernels take blocks of %s threads, not of %d", v.sizes, want)})
	}
	return want, v.why
}

// verdict is judge, once for each node.
func (w *Work) verdict(o *analysis.Outline) verdict {
	v, known := w.verdicts[o]
	if !known {
		v = w.judge(o)
		w.verdicts[o] = v
	}
	return v
}

// judge returns whether a node can have a control kernel: what the analysis found, and
// what package lower has no form for.
func (w *Work) judge(o *analysis.Outline) verdict {
	if why := refusedIn(o); len(why) > 0 {
		return verdict{why: why, sizes: analysis.Sizes{Min: 1}} // there is no size
	}
	v := verdict{sizes: o.Threads}
	refuse := func(at source.Pos, format string, args ...any) {
		if n := (analysis.Reason{Pos: at, Text: fmt.Sprintf(format, args...)}); !slices.Contains(v.why, n) {
			v.why = append(v.why, n)
		}
	}
	if len(o.Calls) == 0 {
		refuse(o.Pos(), "it invokes no kernel")
	}
	for _, below := range o.Nodes()[1:] {
		if w.given(below.Key(), "outline") {
			refuse(below.Pos(), "%s in it has the attribute outline", below.Title())
		}
	}
	for _, x := range inexactIn(o) {
		refuse(x.Pos(), "the last digit may differ between host and device")
	}
	if w.launches(o) {
		w.judgeLaunches(o, refuse)
		return v
	}
	for _, x := range o.Calls {
		if x.Kernel == nil {
			continue
		}
		name, together := x.Kernel.Object.Name, w.together(x.Kernel, w.given(o.Key(), "outline"))
		if x.Kernel.Retries && together {
			refuse(x.Node.Stmt.Pos(), "the kernel %s retries in fewer threads, and its blocks work together", name)
		}
		if text := w.callable(x.Kernel); text != "" {
			refuse(x.Node.Stmt.Pos(), "the kernel %s %s", name, text)
		}
		if roomy(x.Kernel) && !o.Alone(x) {
			refuse(x.Invoke.Pos(), "%s, which may run out of room, is invoked in a condition or beside another kernel", name)
		}
		v.sizes = v.sizes.Intersect(w.sizesOf(x.Kernel, together))
	}
	if size, larger := w.sharedIn(o); larger && size > sharedLimit {
		refuse(o.Pos(), "its kernels need more shared memory together than a block has")
	}
	w.judgeCode(o, refuse)
	if v.sizes.Empty() {
		refuse(o.Pos(), "its kernels have no block size in common: %s", w.sizesIn(o))
	}
	return v
}

// sizesOf returns the block sizes of a kernel. If the threads of its blocks work together, or it
// has __shared__ arrays, it has shared memory for so many of them.
func (w *Work) sizesOf(k *check.FuncInfo, together bool) analysis.Sizes {
	sizes := analysis.SizesOf(k)
	if together || len(k.Caches) > 0 {
		sizes.Max = min(sizes.Max, w.Options.SharedThreadsOf(k, w.facts, w.plan))
	}
	return sizes
}

// sizesIn names the kernels that a node calls and that do not support every block size,
// with those that they do.
func (w *Work) sizesIn(o *analysis.Outline) string {
	var out []string
	for _, x := range o.Calls {
		if x.Kernel == nil {
			continue
		}
		sizes := w.sizesOf(x.Kernel, w.together(x.Kernel, w.given(o.Key(), "outline")))
		text := fmt.Sprintf("%s takes blocks of %s threads", x.Kernel.Object.Name, sizes)
		if sizes.Max < analysis.MaxBlock && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// sharedIn returns how much shared memory the kernels that a node calls have at most for
// their loops and queues, all of which its control kernel has, and whether some of it is
// the program's own, or for larger blocks than the kernels', as an attribute of the program says.
func (w *Work) sharedIn(o *analysis.Outline) (size int64, larger bool) {
	counted := map[*check.FuncInfo]bool{}
	for _, x := range o.Calls {
		if x.Kernel == nil || counted[x.Kernel] {
			continue
		}
		counted[x.Kernel] = true
		k := w.kernel(x.Kernel, nil)
		size += k.closures
		larger = larger || len(x.Kernel.Caches) > 0 || k.threads > w.Options.BlockThreadsOf(x.Kernel)
		if slices.ContainsFunc(analysis.OuterForAlls(x.Kernel.Decl.Body), func(s *syntax.ForAllStmt) bool { return w.plan.Loops[s].Queue }) {
			size += 4 * abi.QueueRoom
		}
	}
	return size, larger
}

// together reports whether the threads of a kernel's blocks work together: as is planned,
// and, for a node that is not given, as the options say, which plan it for other kernels.
func (w *Work) together(k *check.FuncInfo, given bool) bool {
	blocks := func(o lower.Options) bool { return o.Coop == lower.CoopBlock || o.NP != 0 }
	if !given && w.anywhere(k, blocks) {
		return true
	}
	if len(w.plan.Loops)+len(w.plan.Shares) == 0 {
		return false
	}
	for n := range syntax.Preorder(k.Decl.Body) {
		if s, ok := n.(*syntax.ForAllStmt); ok && (w.plan.Loops[s].Scheduled() || w.plan.Loops[s].Queue) || w.plan.Shares[n] == (plan.Share{How: plan.Reserve, Level: plan.Block}) {
			return true
		}
	}
	return false
}

// anyBlock returns why the threads of a kernel's blocks cannot work together: the program
// outlines a loop that calls the kernel, which retries in blocks of any size.
func (w *Work) anyBlock(k *check.FuncInfo) (why []analysis.Reason) {
	w.callers(k, "outline", func(o *analysis.Outline) {
		if k.Retries && !w.plan.Nodes[o.Key()].Launches {
			why = append(why, analysis.Reason{Pos: o.Pos(), Text: fmt.Sprintf("the program outlines %s, and the kernel retries in fewer threads", o.Title())})
		}
	})
	return why
}

// callers calls f with the nodes that call a kernel and have an attribute of the program.
func (w *Work) callers(k *check.FuncInfo, attribute string, f func(*analysis.Outline)) {
	if len(w.facts.Info.File.Attributes) == 0 {
		return
	}
	for _, root := range w.facts.Outlines() {
		for _, o := range root.Nodes() {
			if w.given(o.Key(), attribute) && slices.ContainsFunc(o.Calls, func(x analysis.Invocation) bool { return x.Kernel == k }) {
				f(o)
			}
		}
	}
}

// refusedIn returns the reasons of a node, and which nodes below it stay.
func refusedIn(o *analysis.Outline) []analysis.Reason {
	why := slices.Clone(o.Refused)
	for _, c := range o.Children {
		if len(refusedIn(c)) > 0 {
			why = append(why, analysis.Reason{Pos: c.Pos(), Text: fmt.Sprintf("node %d in it, %s, stays on the host", c.ID, c.Title())})
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

// judgeCode refuses host code that a control kernel could execute, but which package
// lower has no form for.
func (w *Work) judgeCode(o *analysis.Outline, refuse func(at source.Pos, format string, args ...any)) {
	for _, a := range o.Accesses {
		switch {
		case slices.Contains(o.HostOnly, a.Object):
			if w.hostMemory(o, a) {
				refuse(a.Expr.Pos(), "%s is in the host's memory", a.Object.Name)
			}
		case a.Mode&^analysis.Read == 0:
		case !isPlainStmt(a.Node):
			refuse(a.Expr.Pos(), "%s is written other than by a statement of its own", a.Object.Name)
		}
	}
	for _, n := range o.Barriers {
		switch n.Kind {
		case analysis.If, analysis.Switch, analysis.Loop, analysis.Iterate, analysis.Invoke:
		default:
			if n.Kind != analysis.Plain || n.InInit() {
				refuse(n.Stmt.Pos(), "the threads would have to wait for each other before a part of a statement")
			}
		}
	}
	w.judgeCalls(o, refuse)
}

// judgeCalls refuses calls and returns that a control kernel has no form for.
func (w *Work) judgeCalls(o *analysis.Outline, refuse func(at source.Pos, format string, args ...any)) {
	syntax.Inspect(o.Code(), func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if id, ok := syntax.Unparen(n.Fun).(*syntax.Ident); ok {
				if g := w.facts.Info.Uses[id]; g != nil && g.Func != nil {
					if text := w.private(g.Func); text != "" {
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
func (w *Work) private(g *check.FuncInfo) string {
	switch {
	case g.Decl.Kind != syntax.PlainFunc:
		return "is a Host function"
	case len(g.Reads)+len(g.Writes) > 0 || w.facts.UsesGraph[g]:
		return "uses the graph or a variable of the program"
	}
	return ""
}

// isPlainStmt reports whether a node is an expression statement of its own.
func isPlainStmt(n *analysis.Node) bool {
	_, ok := n.Stmt.(*syntax.ExprStmt)
	return ok && n.Kind == analysis.Plain && !n.InInit()
}

// roomy reports whether a kernel may need more room than there is.
func roomy(k *check.FuncInfo) bool { return k.UsesWL || len(k.Adds) > 0 }

// callable returns why a kernel cannot be called from a control kernel, or "". In the
// runs of a kernel that retries some threads may have no work.
func (w *Work) callable(k *check.FuncInfo) string {
	loops := analysis.OuterForAlls(k.Decl.Body)
	switch {
	case k.Retries && k.Syncs:
		return "retries items and has barriers"
	case k.Retries && (len(loops) != 1 || len(k.Decl.Body.Stmts) != 1 || w.facts.Info.Types[loops[0].Iter] != check.Worklist):
		return "retries items and does more than iterate over WL"
	}
	return ""
}
