package klap

import (
	"slices"
	"strconv"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Copies of kernels that thresholding and coarsening call and launch. Their built-in variables are a
// variable or a parameter of the struct that aggregated kernels have, by another name, since a coarsened
// kernel can be aggregated in turn.

// here is that variable.
const here = "__klap_here"

// Suffixes of copies.
const (
	coarseSuffix = "_coarse" // a kernel whose blocks do several ones
	serialSuffix = "_serial" // a function that does a grid in one thread
	threadSuffix = "_thread" // a function that does one thread of it
	atSuffix     = "_at"     // a function that takes the built-in variables as a parameter
)

// formSuffixes are those of all forms of functions.
var formSuffixes = [...]string{aggregated(""), coarseSuffix, serialSuffix, threadSuffix, atSuffix, fromKernelSuffix}

// reasonNamed is why a kernel has no other forms.
const reasonNamed = "the program has a name that a form of the kernel, or of a function that it calls, would have"

// named returns why a kernel can have no other form: the program has a name that it, or a form of a function that it calls, would have. The symbols
// of C++ have none of these suffixes.
func (p *Program) named(k *check.FuncInfo) string {
	for _, f := range reachable(k) {
		for _, suffix := range formSuffixes {
			if name := f.Object.Name + suffix; p.taken[name] {
				return reasonNamed + ": " + name
			}
		}
	}
	return ""
}

// unshadowed gives the variables of functions that passes have written other names where those hide a kernel or a function that the function names.
func unshadowed(decls []syntax.Decl) {
	for _, d := range decls {
		f, ok := d.(*syntax.FuncDecl)
		if !ok || f.Body == nil || f.Pos().File == nil || f.Pos().File.Name != tree.GeneratedName || OfLibrary(f.Pos().File) {
			continue
		}
		called := map[*syntax.Ident]bool{}
		hidden, own := tree.Names{}, tree.Names{}
		for n := range syntax.Preorder(f) {
			switch n := n.(type) {
			case *syntax.Param:
				if n.Name != nil {
					own[n.Name.Name] = true
				}
			case *syntax.VarDecl:
				if n.Name != nil {
					own[n.Name.Name] = true
				}
			case *syntax.CallExpr:
				if id, ok := n.Fun.(*syntax.Ident); ok {
					called[id], hidden[id.Name] = true, true
				}
			case *syntax.LaunchExpr:
				if id, ok := n.Fun.(*syntax.Ident); ok {
					called[id], hidden[id.Name] = true, true
				}
			}
		}
		for n := range syntax.Preorder(f) {
			if id, ok := n.(*syntax.Ident); ok && !called[id] && own[id.Name] && hidden[id.Name] {
				id.Name = "__klap_own_" + id.Name
			}
		}
	}
}

// A placing copies functions with other built-in variables.
type placing struct {
	p          *Program
	positioned map[*check.FuncInfo]bool
	// pointer says that the variable is a pointer.
	pointer bool
	// threads says that threadIdx and blockDim are those of the launch all the same.
	threads bool
	origin  map[syntax.Node]syntax.Node
	// stmt rewrites the statements of the copy; it may be nil.
	stmt func(s syntax.Stmt) []syntax.Stmt
}

// function returns a copy of a function.
func (c *placing) function(f *syntax.FuncDecl) *syntax.FuncDecl {
	c.origin = map[syntax.Node]syntax.Node{}
	out := tree.CloneWith(f, func(old, new syntax.Node) { c.origin[new] = old })
	tree.Rewriter{Expr: c.expr, Stmt: c.stmt}.Rewrite(out.Body)
	return out
}

func (c *placing) expr(x syntax.Expr) syntax.Expr {
	switch y := x.(type) {
	case *syntax.Ident:
		old, ok := c.origin[y].(*syntax.Ident)
		if !ok {
			return x
		}
		if name := c.p.builtin(old); name != "" && !(c.threads && (name == "threadIdx" || name == "blockDim")) {
			return &syntax.MemberExpr{Span: tree.At(y), X: tree.Ident(tree.At(y), here), Arrow: c.pointer, Name: tree.Ident(tree.At(y), name)}
		}
	case *syntax.CallExpr:
		c.call(y)
	}
	return x
}

// call passes the built-in variables on to functions that read them.
func (c *placing) call(x *syntax.CallExpr) {
	id, ok := syntax.Unparen(x.Fun).(*syntax.Ident)
	if !ok {
		return
	}
	old, ok := c.origin[id].(*syntax.Ident)
	if !ok {
		return
	}
	o := c.p.info.Uses[old]
	if o == nil || o.Kind != check.FuncObj || o.Func == nil || !c.positioned[o.Func] {
		return
	}
	x.Fun = tree.Ident(tree.At(id), id.Name+atSuffix)
	var at syntax.Expr = tree.Ident(tree.At(x), here)
	if !c.pointer {
		at = tree.Addr(at)
	}
	x.Args = append(x.Args, at)
}

// addressed reports whether a body takes the address of a variable.
func addressed(body *syntax.Block, name string) bool {
	for n := range syntax.Preorder(body) {
		if u, ok := n.(*syntax.UnaryExpr); ok && u.Op == "&" {
			if id, ok := u.X.(*syntax.Ident); ok && id.Name == name {
				return true
			}
		}
	}
	return false
}

// asParameter adds the built-in variables to the parameters of a copy.
func asParameter(f *syntax.FuncDecl) {
	with := tree.Declarations("void f(const struct __klap_place *" + here + ");\n")[0].(*syntax.FuncDecl)
	addParams(f, with.Params)
}

// helpers returns the functions, but for the kernels themselves, that copies of kernels call with the
// built-in variables, without those that have such a copy.
func (p *Program) helpers(kernels []*check.FuncInfo, positioned map[*check.FuncInfo]bool) map[*check.FuncInfo]bool {
	there := map[string]bool{}
	for _, f := range p.info.Funcs {
		there[f.Object.Name] = true
	}
	out := map[*check.FuncInfo]bool{}
	for _, k := range kernels {
		for _, f := range reachable(k)[1:] {
			if positioned[f] && !there[f.Object.Name+atSuffix] {
				out[f] = true
			}
		}
	}
	return out
}

// parameters returns the declared parameters of a function: none if only void is there in their place.
func parameters(k *check.FuncInfo) []*syntax.Param {
	if len(k.Params) == 0 {
		return nil
	}
	return k.Decl.Params
}

// generated returns the arguments and the names of a copy's parameters: a0, a1 and so on.
func generated(k *check.FuncInfo) (params []*syntax.Param, args []syntax.Expr) {
	for i, q := range parameters(k) {
		name := "a" + strconv.Itoa(i)
		params = append(params, &syntax.Param{Span: tree.At(q), Type: argument(q.Type), Name: tree.Ident(tree.At(q), name)})
		args = append(args, tree.Ident(tree.At(q), name))
	}
	return params, args
}

// insert returns the declarations of the program with some before the first declaration of a function and
// others behind its body.
func (p *Program) insert(before, behind map[*check.FuncInfo][]syntax.Decl) []syntax.Decl {
	byName := map[string]*check.FuncInfo{}
	for _, f := range p.info.Funcs {
		byName[f.Object.Name] = f
	}
	seen := map[*check.FuncInfo]bool{}
	var out []syntax.Decl
	for _, d := range p.info.File.Decls {
		decl, ok := d.(*syntax.FuncDecl)
		f := byName[nameOf(decl)]
		if !ok || f == nil {
			out = append(out, d)
			continue
		}
		if !seen[f] {
			seen[f] = true
			out = append(out, before[f]...)
		}
		out = append(out, d)
		if decl.Body != nil {
			out = append(out, behind[f]...)
		}
	}
	return out
}

// replace makes the declarations the program's, with what they need of the library in front.
func (p *Program) replace(decls []syntax.Decl) error {
	file := *p.info.File
	file.Decls = p.withLibrary(decls)
	return p.set(&file)
}

// withLibrary returns declarations behind what they need of the library, directly or not. Those of the library
// that passes before have added are among them no more.
func (p *Program) withLibrary(decls []syntax.Decl) []syntax.Decl {
	all := tree.Declarations(libraryText(p.o.pool()))
	of := map[string]bool{}
	for _, d := range all {
		if f, ok := d.(*syntax.FuncDecl); !ok || f.Body != nil {
			of[declared(d)] = true
		}
	}
	decls = slices.DeleteFunc(slices.Clone(decls), func(d syntax.Decl) bool { return of[declared(d)] })
	used := tree.Names{}
	for _, d := range decls {
		mention(d, used)
	}
	keep := make([]bool, len(all))
	for i, d := range slices.Backward(all) { // what a declaration needs is in front of it
		if keep[i] = used[declared(d)]; keep[i] {
			mention(d, used)
		}
	}
	var out []syntax.Decl
	for i, d := range all {
		if keep[i] {
			out = append(out, d)
		}
	}
	return append(out, decls...)
}

// prototypeOf returns the declaration of a function without its body.
func prototypeOf(f *syntax.FuncDecl) syntax.Decl {
	out := *f
	out.Body = nil
	return tree.Clone(&out)
}

// unrestricted takes __restrict__ away from the pointers of a function: what they point to may
// change by what the function calls from now on.
func unrestricted(f *syntax.FuncDecl) {
	for n := range syntax.Preorder(f) {
		if t, ok := n.(*syntax.PointerType); ok {
			t.Restrict = false
		}
	}
}
