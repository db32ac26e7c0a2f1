package lower

import (
	"fmt"
	"maps"
	"slices"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/syntax"
)

// Options chooses among forms of the lowered program.
type Options struct {
	Index64      bool // 64-bit row offsets and edge numbers
	BlockThreads int  // threads of a block; 0 for abi.BlockThreads

	// Outline says which loops of Host functions run on the device; the blocks
	// of their control kernels have OutlineThreads threads, 0 for as many as
	// their kernels allow up to 512, and there are OutlineBlocks of them a
	// multiprocessor, 0 for 2, or fewer if it holds fewer or there is no work
	// for more.
	Outline        Outline
	OutlineThreads int
	OutlineBlocks  int

	// Scope is how many items a worklist may hold for one block to go through
	// the rounds of an outlined loop alone; 0 for never (scope.go). Cluster, if it
	// is not 0, has a cluster of so many blocks do that: 2, 4, 8 or 16.
	Scope, Cluster int

	// Unroll is how many rounds of an outlined Iterate or Pipe are written one after
	// another in its text; 0 and 1 for one.
	Unroll int

	// Ticket gives the locks of Atomic in the order in which threads ask for
	// them.
	Ticket bool

	// ReadOnly loads the graph's arrays by the path for what no kernel writes
	// (IrGL paper, section 4.4), which also lets such loads pass stores.
	ReadOnly bool

	// Batch is how many iterations of a loop over edges a thread begins at
	// once, up to 32; 0 and 1 for one after another (batch.go).
	Batch int
	// Eager loads early what an iteration may leave out, too.
	Eager bool
	// Coop says which threads share the atomics of pushes, reductions and
	// counters (coop.go, counter.go).
	Coop CoopLevel
	// NP says which threads execute the iterations of inner ForAlls; 0 for the thread
	// whose iteration they are in (nested.go).
	NP Schedulers
	// GridLoop, BlockLoop, WarpLoop and FineLoop are the sizes of inner loops
	// from which on ByGrid, ByBlock, ByWarp and, beside Serially, FineGrained
	// take them; 0 for abi.GridLoop, the size of a block, 32 and 4.
	GridLoop, BlockLoop, WarpLoop, FineLoop int
	// Bounds has the items of worklists bring the bounds of their node's edges.
	Bounds bool
	// Ahead has the threads of outlined loops load the first item that they pop
	// beside the count of the list.
	Ahead bool
	// Deal gives each warp of a block iterations that lie apart (nested.go).
	Deal bool
	// Backoff is how conflicts of Exclusive and Retry are kept few.
	Backoff Backoff

	// Parts are the switches of parts of the program, sorted, each of which takes the place
	// of the same one of the whole program there.
	Parts []PartSwitch

	// Limits are the capacities of the device library. They are no switch.
	Limits abi.Limits
}

// An Order is how the items of a worklist that conflict are distributed over threads.
type Order uint8

// The orders.
const (
	AutoOrder   Order = iota // scattered for Exclusive, the list's for Retry
	ListOrder                // the list's
	Scattered                // neighbours in the list are not tried at once
	Consecutive              // a thread tries consecutive items (IrGL paper, section 4.4)
)

// A Backoff is an order in which items that conflict are tried.
type Backoff struct {
	Order Order
	// N is, when scattered, how many items there are for each that is tried at once, 1 for as many at
	// once as there are threads; when consecutive, how many items a thread has at least.
	N int
	// Serial is the length of a list up to which one thread tries its items, one by one.
	Serial int
}

// Lower returns the CUDA program for an IrGL program that checked without
// errors, in the forms that are planned, without the declarations of the device library
// ([devlib.Library.Link]). A node may have several places in it, and nodes of the
// program's tree are among them: what changes the result changes a copy. The program's
// tree is not changed.
func Lower(facts *analysis.Program, planned *plan.Plan, diags *source.List, o Options) (*syntax.File, error) {
	lib, err := devlib.Load(devlib.Options{Index64: o.Index64, Limits: o.Limits})
	if err != nil {
		return nil, fmt.Errorf("device library: %w", err)
	}
	l := newLowerer(facts, diags, o)
	l.lib, l.plan = lib, planned
	l.collectNames()
	l.classify()
	l.outline()
	if err := diags.Err(); err != nil {
		return nil, err
	}
	l.file()
	return &syntax.File{Span: l.span, Name: facts.Info.File.Name, Dialect: syntax.CUDA, Decls: l.out}, nil
}

