package opt

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/lower"
	"irgl/internal/pass"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Options steers a run. The zero Options runs what is required.
type Options struct {
	Lower lower.Options // the throughput switches, which switch rows on
	Tree  tree.Options  // switches by name of row, verification, dumps, remarks
	// Passes names the rows to run, in this order; nil runs the list as it is.
	Passes []string
}

// Work is what a row of [Passes] works on: a program on its way.
type Work struct {
	Options lower.Options

	// Of the IrGL program, until it is lowered.
	facts    *analysis.Program
	plan     *plan.Plan                           // what is decided about it
	verdicts map[*analysis.Outline]verdict        // see movable
	rounds   map[*analysis.Outline]roundsNote     // what the row scope says
	runs     map[*check.FuncInfo]int              // kernels that one block runs again, and up to how many items
	stays    map[*analysis.Nest][]analysis.Reason // see staysIn
	known    map[*check.FuncInfo]*kernel          // see kernel
	checked  bool                                 // what the program itself decides is legal
	settings map[*check.FuncInfo]*kernelSettings  // see settingsOf

	everywhere map[string]bool                // rows that are on for the whole program: see addParts
	lowered    map[source.Pos]*check.FuncInfo // see kernelOf

	diags *source.List
	lib   *devlib.Library
	file  *syntax.File
	own   bool // no node of the lowered tree may have two places
	check bool // the plan is verified
	whole bool // the device library's declarations are there
}

// File returns the program as it is: before it is lowered, with what is decided about
// it as attributes.
func (w *Work) File() *syntax.File {
	if w.plan != nil && w.file.Dialect == syntax.IrGL {
		return w.plan.Write(w.file)
	}
	return w.file
}

// Whole returns the program with the declarations of the device library that it
// names.
func (w *Work) Whole() (*syntax.File, error) {
	if w.whole || w.file.Dialect != syntax.CUDA {
		return w.File(), w.legal()
	}
	f := *w.file
	f.Decls = w.lib.Link(w.file.Decls)
	return &f, nil
}

// Lower returns the CUDA program of an IrGL program that checked without errors,
// after the rows that o asks for. The tree of info is not changed.
func Lower(info *check.Info, diags *source.List, o lower.Options) (*syntax.File, error) {
	f, _, err := Run(info, diags, Options{Lower: o})
	return f, err
}

// Run runs the list over a checked IrGL program and returns the CUDA program. The
// report has the counters and times of what ran. What lowering refuses is in diags.
func Run(info *check.Info, diags *source.List, o Options) (*syntax.File, *pass.Report, error) {
	w, report, err := run(info, diags, o)
	if err != nil {
		return nil, report, err
	}
	return w.file, report, nil
}

func run(info *check.Info, diags *source.List, o Options) (*Work, *pass.Report, error) {
	w := newPlan(info, diags, o.Lower)
	if err := w.load(); err != nil {
		return nil, nil, err
	}
	report, err := w.run(o)
	return w, report, err
}

// newPlan returns the work on a program for which nothing has been decided.
func newPlan(info *check.Info, diags *source.List, o lower.Options) *Work {
	return &Work{
		Options: o, diags: diags, file: info.File, facts: analysis.NewProgram(info), plan: info.Plan.Clone(),
		verdicts: map[*analysis.Outline]verdict{}, rounds: map[*analysis.Outline]roundsNote{}, runs: map[*check.FuncInfo]int{},
		stays: map[*analysis.Nest][]analysis.Reason{}, known: map[*check.FuncInfo]*kernel{}, settings: map[*check.FuncInfo]*kernelSettings{},
	}
}

// load reads the device library.
func (w *Work) load() error {
	lib, err := devlib.Load(devlib.Options{Index64: w.Options.Index64, Limits: w.Options.Limits})
	if err != nil {
		return fmt.Errorf("device library: %w", err)
	}
	w.lib = lib
	return nil
}

