package check

import (
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/syntax"
)

// Check resolves and checks a parsed file. It always returns an Info; the
// Info is complete, and usable by later stages, only when Check added no
// error to diags.
//
// The order of work follows what needs what: types and names of the file,
// then the functions' types, then Host functions (whose invocations give
// parameters of kernels their types), then all other bodies, and last what
// depends on the call graph.
func Check(f *syntax.File, diags *source.List) *Info { return CheckWith(f, diags, Options{}) }

// Options say what a program is checked for.
type Options struct {
	// Wide makes dist_t, the type of lengths of paths, long instead of int.
	Wide bool
	// CPU gives constants that differ between devices the values of the CPU instead of a GPU's.
	CPU bool
	// Name returns what warnings call the function of a name; nil leaves names as they are.
	Name func(name string) string

	// asWritten leaves barriers in the ifs that they are in.
	asWritten bool
}

// expressions counts the expressions of a tree that no text of its own was read for, as that of a
// C++ program.
func expressions(f *syntax.File) (n int) {
	syntax.Inspect(f, func(x syntax.Node) bool {
		if _, ok := x.(syntax.Expr); ok {
			n++
		}
		return true
	})
	return n
}

// CheckWith is [Check] with options.
func CheckWith(f *syntax.File, diags *source.List, o Options) *Info {
	// The largest table has room from the start: one that grows is moved again
	// and again. Text has an expression in two to ten bytes, comments aside.
	exprs := max(0, int(f.End().Offset-f.Pos().Offset)) / 8
	if !f.Pos().IsValid() {
		exprs = expressions(f)
	}
	c := &checker{
		o:     o,
		file:  f,
		irgl:  f.Dialect == syntax.IrGL,
		diags: diags,
		info: &Info{
			File:     f,
			Types:    make(map[syntax.Expr]Type, exprs),
			Consts:   map[syntax.Expr]*Const{},
			Named:    map[syntax.TypeExpr]Type{},
			Uses:     map[*syntax.Ident]*Object{},
			Defs:     map[*syntax.Ident]*Object{},
			Declares: map[*syntax.AssignExpr]*Object{},
			Inits:    map[*syntax.InitList][]InitSlot{},
			Asms:     map[*syntax.AsmStmt]*Asm{},
			Racy:     map[string]string{},
			Groups:   map[*syntax.ForAllStmt]bool{},
		},
		funcs:    map[*syntax.FuncDecl]*FuncInfo{},
		inferred: map[*syntax.Param]*inference{},
		builtins: map[string]*Object{},
		bodyOf:   map[*FuncInfo]*function{},
	}
	if c.irgl && !o.asWritten {
		c.file = c.lifted(f)
		c.info.File = c.file
	}
	c.scope = newScope(nil)
	c.fileScope = c.scope
	c.collect()
	c.bodies(func(d *syntax.FuncDecl) bool { return d.Kind == syntax.HostFunc })
	c.inferParams()
	c.bodies(func(d *syntax.FuncDecl) bool { return d.Kind != syntax.HostFunc })
	c.callGraph()
	for _, check := range c.later {
		check()
	}
	c.entry()
	if c.irgl {
		c.caches()
		c.info.Plan = plan.Read(c.file, diags)
		c.fixedBlocks()
	}
	if c.irgl && c.diags.Errors() == 0 {
		c.races()
	}
	c.info.defaultOutputs()
	return c.info
}

// defaultOutputs makes all properties of nodes results where the program marks
// nothing Output: a program without any result would be of no use.
func (i *Info) defaultOutputs() {
	for _, p := range i.Props {
		if p.Output {
			return
		}
	}
	for _, o := range i.Globals {
		if o.Attrs.Has(syntax.Output) {
			return
		}
	}
	for _, p := range i.Props {
		p.Output = p.Of == syntax.NodeDomain && IsArithmetic(p.Object.Type) && p.Object.Type != Edge
	}
}

// A checker holds the state of one Check.
type checker struct {
	o         Options
	file      *syntax.File
	irgl      bool
	diags     *source.List
	info      *Info
	fileScope *scope
	scope     *scope
	graph     *Object // the Graph, or nil
	mesh      *Object // the Mesh, or nil
	funcs     map[*syntax.FuncDecl]*FuncInfo
	inferred  map[*syntax.Param]*inference
	builtins  map[string]*Object
	later     []func()               // checks that need the finished call graph
	inIf      map[syntax.Stmt]string // barriers that stay in an if: why
	fn        *function
	depth     int
	// propInit is set inside an initialiser of a property.
	propInit bool
	// unevaluated counts the sizeof operands around the expression.
	unevaluated int
	// hostSize is set in the WL of WL.size in a Pipe.
	hostSize bool
	// symbols is set in an argument that names a device variable itself.
	symbols int
	bodyOf  map[*FuncInfo]*function
}

