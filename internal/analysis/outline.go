package analysis

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// This file makes the outline tree of a Host function (IrGL paper, section
// 4.1): which of its Pipes and Iterates, and of the C loops around invocations,
// can run on the device.

// An Outline is one node of the tree: a Pipe, an Iterate, a C loop that invokes
// kernels, or, at the root, the whole function.
type Outline struct {
	ID       int         // its number in the program: see [Program.Outlines]
	Stmt     syntax.Stmt // nil for the whole function
	Children []*Outline
	// Refused are the reasons in the node's own code, its children's left out.
	Refused []Reason

	// CopyIn and CopyOut are the locals whose values the region takes from the
	// host and gives back; Private are those that only it uses.
	CopyIn, CopyOut, Private []*check.Object
	// HostOnly are the globals that the region uses and no kernel does.
	HostOnly []*check.Object
	// Accesses are the host code's accesses of properties and globals, in
	// order. A write is for one thread.
	Accesses []Access
	// Barriers are the nodes before which all threads must wait for each other,
	// beside the barrier after each invocation, in order.
	Barriers []*Node
	// Ends are the arms of ifs at whose ends they must, too.
	Ends []End
	// Split are the invocations whose kernels write what their arguments read:
	// a barrier is between the two.
	Split []*Node
	// Calls are the invocations in the region, those of children included.
	Calls []Invocation
	// Threads are the block sizes that all kernels of the region support, with
	// none of them specialised: see [Sizes].
	Threads Sizes
	Retries bool // a kernel needs a list of items to retry
	Lists   bool // the node opens worklists of its own
	Adds    bool // a kernel adds to the mesh, which can run out of room
	Syncs   bool // a kernel has barriers of its own
	// Inexact are calls whose last bit may differ between host and device.
	Inexact []*syntax.CallExpr

	f *Func
}

// An Access is one access of device memory by host code.
type Access struct {
	Object *check.Object
	Mode   Mode
	Node   *Node
	Expr   syntax.Node
}

// An Invocation is one Invoke or the invocation of an Iterate.
type Invocation struct {
	Node   *Node
	Invoke *syntax.InvokeExpr // nil for an Iterate's own
	Kernel *check.FuncInfo
	Aggr   syntax.Aggr
}

// Movable reports whether the node can be moved to the device: nothing in its
// own code prevents it, and its children can be (IrGL paper, section 4.1).
func (o *Outline) Movable() bool {
	if len(o.Refused) > 0 {
		return false
	}
	return !slices.ContainsFunc(o.Children, func(c *Outline) bool { return !c.Movable() })
}

// Sizes are the numbers of threads a block can have: Min to Max. Elastic
// kernels allow 1 to 1024, shrinkable ones 1 to a bound, and fixed ones, with
// the attribute threads, one number (report, section 4.3).
type Sizes struct{ Min, Max int }

// MaxBlock is the largest number of threads in a block.
const MaxBlock = 1024

// SizesOf returns the block sizes of a kernel as it is written: the one that its
// attribute threads says, those within its __launch_bounds__, or all. A kernel that
// nested parallelism or cooperative conversion gives shared memory is shrinkable
// besides: the memory has room for so many threads, and fewer may use it. Package opt
// narrows the sizes by that.
func SizesOf(k *check.FuncInfo) Sizes {
	if k.Threads > 0 {
		return Sizes{k.Threads, k.Threads}
	}
	if k.MaxThreads > 0 {
		return Sizes{1, min(k.MaxThreads, MaxBlock)}
	}
	return Sizes{1, MaxBlock}
}

// Intersect returns the sizes in both.
func (s Sizes) Intersect(t Sizes) Sizes { return Sizes{max(s.Min, t.Min), min(s.Max, t.Max)} }

// Empty reports whether there is no size.
func (s Sizes) Empty() bool { return s.Min > s.Max }

// Best returns the size that a control kernel takes: the largest; 0 when there
// is none.
func (s Sizes) Best() int {
	if s.Empty() {
		return 0
	}
	return s.Max
}

func (s Sizes) String() string {
	switch {
	case s.Empty():
		return "none"
	case s.Min == s.Max:
		return fmt.Sprint(s.Min)
	}
	return fmt.Sprintf("%d..%d", s.Min, s.Max)
}

// Outline returns the outline tree of a Host function, whose root is the whole
// function.
func (f *Func) Outline() *Outline {
	root := &Outline{f: f}
	f.children(root, f.Fn.Decl.Body)
	f.fill(root, map[*check.FuncInfo]*verdict{})
	return root
}

