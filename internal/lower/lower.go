package lower

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/source"
	"irgl/syntax"
)

// Names of the lowered program that a runtime needs.
const (
	GraphTag = "irgl_graph" // tag of the struct that holds the graph's arrays
	RunFunc  = "irgl_run"   // host function: initialise, run the entry, settle

	// Host variables of the device library.
	MaxBlocksVar  = "irgl_max_blocks"
	CapacityVar   = "irgl_capacity"
	IterationsVar = "irgl_iterations"

	// OverflowFunc is the host function that a worklist's overflow calls, with
	// the number of items needed.
	OverflowFunc = "irgl_overflow"
)

// Options chooses among forms of the lowered program.
type Options struct {
	Index64      bool // 64-bit row offsets and edge numbers
	BlockThreads int  // threads of a block; 0 for 256
}

// Lower returns the CUDA program for an IrGL program that checked without
// errors. The tree of info is not changed.
func Lower(info *check.Info, diags *source.List, o Options) (*syntax.File, error) {
	if o.BlockThreads == 0 {
		o.BlockThreads = 256
	}
	lib, err := devlib.Load(devlib.Options{Index64: o.Index64})
	if err != nil {
		return nil, fmt.Errorf("device library: %w", err)
	}
	l := &lowerer{info: info, diags: diags, o: o, lib: lib, span: at(info.File)}
	l.classify()
	l.file()
	out := &syntax.File{Span: l.span, Name: info.File.Name, Dialect: syntax.CUDA}
	out.Decls = append(out.Decls, lib.Select(l.libraryNames()...)...)
	out.Decls = splitByKind(out.Decls, l.out)
	return out, nil
}

// A variant is a kernel with the reduction that its invocations name.
type variant struct {
	kernel *check.FuncInfo
	aggr   syntax.Aggr
}

// name returns the name of the variant's __global__ function.
func (v variant) name() string {
	return v.kernel.Decl.Name.Name + [...]string{"", "_any", "_all"}[v.aggr]
}

type lowerer struct {
	info  *check.Info
	diags *source.List
	o     Options
	lib   *devlib.Library
	span  syntax.Span // of the whole file, for what the program does not name

	graphName string
	usesGraph map[*check.FuncInfo]bool // plain functions that take the graph
	inKernel  map[*check.FuncInfo]bool // plain functions that kernels call
	inHost    map[*check.FuncInfo]bool // plain functions that host functions call
	onDevice  map[*check.Object]bool   // globals that kernels use
	accessed  map[*check.Object]bool   // properties and device globals that host functions access
	accessors []*check.Object          // the same, in order of first use
	inits     []string                 // kernels that initialise properties

	out []syntax.Decl // of the program, in order

	function // of the function being lowered
}

// function is the state that each function starts afresh.
type function struct {
	fn          *check.FuncInfo
	host        bool
	aggr        syntax.Aggr
	names       map[string]bool          // identifiers in the function's text
	renamed     map[*check.Object]string // the few that need another name
	loops       []*loop
	dst         map[*check.Object]string // edge variable -> name of its cached destination
	in, outList string                   // names of the worklist parameters
	pipe        string                   // expression for the pipe context, "" outside one
	ownPipe     bool                     // the context is a local of this function
}

// A loop is an enclosing loop of the statement being lowered.
type loop struct {
	forAll bool
	label  string // of the end of the body
	used   bool   // something jumps to label
}

// classify finds where functions and globals are used.
func (l *lowerer) classify() {
	l.graphName = "graph"
	if l.info.Graph != nil {
		l.graphName = l.info.Graph.Name.Name
	}
	l.usesGraph = map[*check.FuncInfo]bool{}
	l.inKernel = map[*check.FuncInfo]bool{}
	l.inHost = map[*check.FuncInfo]bool{}
	l.onDevice = map[*check.Object]bool{}
	l.accessed = map[*check.Object]bool{}
	for _, f := range l.info.Funcs {
		switch f.Decl.Kind {
		case syntax.KernelFunc:
			l.reach(f, l.inKernel)
			for _, o := range slices.Concat(f.Reads, f.Writes) {
				l.onDevice[o] = true
			}
		case syntax.HostFunc:
			l.reach(f, l.inHost)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range l.info.Funcs {
			if f.Decl.Kind == syntax.PlainFunc && !l.usesGraph[f] && l.needsGraph(f) {
				l.usesGraph[f], changed = true, true
			}
		}
	}
	for _, f := range l.info.Funcs {
		l.checkShared(f)
	}
}

// reach adds the plain functions that f calls, directly or not, to set.
func (l *lowerer) reach(f *check.FuncInfo, set map[*check.FuncInfo]bool) {
	for _, c := range f.Calls {
		if c.Decl.Kind == syntax.PlainFunc && !set[c] {
			set[c] = true
			l.reach(c, set)
		}
	}
}

// needsGraph reports whether a plain function reads the graph, itself or
// through a function it calls.
func (l *lowerer) needsGraph(f *check.FuncInfo) bool {
	for _, c := range f.Calls {
		if l.usesGraph[c] {
			return true
		}
	}
	found := false
	syntax.Inspect(f.Decl, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.MemberExpr:
			switch l.info.Types[n.X] {
			case check.Node, check.Edge, check.GraphType:
				found = found || n.Name.Name != "id"
			}
		}
		return !found
	})
	return found
}

