package opt

import (
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// The first item ahead. Behind the barrier of a round, a thread of a control kernel
// waits for the count of the list, finds that there is an item for it, and waits
// for that: two latencies, of which the second need not wait for the first. Here
// each thread loads the item of its own number together with the count, whether
// there is one or not:
//
//	irgl_call_BFS(..., int *irgl_ahead)            ... irgl_body_BFS(..., *irgl_ahead);
//	                                               irgl_grid_barrier();
//	                                               *irgl_ahead = irgl_first(irgl_wl->out);
//	                                               irgl_pipe_turn(irgl_wl);
//	int n = irgl_pop(in, i);                       int n = irgl_pop_ahead(in, i, irgl_ahead);
//
// where irgl_pop_ahead loads only what has another number. What is loaded in vain
// is never used. Legal because no thread writes to a list that is popped, so that
// the item has its value from the barrier on; lists have a value in each place that
// may be loaded like that, which the control kernel sees to at its start. What a run
// retries is another matter: where that is nothing, the next kernel may push to the
// same list before all have looked. There the item is loaded when the count is known.
//
// It applies to the kernels that control kernels call, and there to pops by the
// variable of a loop over the list that begins with the thread's number; not where
// iterations are dealt out in another order. It pays where rounds are short; it
// costs a register or four and, for threads without an item, a load that no thread
// waits for. (Beyond the IrGL paper.)

// popForms are the functions that pop, each with the place of the index among its
// arguments. The form with the first item has _ahead at the end of its name, and
// the item behind the index.
var popForms = map[string]int{"irgl_pop": 1, "irgl_pop_id": 1, "irgl_pop_node": 3}

// An aheadPass is the row ahead at work.
type aheadPass struct {
	*pass.Run
	typ    func(s syntax.Span) syntax.TypeExpr // of an item
	form   string                              // the suffix of the library's functions for lists of such items
	retry  bool                                // there are lists of what is retried
	funcs  map[string]*syntax.FuncDecl
	called map[string]bool // kernels that control kernels call
}

// loadAhead is the row ahead.
func loadAhead(w *Work, r *pass.Run) error {
	p := &aheadPass{Run: r, funcs: map[string]*syntax.FuncDecl{}, called: map[string]bool{}}
	p.typ = func(s syntax.Span) syntax.TypeExpr { return tree.Basic(s, "int") }
	if callsAny(w.file, "irgl_nodes_open", "irgl_nodes_retry_open") {
		p.typ, p.form = func(s syntax.Span) syntax.TypeExpr { return tree.Struct(s, abi.ItemTag) }, "_node"
	}
	p.retry = callsAny(w.file, "irgl_retry_open", "irgl_nodes_retry_open")
	piped := false
	for _, d := range w.file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil {
			p.funcs[f.Name.Name] = f
			piped = piped || isControl(f) && p.pipeOf(f) >= 0
		}
	}
	for _, d := range w.file.Decls {
		f, ok := d.(*syntax.FuncDecl)
		if !ok || f.Body == nil || !onDevice(f) {
			continue
		}
		switch name := f.Name.Name; {
		case !piped:
		case strings.HasPrefix(name, abi.BodyPrefix):
			p.body(f)
		case strings.HasPrefix(name, abi.CallPrefix), strings.HasPrefix(name, abi.SplitPrefix):
			p.call(f)
		case isControl(f):
			p.control(f)
		case f.Attrs.Has(syntax.Global):
			p.kernel(f)
		}
	}
	return nil
}

// isControl reports whether a function is a control kernel.
func isControl(f *syntax.FuncDecl) bool {
	return f.Attrs.Has(syntax.Global) && strings.HasPrefix(f.Name.Name, abi.ControlPrefix)
}

// callsAny reports whether a program calls one of some functions.
func callsAny(n syntax.Node, names ...string) bool {
	for n := range syntax.Preorder(n) {
		if c, ok := n.(*syntax.CallExpr); ok && slices.Contains(names, tree.Callee(c)) {
			return true
		}
	}
	return false
}

// param returns the place of the first parameter of a type, or -1.
func param(f *syntax.FuncDecl, is func(t syntax.TypeExpr) bool) int {
	return slices.IndexFunc(f.Params, func(p *syntax.Param) bool { return is(p.Type) })
}

func isList(t syntax.TypeExpr) bool { return tree.IsStruct(t, abi.ListTag) }

