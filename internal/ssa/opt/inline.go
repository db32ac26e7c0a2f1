package opt

import (
	"fmt"
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
)

// Inlining.
// Source: gpucc, section 3.1: calls are expensive on a GPU ("single-instruction
// multiple-thread execution, no out-of-order execution, and the pass-in-memory
// calling convention"), so the threshold is 1100, five times LLVM's, and
// inlining exposes constants and variables to the other passes.
//
// Functions are visited callees first. A call is replaced by the body of its
// callee when the callee is marked always, when no other call uses it, when
// its cost is at most the budget, or when the copies beyond the first cost at most
// copyBudgets times the budget together: two kernels that share a long function spend
// their time in it, and called it keeps their variables in memory (KLAP's promoted
// kernels took twice as long). They may cost paramBudgets times the budget if the call passes
// a copy of a kernel's parameter by its address: mem2reg removes such a copy once the function
// that reads it is there. The cost is LLVM's: 5 per operation, 25 more
// per call; constants, parameters, casts of pointers and offsets that fold into
// an address are free, and the call's own cost and 5 per argument are
// subtracted.
//
//	func @twice(%x: i32) i32 {     func @k kernel(%n: i32) {
//	b0:                            b0:
//	  v0 = param i32 0               v0 = param i32 0
//	  v1 = add i32 v0, v0            v1 = call i32 @twice(v0)     v1 = add i32 v0, v0
//	  ret v1
//
// The call's block is split. The body's blocks are placed in between; returns
// become jumps to the second half, where a phi merges several results.
// Allocas move to the caller's entry, as ssa.Verify requires. An aggregate
// passed by value is copied, since the callee has its own: the parts that the
// callee loads at constant offsets, or all of it if an offset varies.
//
// Barriers and warp operations may be inlined. Each thread still executes
// each of them as often as before and under the same conditions. Threads that
// called from two places now wait at two barriers, which the hardware counts
// as one.
//
// Functions that are unreachable from every kernel and from those that other modules
// call (Options.Keep) are removed; a module without any keeps its functions.
//
// What it will not do: inline a function into its own strongly connected
// component of the call graph, one marked never, one that is only declared or
// that returns the address of its own parameter; let a function grow beyond
// maxInlined values, even for calls marked always.
func inline(w *Work, r *pass.Run) error {
	g := &callGraph{ssa.NewCallGraph(w.Module), make(map[*ssa.Param][]access)}
	for _, f := range g.Order {
		err := r.Unit("@"+f.Name, func() error {
			in := &inliner{caller: f, graph: g, budget: w.InlineBudget, sites: w.CallSites, pass: r}
			in.run()
			r.Count("calls", in.inlined)
			r.Count("refused", in.refused)
			r.Count("resolved", in.resolved)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return r.Unit("dead functions", func() error {
		r.Count("functions", removeFunctions(w.Module, w.Keep))
		return nil
	})
}

const (
	costOp     = 5
	costCall   = 25
	maxInlined = 1 << 17 // values in a function

	// copyBudgets is what the copies of a function beyond the first may cost, in budgets;
	// paramBudgets, if the call passes a copy of a kernel's parameter by its address.
	copyBudgets  = 8
	paramBudgets = 64
)

// cost returns the cost of f's body at a call site.
func cost(f *ssa.Func) int {
	total := 0
	for _, b := range f.Blocks {
		if b.Kind == ssa.BlockIf {
			total += costOp
		}
		for _, v := range b.Values {
			switch v.Op {
			case ssa.OpConst, ssa.OpFConst, ssa.OpUndef, ssa.OpParam, ssa.OpGlobalAddr, ssa.OpFuncAddr,
				ssa.OpAlloca, ssa.OpPhi, ssa.OpBitcast, ssa.OpPtrToInt, ssa.OpIntToPtr, ssa.OpSpaceCast:
			case ssa.OpPtrAdd:
				if v.Args[1].Op != ssa.OpConst {
					total += costOp
				}
			case ssa.OpCall, ssa.OpCallPtr:
				total += costCall + costOp*(1+len(v.Args))
			default:
				total += costOp
			}
		}
	}
	return total - costOp*(1+len(f.Params))
}

func size(f *ssa.Func) int {
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Values)
	}
	return n
}

// A callGraph is the call graph of a module, with the inliner's results per function.
type callGraph struct {
	*ssa.CallGraph
	parts map[*ssa.Param][]access // see partsOf
}

// A verdict says which calls of a function are to be inlined.
type verdict uint8

const (
	no      verdict = iota
	ifParam         // those that pass a copy of a kernel's parameter by its address
	yes
)

// wants returns which calls of callee in the caller are to be inlined.
func (in *inliner) wants(callee *ssa.Func) verdict {
	g := in.graph
	switch {
	case callee == nil || len(callee.Blocks) == 0 || callee.Kernel || callee.Inline == ssa.InlineNever:
		return no
	case g.SameCycle(callee, in.caller) || callee.Result == ssa.PtrParam:
		return no
	case callee.Inline == ssa.InlineAlways:
		return yes
	}
	if in.budget < 0 {
		return no
	}
	c, copies := cost(callee), g.Uses(callee)-1
	switch {
	case c <= in.budget || c*copies <= copyBudgets*in.budget:
		return yes
	case c*copies <= paramBudgets*in.budget:
		return ifParam
	}
	return no
}

// passesParam reports whether call passes the address of a local copy of an aggregate
// parameter of the caller.
func (in *inliner) passesParam(call *ssa.Value) bool {
	if in.paramCopies == nil {
		in.paramCopies = paramCopies(in.caller)
	}
	return slices.ContainsFunc(call.Args, func(a *ssa.Value) bool { return in.paramCopies[localBase(a)] })
}

// paramCopies returns the allocas of f to which something of an aggregate parameter is copied.
func paramCopies(f *ssa.Func) map[*ssa.Value]bool {
	copies := make(map[*ssa.Value]bool)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != ssa.OpStore || v.Args[1].Op != ssa.OpLoad || v.Args[1].Args[0].Type != ssa.PtrParam {
				continue
			}
			if a := localBase(v.Args[0]); a != nil {
				copies[a] = true
			}
		}
	}
	return copies
}

