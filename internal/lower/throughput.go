package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/plan"
	"irgl/internal/tree"
	"irgl/syntax"
)

// This file prepares the expansion of what is planned about a kernel, and has what
// belongs at the top and the end of its body. The forms themselves are in nested.go,
// sched.go, hubs.go, coop.go, counter.go and batch.go.

// A CoopLevel says which threads share the atomics of pushes, reductions
// and counters.
type CoopLevel uint8

// The levels of cooperative conversion (IrGL paper, section 4.2.1).
const (
	CoopNone   CoopLevel = iota // each operation has its own
	CoopThread                  // the operations of a thread that can be counted or gathered
	CoopWarp                    // the lanes of a warp that push together
	CoopBlock                   // the threads of a block
)

// A Schedulers is a set of policies that execute the iterations of inner
// ForAlls (IrGL paper, Table 5).
type Schedulers uint8

// The policies of package plan, each as a set.
const (
	ByGrid      Schedulers = 1 << plan.ByGrid
	ByBlock     Schedulers = 1 << plan.ByBlock
	ByWarp      Schedulers = 1 << plan.ByWarp
	FineGrained Schedulers = 1 << plan.FineGrained
	Serially    Schedulers = 1 << plan.Serially
)

func (s Schedulers) String() string {
	var out []string
	for i, name := range plan.PolicyNames {
		if s&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, ",")
}

// A throughput is what the passes do in one kernel.
type throughput struct {
	f       *analysis.Func
	name    string // of the variant
	threads int    // that its shared memory is for
	partial bool

	uniform map[*syntax.ForAllStmt]bool            // outermost ForAlls that the threads of a block execute together
	nests   map[*syntax.ForAllStmt]*analysis.Nest  // inner ForAlls that are scheduled
	batches map[*syntax.ForAllStmt]*analysis.Batch // loops over edges of which several iterations are begun at once
	loads   map[*syntax.ForAllStmt][]analysis.Load // what these load first
	counted map[syntax.Stmt][]*reservation         // sites that reserve room in front of the loop

	chains   map[*syntax.ForAllStmt]*analysis.CondChain // batched loops whose slots go in step
	results  map[*syntax.CallExpr]string                // atomics of those, and the variables with what they gave
	starts   map[syntax.Node]*reservation               // by call or statement
	deferred map[syntax.Node]*pending                   // in the copy that is being lowered
	early    map[*syntax.MemberExpr]string              // loads of that copy, and the variables that hold them
	parts    map[*check.Object]string                   // locals that this copy gathers in other variables
	place    map[*syntax.ForAllStmt]string              // variable of the loop that a counted site is in
	queues   []*queue                                   // of this kernel
	queued   bool                                       // pushes go to queues: the code is in a uniform ForAll
	tallies  []*tally                                   // what threads gather for counters
	tallyAt  map[string]*tally                          // by operation and place
	tallied  map[*syntax.CallExpr]*tally                // the atomics that are gathered
	lanes    map[*syntax.CallExpr]*analysis.Counter     // those that lanes share
	caches   map[*check.Object]string                   // where the __shared__ arrays of the block's iterations are
	shared   []string                                   // declarations at the top of the kernel
	kept     []string                                   // names that are declared there
	begin    strings.Builder                            // statements at the top of the kernel
	hubs     []*hub                                     // inner ForAlls of which long ones are put off
	late     string                                     // variable: the grid has to meet once more behind the kernel
}

// prepare sets up what a kernel needs for what is planned about it.
func (l *lowerer) prepare(v variant) {
	if !l.planned(v.kernel) {
		return
	}
	f, tp := v.kernel, l.newThroughput(v)
	l.tp = tp
	for _, b := range tp.f.Batches() {
		s := b.Loop
		if d := l.plan.Loops[s]; d.Batch > 1 {
			tp.batches[s], tp.loads[s] = b, tp.f.EarlyLoads(b, d.Eager)
			if c := tp.f.CondChain(s, tp.loads[s]); c != nil {
				tp.chains[s] = c
			}
		}
	}
	for _, x := range tp.f.Sites() {
		if d := l.plan.Shares[x.Syntax()]; d.How == plan.Reserve {
			l.countSite(x, d.Level)
		}
	}
	for _, c := range tp.f.Counters() {
		switch d := l.plan.Shares[c.Call]; d.How {
		case plan.Gather:
			tp.tallied[c.Call] = l.tallyOf(c, d.Level)
		case plan.Lanes:
			tp.lanes[c.Call] = c
		}
	}
	for _, nest := range tp.f.Nests() {
		if d := l.plan.Loops[nest.Loop]; d.Scheduled() {
			tp.nests[nest.Loop] = nest
			tp.uniform[nest.Outer] = true
			if d.NP[plan.ByGrid] > 0 {
				l.waits[variant{f, l.aggr}] = true
			}
		}
	}
	for _, s := range analysis.OuterForAlls(f.Decl.Body) {
		d := l.plan.Loops[s]
		tp.uniform[s] = tp.uniform[s] || d.Queue || d.Deal
	}
}

// planned reports whether something is planned about a kernel.
func (l *lowerer) planned(f *check.FuncInfo) bool {
	if len(f.Caches) > 0 {
		return true
	}
	if len(l.plan.Loops)+len(l.plan.Shares) == 0 {
		return false
	}
	for n := range syntax.Preorder(f.Decl.Body) {
		if s, ok := n.(*syntax.ForAllStmt); ok && l.plan.Loops[s] != (plan.Loop{}) || l.plan.Shares[n].How != plan.Each {
			return true
		}
	}
	return false
}