// children finds the nodes below o in s: Iterate, Pipe, and other loops with
// invocations.
func (f *Func) children(o *Outline, s syntax.Stmt) {
	syntax.Inspect(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case syntax.Loop:
			c := &Outline{Stmt: n, f: f}
			if body := n.LoopBody(); body != nil {
				f.children(c, body)
			}
			if orchestrates(n) || f.invokes(n) {
				o.Children = append(o.Children, c)
			}
			return false
		case syntax.Expr:
			return false
		}
		return true
	})
}

// orchestrates reports whether s is an Iterate or a Pipe.
func orchestrates(s syntax.Stmt) bool {
	switch s.(type) {
	case *syntax.IterateStmt, *syntax.PipeStmt:
		return true
	}
	return false
}

// invokes reports whether a kernel is invoked in s.
func (f *Func) invokes(s syntax.Stmt) bool {
	for i, n := range f.Graph.Nodes {
		if (n.Kind == Invoke || len(f.Effects[i].Invokes) > 0) && n.Within(s) {
			return true
		}
	}
	return false
}

// fill analyses the region of o and of the nodes below it.
func (f *Func) fill(o *Outline, known map[*check.FuncInfo]*verdict) {
	for _, c := range o.Children {
		f.fill(c, known)
	}
	o.CopyIn, o.CopyOut, o.Private = f.Copies(o.Stmt)
	o.Lists = f.opensLists(o.Stmt)
	h := &hostCode{f: f, o: o, known: known}
	region := f.region(o.Stmt)
	for i, n := range f.Graph.Nodes {
		if !f.Dom.Has(n) || !region[i] {
			continue
		}
		f.accesses(o, n)
		f.invocations(o, n)
		if !o.inChild(n) {
			h.node(n, f.Effects[i])
		}
	}
	for _, c := range o.Children {
		o.nested(c)
	}
	for _, k := range o.Calls {
		h.kernel(k)
	}
	o.Threads = o.BlockSizes(nil)
	f.hostOnly(o)
	f.barriers(o)
	for _, c := range o.Calls {
		for _, r := range f.Effects[c.Node.ID].Refs {
			if r.Mode&Read != 0 && slices.Contains(c.Kernel.Writes, r.Object) && !slices.Contains(o.Split, c.Node) {
				o.Split = append(o.Split, c.Node)
			}
		}
	}
}

// inChild reports whether n is part of a node below o.
func (o *Outline) inChild(n *Node) bool {
	return slices.ContainsFunc(o.Children, func(c *Outline) bool { return n.Within(c.Stmt) })
}

// nested notes what a node below o needs that only the host has.
func (o *Outline) nested(c *Outline) {
	if c.Lists {
		o.refuse(c.Stmt, "%s opens worklists of its own", Title(c.Stmt))
		return
	}
	for _, d := range c.Children {
		o.nested(d)
	}
}

// opensLists reports whether s makes worklists: an outermost Pipe, or an
// Iterate of a kernel with a worklist that is in no Pipe.
func (f *Func) opensLists(s syntax.Stmt) bool {
	var inPipe bool
	var n *Node
	switch s := s.(type) {
	case *syntax.PipeStmt:
		n = f.Graph.Heads[s]
	case *syntax.IterateStmt:
		if k := f.kernelOf(s.Kernel); k == nil || !k.UsesWL {
			return false
		}
		n = f.Graph.Heads[s]
	}
	if n == nil {
		return false
	}
	for sc := n.Scope; sc != nil; sc = sc.Outer {
		if _, ok := sc.Stmt.(*syntax.PipeStmt); ok {
			inPipe = true
		}
	}
	return !inPipe
}

// kernelOf returns the kernel that a name denotes.
func (f *Func) kernelOf(id *syntax.Ident) *check.FuncInfo {
	if o := f.Info.Uses[id]; o != nil {
		return o.Func
	}
	return nil
}

// accesses notes the properties and globals that host code at n accesses.
func (f *Func) accesses(o *Outline, n *Node) {
	for _, r := range f.Effects[n.ID].Refs {
		if isShared(r.Object) && r.Object.Const == nil {
			o.Accesses = append(o.Accesses, Access{r.Object, r.Mode, n, r.Expr})
		}
	}
}

// invocations notes the kernels that n invokes.
func (f *Func) invocations(o *Outline, n *Node) {
	if n.Kind == Invoke {
		s := n.Stmt.(*syntax.IterateStmt)
		o.Calls = append(o.Calls, Invocation{n, nil, f.kernelOf(s.Kernel), s.Aggr})
	}
	for _, e := range f.Effects[n.ID].Invokes {
		o.Calls = append(o.Calls, Invocation{n, e, f.kernelOf(e.Kernel), e.Aggr})
	}
}