func isPipe(t syntax.TypeExpr) bool {
	p, ok := t.(*syntax.PointerType)
	return ok && tree.IsStruct(p.Elem, abi.PipeTag)
}

// place returns where the first item stands among the parameters of a kernel's body,
// or, of a call, among its arguments: at the end, but in front of the number of
// blocks.
func place(f *syntax.FuncDecl) int {
	for i, p := range f.Params {
		if p.Name != nil && (p.Name.Name == abi.AheadVar || p.Name.Name == abi.BlocksVar) {
			return i
		}
	}
	return len(f.Params)
}

// body gives a kernel's body the first item as a parameter, which its pops use.
func (p *aheadPass) body(f *syntax.FuncDecl) {
	in := param(f, isList)
	if in < 0 {
		return
	}
	s := tree.At(f)
	f.Params = slices.Insert(f.Params, place(f), &syntax.Param{Span: s, Type: p.typ(s), Name: tree.Ident(s, abi.AheadVar)})
	names := tree.Resolve(f)
	own := ownNumbers(f, names)
	tree.Rewriter{Leave: func(n syntax.Node) {
		c, ok := n.(*syntax.CallExpr)
		if !ok {
			return
		}
		at, pop := popForms[tree.Callee(c)]
		if !pop || names.Of(c.Args[0]) != syntax.Node(f.Params[in]) {
			return
		}
		if !own[names.Of(c.Args[at])] {
			p.Missed(c.Pos(), "its first item has not the number of its thread")
			return
		}
		c.Fun = tree.Ident(tree.At(c), tree.Callee(c)+"_ahead")
		c.Args = slices.Insert(c.Args, at+1, syntax.Expr(tree.Ident(tree.At(c), abi.AheadVar)))
		p.Applied(c.Pos(), "the first beside the count of the list")
		p.Count("pops", 1)
	}}.Rewrite(f.Body)
}

// ownNumbers returns the variables of a function that begin with the thread's number
// in loops over a worklist.
func ownNumbers(f *syntax.FuncDecl, names *tree.Binding) map[syntax.Node]bool {
	own, bases := map[syntax.Node]bool{}, map[syntax.Node]bool{}
	for n := range syntax.Preorder(f.Body) {
		switch n := n.(type) {
		case *syntax.ForStmt:
			d, ok := n.Init.(*syntax.VarDecls)
			if !ok || !slices.ContainsFunc(d.Vars, func(v *syntax.VarDecl) bool { return tree.CallOf(v.Init, "irgl_size") != nil }) {
				continue
			}
			switch first := d.Vars[0]; syntax.String(first.Init) {
			case "irgl_thread()":
				own[first] = true
			case "irgl_thread() - (int)threadIdx.x":
				bases[first] = true
			}
		case *syntax.VarDecl: // of a loop that the threads of a block execute together
			if x, ok := n.Init.(*syntax.BinaryExpr); ok && x.Op == "+" && bases[names.Of(x.X)] && syntax.String(x.Y) == "(int)threadIdx.x" {
				own[n] = true
			}
		}
	}
	delete(own, nil)
	return own
}

// bodyCalls gives the calls of kernels' bodies in f the first item.
func (p *aheadPass) bodyCalls(f *syntax.FuncDecl, item func(c *syntax.CallExpr) syntax.Expr) (found bool) {
	for n := range syntax.Preorder(f.Body) {
		c, ok := n.(*syntax.CallExpr)
		if !ok || !strings.HasPrefix(tree.Callee(c), abi.BodyPrefix) {
			continue
		}
		if b := p.funcs[tree.Callee(c)]; b != nil && param(b, isList) >= 0 {
			c.Args = slices.Insert(c.Args, place(b), item(c))
			found = true
		}
	}
	return found
}

// kernel has a kernel that the host launches load the item at its start.
func (p *aheadPass) kernel(f *syntax.FuncDecl) {
	in := param(f, isList)
	if in < 0 {
		return
	}
	if p.bodyCalls(f, func(c *syntax.CallExpr) syntax.Expr {
		s := tree.At(c)
		return tree.Call(s, "irgl_first"+p.form, tree.Ident(s, f.Params[in].Name.Name))
	}) {
		return
	}
	for n := range syntax.Preorder(f.Body) {
		if c, ok := n.(*syntax.CallExpr); ok {
			if _, pop := popForms[tree.Callee(c)]; pop {
				p.Missed(c.Pos(), "the kernel is not in an outlined loop")
			}
		}
	}
}

