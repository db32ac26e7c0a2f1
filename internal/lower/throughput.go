package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// This file decides, for one kernel, which of the throughput passes of [Options]
// apply to which of its loops and pushes (IrGL paper, sections 4.2 and 4.3). What
// they make of them is in nested.go, sched.go, coop.go and batch.go.

// A CoopLevel says which threads share the atomics of pushes, reductions
// and counters.
type CoopLevel uint8

// The levels of cooperative conversion (IrGL paper, section 4.2.1).
const (
	CoopNone  CoopLevel = iota // each thread has its own
	CoopWarp                   // the lanes of a warp that push together
	CoopBlock                  // the threads of a block
)

// A Schedulers is a set of policies that execute the iterations of inner
// ForAlls (IrGL paper, Table 5).
type Schedulers uint8

// The policies, in the order in which they take their shares.
const (
	ByGrid      Schedulers = 1 << iota // all blocks of the grid, at the end of the kernel
	ByBlock                            // all threads of the block, one loop after another
	ByWarp                             // all lanes of a warp
	FineGrained                        // consecutive iterations by consecutive threads of the block
	Serially                           // the thread whose loop it is
)

// schedulerNames are the names of the policies, in the order of their bits.
var schedulerNames = []string{"gr", "tb", "wp", "fg", "serial"}

func (s Schedulers) String() string {
	var out []string
	for i, name := range schedulerNames {
		if s&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, ",")
}

// A throughput is what the passes do in one kernel.
type throughput struct {
	f       *analysis.Func
	focal   *analysis.Focal // where all threads of a block meet; nil until it is asked for
	name    string          // of the variant
	threads int             // of a block, at most
	partial bool

	uniform map[*syntax.ForAllStmt]bool            // outermost ForAlls that the threads of a block execute together
	nests   map[*syntax.ForAllStmt]*analysis.Nest  // inner ForAlls that are scheduled
	batches map[*syntax.ForAllStmt]*analysis.Batch // loops over edges of which several iterations are begun at once
	loads   map[*syntax.ForAllStmt][]analysis.Load // what these load first
	counted map[*syntax.ForAllStmt][]*counted      // sites that reserve room in front of the loop

	chains   map[*syntax.ForAllStmt]*chain          // batched loops whose slots go in step
	results  map[*syntax.CallExpr]string            // atomics of those, and the variables with what they gave
	starts   map[syntax.Node]*counted               // by call or statement
	deferred map[syntax.Node]*pending               // in the copy that is being lowered
	early    map[*syntax.MemberExpr]string          // loads of that copy, and the variables that hold them
	parts    map[*check.Object]string               // locals that this copy gathers in other variables
	place    map[*syntax.ForAllStmt]string          // variable of the loop that a counted site is in
	queues   []*queue                               // of this kernel
	queued   bool                                   // pushes go to queues: the code is in a uniform ForAll
	tallies  []*tally                               // what threads gather for counters
	tallyAt  map[string]*tally                      // by operation and place
	leaves   func() bool                            // a thread can leave the kernel early
	tallied  map[*syntax.CallExpr]*tally            // the atomics that are gathered
	lanes    map[*syntax.CallExpr]*analysis.Counter // those that lanes share
	shared   []string                               // declarations at the top of the kernel
	kept     []string                               // names that are declared there
	bytes    int64                                  // of shared memory
	begin    strings.Builder                        // statements at the top of the kernel
	hubs     []*hub                                 // inner ForAlls of which long ones are put off
	late     string                                 // variable: the grid has to meet once more behind the kernel
}

// sharedLimit is how much static shared memory a kernel may take here; blocks
// have 48 KB, and the library's functions take a little.
const sharedLimit = 44 << 10

// planKernel decides what the passes do in a kernel.
func (l *lowerer) planKernel(v variant) {
	if l.o.Batch <= 1 && l.o.Coop == CoopNone && l.o.NP == 0 {
		return
	}
	l.tp = l.newThroughput(v)
	l.planPasses(v)
}

// newThroughput returns what is known of a kernel before anything is decided.
func (l *lowerer) newThroughput(v variant) *throughput {
	f := v.kernel
	n := l.blockThreads(f)
	return &throughput{
		tallyAt: map[string]*tally{}, leaves: sync.OnceValue(func() bool { return endsEarly(f.Decl.Body) }),
		f: analysis.New(l.info, f), name: l.variantNames[v], threads: n, partial: f.Retries || n%32 != 0,
		uniform: map[*syntax.ForAllStmt]bool{}, nests: map[*syntax.ForAllStmt]*analysis.Nest{},
		batches: map[*syntax.ForAllStmt]*analysis.Batch{}, loads: map[*syntax.ForAllStmt][]analysis.Load{},
		counted: map[*syntax.ForAllStmt][]*counted{}, starts: map[syntax.Node]*counted{}, place: map[*syntax.ForAllStmt]string{},
		chains: map[*syntax.ForAllStmt]*chain{}, results: map[*syntax.CallExpr]string{},
		deferred: map[syntax.Node]*pending{}, early: map[*syntax.MemberExpr]string{},
		tallied: map[*syntax.CallExpr]*tally{}, lanes: map[*syntax.CallExpr]*analysis.Counter{},
	}
}

// planPasses fills in what the passes do.
func (l *lowerer) planPasses(v variant) {
	f, tp := v.kernel, l.tp
	for _, b := range tp.f.Batches() {
		l.planBatch(b)
	}
	if l.o.Coop != CoopNone {
		l.planCounted()
		l.planCounters()
	}
	for _, s := range analysis.OuterForAlls(f.Decl.Body) {
		if len(l.apart(s)) > 0 {
			continue
		}
		l.planNests(s)
		tp.uniform[s] = l.contains(s) || l.o.Coop == CoopBlock && l.pushesIn(s)
	}
}