// hostOnly finds the globals of the region that no kernel uses.
func (f *Func) hostOnly(o *Outline) {
	device := map[*check.Object]bool{}
	for _, k := range f.Info.Funcs {
		if k.Decl.Kind == syntax.KernelFunc {
			for _, g := range slices.Concat(k.Reads, k.Writes) {
				device[g] = true
			}
		}
	}
	for _, a := range o.Accesses {
		if a.Object.Kind == check.VarObj && !device[a.Object] && !slices.Contains(o.HostOnly, a.Object) {
			o.HostOnly = append(o.HostOnly, a.Object)
		}
	}
}

// refuse notes a reason why o cannot be moved.
func (o *Outline) refuse(at syntax.Node, format string, args ...any) {
	r := Reason{at.Pos(), fmt.Sprintf(format, args...)}
	if !slices.Contains(o.Refused, r) {
		o.Refused = append(o.Refused, r)
	}
}

// BlockSizes returns the block sizes that all kernels of the region support,
// T_control of the report (section 4.3), where of gives those of one kernel; nil
// stands for [SizesOf]. When it is empty, the node cannot be outlined.
func (o *Outline) BlockSizes(of func(*check.FuncInfo) Sizes) Sizes {
	if of == nil {
		of = SizesOf
	}
	all := Sizes{1, MaxBlock}
	for _, c := range o.Calls {
		all = all.Intersect(of(c.Kernel))
	}
	return all
}

// Pos returns the place of the node.
func (o *Outline) Pos() source.Pos {
	if o.Stmt == nil {
		return o.f.Fn.Decl.Pos()
	}
	return o.Stmt.Pos()
}

// Title names the node: "Pipe Once", "Iterate Any", "while", or the function.
func (o *Outline) Title() string {
	switch s := o.Stmt.(type) {
	case nil:
		return "Host " + o.f.Fn.Object.Name
	case *syntax.IterateStmt:
		if s.Aggr != syntax.NoAggr {
			return "Iterate " + s.Aggr.String()
		}
		return "Iterate"
	}
	return Title(o.Stmt)
}

// Print writes the whole of what is known of the tree.
func (o *Outline) Print() string {
	var b strings.Builder
	o.print(&b, 0)
	return b.String()
}

func (o *Outline) print(b *strings.Builder, depth int) {
	put := func(format string, args ...any) {
		fmt.Fprintf(b, "%*s"+format+"\n", append([]any{2 * depth, ""}, args...)...)
	}
	state := "stays"
	if o.Movable() {
		state = "movable"
	}
	put("%s at %s: %s, threads %s%s", o.Title(), place(o.Pos()), state, o.Threads, o.flags())
	for _, r := range o.Refused {
		put("  no: %s", r)
	}
	for _, l := range []struct {
		word string
		list []*check.Object
	}{{"in", o.CopyIn}, {"out", o.CopyOut}, {"private", o.Private}, {"host only", o.HostOnly}} {
		if len(l.list) > 0 {
			put("  %s: %s", l.word, names(l.list))
		}
	}
	for _, c := range o.Calls {
		aggr := ""
		if c.Aggr != syntax.NoAggr {
			aggr = " " + c.Aggr.String()
		}
		put("  invokes %s%s at %s", c.Kernel.Object.Name, aggr, c.Node.Name())
	}
	for _, a := range o.Accesses {
		word := "reads"
		if a.Mode&(Write|Escape) != 0 {
			word = "writes"
			if a.Mode&Read != 0 {
				word = "reads and writes"
			}
		}
		put("  %s %s at %s", word, a.Object.Name, a.Node.Name())
	}
	if len(o.Barriers) > 0 {
		put("  barriers before %s", set(o.Barriers))
	}
	for _, e := range o.Ends {
		word := "then"
		if e.Arm == Else {
			word = "else"
		}
		put("  a barrier at the end of the %s of %s", word, o.f.Graph.Heads[e.If].Name())
	}
	if len(o.Split) > 0 {
		put("  barriers after the arguments of %s", set(o.Split))
	}
	for _, c := range o.Inexact {
		put("  inexact %s at %s", line(c), at(c))
	}
	for _, c := range o.Children {
		c.print(b, depth+1)
	}
}

// flags prints what else a node needs.
func (o *Outline) flags() string {
	s := ""
	for _, w := range []struct {
		on   bool
		word string
	}{{o.Lists, "lists"}, {o.Retries, "retries"}, {o.Adds, "adds"}, {o.Syncs, "syncs"}} {
		if w.on {
			s += ", " + w.word
		}
	}
	return s
}

// names prints the names of objects.
func names(list []*check.Object) string {
	var out []string
	for _, o := range list {
		out = append(out, o.Name)
	}
	return strings.Join(out, ", ")
}