// newLowerer returns a lowerer that has not looked at the program.
func newLowerer(facts *analysis.Program, diags *source.List, o Options) *lowerer {
	if o.BlockThreads == 0 {
		o.BlockThreads = abi.BlockThreads
	}
	info := facts.Info
	l := &lowerer{
		info: info, facts: facts, diags: diags, o: o, span: at(info.File), graphName: "graph",
		variantNames: map[variant]string{}, waits: map[variant]bool{}, tags: map[*syntax.TagType]*syntax.TagType{},
		usesGraph: facts.UsesGraph, inHost: facts.FromHost, inKernel: maps.Clone(facts.FromKernels), onDevice: facts.OnDevice,
		regions: map[syntax.Node]*region{}, launched: map[variant]bool{}, called: map[variant]bool{}, splits: map[variant]bool{}, fired: map[variant]bool{},
		scopedRuns: map[*check.FuncInfo]int{}, passed: map[*syntax.CBlock]bool{}, accessed: map[*check.Object]map[string]bool{},
	}
	switch {
	case info.Graph != nil:
		l.graphName = localName(info.Graph.Name.Name)
	case info.Mesh != nil:
		l.graphName = localName(info.Mesh.Name.Name)
	}
	return l
}

// A variant is a kernel with the reduction that its invocations name.
type variant struct {
	kernel *check.FuncInfo
	aggr   syntax.Aggr
}

type lowerer struct {
	info  *check.Info
	facts *analysis.Program
	plan  *plan.Plan
	diags *source.List
	o     Options
	lib   *devlib.Library
	span  syntax.Span // of the whole file, for what the program does not name

	graphName    string                              // of the Graph
	textGraph    string                              // of the graph in functions that text.go writes
	types        map[string]bool                     // typedefs and tags of structs and unions that the program declares
	enums        map[string]bool                     // tags of enums
	tags         map[*syntax.TagType]*syntax.TagType // the lowered form of those with a body
	taken        map[string]bool                     // names used outside functions
	variantNames map[variant]string

	usesGraph map[*check.FuncInfo]bool          // plain functions that take the graph
	inKernel  map[*check.FuncInfo]bool          // plain functions that kernels and control kernels call
	inHost    map[*check.FuncInfo]bool          // functions that the entry calls, and itself
	onDevice  map[*check.Object]bool            // globals that kernels use
	accessed  map[*check.Object]map[string]bool // properties and device globals -> what host functions do to them
	accessors []*check.Object                   // the same, in order of first use
	inits     []syntax.Domain                   // those with properties to initialise
	retries   bool                              // some kernel has Retry or Respawn
	passed    map[*syntax.CBlock]bool           // the C text that has been added
	mirrored  bool                              // host functions look at the graph's arrays

	regions    map[syntax.Node]*region // by statement or function
	ordered    []*region               // the same, in order
	launched   map[variant]bool        // variants that host functions invoke
	called     map[variant]bool        // those that control kernels call
	splits     map[variant]bool        // the same, with a barrier behind the arguments
	fired      map[variant]bool        // those that control kernels launch
	scoping    bool                    // one block or cluster may execute some rounds alone
	cluster    int                     // of so many blocks; 0: one block
	scopedRuns map[*check.FuncInfo]int // kernels that it may run again alone, up to so many items
	waits      map[variant]bool        // those in which the grid meets to share long lists (hubs.go)

	out []syntax.Decl // of the program, in order

	function // of the function being lowered
}

// function is the state that each function starts afresh.
type function struct {
	host    bool   // it runs on the host: device data is accessed by functions
	shared  bool   // it runs on the device, too
	graph   string // name of the parameter that carries the graph
	aggr    syntax.Aggr
	names   map[string]bool          // identifiers in the function's text
	numbers map[string]int           // the last number that fresh has given to a name
	loops   []*loop                  // enclosing loops of the statement being lowered
	syncs   bool                     // the threads of the grid wait for each other
	group   *group                   // the ForAll whose iterations meet at barriers, in its body
	dst     map[*check.Object]string // edge variable -> name of its cached far end: see farEnd
	src     map[*check.Object]string // edge variable -> name of its cached source
	index   map[*check.Object]bool   // edge variables that are held as irgl_index

	blocks bool // a parameter says how many blocks work

	tp             *throughput // of a kernel; nil when no throughput pass is on
	popped, pushed string      // names of the worklist parameters
	retried        string      // and of that for items to retry; "" without one
	reduced        string      // and of the pointer to the value of the reduction
	contexts       []string    // names of the open pipe contexts, the innermost last
	inPipe         bool        // the innermost is shared by all inside it

	region *region // the function is its control kernel
	leave  string  // the label at its end
	leaves bool    // something jumps there
}

// A loop is an enclosing loop of the statement being lowered.
type loop struct {
	forAll bool
	copied bool   // the body is not that of a C loop: continue jumps to label
	active string // of a group: the variable that says that the iteration goes on
	label  string // of the end of the body
	used   bool   // something jumps to label
}

// classify finds out what the program needs as a whole, and refuses what cannot be on
// both sides.
func (l *lowerer) classify() {
	for _, f := range l.info.Funcs {
		l.retries = l.retries || f.Decl.Kind == syntax.KernelFunc && retries(f)
		l.checkShared(f)
	}
}