// checkShared refuses functions for host and device that touch device data.
func (l *lowerer) checkShared(f *check.FuncInfo) {
	if strings.HasPrefix(f.Decl.Name.Name, "irgl_") {
		n := f.Decl.Name
		l.diags.Errorf(n.Pos(), n.End(), CodeReserved, "the name %s is reserved: names that start with irgl_ are the library's", n.Name)
	}
	if f.Decl.Kind != syntax.PlainFunc || !l.inHost[f] {
		return
	}
	device := l.usesGraph[f]
	for _, o := range slices.Concat(f.Reads, f.Writes) {
		device = device || l.onDevice[o]
	}
	if device {
		n := f.Decl.Name
		d := l.diags.Errorf(n.Pos(), n.End(), CodeSharedFunc, "%s is called from a host function but uses the graph or a variable of kernels", n.Name)
		d.Hint = "make it a Host function, or pass the values it needs"
	}
}

// file lowers every declaration of the program.
func (l *lowerer) file() {
	l.graphStruct()
	for _, d := range l.info.File.Decls {
		switch d := d.(type) {
		case *syntax.TypeDecl:
			l.out = append(l.out, &syntax.TypeDecl{Span: d.Span, Name: d.Name, Type: l.typeExpr(d.Type)})
		case *syntax.VarDecls:
			l.global(d)
		}
	}
	for _, f := range l.info.Funcs {
		if f.Decl.Kind == syntax.PlainFunc && (l.inKernel[f] || l.inHost[f]) {
			l.plainFunc(f)
		}
	}
	l.initKernels()
	var variants []variant
	for _, f := range l.info.Funcs {
		if f.Decl.Kind == syntax.KernelFunc {
			for _, v := range variantsOf(f) {
				l.kernel(v)
				if len(f.Aggrs) > 0 {
					variants = append(variants, v)
				}
			}
		}
	}
	var hosts []syntax.Decl
	kernels := l.out
	l.out = nil
	for _, f := range l.info.Funcs {
		if f.Decl.Kind == syntax.HostFunc {
			l.hostFunc(f)
		}
	}
	hosts, l.out = l.out, kernels
	l.accessFuncs()
	for _, v := range variants {
		l.invokeFunc(v)
	}
	l.initFunc()
	l.out = append(l.out, hosts...)
	l.runFunc()
	l.degreeFuncs()
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

// global lowers a variable declared outside functions: a device variable when
// kernels use it, and a variable of the host otherwise.
func (l *lowerer) global(d *syntax.VarDecls) {
	for _, v := range d.Vars {
		obj := l.info.Defs[v.Name]
		attrs := d.Attrs &^ (syntax.Output | syntax.Static)
		if l.onDevice[obj] {
			attrs |= syntax.Device
		}
		nv := &syntax.VarDecl{Span: v.Span, Type: l.typeExpr(v.Type), Name: ident(at(v.Name), CName(v.Name.Name)), Init: v.Init}
		if v.Init != nil {
			nv.Init = l.expr(v.Init)
		}
		l.out = append(l.out, &syntax.VarDecls{Span: d.Span, Attrs: attrs, Vars: []*syntax.VarDecl{nv}})
	}
}

// libraryNames returns every library name that the lowered program mentions.
func (l *lowerer) libraryNames() []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] && l.lib.Has(name) {
			seen[name] = true
			names = append(names, name)
		}
	}
	add("irgl_index")
	for _, d := range l.out {
		syntax.Inspect(d, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Ident:
				add(n.Name)
			case *syntax.NamedType:
				add(n.Name)
			}
			return true
		})
	}
	return names
}

// splitByKind joins the library's and the program's declarations so that
// every name is declared before its use: types, variables, device code, host
// code. The order within a kind is kept.
func splitByKind(lib, program []syntax.Decl) []syntax.Decl {
	kind := func(d syntax.Decl) int {
		switch d := d.(type) {
		case *syntax.TypeDecl, *syntax.DefineDecl:
			return 0
		case *syntax.VarDecls:
			return 1
		case *syntax.FuncDecl:
			if d.Attrs&(syntax.Global|syntax.Device) != 0 {
				return 2
			}
		}
		return 3
	}
	all := slices.Concat(lib, program)
	slices.SortStableFunc(all, func(a, b syntax.Decl) int { return kind(a) - kind(b) })
	return all
}

// cxxKeywords are the words that a C or IrGL name must not have in a .cu file.
var cxxKeywords = map[string]bool{
	"and": true, "bitand": true, "bitor": true, "catch": true, "class": true, "compl": true,
	"concept": true, "constexpr": true, "decltype": true, "delete": true, "explicit": true,
	"export": true, "friend": true, "mutable": true, "namespace": true, "new": true,
	"noexcept": true, "not": true, "nullptr": true, "operator": true, "or": true,
	"private": true, "protected": true, "public": true, "requires": true, "template": true,
	"this": true, "throw": true, "try": true, "typeid": true, "typename": true, "using": true,
	"virtual": true, "xor": true, "asm": true,
}

// CName returns the name that a variable or function of the program has after
// lowering: its own, changed when C++ reserves it.
func CName(name string) string {
	if cxxKeywords[name] {
		return name + "_"
	}
	return name
}
