package opt

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/ssa"
)

// DefaultInlineBudget is the cost up to which a call is replaced by the body
// of its function (gpucc, section 3.1: "increases the function inlining
// threshold to 1100"). An operation costs 5.
const DefaultInlineBudget = 1100

// Options steers a run of the passes. The zero Options runs the default
// pipeline without checks.
type Options struct {
	// InlineBudget is the cost up to which functions are inlined; 0 stands
	// for DefaultInlineBudget, a negative one leaves only what must be inlined.
	InlineBudget int

	// Doubles says that the device has doubles at half the rate of floats, which
	// makes dividing integers by reciprocals in doubles fast: sm_80, sm_90, sm_100.
	Doubles bool
	// Contract allows the contraction of products and sums to one operation, rounded once.
	Contract bool

	// Passes names the rows of [Passes] to run, in this order; nil runs the
	// list as it stands.
	Passes     []string
	Switch     map[string]bool // passes to switch on or off, by name
	Limit      int             // see pass.Options
	Keep       map[string]bool // functions that stay, whether or not a kernel reaches them
	OnUnit     func(n int, pass, unit string, skipped bool)
	Remark     func(pass.Remark)
	Before     func(pass string, m *ssa.Module)
	Verify     bool      // check the module after every pass
	PrintAfter []string  // names of passes, or "all"
	Out        io.Writer // where PrintAfter prints
	// Context ends the run, with its error, before the next pass or function; nil
	// for none.
	Context context.Context
	// CallSites, if not nil, is the program's file: what is inlined from another, as
	// the device library is, gets the position of the call, and so do its remarks.
	CallSites *source.File
}

// Work is what a pass of [Passes] works on.
type Work struct {
	Module       *ssa.Module
	InlineBudget int
	CallSites    *source.File    // see Options
	Doubles      bool            // see Options
	Contract     bool            // see Options
	Keep         map[string]bool // see Options

	scratch ssa.Scratch // of the current function and pass
}

// Run runs the scalar passes over m in place. The report has the counters and
// times of what ran. Errors are about unknown passes in the options, or
// [pass.InternalError]s.
func Run(m *ssa.Module, o Options) (*pass.Report, error) {
	budget := o.InlineBudget
	if budget == 0 {
		budget = DefaultInlineBudget
	}
	po := pass.Options[*Work]{
		Switch: o.Switch, Limit: o.Limit, OnUnit: o.OnUnit, Remark: o.Remark,
		PrintAfter: o.PrintAfter, Out: o.Out, Context: o.Context,
		Print: func(w io.Writer, x *Work) error { return ssa.Print(w, x.Module) },
	}
	if o.Before != nil {
		po.Before = func(pass string, w *Work) { o.Before(pass, w.Module) }
	}
	if o.Verify {
		po.Verify = func(w *Work) error { return ssa.Verify(w.Module) }
	}
	list := Passes()
	if o.Passes != nil {
		all := list.Names()
		var err error
		if list, err = list.Select(o.Passes); err != nil {
			return &pass.Report{}, err
		}
		// A pass that was not selected can be switched; that changes nothing.
		selected := list.Names()
		po.Switch = maps.Clone(o.Switch)
		maps.DeleteFunc(po.Switch, func(name string, _ bool) bool { return slices.Contains(all, name) && !slices.Contains(selected, name) })
	}
	w := &Work{Module: m, InlineBudget: budget, Doubles: o.Doubles, Contract: o.Contract, CallSites: o.CallSites, Keep: o.Keep}
	m.UseScratch(&w.scratch)
	defer m.UseScratch(nil)
	return list.Run(w, po)
}

// Passes returns the list of scalar passes in the order in which they run.
func Passes() *pass.List[*Work] { return passes() }

var passes = sync.OnceValue(func() *pass.List[*Work] { return pass.MustList(rows(), orders()) })