// checkShared refuses functions for host and device that touch device data:
// each side would need a text of its own.
func (l *lowerer) checkShared(f *check.FuncInfo) {
	if f.Decl.Kind != syntax.PlainFunc || !l.inHost[f] || !l.inKernel[f] {
		return
	}
	device := l.usesGraph[f]
	for _, o := range slices.Concat(f.Reads, f.Writes) {
		device = device || l.onDevice[o]
	}
	if device {
		n := f.Decl.Name
		d := l.diags.Errorf(n.Pos(), n.End(), CodeSharedFunc, "%s is called from host functions and from kernels, and uses the graph or a variable of kernels", n.Name)
		d.Hint = "write a function for each, or pass the values it needs"
	}
}

// file lowers every declaration of the program.
func (l *lowerer) file() {
	l.graphStruct()
	for _, d := range l.info.File.Decls {
		switch d := d.(type) {
		case *syntax.TypeDecl:
			if t := l.typeDecl(d); t != nil {
				l.out = append(l.out, t)
			}
		case *syntax.VarDecls:
			l.global(d)
		case *syntax.NamesDecl:
			l.out = append(l.out, d)
		}
	}
	l.addFuncs()
	var plain, hosts []*check.FuncInfo
	for _, f := range l.info.Funcs {
		switch {
		case f.Decl.Kind == syntax.PlainFunc && (l.inKernel[f] || l.inHost[f]):
			plain = append(plain, f)
		case f.Decl.Kind == syntax.HostFunc && l.inHost[f]:
			hosts = append(hosts, f)
		}
	}
	l.functions(plain, l.plainFunc)
	l.textBefore(nil)
	l.initKernels()
	variants := l.kernels()
	for _, v := range l.firedVariants() {
		l.fireFuncs(v)
	}
	for _, r := range l.ordered {
		l.control(r)
	}
	device := l.out
	l.out = nil
	l.functions(hosts, l.hostFunc)
	hostDecls := l.out
	l.out = device
	// The accessors that the program needs are known now.
	l.accessFuncs()
	for _, v := range variants {
		l.invokeFunc(v)
	}
	for _, r := range l.ordered {
		l.launchFunc(r)
	}
	l.initFunc()
	l.out = append(l.out, hostDecls...)
	l.runFunc()
	l.graphFuncs()
}

// kernels lowers all kernels, and returns the variants that the host invokes.
func (l *lowerer) kernels() []variant {
	var invoked []variant
	for _, f := range l.info.Funcs {
		if f.Decl.Kind != syntax.KernelFunc {
			continue
		}
		for _, v := range variantsOf(f) {
			called := l.called[v] || l.splits[v]
			l.kernel(v, l.launched[v] || l.fired[v] || !called, called)
			if l.launched[v] {
				invoked = append(invoked, v)
			}
		}
	}
	return invoked
}

// functions lowers functions of one kind. Those that an earlier one calls are
// declared before all.
func (l *lowerer) functions(list []*check.FuncInfo, lower func(*check.FuncInfo) *syntax.FuncDecl) {
	early := map[*check.FuncInfo]bool{}
	for i, f := range list {
		for _, c := range f.Calls {
			early[c] = early[c] || slices.Index(list, c) > i
		}
	}
	program := l.out
	l.out = nil
	for _, f := range list {
		d := lower(f)
		l.textBefore(f)
		l.out = append(l.out, d)
		if early[f] {
			prototype := *d
			prototype.Body = nil
			program = append(program, &prototype)
		}
	}
	l.out = append(program, l.out...)
}

// variantsOf returns the variants of a kernel that its invocations name, or
// the plain one of a kernel that nothing invokes.
func variantsOf(f *check.FuncInfo) []variant {
	if len(f.Aggrs) == 0 {
		return []variant{{f, syntax.NoAggr}}
	}
	var out []variant
	for _, a := range f.Aggrs {
		out = append(out, variant{f, a})
	}
	return out
}

// global lowers variables declared outside functions: a device variable when
// kernels use it, and a variable of the host otherwise.
func (l *lowerer) global(d *syntax.VarDecls) {
	l.function = function{}
	for _, v := range d.Vars {
		obj := l.info.Defs[v.Name]
		attrs := d.Attrs &^ (syntax.Output | syntax.Static | syntax.Extern)
		if l.onDevice[obj] {
			attrs |= syntax.Device
		}
		nv := &syntax.VarDecl{Span: v.Span, Type: l.typeExpr(v.Type), Name: ident(at(v.Name), nameOf(obj)), Init: l.expr(v.Init)}
		l.out = append(l.out, &syntax.VarDecls{Span: d.Span, Attrs: attrs, Align: l.expr(d.Align), Vars: []*syntax.VarDecl{nv}})
	}
}
