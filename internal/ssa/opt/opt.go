package opt

import (
	"io"
	"sync"

	"irgl/internal/pass"
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

	// Doubles says that the device computes with doubles at half the rate of
	// floats, so that they help to divide integers: sm_80, sm_90, sm_100.
	Doubles bool

	// Passes names the rows of [Passes] to run, in this order; nil runs the
	// list as it stands.
	Passes     []string
	Switch     map[string]bool // passes to switch on or off, by name
	Limit      int             // see pass.Options
	OnUnit     func(n int, pass, unit string, skipped bool)
	Remark     func(pass.Remark)
	Before     func(pass string, m *ssa.Module)
	Verify     bool      // check the module after every pass
	PrintAfter []string  // names of passes, or "all"
	Out        io.Writer // where PrintAfter prints
}

// Work is what a pass of [Passes] works on.
type Work struct {
	Module       *ssa.Module
	InlineBudget int
	Doubles      bool // see Options

	scratch ssa.Scratch // of the function and pass at hand
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
		PrintAfter: o.PrintAfter, Out: o.Out,
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
		var err error
		if list, err = list.Select(o.Passes); err != nil {
			return &pass.Report{}, err
		}
	}
	w := &Work{Module: m, InlineBudget: budget, Doubles: o.Doubles}
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
		cfg   = "blocks that are one become one; jumps to jumps are shortened"
		mem   = "a thread's own variables and parts of structs become values"
		fold  = "constants are computed, identities applied, addresses reassociated"
		merge = "equal values and loads are computed once, across blocks and stores that leave them alone"
		leave = "what does not change in a loop is computed before it"
		dead  = "values and stores that nobody sees are removed"
	)
	perFunc := func(name, doc, source, repeats string, fn func(*ssa.Func, *pass.Run)) pass.Pass[*Work] {
		return pass.Pass[*Work]{Name: name, Doc: doc, Source: source, Repeats: repeats, PerUnit: true, Fn: each(fn)}
	}
	perModule := func(name, doc, source, repeats string, fn func(*ssa.Module, *ssa.Func, *pass.Run)) pass.Pass[*Work] {
		return pass.Pass[*Work]{Name: name, Doc: doc, Source: source, Repeats: repeats, PerUnit: true, Fn: eachIn(fn)}
	}
	return []pass.Pass[*Work]{
		perFunc("simplifycfg", cfg, "", "", simplifyCFG),
		perFunc("mem2reg", mem, gpucc, "", mem2reg),
		perFunc("constfold", fold, "gpucc, 3.4", "", constFold),
		perFunc("dce", dead, "", "", dce),
		{Name: "inline", Doc: "calls are replaced by the bodies of their functions", Source: gpucc, PerUnit: true, Fn: inline},
		perFunc("simplifycfg-inlined", cfg, "", "simplifycfg", simplifyCFG),
		perFunc("mem2reg-inlined", mem, gpucc, "mem2reg", mem2reg),
		perFunc("constfold-inlined", fold, "gpucc, 3.4", "constfold", constFold),
		perFunc("sccp", "constants are found through loops and branches that are never taken", "", "", sccp),
		perModule("gvn", merge, "gpucc, 3.3; NVIDIA, 3.4", "", gvn),
		perFunc("hoist", "what both sides of a branch compute is computed before it", "NVIDIA, 3.4", "", hoistCommon),
		perFunc("ifconvert", "short branches that choose a value become selects", "NVIDIA, 3.2.1; gpucc, 3.5", "", ifConvert),
		perFunc("threading", "branches that a way has decided already are gone round", "NVIDIA, 3.2.1", "", threadJumps),
		perModule("licm", leave, "NVIDIA, 3.4, 3.5", "", licm),
		perModule("unroll", "loops that run a known number of rounds are laid out; others do several rounds in one", gpucc+"; NVIDIA, 3.4", "", unroll),
		perFunc("simplifycfg-unrolled", cfg, "", "simplifycfg", simplifyCFG),
		perFunc("constfold-unrolled", fold, "gpucc, 3.4", "constfold", constFold),
		perFunc("mem2reg-unrolled", mem, gpucc, "mem2reg", mem2reg),
		{Name: "spaces", Doc: "pointers that can only be of one space get its type", Source: "gpucc, 3.2", PerUnit: true, Fn: each(inferSpaces)},
		perModule("readonly", "loads of memory that the kernel does not write are marked", "gpucc, 3.3", "", readOnly),
		perFunc("constfold-late", fold, "gpucc, 3.4", "constfold", constFold),
		perModule("gvn-late", merge, "gpucc, 3.3; NVIDIA, 3.4", "gvn", gvn),
		perFunc("narrow", "what ranges decide is decided; what fits in 32 bits is computed in them", "", "", narrow),
		perModule("dse", "stores that nobody can read are removed", "gpucc, 3.3", "", deadStores),
		perModule("pre", "what some ways have computed is computed on the others, once", "NVIDIA, 3.4", "", partial),
		{Name: "reciprocal", Doc: "divisions become products with reciprocals in doubles, where the device is fast at those", Source: "gpucc, 3.6", PerUnit: true, Fn: func(w *Work, r *pass.Run) error {
			if !w.Doubles {
				return nil
			}
			return each(divideByReciprocals)(w, r)
		}},
		perFunc("divide", "divisions become multiplications, shifts, or fewer bits", "gpucc, 3.6", "", divide),
		perFunc("settle", "a loop whose bypassed division stays short once it is gets a copy that does not ask", "gpucc, 3.6", "", settle),
		perFunc("addresses", "constants move out of indexes into addresses", "gpucc, 3.4.1", "", addresses),
		perFunc("dce-addresses", dead, "", "dce", dce),
		perFunc("rotate", "loops test at the end of a round, and once before the first", "", "", rotate),
		perModule("licm-rotated", leave, "NVIDIA, 3.4, 3.5", "licm", licm),
		perFunc("speculate", "cheap operations move before the branch that they stood behind", "gpucc, 3.5", "", speculate),
		perModule("gvn-straight", merge, "gpucc, 3.3; NVIDIA, 3.4", "gvn", gvn),
		perFunc("slsr", "a product or address near another becomes a sum of it", "gpucc, 3.4.2", "", strengthReduce),
		perFunc("reassociate", "sums are regrouped so that parts that are at hand are used", "gpucc, 3.4.3", "", reassociate),
		perFunc("constfold-last", fold, "gpucc, 3.4", "constfold", constFold),
		perModule("gvn-last", merge, "gpucc, 3.3; NVIDIA, 3.4", "gvn", gvn),
		perModule("vectorise", "neighbouring loads and stores stand in a row, for vector accesses", "NVIDIA, 3.3", "", vectorise),
		perFunc("dce-late", dead, "", "dce", dce),
		perFunc("simplifycfg-late", cfg, "", "simplifycfg", simplifyCFG),
		perFunc("uniform", "branches that do not divide a warp are marked", "NVIDIA, 3.2", "", uniform),
	}
}