// A function is the state of checking one function's body.
type function struct {
	*FuncInfo
	decl     *syntax.FuncDecl
	labels   map[string]*label
	frames   []frame       // loops and switches around the statement, outermost first
	forAlls  int           // parallel ForAlls around the statement
	pipes    int           // Pipes around the statement
	iterates int           // Iterate bodies around the statement
	top      *syntax.Block // the body
	group    *group        // of the outermost ForAll around the statement; nil for none
	waits    bool          // its threads wait for each other somewhere
	leaves   []leave       // what ends a thread

	marks  map[*Object]useMode // accesses already recorded
	depths map[*Object]int     // number of ForAlls around a local's declaration
	warned map[*Object]bool    // locals already warned about
	calls  map[*FuncInfo]bool  // callees already recorded
	sites  []callSite          // the first call of each
	outer  []callSite          // calls outside the ForAll of a kernel that has one
	ties   []syntax.Node       // what ties a plain function to one side
}

// A callSite is a call of a function of the file.
type callSite struct {
	node   syntax.Node
	callee *FuncInfo
}

// outside reports whether the statement is in a kernel with a ForAll, but not
// in that ForAll: every thread runs it.
func (f *function) outside() bool { return f.OuterFA && f.forAlls == 0 }

// tie records that an .irgl plain function uses what only one side has.
func (f *function) tie(n syntax.Node, host, device bool) {
	f.Host, f.Device = f.Host && host, f.Device && device
	f.ties = append(f.ties, n)
}

// errorf reports an error about n.
func (c *checker) errorf(n syntax.Node, code source.Code, format string, args ...any) *source.Diagnostic {
	pos, end := span(n)
	return c.diags.Errorf(pos, end, code, format, args...)
}

// warnf reports a warning about n.
func (c *checker) warnf(n syntax.Node, code source.Code, format string, args ...any) *source.Diagnostic {
	pos, end := span(n)
	return c.diags.Warnf(pos, end, code, format, args...)
}

// span returns the range of n, which may be a nil of any kind.
func span(n syntax.Node) (pos, end source.Pos) {
	if isNil(n) {
		return source.Pos{}, source.Pos{}
	}
	return n.Pos(), n.End()
}

// noteDecl attaches "declared here" to d when the object has a place.
func noteDecl(d *source.Diagnostic, o *Object, what string) {
	if o == nil || isNil(o.Decl) {
		return
	}
	pos, end := span(o.Decl)
	if id := declName(o.Decl); id != nil {
		pos, end = span(id)
	}
	d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: pos, End: end, Message: what})
}

// declName returns the name in a declaring node, or nil.
func declName(n syntax.Node) *syntax.Ident {
	switch n := n.(type) {
	case *syntax.VarDecl:
		return n.Name
	case *syntax.FuncDecl:
		return n.Name
	case *syntax.Param:
		return n.Name
	case *syntax.PropDecl:
		return n.Name
	case *syntax.GraphDecl:
		return n.Name
	case *syntax.MeshDecl:
		return n.Name
	case *syntax.DefineDecl:
		return n.Name
	case *syntax.TypeDecl:
		return n.Name
	case *syntax.EnumConst:
		return n.Name
	}
	return nil
}

// isNil reports whether n is nil or a nil pointer in an interface, as a tree
// with syntax errors may hold.
func isNil(n syntax.Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *syntax.Ident:
		return n == nil
	case *syntax.Block:
		return n == nil
	case *syntax.InitList:
		return n == nil
	case *syntax.VarDecls:
		return n == nil
	case *syntax.VarDecl:
		return n == nil
	case *syntax.ExprStmt:
		return n == nil
	case *syntax.FuncDecl:
		return n == nil
	case *syntax.Param:
		return n == nil
	}
	return false
}

// nameOf returns the text of id, or "" when it is missing.
func nameOf(id *syntax.Ident) string {
	if id == nil {
		return ""
	}
	return id.Name
}

// declare enters o under id into the current scope, and reports false and an
// error when the name stands for something there already.
func (c *checker) declare(id *syntax.Ident, o *Object) bool {
	if id == nil || id.Name == "" {
		return false
	}
	if prev := c.scope.names[id.Name]; prev != nil {
		d := c.errorf(id, codeRedeclared, "%s is declared twice", id.Name)
		noteDecl(d, prev, "the first declaration")
		return false
	}
	c.info.Defs[id] = o
	c.scope.names[id.Name] = o
	if c.fn != nil {
		c.fn.depths[o] = c.fn.forAlls
	}
	return true
}

// lookup finds what name means here: a declaration, or a builtin.
func (c *checker) lookup(name string) *Object {
	if o := c.scope.lookup(name); o != nil {
		return o
	}
	if o := c.distance(name); o != nil {
		return o
	}
	if o := c.deviceConst(name); o != nil {
		return o
	}
	b := LookupBuiltin(name)
	if b == nil || b.CUDAOnly && c.irgl || b.IrGLOnly && !c.irgl || b.obj.Type == Point && c.mesh == nil || b.obj.Type == Element && c.mesh == nil {
		return nil
	}
	return b.obj
}

// enter guards against trees deeper than the stack should follow; the caller
// defers leave when enter says true.
func (c *checker) enter(n syntax.Node) bool {
	const maxDepth = 50000
	if c.depth >= maxDepth {
		if c.depth == maxDepth {
			c.errorf(n, codeDepth, "this is nested more than %d levels deep", maxDepth)
			c.depth++ // report once
		}
		return false
	}
	c.depth++
	return true
}

// leave ends what enter began.
func (c *checker) leave() { c.depth-- }