// call has the function that calls a kernel load the item of the next run.
func (p *aheadPass) call(f *syntax.FuncDecl) {
	pipe := param(f, isPipe)
	if pipe < 0 {
		return
	}
	s, name := tree.At(f), f.Params[pipe].Name.Name
	pointer := &syntax.PointerType{Span: s, Elem: p.typ(s)}
	f.Params = slices.Insert(f.Params, pipe+1, &syntax.Param{Span: s, Type: pointer, Name: tree.Ident(s, abi.AheadVar)})
	p.bodyCalls(f, func(c *syntax.CallExpr) syntax.Expr {
		return &syntax.UnaryExpr{Span: tree.At(c), Op: "*", X: tree.Ident(tree.At(c), abi.AheadVar)}
	})
	load := func(list string) []syntax.Stmt {
		return tree.Template("*" + abi.AheadVar + " = irgl_first" + p.form + "(" + name + "->" + list + ");\n")
	}
	tree.Rewriter{
		Enter: func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.WhileStmt:
				if n.Do && callsAny(n.Cond, "irgl_pipe_retry", "irgl_pipe_respawn") {
					again := tree.Call(s, "irgl_first_again"+p.form, tree.Ident(s, name), tree.Ident(s, abi.AheadVar))
					n.Cond = tree.Binary(n.Cond, "&&", again)
				}
			case *syntax.Block:
				if sitsOut(n) {
					n.Stmts = append(n.Stmts, load("in")...)
				}
			}
			return true
		},
		Stmt: func(x syntax.Stmt) []syntax.Stmt {
			if tree.CallOf(x, "irgl_pipe_turn") != nil {
				return append(load("out"), x)
			}
			return []syntax.Stmt{x}
		},
	}.Rewrite(f.Body)
}

// sitsOut reports whether a block is what the blocks execute that do not take part in
// short rounds.
func sitsOut(b *syntax.Block) bool {
	return len(b.Stmts) > 0 && tree.CallOf(b.Stmts[0], "irgl_sit_out") != nil
}

// pipeOf returns the place of the statement of a control kernel that declares its
// pipe, or -1.
func (p *aheadPass) pipeOf(f *syntax.FuncDecl) int {
	return slices.IndexFunc(f.Body.Stmts, func(s syntax.Stmt) bool {
		d, ok := s.(*syntax.VarDecls)
		return ok && len(d.Vars) == 1 && tree.IsStruct(d.Vars[0].Type, abi.PipeTag)
	})
}

// control has a control kernel load the first item at its start: places without an
// item get a value before any thread pushes to them.
func (p *aheadPass) control(f *syntax.FuncDecl) {
	at := p.pipeOf(f)
	if at < 0 {
		return
	}
	s, pipe := tree.At(f), f.Body.Stmts[at].(*syntax.VarDecls).Vars[0].Name.Name
	text := "irgl_first_clear" + p.form + "(" + pipe + ".in, " + pipe + ".size);\nirgl_first_clear" + p.form + "(" + pipe + ".out, 0);\n"
	if p.retry {
		text += "irgl_first_clear" + p.form + "(" + pipe + ".retry, 0);\n"
	}
	first := func() *syntax.CallExpr {
		return tree.Call(s, "irgl_first"+p.form, tree.Member(tree.Ident(s, pipe), "in"))
	}
	begin := append(tree.Template(text+"irgl_grid_barrier();\n"), tree.Variable(s, p.typ(s), abi.AheadVar, first()))
	f.Body.Stmts = slices.Insert(f.Body.Stmts, at+1, begin...)
	for n := range syntax.Preorder(f.Body) {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if c := p.funcs[tree.Callee(n)]; c != nil && (strings.HasPrefix(c.Name.Name, abi.CallPrefix) || strings.HasPrefix(c.Name.Name, abi.SplitPrefix)) {
				if at := param(c, isPipe); at >= 0 {
					item := tree.Addr(tree.Ident(tree.At(n), abi.AheadVar))
					n.Args = slices.Insert(n.Args, at+1, item)
				}
			}
		case *syntax.Block:
			if sitsOut(n) { // what it takes over has another list
				back := slices.IndexFunc(n.Stmts, func(s syntax.Stmt) bool { return syntax.String(s) == abi.BlocksVar+" = (int)gridDim.x;" })
				load := tree.Do(tree.Assign(tree.Ident(s, abi.AheadVar), "=", first()))
				n.Stmts = slices.Insert(n.Stmts, back, load)
			}
		}
	}
}