func rows() []pass.Pass[*Work] {
	const (
		gpucc = "gpucc, 3.1"
		cfg   = "merges blocks with their only predecessor, bypasses empty blocks, removes unreachable ones"
		mem   = "promotes local variables and fields of structs to SSA values (scalar replacement)"
		fold  = "folds constants, applies algebraic identities, puts addresses into one form"
		merge = "removes redundant values and loads by global value numbering"
		leave = "hoists loop-invariant values and loads out of loops"
		join  = "loads at once what is loaded in parts and put together"
		keep  = "keeps memory at a loop-invariant address in a register over the loop, moves its stores behind the loop"
		loops = "unrolls loops: fully if the trip count is a small constant, else by a factor"
		dead  = "removes dead values, and stores to variables that are never read"
	)
	perFunc := func(name, doc, source, repeats string, fn func(*ssa.Func, *pass.Run)) pass.Pass[*Work] {
		return pass.Pass[*Work]{Name: name, Doc: doc, Source: source, Repeats: repeats, PerUnit: true, Fn: each(fn)}
	}
	perModule := func(name, doc, source, repeats string, fn func(*ssa.Module, *ssa.Func, *pass.Run)) pass.Pass[*Work] {
		return pass.Pass[*Work]{Name: name, Doc: doc, Source: source, Repeats: repeats, PerUnit: true, Fn: eachIn(fn)}
	}
	contracting := func(name, doc string, fn func(*ssa.Func, *pass.Run)) pass.Pass[*Work] {
		return pass.Pass[*Work]{Name: name, Doc: doc, Source: "LLVM", PerUnit: true, Fn: func(w *Work, r *pass.Run) error {
			if !w.Contract {
				return nil
			}
			return each(fn)(w, r)
		}}
	}
	return []pass.Pass[*Work]{
		perFunc("simplifycfg", cfg, "", "", simplifyCFG),
		perFunc("mem2reg", mem, gpucc, "", mem2reg),
		perFunc("constfold", fold, "gpucc, 3.4", "", constFold),
		perFunc("dce", dead, "", "", dce),
		{Name: "inline", Doc: "replaces calls by the bodies of their functions, up to a budget", Source: gpucc, PerUnit: true, Fn: inline},
		perFunc("simplifycfg-inlined", cfg, "", "simplifycfg", simplifyCFG),
		perFunc("mem2reg-inlined", mem, gpucc, "mem2reg", mem2reg),
		perFunc("constfold-inlined", fold, "gpucc, 3.4", "constfold", constFold),
		perModule("addresstests", "answers tests of the space and the alignment of addresses", "", "", addressTests),
		perFunc("peel", "executes the first iteration of loops that test for it before them", "LLVM", "", peelFirst),
		contracting("sumorder", "with contraction, brings floating-point sums into the form that LLVM contracts", sumOrder),
		perFunc("sccp", "propagates constants through phis, along edges that may be taken (Wegman and Zadeck)", "", "", sccp),
		perModule("gvn", merge, "gpucc, 3.3; NVIDIA, 3.4", "", gvn),
		perModule("joinloads", join, "LLVM", "", joinLoads),
		perFunc("crossjump", "merges identical blocks, which are executed on different conditions", "LLVM", "", crossJump),
		perFunc("hoist", "hoists what both successors of a branch compute before the branch", "NVIDIA, 3.4", "", hoistCommon),
		perFunc("ifconvert", "converts short branches that choose values to selects", "NVIDIA, 3.2.1; gpucc, 3.5", "", ifConvert),
		perFunc("threading", "threads edges past branches whose condition is known on the incoming edge", "NVIDIA, 3.2.1", "", threadJumps),
		perFunc("idiom", "replaces loops that count bits by population counts and counts of leading zeros", "LLVM", "", loopIdioms),
		perModule("licm", leave, "NVIDIA, 3.4, 3.5", "", licm),
		perModule("promote", keep, "NVIDIA, 3.4; LLVM", "", promote),
		perFunc("looptest", "compares 32-bit loop counters with 64-bit bounds in 32 bits", "", "", loopTests),
		perModule("unroll", loops, gpucc+"; NVIDIA, 3.4", "", unroll),
		perFunc("simplifycfg-unrolled", cfg, "", "simplifycfg", simplifyCFG),
		perFunc("constfold-unrolled", fold, "gpucc, 3.4", "constfold", constFold),
		perFunc("mem2reg-unrolled", mem, gpucc, "mem2reg", mem2reg),
		perModule("unroll-outer", loops, gpucc+"; NVIDIA, 3.4", "unroll", unrollOuter),
		{Name: "spaces", Doc: "infers the address spaces of generic pointers, for accesses, comparisons and differences", Source: "gpucc, 3.2", PerUnit: true, Fn: each(inferSpaces)},
		perModule("readonly", "marks loads of memory that the kernel does not write, for the read-only cache", "gpucc, 3.3", "", readOnly),
		perFunc("constfold-late", fold, "gpucc, 3.4", "constfold", constFold),
		perModule("gvn-late", merge, "gpucc, 3.3; NVIDIA, 3.4", "gvn", gvn),
		perFunc("factor", "takes common factors out of 64-bit sums of products, and divisions whose quotient and remainder meet in one", "LLVM", "", factorSums),
		perFunc("narrow", "folds comparisons and masks by value ranges, narrows 64-bit arithmetic to 32 bits", "", "", narrow),
		perModule("dse", "removes stores that are overwritten or never read", "gpucc, 3.3", "", deadStores),
		perModule("pre", "makes partially redundant values and loads fully redundant where no path computes more and registers suffice, then removes them", "NVIDIA, 3.4", "", partial),
		{Name: "reciprocal", Doc: "divides integers by reciprocals in doubles, on devices with fast doubles", Source: "gpucc, 3.6", PerUnit: true, Fn: func(w *Work, r *pass.Run) error {
			if !w.Doubles {
				return nil
			}
			return each(divideByReciprocals)(w, r)
		}},
		perFunc("divide", "replaces divisions by multiplications, shifts or narrower divisions, bypasses 64-bit ones", "gpucc, 3.6", "", divide),
		perFunc("narrowloop", "versions loops for operands of divisions that fit in 32 bits", "gpucc, 3.6", "", narrowLoops),
		perFunc("addresses", "moves constants out of index arithmetic into the offsets of accesses", "gpucc, 3.4.1", "", addresses),
		perFunc("dce-addresses", dead, "", "dce", dce),
		perModule("joinloads-late", join, "LLVM", "joinloads", joinLoads),
		perFunc("rotate", "rotates loops: the test moves to the latch, with a copy before the loop", "", "", rotate),
		perFunc("once", "executes loops once whose iterations all compute the same", "LLVM", "", once),
		perModule("licm-rotated", leave, "NVIDIA, 3.4, 3.5", "licm", licm),
		perFunc("speculate", "executes cheap operations speculatively, before the branch that guards them", "gpucc, 3.5", "", speculate),
		perModule("gvn-straight", merge, "gpucc, 3.3; NVIDIA, 3.4", "gvn", gvn),
		perModule("promote-rotated", keep, "NVIDIA, 3.4; LLVM", "promote", promote),
		perFunc("slsr", "replaces a product or address by the sum of a similar one and its stride (straight-line strength reduction)", "gpucc, 3.4.2", "", strengthReduce),
		perFunc("reassociate", "regroups sums to reuse partial sums that dominate them, and computes addresses from addresses (global reassociation)", "gpucc, 3.4.3", "", reassociate),
		perFunc("constfold-last", fold, "gpucc, 3.4", "constfold", constFold),
		perModule("gvn-last", merge, "gpucc, 3.3; NVIDIA, 3.4", "gvn", gvn),
		perModule("loadsahead", "moves loads in front of stores that they cannot alias, in innermost loops", "", "", loadsAhead),
		perModule("vectorise", "groups adjacent loads and stores into vector accesses", "NVIDIA, 3.3", "", vectorise),
		perFunc("lsr", "replaces products of induction variables by recurrences (loop strength reduction)", "LLVM", "", reduceLoops),
		perFunc("dce-late", dead, "", "dce", dce),
		perFunc("simplifycfg-late", cfg, "", "simplifycfg", simplifyCFG),
		contracting("contract", "with contraction, fuses products into the sums that use them", contract),
		perFunc("uniform", "marks branches that are uniform in a warp", "NVIDIA, 3.2", "", uniform),
	}
}