// newThroughput returns a kernel of which nothing is planned.
func (l *lowerer) newThroughput(v variant) *throughput {
	f := v.kernel
	return &throughput{
		tallyAt: map[string]*tally{},
		f:       l.facts.Func(f), name: l.variantNames[v], threads: l.o.SharedThreadsOf(f, l.facts, l.plan), partial: l.o.PartialWarps(f),
		uniform: map[*syntax.ForAllStmt]bool{}, nests: map[*syntax.ForAllStmt]*analysis.Nest{},
		batches: map[*syntax.ForAllStmt]*analysis.Batch{}, loads: map[*syntax.ForAllStmt][]analysis.Load{},
		counted: map[syntax.Stmt][]*reservation{}, starts: map[syntax.Node]*reservation{}, place: map[*syntax.ForAllStmt]string{},
		chains: map[*syntax.ForAllStmt]*analysis.CondChain{}, results: map[*syntax.CallExpr]string{},
		deferred: map[syntax.Node]*pending{}, early: map[*syntax.MemberExpr]string{},
		tallied: map[*syntax.CallExpr]*tally{}, lanes: map[*syntax.CallExpr]*analysis.Counter{},
	}
}

// BlockThreadsOf returns how many threads the blocks of a kernel have, unless the
// invocation narrows them.
func (o Options) BlockThreadsOf(f *check.FuncInfo) int {
	n := cmp.Or(f.Threads, o.BlockThreads, abi.BlockThreads)
	if f.MaxThreads > 0 {
		return min(n, f.MaxThreads)
	}
	return n
}

// SharedThreadsOf returns for how many threads a kernel has shared memory: those of its
// blocks, or of the largest control kernel that calls it, as is planned.
func (o Options) SharedThreadsOf(f *check.FuncInfo, facts *analysis.Program, p *plan.Plan) int {
	n := o.BlockThreadsOf(f)
	if len(p.Nodes) == 0 {
		return n
	}
	for _, root := range facts.Outlines() {
		for _, node := range root.Nodes() {
			calls := func(x analysis.Invocation) bool { return x.Kernel == f }
			if threads := p.Nodes[node.Key()].Threads; threads > n && slices.ContainsFunc(node.Calls, calls) {
				n = threads
			}
		}
	}
	return n
}

// PartialWarps reports whether not all warps of a kernel's blocks may be whole: it retries
// items, in blocks of any size, or its blocks are of no multiple of 32 threads.
func (o Options) PartialWarps(f *check.FuncInfo) bool {
	return f.Retries || o.BlockThreadsOf(f)%32 != 0
}

// contains reports whether a scheduled loop is in s, or a C loop in front of which the block
// reserves room: places at which the threads of the block converge.
func (l *lowerer) contains(s syntax.Stmt) bool {
	found := false
	syntax.Inspect(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ForAllStmt:
			found = found || l.tp.nests[n] != nil
		case *syntax.ForStmt:
			found = found || l.tp.blockCounts(n)
		}
		return !found
	})
	return found
}

// pushesEarly reports whether a thread may push to a queue before its block has
// converged: behind a barrier are the pushes in loops that tb takes, or fg before wp.
func (l *lowerer) pushesEarly() bool {
	return slices.ContainsFunc(l.tp.f.Sites(), func(x *analysis.Site) bool {
		if x.Kind > analysis.MergeItem || l.tp.starts[x.Syntax()] != nil || l.plan.OwnAtomic(x.Syntax()) {
			return false
		}
		return !slices.ContainsFunc(x.Loops, func(s syntax.Stmt) bool {
			loop, ok := s.(*syntax.ForAllStmt)
			if !ok {
				return false
			}
			np := l.plan.Loops[loop].NP
			return np[plan.ByBlock] > 0 || np[plan.FineGrained] > 0 && np[plan.ByWarp] == 0
		})
	})
}

// finish puts what the passes need at the top and the end of a kernel's body.
func (l *lowerer) finish(body *syntax.Block) {
	tp := l.tp
	if tp == nil {
		return
	}
	var top, end strings.Builder
	for _, d := range tp.shared {
		top.WriteString(d + "\n")
	}
	top.WriteString(tp.begin.String())
	if len(tp.queues) > 0 {
		top.WriteString("if (threadIdx.x == 0) {\n")
		for _, q := range tp.queues {
			fmt.Fprintf(&top, "%s = 0;\n", q.count)
		}
		top.WriteString("}\n")
		if l.pushesEarly() {
			top.WriteString("__syncthreads();\n")
		}
	}
	top.WriteString(l.declareTallies())
	tallies := l.addTallies(false)
	if tp.late != "" {
		fmt.Fprintf(&top, "bool %s = false;\n", tp.late)
		if tallies != "" {
			tallies = fmt.Sprintf("if (%s) {\n%s}\n", tp.late, tallies)
		}
		tallies += fmt.Sprintf("return %s;\n", tp.late)
	}
	end.WriteString(tallies)
	body.Stmts = slices.Concat(l.template(top.String()), body.Stmts, l.template(end.String()))
}

// template is [tree.Template].
func (l *lowerer) template(text string, holes ...[]syntax.Stmt) []syntax.Stmt {
	return tree.Template(text, holes...)
}

// placeAt gives expressions that templates made for a loop the position of what it
// iterates over, for reports and profilers. Statements stay without: the printer keeps
// the empty lines between those that have one.
func placeAt(over syntax.Expr, made ...syntax.Stmt) {
	for _, s := range made {
		syntax.Inspect(s, func(n syntax.Node) bool {
			if x, ok := n.(syntax.Expr); ok && !x.Pos().IsValid() {
				if x, ok := n.(interface{ SetSpan(syntax.Span) }); ok {
					x.SetSpan(at(over))
				}
			}
			return true
		})
	}
}
