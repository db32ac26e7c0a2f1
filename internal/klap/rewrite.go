package klap

import (
	"fmt"
	"slices"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// endLabel is the label in front of a kernel's end.
const endLabel = "__klap_end"

// place is the variable of an aggregated kernel that has the built-in variables of the launch, and the
// parameter of functions that it calls.
const place = "__klap_at"

// A copying makes a copy of a function that launches by the functions of this package, that has
// other built-in variables, or both.
type copying struct {
	g *generator
	k *kernel // whose launches are deferred; nil for none
	// placed says that the built-in variables are those of a variable place; in a function that is a
	// pointer.
	placed, pointer bool
	// threads says that threadIdx and blockDim are those of the launch all the same.
	threads bool
	kernel  bool
	origin  map[syntax.Node]syntax.Node
}

// function returns the copy.
func (c *copying) function(f *syntax.FuncDecl) *syntax.FuncDecl {
	c.origin = map[syntax.Node]syntax.Node{}
	out := tree.CloneWith(f, func(old, new syntax.Node) { c.origin[new] = old })
	r := tree.Rewriter{Expr: c.expr}
	if c.k != nil {
		r.Stmt = func(s syntax.Stmt) []syntax.Stmt {
			if _, ok := s.(*syntax.ReturnStmt); ok {
				s = &syntax.GotoStmt{Span: tree.At(s), Name: tree.Ident(tree.At(s), endLabel)}
			}
			return []syntax.Stmt{s}
		}
	}
	c.kernel = f.Attrs.Has(syntax.Global)
	r.Rewrite(out.Body)
	if info := c.g.named(f); c.g.carrying[info] && !c.kernel {
		carry(out)
	}
	return out
}

// carry adds the chain to the parameters of a function.
func carry(f *syntax.FuncDecl) {
	with := tree.Declarations("void f(struct __klap_chain *" + chain + ");\n")[0].(*syntax.FuncDecl)
	addParams(f, with.Params)
}

// addParams adds parameters to those of a function, if only void is there in their place.
func addParams(f *syntax.FuncDecl, list []*syntax.Param) {
	if len(f.Params) == 1 && f.Params[0].Name == nil {
		if t, ok := f.Params[0].Type.(*syntax.BasicType); ok && t.Name == "void" {
			f.Params = nil
		}
	}
	f.Params = append(f.Params, list...)
}

func (c *copying) expr(x syntax.Expr) syntax.Expr {
	switch y := x.(type) {
	case *syntax.LaunchExpr:
		return c.launch(y)
	case *syntax.Ident:
		if name := c.builtin(y); name != "" {
			return &syntax.MemberExpr{Span: tree.At(y), X: tree.Ident(tree.At(y), place), Arrow: c.pointer, Name: tree.Ident(tree.At(y), name)}
		}
	case *syntax.CallExpr:
		return c.call(y)
	}
	return x
}

// builtin returns the built-in variable that a name of the copy is, if it has another value here.
func (c *copying) builtin(id *syntax.Ident) string {
	old, ok := c.origin[id].(*syntax.Ident)
	if !c.placed || !ok {
		return ""
	}
	name := c.g.p.builtin(old)
	if c.threads && (name == "threadIdx" || name == "blockDim") {
		return ""
	}
	return name
}

// call passes the chain and the built-in variables on to functions that use them.
func (c *copying) call(x *syntax.CallExpr) syntax.Expr {
	id, ok := syntax.Unparen(x.Fun).(*syntax.Ident)
	if !ok {
		return x
	}
	old, ok := c.origin[id].(*syntax.Ident)
	if !ok {
		return x
	}
	o := c.g.p.info.Uses[old]
	if o == nil || o.Kind != check.FuncObj || o.Func == nil {
		return x
	}
	if c.g.carrying[o.Func] {
		x.Args = append(x.Args, c.chain(tree.At(x)))
	}
	if c.placed && c.g.positioned[o.Func] {
		x.Fun = tree.Ident(tree.At(id), aggregated(id.Name))
		var at syntax.Expr = tree.Ident(tree.At(x), place)
		if !c.pointer {
			at = tree.Addr(at)
		}
		x.Args = append(x.Args, at)
	}
	return x
}

// chain is the variable of a kernel, and the parameter of functions that it calls, that has the launches of a
// thread.
const chain = "__klap_chain"

// chain returns a pointer to the chain of launches.
func (c *copying) chain(sp syntax.Span) syntax.Expr {
	var x syntax.Expr = tree.Ident(sp, chain)
	if c.kernel {
		x = tree.Addr(x)
	}
	return x
}

// launch returns what a launch of the copy becomes.
func (c *copying) launch(x *syntax.LaunchExpr) syntax.Expr {
	if c.k != nil {
		for j, s := range c.k.sites {
			if syntax.Node(s.launch) == c.origin[x] {
				return c.set(x, s, j)
			}
		}
	}
	for _, child := range c.g.children {
		for _, s := range child.sites {
			if syntax.Node(s.launch) == c.origin[x] && s.chained && !isKernel(s.fn) {
				return c.set(x, s, 0)
			}
		}
	}
	return x
}

func variable(j int) string { return fmt.Sprintf("__klap_%d", j) }

// set returns the call that notes launch j of a kernel, or one of a function.
func (c *copying) set(x *syntax.LaunchExpr, s *site, j int) syntax.Expr {
	sp := tree.At(x)
	child := c.g.of(s.child)
	shared := x.Shared
	if shared == nil {
		shared = tree.Number(sp, 0)
	}
	fun, args := child.set(), []syntax.Expr{tree.Addr(tree.Ident(sp, variable(j)))}
	if s.chained {
		fun, args = child.push(), []syntax.Expr{c.chain(sp), tree.Number(sp, int64(s.number))}
	}
	args = append(args, x.Grid, x.Block, shared)
	for i, a := range x.Args {
		if !child.uniform[i] {
			args = append(args, a)
		}
	}
	if child.thread != nil {
		args = append(args, c.asked(child, s, sp))
	}
	call := tree.Call(sp, fun, args...)
	if !c.g.asks || s.chained {
		return call
	}
	return tree.Binary(call, ",", tree.Binary(tree.Binary(tree.Member(tree.Ident(sp, variable(j)), "pred"), "==", tree.Number(sp, 3)), "&&", c.now(x, s, j)))
}

// now returns a call that does a launch that no device can run, so that its thread can ask for the error.
func (c *copying) now(x *syntax.LaunchExpr, s *site, j int) syntax.Expr {
	sp := tree.At(x)
	child := c.g.of(s.child)
	args := []syntax.Expr{tree.Addr(tree.Ident(sp, variable(j))), tree.Number(sp, forgetStream)}
	args[1] = tree.Cast(sp, tree.Named(sp, "cudaStream_t"), args[1])
	if child.block {
		args = append(args, c.value(s, s.launch.Block))
	}
	if child.shared == uniformShared {
		shared := s.launch.Shared
		if shared == nil {
			shared = tree.Number(sp, 0)
		}
		args = append(args, c.value(s, shared))
	}
	for i, a := range s.launch.Args {
		if child.uniform[i] {
			args = append(args, c.value(s, a))
		}
	}
	return tree.Call(sp, child.nowOf(s), args...)
}

// parent returns a kernel whose launches are at its end.
func (g *generator) parent(k *kernel) syntax.Decl {
	c := &copying{g: g, k: k}
	f := c.function(k.fn.Decl)
	if k.small() {
		unrestricted(f)
	}
	if k.behind {
		addBehind(f)
	}
	f.Body = g.deferred(k, f.Body, nil, tree.Template("__klap_thread(); __klap_threads();"), c)
	return f
}

// deferred returns the body of a kernel with its launches behind it. front precedes it, and numbers are
// statements with the number of the thread and how many there are.
func (g *generator) deferred(k *kernel, body *syntax.Block, front, numbers []syntax.Stmt, c *copying) *syntax.Block {
	sp := tree.At(body)
	out := tree.Block(sp, front...)
	args := []syntax.Expr{numbers[0].(*syntax.ExprStmt).X, numbers[1].(*syntax.ExprStmt).X}
	var scalars, uniform []syntax.Expr
	if k.chained {
		out.Stmts = append(out.Stmts, tree.Template("struct __klap_chain "+chain+";\n"+chain+".first = 0;\n"+chain+".last = 0;\n"+chain+".stream = "+
			g.stream(k)+";\n"+chain+".n = 0;\n"+chain+".blocks = 0;\n")...)
		args = append(args, tree.Addr(tree.Ident(sp, chain)))
	}
	for j, s := range k.sites {
		if k.chained {
			break
		}
		child := g.of(s.child)
		out.Stmts = append(out.Stmts, tree.Template(fmt.Sprintf("struct %s %s;\n%s.pred = 0;\n", child.tag(), variable(j), variable(j))+child.shuffledNone(s, variable(j)))...)
		args = append(args, tree.Addr(tree.Ident(sp, variable(j))))
		value := func(x syntax.Expr) syntax.Expr { return c.value(s, x) }
		if child.block {
			scalars = append(scalars, value(s.launch.Block))
		}
		if child.shared == uniformShared {
			x := s.launch.Shared
			if x == nil {
				x = tree.Number(sp, 0)
			}
			scalars = append(scalars, value(x))
		}
		for i, a := range s.launch.Args {
			if child.uniform[i] {
				uniform = append(uniform, value(a))
			}
		}
	}
	out.Stmts = append(out.Stmts, body)
	returns := false
	for n := range syntax.Preorder(body) {
		jump, ok := n.(*syntax.GotoStmt)
		returns = returns || ok && jump.Name.Name == endLabel
	}
	if returns {
		out.Stmts = append(out.Stmts, &syntax.LabelStmt{Span: sp, Name: tree.Ident(sp, endLabel)})
	}
	args = slices.Concat(args, scalars, uniform)
	if k.behind {
		args = append(args, tree.Ident(sp, behindParam))
	}
	out.Stmts = append(out.Stmts, tree.Do(tree.Call(sp, endName(k), args...)))
	return out
}

// value returns a uniform value of a launch, at the kernel's end.
func (c *copying) value(s *site, x syntax.Expr) syntax.Expr {
	y := c.g.p.uniformAt(s, x, c.g.children)
	if !c.placed {
		return y
	}
	// Built-in variables in it are not of the copy, but have the names of those.
	paren := &syntax.ParenExpr{Span: tree.At(y), X: y}
	tree.Rewriter{Expr: func(x syntax.Expr) syntax.Expr {
		if id, ok := x.(*syntax.Ident); ok {
			switch id.Name {
			case "gridDim", "blockDim", "blockIdx":
				return tree.Member(tree.Ident(tree.At(id), place), id.Name)
			}
		}
		return x
	}}.Rewrite(paren)
	return paren.X
}
