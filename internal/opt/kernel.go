package opt

import (
	"cmp"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/internal/plan"
	"irgl/syntax"
)

// This file has what the rows in front of lowering share that decide about kernels. They
// change the plan and leave the tree as it is.

// A kernel is a kernel of the program, about which a row decides.
type kernel struct {
	*Work
	*pass.Run
	f       *analysis.Func
	threads int  // that its shared memory is for
	partial bool // not all warps are whole
	early   bool // a thread may leave it before its end

	closures int64           // shared memory of the loops that policies execute, and of the program's own arrays
	tallies  int64           // shared memory of counters that the block gathers for
	places   map[string]bool // what is gathered
	level    plan.Level      // at which, or 0
}

// perKernel makes a row of what decides about one kernel.
func perKernel(decide func(*kernel)) func(*Work, *pass.Run) error {
	return func(w *Work, r *pass.Run) error {
		for _, fn := range w.kernels() {
			if err := r.Unit(fn.Object.Name, func() error {
				decide(w.kernel(fn, r))
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}
}

// kernels returns the kernels of an IrGL program.
func (w *Work) kernels() []*check.FuncInfo {
	if w.facts == nil {
		return nil
	}
	var out []*check.FuncInfo
	for _, fn := range w.facts.Info.Funcs {
		if fn.Decl.Kind == syntax.KernelFunc && fn.Decl.Body != nil {
			out = append(out, fn)
		}
	}
	return out
}

// kernel returns what is known of a kernel, for a row.
func (w *Work) kernel(fn *check.FuncInfo, r *pass.Run) *kernel {
	k := w.known[fn]
	if k == nil {
		k = &kernel{
			Work: w, f: w.facts.Func(fn), threads: w.Options.SharedThreadsOf(fn, w.facts, w.plan), partial: w.Options.PartialWarps(fn),
			early: endsEarly(fn.Decl.Body), places: map[string]bool{},
		}
		k.closures = fn.CacheBytes * int64(k.threads)
		w.known[fn] = k
		for _, nest := range k.f.Nests() {
			if w.plan.Loops[nest.Loop].Scheduled() {
				k.closures += k.closure(nest)
			}
		}
		for _, c := range k.f.Counters() {
			if s := w.plan.Shares[c.Call]; s.How == plan.Gather {
				k.gather(c, s.Level)
			}
		}
	}
	k.Run = r
	return k
}

// gather has a counter gathered at a level.
func (k *kernel) gather(c *analysis.Counter, level plan.Level) {
	k.plan.Shares[c.Call] = plan.Share{How: plan.Gather, Level: level}
	if at := c.Tally(); !k.places[at] {
		k.places[at] = true
		if level == plan.Block {
			k.tallies += tallySize(c)
		}
	}
	if k.level == 0 {
		k.level = level
	}
}

// schedule has a policy take a loop.
func (k *kernel) schedule(nest *analysis.Nest, policy int) {
	l := k.plan.Loops[nest.Loop]
	if !l.Scheduled() {
		k.closures += k.closure(nest)
	}
	l.Add(policy, func(p int) int { return k.sizeOf(nest.Loop, p) })
	k.plan.Loops[nest.Loop] = l
}

// change changes what is decided about a loop.
func (k *kernel) change(s *syntax.ForAllStmt, change func(*plan.Loop)) {
	l := k.plan.Loops[s]
	change(&l)
	k.plan.Loops[s] = l
}

// missed remarks on each reason why a row leaves what is at n.
func (k *kernel) missed(n syntax.Node, why []analysis.Reason) {
	for _, r := range why {
		k.Missed(n.Pos(), "%s (%d:%d)", r.Text, r.Pos.Line(), r.Pos.Column())
	}
}

// owner returns the statement that the attributes about what a node does are of: a for
// evaluates the first part of its head.
func owner(n *analysis.Node) syntax.Stmt {
	if n.Scope != nil && n.Scope.Arm == analysis.Init {
		return n.Scope.Stmt
	}
	return n.Stmt
}

// pushes returns the pushes of the kernel.
func (k *kernel) pushes() []*analysis.Site {
	var out []*analysis.Site
	for _, x := range k.f.Sites() {
		if x.Kind <= analysis.MergeItem {
			out = append(out, x)
		}
	}
	return out
}

// sizeOf returns the size from which a policy takes a loop if it is not the last.
func (k *kernel) sizeOf(s *syntax.ForAllStmt, policy int) int {
	o := k.at(s)
	switch policy {
	case plan.ByGrid:
		return cmp.Or(o.GridLoop, abi.GridLoop)
	case plan.ByBlock:
		return cmp.Or(o.BlockLoop, k.threads)
	case plan.ByWarp:
		return cmp.Or(o.WarpLoop, plan.WarpThreads)
	case plan.FineGrained:
		return cmp.Or(o.FineLoop, 4)
	}
	return 1
}

// How much static shared memory a kernel may take by what is decided here; blocks have
// 48 KB, and the library's functions take a little.
const (
	sharedLimit  = 44 << 10
	tallyLimit   = sharedLimit / 4 // what is gathered for counters
	closureLimit = sharedLimit / 2 // that, and the closures of scheduled loops

	noRoom = "the block's shared memory has no room for it" // the reason where it is more
)

// closure returns how much shared memory the closure of a loop takes.
func (k *kernel) closure(nest *analysis.Nest) int64 {
	size := int64(8 + 8 + 4)
	if k.Options.Index64 {
		size += 8
	}
	return (size + 8*int64(len(nest.Closure)+len(nest.Gathers))) * int64(k.threads)
}

// tallySize returns how much shared memory what is gathered for a counter takes: an element a warp.
func tallySize(c *analysis.Counter) int64 { return int64(plan.MaxWarps * c.Type.Size()) }