func (w *Work) run(o Options) (*pass.Report, error) {
	list, t := Passes(), o.Tree
	if o.Passes != nil {
		var err error
		if list, err = list.Select(o.Passes); err != nil {
			return &pass.Report{}, err
		}
	}
	t.Switch = switches(o.Lower)
	maps.DeleteFunc(t.Switch, func(name string, _ bool) bool { return !slices.Contains(list.Names(), name) })
	maps.Copy(t.Switch, o.Tree.Switch)
	w.addParts(list, t.Switch, o.Tree.Switch, o.Passes != nil)
	w.keepGiven(list, t.Switch)
	w.own = t.Verify || slices.ContainsFunc(list.Passes(), func(row pass.Pass[*Work]) bool {
		on, chosen := t.Switch[row.Name]
		runs := !row.Required && (on || !chosen && (!row.Off || o.Passes != nil))
		return runs && !slices.Contains(sharing, row.Name) && !slices.Contains(planning(), row.Name)
	})
	w.check = t.Verify
	return tree.Run(list, w, t)
}

// keepGiven has the rows that check what the program decides about nodes of outline trees
// run for that alone where they are switched off.
func (w *Work) keepGiven(list *pass.List[*Work], on map[string]bool) {
	for _, name := range []string{"outline", "scope"} {
		if !slices.Contains(list.Names(), name) || !w.decides(name) {
			continue
		}
		if on[name] {
			continue
		}
		on[name] = true
		if name == "outline" {
			w.Options.Outline = lower.Outline{}
		} else {
			w.Options.Scope = 0
		}
	}
}

// decides reports whether a statement of the program has the attribute name.
func (w *Work) decides(name string) bool {
	if w.facts == nil {
		return false
	}
	for n := range w.facts.Info.File.Attributes {
		if w.given(n, name) {
			return true
		}
	}
	return false
}

// given reports whether the program itself decides what the attribute name says about
// a statement: switches leave that alone.
func (w *Work) given(n syntax.Node, name string) bool { return plan.Given(w.facts.Info.File, n, name) }

// Passes returns the rows in the order in which they run.
func Passes() *pass.List[*Work] { return passes() }

var passes = sync.OnceValue(func() *pass.List[*Work] { return pass.MustList(rows(), orders()) })

// planning returns the names of the rows that decide about an IrGL program, which they do
// not change: those in front of lowering.
func planning() []string {
	names := Passes().Names()
	return names[:slices.Index(names, "lower")]
}

// sharing are the rows for which a node may have several places in the lowered tree.
var sharing = []string{"backoff", "gather", "warp-push"}

// switches returns the rows that the throughput switches turn on, or off.
func switches(o lower.Options) map[string]bool {
	on := map[string]bool{}
	for name, wanted := range map[string]bool{
		"outline":     o.Outline.Any(),
		"scope":       o.Scope > 0,
		"batch":       o.Batch > 1,
		"tally":       o.Coop != lower.CoopNone,
		"lanes":       o.Coop >= lower.CoopWarp,
		"np-gr":       o.NP&lower.ByGrid != 0,
		"np-tb":       o.NP&lower.ByBlock != 0,
		"np-wp":       o.NP&lower.ByWarp != 0,
		"np-fg":       o.NP&lower.FineGrained != 0,
		"np-serial":   o.NP&lower.Serially != 0,
		"reserve":     o.Coop != lower.CoopNone,
		"queue":       o.Coop == lower.CoopBlock,
		"deal":        o.Deal,
		"bounds":      o.Bounds,
		"ahead":       o.Ahead,
		"warp-push":   o.Coop >= lower.CoopWarp,
		"gather":      o.Coop != lower.CoopNone,
		"pipe-unroll": o.Unroll > 1,
		"ticket":      o.Ticket,
		"ldg":         o.ReadOnly,
	} {
		if wanted {
			on[name] = true
		}
	}
	on["backoff"] = o.Backoff.Order != lower.ListOrder
	return on
}