// inlines reports whether call, of callee, is to be inlined, as long as there is room.
func (in *inliner) inlines(call *ssa.Value, callee *ssa.Func) bool {
	want, ok := in.want[callee]
	if !ok {
		want = in.wants(callee)
		in.want[callee] = want
	}
	return want == yes || want == ifParam && in.passesParam(call)
}

// reason returns why call, of callee, is not inlined.
func (in *inliner) reason(call *ssa.Value, callee *ssa.Func) string {
	switch {
	case callee == nil || len(callee.Blocks) == 0:
		return "its body is not known"
	case callee.Kernel:
		return "it is a kernel"
	case callee.Inline == ssa.InlineNever:
		return "the source forbids it"
	case in.graph.SameCycle(callee, in.caller):
		return "it is recursive"
	case callee.Result == ssa.PtrParam:
		return "it returns the address of its own parameter"
	case in.inlines(call, callee):
		return fmt.Sprintf("%s would have more than %d values", in.caller.Name, maxInlined)
	}
	most := copyBudgets
	if in.passesParam(call) {
		most = paramBudgets
	}
	return fmt.Sprintf("it costs %d, and the budget is %d; %d copies more would cost more than %d", cost(callee), in.budget, in.graph.Uses(callee)-1, most*in.budget)
}

// removeFunctions removes functions that are unreachable from every kernel and from those to keep.
func removeFunctions(m *ssa.Module, keep map[string]bool) int {
	funcs := make(map[string]*ssa.Func, len(m.Funcs))
	reached := make(map[*ssa.Func]bool, len(m.Funcs))
	var work []*ssa.Func
	for _, f := range m.Funcs {
		funcs[f.Name] = f
		if f.Kernel || keep[f.Name] && len(f.Blocks) > 0 {
			reached[f] = true
			work = append(work, f)
		}
	}
	if len(work) == 0 {
		return 0
	}
	for _, g := range m.Globals {
		for _, r := range g.Refs {
			if f := funcs[r.Name]; f != nil && !reached[f] {
				reached[f] = true
				work = append(work, f)
			}
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if v.Op != ssa.OpCall && v.Op != ssa.OpFuncAddr {
					continue
				}
				if callee := funcs[v.Callee()]; callee != nil && !reached[callee] {
					reached[callee] = true
					work = append(work, callee)
				}
			}
		}
	}
	before := len(m.Funcs)
	m.Funcs = slices.DeleteFunc(m.Funcs, func(f *ssa.Func) bool { return !reached[f] })
	return before - len(m.Funcs)
}