// blockThreads returns how many threads the blocks of a kernel have.
func (l *lowerer) blockThreads(f *check.FuncInfo) int { return l.o.BlockThreadsOf(f) }

// BlockThreadsOf returns how many threads the blocks of a kernel have, unless the
// invocation narrows them.
func (o Options) BlockThreadsOf(f *check.FuncInfo) int {
	n := cmp.Or(o.BlockThreads, abi.BlockThreads)
	if f.MaxThreads > 0 {
		return min(n, f.MaxThreads)
	}
	return n
}

// planNests finds the inner ForAlls of an outermost one that other threads are to
// execute.
func (l *lowerer) planNests(outer *syntax.ForAllStmt) {
	for _, nest := range l.tp.f.Nests() {
		s := nest.Loop
		if nest.Outer != outer || l.o.NP == 0 && (l.o.Coop != CoopBlock || len(l.tp.counted[s]) == 0) {
			continue
		}
		if len(l.staysIn(nest)) > 0 || !l.shareable(nest) {
			continue
		}
		l.tp.nests[s] = nest
		if l.putsOff(nest) {
			l.waits[variant{l.tp.f.Fn, l.aggr}] = true
		}
	}
}

// putsOff reports whether the long ranges of a scheduled ForAll are put off.
func (l *lowerer) putsOff(nest *analysis.Nest) bool {
	return l.o.NP&ByGrid != 0 && len(nest.NotLater) == 0 && len(nest.Serial) == 0
}

// dependent returns a place that two iterations of an inner ForAll may both
// write, without an atomic function and without a word of the program that it may
// be so, or nil: in one thread they come one after another, in several they race.
func (l *lowerer) dependent(s *syntax.ForAllStmt) syntax.Node {
	edge := l.info.Defs[s.Var]
	for i, n := range l.tp.f.Graph.Nodes {
		if !n.Within(s) || n.Stmt == syntax.Stmt(s) {
			continue
		}
		for _, r := range l.tp.f.Effects[i].Refs {
			o := r.Object
			if r.Mode&(analysis.Write|analysis.Escape) == 0 || r.Mode&analysis.AtomicOp != 0 || o != nil && (analysis.IsLocal(o) || l.info.Racy[o.Name] != "") {
				continue
			}
			m, ok := r.Expr.(*syntax.MemberExpr)
			if !ok {
				return r.Expr
			}
			if id, ok := syntax.Unparen(m.X).(*syntax.Ident); !ok || l.info.Uses[id] != edge {
				return r.Expr
			}
		}
	}
	return nil
}

// shareable reports whether shared memory has room for the closure of a loop.
func (l *lowerer) shareable(nest *analysis.Nest) bool {
	size := int64(8 + 8 + 4)
	if l.o.Index64 {
		size += 8
	}
	size += 8 * int64(len(nest.Closure)+len(nest.Gathers))
	size *= int64(l.tp.threads)
	if l.tp.bytes+size > sharedLimit/2 {
		return false
	}
	l.tp.bytes += size
	return true
}

// contains reports whether a scheduled loop is in s.
func (l *lowerer) contains(s syntax.Stmt) bool {
	found := false
	syntax.Inspect(s, func(n syntax.Node) bool {
		inner, ok := n.(*syntax.ForAllStmt)
		found = found || ok && l.tp.nests[inner] != nil
		return !found
	})
	return found
}

// pushesIn reports whether something is pushed in s other than to room that is
// reserved in front of a loop.
func (l *lowerer) pushesIn(s *syntax.ForAllStmt) bool {
	return slices.ContainsFunc(l.tp.f.Sites(), func(x *analysis.Site) bool {
		return x.Kind <= analysis.MergeItem && x.Node.Within(s) && l.tp.starts[siteKey(x)] == nil
	})
}

// siteKey returns the node by which a site is known here.
func siteKey(x *analysis.Site) syntax.Node {
	if x.Call != nil {
		return x.Call
	}
	return x.Node.Stmt
}

// copyable reports whether a body can be repeated in a function.
func copyable(body syntax.Node) bool {
	ok := true
	syntax.Inspect(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.LabelStmt, *syntax.CBlock:
			ok = false
		case *syntax.VarDecls:
			ok = ok && n.Attrs == 0
		}
		return ok
	})
	return ok
}

// endsEarly reports whether a thread may leave a kernel before its end.
func endsEarly(body *syntax.Block) bool {
	found := false
	visit := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ReturnStmt, *syntax.ReduceStmt, *syntax.CBlock:
			found = true
		case *syntax.ForAllStmt:
			if !n.Serial { // a reduction in it ends the iteration
				syntax.Inspect(n.Body, func(n syntax.Node) bool {
					switch n.(type) {
					case *syntax.ReturnStmt, *syntax.CBlock:
						found = true
					}
					return true
				})
				return false
			}
		}
		return true
	}
	syntax.Inspect(body, visit)
	return found
}

// pushesEarly reports whether a thread may push to a queue before it has met the
// others of its block.
func (l *lowerer) pushesEarly() bool {
	np := l.o.NP
	meets := np&ByBlock != 0 || np&FineGrained != 0 && np&ByWarp == 0
	return !meets || slices.ContainsFunc(l.tp.f.Sites(), func(x *analysis.Site) bool {
		if x.Kind > analysis.MergeItem || l.tp.starts[siteKey(x)] != nil {
			return false
		}
		for _, s := range x.Loops {
			if s, ok := s.(*syntax.ForAllStmt); ok && l.tp.nests[s] != nil {
				return false
			}
		}
		return true
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