func orders() []pass.Order { return append(loopOrders(), valueOrders()...) }

// loopOrders has the orders that concern a pass over loops.
func loopOrders() []pass.Order {
	return []pass.Order{
		{Before: "reciprocal", After: "licm-rotated", Reason: "the reciprocal of an invariant divisor is invariant"},
		{Before: "unroll", After: "narrow", Reason: "each copy of the body has ranges of its own"},
		{Before: "licm", After: "factor", Reason: "a sum is gathered from operations of its own loop, so invariant products must have left it"},
		{Before: "pre", After: "licm-rotated", Reason: "a load that is redundant on the back edge is then found"},
		{Before: "ifconvert", After: "unroll", Reason: "a body without branches is smaller, and its trip count easier to find"},
		{Before: "constfold-inlined", After: "unroll", Reason: "the trip count is computed from constants"},
		{Before: "unroll", After: "constfold-unrolled", Reason: "the induction variable is a constant in each copy"},
		{Before: "mem2reg-unrolled", After: "unroll-outer", Reason: "a body whose inner loops are fully unrolled is small only without their array accesses"},
		{Before: "unroll-outer", After: "constfold-late", Reason: "the induction variable of a copy is a sum"},
		{Before: "unroll-outer", After: "rotate", Reason: "it expects the test in the header"},
		{Before: "unroll", After: "rotate", Reason: "it expects the test in the header"},
		{Before: "divide", After: "narrowloop", Reason: "it removes the test of the bypass"},
		{Before: "narrowloop", After: "rotate", Reason: "it expects the phis of the operands in the header"},
		{Before: "divide", After: "licm-rotated", Reason: "the multiplier for an invariant divisor is invariant"},
		{Before: "readonly", After: "licm-rotated", Reason: "a marked load is invariant in loops with barriers too"},
		{Before: "rotate", After: "licm-rotated", Reason: "after rotation the body executes whenever the loop is entered, so its loads may be hoisted"},
		{Before: "rotate", After: "once", Reason: "the first iteration is then executed whenever the loop is entered"},
		{Before: "dce-addresses", After: "once", Reason: "a dead value that differs between iterations would keep a loop"},
		{Before: "once", After: "licm-rotated", Reason: "a loop that is gone needs nothing hoisted out of it"},
		{Before: "gvn", After: "idiom", Reason: "a step is found by its operands, which must be one value"},
		{Before: "idiom", After: "unroll", Reason: "copies of a loop are no idiom"},
		{Before: "idiom", After: "narrow", Reason: "a count of bits has a small range"},
		{Before: "licm", After: "looptest", Reason: "the bound must be computed before the loop"},
		{Before: "looptest", After: "unroll", Reason: "the trip count needs an induction variable in the test"},
		{Before: "licm", After: "unroll", Reason: "the trip count needs a bound that is loop-invariant"},
		{Before: "constfold-inlined", After: "peel", Reason: "the first value of an induction variable may be computed from constants"},
		{Before: "peel", After: "sccp", Reason: "the tests of the first iteration are constants"},
		{Before: "peel", After: "promote", Reason: "what the first iteration alone accesses would keep memory from a register"},
		{Before: "licm", After: "promote", Reason: "it leaves a preheader, and the address outside of the loop"},
		{Before: "gvn", After: "promote", Reason: "equal addresses must be one value"},
		{Before: "promote", After: "unroll", Reason: "a load of what another iteration stores keeps a loop from being unrolled"},
		{Before: "promote", After: "rotate", Reason: "it leaves out the test that promotion has copied before the loop"},
		{Before: "licm-rotated", After: "promote-rotated", Reason: "an address is invariant in the loop around one that was unrolled"},
		{Before: "promote-rotated", After: "vectorise", Reason: "loads before a loop and stores behind it can be vectors"},
		{Before: "gvn-straight", After: "promote-rotated", Reason: "addresses at constant distances must have one base"},
		{Before: "licm-rotated", After: "speculate", Reason: "an invariant value should leave the loop rather than move inside it"},
		{Before: "unroll", After: "vectorise", Reason: "adjacent accesses come from the copies of a body"},
		{Before: "unroll", After: "lsr", Reason: "the trip count and the copies of a body are found by the products of the induction variable"},
		{Before: "rotate", After: "lsr", Reason: "the value of the header's phis on exit edges would keep recurrences live"},
		{Before: "reassociate", After: "lsr", Reason: "sums that differ by a constant or stride are found by their terms, which recurrences hide"},
		{Before: "unroll", After: "loadsahead", Reason: "the loads of the copies of a body are behind the stores of others"},
		{Before: "gvn-last", After: "loadsahead", Reason: "a redundant load would be moved, and take a register"},
		{Before: "loadsahead", After: "vectorise", Reason: "the elements of a vector must stay next to each other"},
		{Before: "vectorise", After: "lsr", Reason: "a recurrence is an address of unknown origin"},
		{Before: "lsr", After: "dce-late", Reason: "the induction variable may be dead"},
		{Before: "lsr", After: "contract", Reason: "it leaves the products that only sums use"},
		{Before: "dce-addresses", After: "licm-rotated", Reason: "dead values would be hoisted, and counted as register pressure"},
		{Before: "addresses", After: "licm-rotated", Reason: "the variable part of an address may be invariant although the whole is not"},
	}
}