func orders() []pass.Order {
	return []pass.Order{
		{Before: "simplifycfg", After: "mem2reg", Reason: "fewer blocks need fewer phis"},
		{Before: "mem2reg", After: "constfold", Reason: "a constant that goes through memory is not seen"},
		{Before: "constfold", After: "inline", Reason: "the budget is for code that is left, not for what folds away"},
		{Before: "dce", After: "inline", Reason: "dead values would count against the budget"},
		{Before: "inline", After: "mem2reg-inlined", Reason: "variables whose address went to a call can be promoted once the call is gone"},
		{Before: "inline", After: "spaces", Reason: "only a kernel's parameters are known to point to global memory, so a body must be in its kernel"},
		{Before: "inline", After: "simplifycfg-inlined", Reason: "a call site is cut into blocks"},
		{Before: "mem2reg-inlined", After: "constfold-inlined", Reason: "arguments that went by address are constants only then"},
		{Before: "constfold-inlined", After: "gvn", Reason: "equal values have one form only after folding"},
		{Before: "mem2reg-inlined", After: "spaces", Reason: "a pointer that goes through memory has no known origin"},
		{Before: "spaces", After: "constfold-late", Reason: "it makes casts there and back"},
		{Before: "spaces", After: "gvn-late", Reason: "it makes a copy of each address computation, some twice"},
		{Before: "spaces", After: "dce-late", Reason: "the generic address computations are dead afterwards"},
		{Before: "spaces", After: "readonly", Reason: "only a load that is known to be global can go through the read-only path"},
		{Before: "readonly", After: "gvn-late", Reason: "a load that is marked is merged over barriers"},
		{Before: "gvn-late", After: "divide", Reason: "a quotient and a remainder are found to belong together by their operands"},
		{Before: "gvn-late", After: "reciprocal", Reason: "a quotient and a remainder are found to belong together by their operands"},
		{Before: "reciprocal", After: "divide", Reason: "the bypass leaves no division of 64 bits whose divisor a loop does not change"},
		{Before: "reciprocal", After: "licm-rotated", Reason: "the reciprocal of an invariant divisor is invariant"},
		{Before: "reciprocal", After: "gvn-straight", Reason: "divisions by one divisor share its reciprocal"},
		{Before: "constfold-inlined", After: "sccp", Reason: "it folds whole numbers only, from constants in their places"},
		{Before: "sccp", After: "gvn", Reason: "what never runs hides nothing"},
		{Before: "ifconvert", After: "threading", Reason: "a choice of values is a select, and no reason to copy"},
		{Before: "unroll", After: "narrow", Reason: "the rounds of a loop have ranges of their own once they are apart"},
		{Before: "gvn-late", After: "narrow", Reason: "a fact about a value is one about all its equals"},
		{Before: "gvn-late", After: "dse", Reason: "a load that was redundant keeps no store alive"},
		{Before: "gvn-late", After: "pre", Reason: "what is redundant on all ways needs no phi"},
		{Before: "pre", After: "licm-rotated", Reason: "a load that only some rounds repeat is then seen as such"},
		{Before: "gvn", After: "hoist", Reason: "the same in both sides is seen by its operands, which must be one value"},
		{Before: "hoist", After: "ifconvert", Reason: "a side with less in it is short enough to fold"},
		{Before: "gvn", After: "ifconvert", Reason: "a side that is redundant costs nothing"},
		{Before: "ifconvert", After: "unroll", Reason: "a body without branches is counted, and copied, for less"},
		{Before: "constfold-inlined", After: "unroll", Reason: "rounds are counted from constants"},
		{Before: "unroll", After: "constfold-unrolled", Reason: "the round is a constant in each copy"},
		{Before: "constfold-unrolled", After: "mem2reg-unrolled", Reason: "an array of which all indexes are constants can be promoted"},
		{Before: "unroll", After: "rotate", Reason: "it looks for the test at the head of the loop"},
		{Before: "divide", After: "settle", Reason: "it looks for the bypass"},
		{Before: "settle", After: "rotate", Reason: "it looks for values of the header, which a rotated loop has elsewhere"},
		{Before: "divide", After: "licm-rotated", Reason: "the multipliers of an invariant division are invariant"},
		{Before: "readonly", After: "licm-rotated", Reason: "a load that is marked leaves loops with barriers"},
		{Before: "rotate", After: "licm-rotated", Reason: "a load may leave a body that is sure to run"},
		{Before: "licm", After: "unroll", Reason: "rounds are counted up to a bound that the loop does not load anew"},
		{Before: "licm-rotated", After: "speculate", Reason: "what leaves the loop need not move within it"},
		{Before: "ifconvert", After: "speculate", Reason: "a branch that goes away whole needs no speculation"},
		{Before: "gvn-last", After: "vectorise", Reason: "two loads of one address are one member of a vector"},
		{Before: "unroll", After: "vectorise", Reason: "neighbours are found in the copies of a body"},
		{Before: "vectorise", After: "dce-late", Reason: "it makes its addresses anew"},
		{Before: "spaces", After: "addresses", Reason: "it makes the pointer additions that accesses go through"},
		{Before: "addresses", After: "dce-addresses", Reason: "generic addresses and what parts were taken from are dead, most of them"},
		{Before: "dce-addresses", After: "licm-rotated", Reason: "dead values would leave loops, and count as registers there"},
		{Before: "addresses", After: "licm-rotated", Reason: "the variable part of an address may be invariant where the whole was not"},
		{Before: "speculate", After: "gvn-straight", Reason: "it makes values dominate their equals"},
		{Before: "gvn-straight", After: "slsr", Reason: "equal bases and strides must be one value"},
		{Before: "slsr", After: "reassociate", Reason: "the sums that it makes are what is regrouped (gpucc, Figure 5)"},
		{Before: "reassociate", After: "gvn-last", Reason: "it leaves sums that are equal to others"},
		{Before: "divide", After: "constfold-last", Reason: "it makes multiplications by constants"},
		{Before: "simplifycfg-late", After: "uniform", Reason: "a mark holds for the branch where it stands"},
		{Before: "gvn-late", After: "dce-late", Reason: "folding and merging leave their inputs behind"},
		{Before: "dce-late", After: "simplifycfg-late", Reason: "a block becomes empty when its values die"},
	}
}

// each makes a pass over a function one over the functions of a module.
func each(fn func(*ssa.Func, *pass.Run)) func(*Work, *pass.Run) error {
	return eachIn(func(_ *ssa.Module, f *ssa.Func, r *pass.Run) { fn(f, r) })
}

// eachIn is each for a pass that asks the module about its variables.
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

// sparseFrom is the number of values from which it matters how many of them are
// dead: a MiB of them, and the lists by their numbers, are more than the nearest
// caches hold.
const sparseFrom = 1 << 13

// sparse reports whether f is large and most of its values are dead, so that
// the passes to come gain from having those that live in one place.
func sparse(f *ssa.Func) bool { return f.NumValues() > sparseFrom && f.NumValues() > 2*size(f) }