func rows() []pass.Pass[*Work] {
	return []pass.Pass[*Work]{
		{Name: "given", Doc: "checks what the attributes of the program decide", Required: true, Fn: checkGiven},
		{Name: "batch", Doc: "has loops over edges begin several iterations at once", Off: true, PerUnit: true, Fn: perKernel(batchLoops)},
		{Name: "tally", Doc: "has a thread, or the threads of a warp or a block together, add what they gather to a counter once", Source: "IrGL, 4.2", Off: true, PerUnit: true, Fn: perKernel(gatherCounters)},
		{Name: "lanes", Doc: "has the lanes of a warp that come to a counter together add to it once", Source: "IrGL, 4.2", Off: true, PerUnit: true, Fn: perKernel(shareCounters)},
		{Name: "np-gr", Doc: "has all blocks of the grid share the longest inner ForAlls at the end of the kernel", Off: true, PerUnit: true, Fn: byGrid},
		{Name: "np-tb", Doc: "has the threads of a block execute long inner ForAlls, one after another", Source: "IrGL, 4.3", Off: true, PerUnit: true, Fn: byBlock},
		{Name: "np-wp", Doc: "has the lanes of a warp execute inner ForAlls, one after another", Source: "IrGL, 4.3", Off: true, PerUnit: true, Fn: byWarp},
		{Name: "np-fg", Doc: "has consecutive threads of a block execute consecutive iterations of inner ForAlls", Source: "IrGL, 4.3", Off: true, PerUnit: true, Fn: byFine},
		{Name: "np-serial", Doc: "leaves short inner ForAlls to the threads whose iterations they are in", Source: "IrGL, 4.3", Off: true, PerUnit: true, Fn: bySelf},
		{Name: "reserve", Doc: "has a thread, a warp or a block reserve room for what a loop pushes in front of it", Source: "IrGL, 4.2", Off: true, PerUnit: true, Fn: perKernel(reservePushes)},
		{Name: "queue", Doc: "has the threads of a block push to queues in shared memory", Source: "IrGL, 4.2", Off: true, PerUnit: true, Fn: perKernel(queuePushes)},
		{Name: "deal", Doc: "gives the warps of a block iterations that lie apart", Off: true, PerUnit: true, Fn: perKernel(dealIterations)},
		{Name: "outline", Doc: "plans which loops of Host functions become control kernels", Source: "IrGL, 4.1", Off: true, PerUnit: true, Fn: outline},
		{Name: "scope", Doc: "plans which outlined loops one block or cluster executes alone while their list is short", Off: true, PerUnit: true, Fn: scope},
		{Name: "lower", Doc: "removes the nodes of IrGL: kernels, worklists, pipes and loops over the graph become CUDA", Source: "report, 3 and 4", Required: true, Fn: lowering},
		{Name: "backoff", Doc: "distributes the items of a list that exclude each other over threads: scattered, or in blocks", Source: "IrGL, 4.4", Fn: backoff},
		{Name: "gather", Doc: "has a thread, or the threads of a warp or a block together, contribute to a reduction once", Source: "IrGL, 4.2", Off: true, PerUnit: true, Fn: perFunc(gatherReductions)},
		{Name: "warp-push", Doc: "has the lanes of a warp that push together reserve room by one atomic", Source: "IrGL, 4.2", Off: true, PerUnit: true, Fn: warpPushes},
		{Name: "bounds", Doc: "has the items of worklists bring the bounds of their node's edges", Off: true, Fn: itemBounds},
		{Name: "ahead", Doc: "has the threads of outlined loops load their first item beside the count of the list", Off: true, Fn: loadAhead},
		{Name: "pipe-unroll", Doc: "writes several rounds of an outlined loop one after another", Source: "IrGL, 4.4", Off: true, PerUnit: true, Fn: perFunc(unrollPipes)},
		{Name: "ticket", Doc: "gives the locks of Atomic in the order in which threads ask for them", Source: "report, 3.2.1", Off: true, Fn: tickets},
		{Name: "ldg", Doc: "loads the graph's arrays by the path for read-only data", Source: "IrGL, 4.4", Off: true, PerUnit: true, Fn: perFunc(readOnly)},
		{Name: "library", Doc: "adds the declarations of the device library that the program names", Required: true, Fn: link},
	}
}