// valueOrders has the others.
func valueOrders() []pass.Order {
	return []pass.Order{
		{Before: "simplifycfg", After: "mem2reg", Reason: "fewer blocks need fewer phis"},
		{Before: "mem2reg", After: "constfold", Reason: "a constant stored to memory is not folded"},
		{Before: "constfold", After: "inline", Reason: "code that folds away should not count against the budget"},
		{Before: "dce", After: "inline", Reason: "dead values would count against the budget"},
		{Before: "inline", After: "mem2reg-inlined", Reason: "variables whose address went to a call can be promoted once the call is gone"},
		{Before: "inline", After: "spaces", Reason: "only a kernel's parameters are known to point to global memory, so the body must be inlined into its kernel"},
		{Before: "inline", After: "simplifycfg-inlined", Reason: "inlining splits the block of the call"},
		{Before: "mem2reg-inlined", After: "constfold-inlined", Reason: "arguments passed by address become constants only then"},
		{Before: "mem2reg-inlined", After: "addresstests", Reason: "the origin of a pointer in a variable is not known"},
		{Before: "addresstests", After: "sccp", Reason: "a block that is not executed goes before it can keep values alive"},
		{Before: "constfold-inlined", After: "sumorder", Reason: "constants are second operands only after folding"},
		{Before: "mem2reg-inlined", After: "sumorder", Reason: "the ranks of variables follow from the values in them"},
		{Before: "sumorder", After: "gvn", Reason: "the rank of a product follows from its own loads, before they are merged with others"},
		{Before: "gvn-last", After: "contract", Reason: "a product that is computed twice has fewer uses"},
		{Before: "dce-late", After: "contract", Reason: "a dead use would keep a product from being contracted"},
		{Before: "simplifycfg-late", After: "contract", Reason: "a product is contracted into sums of its block only"},
		{Before: "constfold-inlined", After: "gvn", Reason: "equal values have one canonical form only after folding"},
		{Before: "mem2reg-inlined", After: "spaces", Reason: "the origin of a pointer loaded from memory is not known"},
		{Before: "spaces", After: "constfold-late", Reason: "it inserts pairs of casts that cancel"},
		{Before: "spaces", After: "gvn-late", Reason: "it clones address computations, some of them twice"},
		{Before: "spaces", After: "dce-late", Reason: "the generic address computations are dead afterwards"},
		{Before: "spaces", After: "readonly", Reason: "only a load from global memory can use the read-only cache"},
		{Before: "readonly", After: "gvn-late", Reason: "a marked load is redundant across barriers too"},
		{Before: "gvn-late", After: "divide", Reason: "a quotient and a remainder are paired by their operands, which must be one value"},
		{Before: "gvn-late", After: "reciprocal", Reason: "a quotient and a remainder are paired by their operands, which must be one value"},
		{Before: "reciprocal", After: "divide", Reason: "the bypass replaces the 64-bit divisions by loop-invariant divisors that it looks for"},
		{Before: "reciprocal", After: "gvn-straight", Reason: "divisions by one divisor share its reciprocal"},
		{Before: "constfold-inlined", After: "sccp", Reason: "it folds integers only, with constants as second operands"},
		{Before: "sccp", After: "gvn", Reason: "unreachable stores no longer kill available loads"},
		{Before: "ifconvert", After: "threading", Reason: "a choice of values should become a select, not a copy of the block"},
		{Before: "gvn-late", After: "factor", Reason: "common factors, and a quotient and its remainder, are found by their operands, which must be one value"},
		{Before: "factor", After: "reciprocal", Reason: "divisions that it makes dead should not be expanded"},
		{Before: "factor", After: "divide", Reason: "divisions that it makes dead should not be expanded"},
		{Before: "factor", After: "addresses", Reason: "it adds constants to addresses last"},
		{Before: "gvn-late", After: "narrow", Reason: "a fact about a value then holds for all its redundant copies"},
		{Before: "gvn-late", After: "dse", Reason: "a redundant load would keep a store alive"},
		{Before: "gvn-late", After: "pre", Reason: "a fully redundant value needs no phi"},
		{Before: "pre", After: "dce-addresses", Reason: "the addresses of loads that are removed are dead"},
		{Before: "gvn", After: "joinloads", Reason: "a part that is loaded twice is one value"},
		{Before: "joinloads", After: "mem2reg-unrolled", Reason: "an array that is stored in words and loaded in parts stays in memory"},
		{Before: "dse", After: "joinloads-late", Reason: "a store of a part is a use of it"},
		{Before: "dce-addresses", After: "joinloads-late", Reason: "a dead phi of a part is a use of it"},
		{Before: "gvn", After: "crossjump", Reason: "the operands of identical blocks must be one value"},
		{Before: "crossjump", After: "hoist", Reason: "it takes operations out of one of several identical blocks"},
		{Before: "crossjump", After: "ifconvert", Reason: "branches that share a successor become one"},
		{Before: "gvn", After: "hoist", Reason: "common values are found by their operands, which must be one value"},
		{Before: "hoist", After: "ifconvert", Reason: "shorter sides are within the limit"},
		{Before: "gvn", After: "ifconvert", Reason: "redundant values in a side would count against the limit"},
		{Before: "constfold-unrolled", After: "mem2reg-unrolled", Reason: "an array whose indexes are all constants can be promoted"},
		{Before: "ifconvert", After: "speculate", Reason: "a branch that is converted needs no speculation"},
		{Before: "gvn-last", After: "vectorise", Reason: "two loads of one address must be one element of a vector"},
		{Before: "vectorise", After: "dce-late", Reason: "it recomputes addresses and leaves the old ones dead"},
		{Before: "spaces", After: "addresses", Reason: "it rewrites the pointer additions that accesses use"},
		{Before: "addresses", After: "dce-addresses", Reason: "most generic addresses and rewritten sums are dead"},
		{Before: "speculate", After: "gvn-straight", Reason: "moved values dominate their redundant copies"},
		{Before: "speculate", After: "reassociate", Reason: "an address is computed only from one that dominates it (gpucc, Figure 7)"},
		{Before: "gvn-straight", After: "slsr", Reason: "equal bases and strides must be one value"},
		{Before: "slsr", After: "reassociate", Reason: "it makes the sums that are regrouped (gpucc, Figure 5)"},
		{Before: "reassociate", After: "gvn-last", Reason: "it leaves redundant sums"},
		{Before: "divide", After: "constfold-last", Reason: "it makes multiplications by constants, which fold"},
		{Before: "simplifycfg-late", After: "uniform", Reason: "a mark is valid for the branch in its final place"},
		{Before: "gvn-late", After: "dce-late", Reason: "folding and value numbering leave their inputs dead"},
		{Before: "dce-late", After: "simplifycfg-late", Reason: "a block may become empty when its dead values are removed"},
	}
}

// each makes a pass over a function one over the functions of a module.
func each(fn func(*ssa.Func, *pass.Run)) func(*Work, *pass.Run) error {
	return eachIn(func(_ *ssa.Module, f *ssa.Func, r *pass.Run) { fn(f, r) })
}

// eachIn is each for a pass that needs the module, for its variables.
func eachIn(fn func(*ssa.Module, *ssa.Func, *pass.Run)) func(*Work, *pass.Run) error {
	return func(w *Work, r *pass.Run) error {
		for _, f := range w.Module.Funcs {
			if len(f.Blocks) == 0 {
				continue
			}
			if err := r.Unit("@"+f.Name, func() error {
				fn(w.Module, f, r)
				if sparse(f) {
					f.Gather()
				}
				w.scratch.Reset()
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}
}

// sparseFrom is the number of values from which dead ones cost time: that many
// values and the tables indexed by their numbers exceed the nearest caches.
const sparseFrom = 1 << 13

// sparse reports whether f is large and most of its values are dead, so that
// gathering the live ones makes the following passes faster.
func sparse(f *ssa.Func) bool { return f.NumValues() > sparseFrom && f.NumValues() > 2*size(f) }