func orders() []pass.Order {
	return []pass.Order{
		{Before: "given", After: "batch", Reason: "what the program decides is legal by itself, and stays"},
		{Before: "given", After: "tally", Reason: "what the program decides is legal by itself, and stays"},
		{Before: "tally", After: "lanes", Reason: "what is gathered is not shared"},
		{Before: "tally", After: "np-gr", Reason: "how much shared memory counters leave to closures is known then"},
		{Before: "np-gr", After: "np-tb", Reason: "a policy takes what those before it leave"},
		{Before: "np-tb", After: "np-wp", Reason: "a policy takes what those before it leave"},
		{Before: "np-wp", After: "np-fg", Reason: "a policy takes what those before it leave"},
		{Before: "np-fg", After: "np-serial", Reason: "a policy takes what those before it leave"},
		{Before: "np-serial", After: "reserve", Reason: "a block can reserve room in front of a loop that policies execute"},
		{Before: "reserve", After: "queue", Reason: "what is pushed to reserved room takes no queue"},
		{Before: "queue", After: "deal", Reason: "it deals the iterations that a block executes together"},
		{Before: "batch", After: "lower", Reason: "lowering expands what is planned"},
		{Before: "lanes", After: "lower", Reason: "lowering expands what is planned"},
		{Before: "deal", After: "lower", Reason: "lowering expands what is planned"},
		{Before: "deal", After: "outline", Reason: "how large the blocks of a control kernel can be depends on what its kernels have in shared memory"},
		{Before: "outline", After: "scope", Reason: "one block goes on alone in a control kernel only"},
		{Before: "scope", After: "lower", Reason: "lowering expands what is planned"},
		{Before: "lower", After: "backoff", Reason: "a ForAll with barriers is a loop in groups only then"},
		{Before: "backoff", After: "library", Reason: "it calls other functions of the library"},
		{Before: "lower", After: "gather", Reason: "a reduction is a call of the library only then"},
		{Before: "gather", After: "library", Reason: "it calls other functions of the library"},
		{Before: "lower", After: "warp-push", Reason: "lowering writes the pushes, and other calls for those that it combines"},
		{Before: "warp-push", After: "bounds", Reason: "a push of an item with bounds has another name"},
		{Before: "warp-push", After: "library", Reason: "it calls other functions of the library"},
		{Before: "lower", After: "ldg", Reason: "an access to the graph is an index expression only then"},
		{Before: "lower", After: "bounds", Reason: "which variable stands for an item is seen by the library's functions that pop and push"},
		{Before: "bounds", After: "ahead", Reason: "the first item is one with bounds then"},
		{Before: "bounds", After: "ldg", Reason: "rows that the item brings are not loaded"},
		{Before: "lower", After: "ahead", Reason: "it rewrites the calls of library functions that pop and that exchange lists"},
		{Before: "ahead", After: "pipe-unroll", Reason: "there is one call to rewrite before the rounds are copied"},
		{Before: "lower", After: "pipe-unroll", Reason: "it copies the calls in the rounds of a control kernel"},
		{Before: "pipe-unroll", After: "library", Reason: "the library has no rounds"},
		{Before: "lower", After: "ticket", Reason: "an Atomic is a loop only then"},
		{Before: "ticket", After: "library", Reason: "it calls other functions of the library"},
		{Before: "ldg", After: "library", Reason: "a row may name functions of the library that nothing named before"},
	}
}

// lowering is the row lower.
func lowering(w *Work, _ *pass.Run) error {
	if w.file.Dialect != syntax.IrGL {
		return nil
	}
	if w.check && w.diags.Errors() == 0 {
		w.checked = true
		if err := w.legal(); err != nil {
			return &pass.InternalError{Pass: "lower", Err: err}
		}
		if err := w.legalNodes(); err != nil {
			return &pass.InternalError{Pass: "scope", Err: err}
		}
	}
	f, err := lower.Lower(w.facts, w.plan, w.diags, w.Options)
	if err != nil {
		return err
	}
	if w.own {
		f = tree.Clone(f)
	}
	w.file = f
	return nil
}

// link is the row library.
func link(w *Work, _ *pass.Run) error {
	f, err := w.Whole()
	w.file, w.whole = f, true
	return err
}

// perFunc makes a pass over a function with a body one over those of a program.
func perFunc(fn func(*Work, *syntax.FuncDecl, *pass.Run)) func(*Work, *pass.Run) error {
	return func(w *Work, r *pass.Run) error {
		for _, d := range w.file.Decls {
			f, ok := d.(*syntax.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			if err := r.Unit(f.Name.Name, func() error {
				fn(w, f, r)
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}
}

// onDevice reports whether a function is device code.
func onDevice(f *syntax.FuncDecl) bool { return f.Attrs&(syntax.Global|syntax.Device) != 0 }
