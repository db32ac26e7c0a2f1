package lower

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// A fn is the state of one function while its body is lowered.
type fn struct {
	decl   *hir.Func
	names  map[*hir.Var]string // of parameters and local variables
	byAddr map[*hir.Var]bool   // parameters whose C parameter is the object's address
	scopes []*scope            // innermost last
	labels map[string][]step   // where labels are
	temps  int                 // temporaries so far
	full   *full               // the full expression being lowered; nil between them
	stmts  *[]syntax.Stmt      // where declarations of temporaries go
	breaks []int               // the number of scopes around each loop or switch
	conts  []int               // and around each loop
}

// A scope is a block of the program, with what is destroyed at its end.
type scope struct {
	block    *hir.Block // nil for one that the program does not have
	index    int        // of the statement being lowered
	names    []string   // declared in it
	cleanups []cleanup
}

// A cleanup destroys an object at the end of its life.
type cleanup struct {
	index   int // of the statement that declares it
	node    syntax.Span
	object  func() syntax.Expr // the object, as a fresh lvalue
	typ     types.Type
	destroy *hir.Func
	live    string // the flag that says whether it was made; "" where it is always
	result  bool   // the object is the function's result, which a return does not destroy
}

// A step is one block on the path to a label, and the label's place in it.
type step struct {
	block *hir.Block
	index int
}

// function emits f behind the functions that it calls. A recursive call finds its
// prototype.
func (l *lowerer) function(f *hir.Func) {
	switch l.state[f] {
	case emitted, declared:
		return
	case lowering:
		l.state[f] = declared
		l.add(l.signature(f, newFn(f)))
		return
	}
	l.state[f] = lowering
	if f.Body == nil {
		l.add(l.signature(f, newFn(f)))
		l.state[f] = emitted
		return
	}
	outer := l.fn
	l.fn = newFn(f)
	d := l.signature(f, l.fn)
	d.Body = l.body(f)
	l.fn = outer
	l.add(d)
	l.state[f] = emitted
}

// resultName is the parameter for the address of a result.
const resultName = "irgl_result"

func newFn(f *hir.Func) *fn {
	return &fn{decl: f, names: map[*hir.Var]string{}, byAddr: map[*hir.Var]bool{}}
}

// signature returns the declaration of f, and names its parameters.
func (l *lowerer) signature(f *hir.Func, names *fn) *syntax.FuncDecl {
	sp := at(f)
	d := &syntax.FuncDecl{Span: sp, Name: tree.Ident(sp, f.Symbol), Result: l.result(sp, f.Result)}
	if f.Kind == hir.Kernel {
		d.Attrs = syntax.ExternC | syntax.Global
		d.Bounds, d.Cluster = numbers(sp, f.Bounds), numbers(sp, f.Cluster)
	} else {
		d.Attrs = syntax.Static | syntax.Device
		if f.Body == nil && f.Linkage == hir.External {
			d.Attrs = syntax.Extern | syntax.Device
		}
	}
	if f.ForceInline {
		d.Attrs |= syntax.ForceInline
	}
	if f.NoInline {
		d.Attrs |= syntax.NoInline
	}
	names.push(nil)
	if l.inMemory(f.Result) {
		d.Params = append(d.Params, l.namedParam(sp, &syntax.PointerType{Span: sp, Elem: l.typ(sp, f.Result)}, resultName))
	}
	if f.This != nil {
		d.Params = append(d.Params, l.namedParam(sp, l.object(sp, f.This.Type), names.declare(l, f.This, "self")))
	}
	for _, v := range f.Params {
		t := l.param(sp, v.Type)
		if f.Kind == hir.Kernel {
			t = l.object(sp, v.Type)
		} else if l.inMemory(v.Type) {
			names.byAddr[v] = true
		}
		if p, ok := t.(*syntax.PointerType); ok && v.Restrict {
			p.Restrict = true
		}
		d.Params = append(d.Params, l.namedParam(at(v), t, names.declare(l, v, v.Name)))
	}
	if len(d.Params) == 0 {
		d.Params = []*syntax.Param{{Span: sp, Type: tree.Basic(sp, "void")}}
	}
	return d
}

func (l *lowerer) namedParam(sp syntax.Span, t syntax.TypeExpr, name string) *syntax.Param {
	return &syntax.Param{Span: sp, Type: t, Name: tree.Ident(sp, name)}
}

// numbers returns integer literals; nil for none.
func numbers(sp syntax.Span, values []int64) []syntax.Expr {
	var list []syntax.Expr
	for _, v := range values {
		list = append(list, tree.Number(sp, v))
	}
	return list
}

// push opens a scope.
func (f *fn) push(b *hir.Block) *scope {
	s := &scope{block: b}
	f.scopes = append(f.scopes, s)
	return s
}

// pop closes the innermost scope.
func (f *fn) pop() { f.scopes = f.scopes[:len(f.scopes)-1] }

// top returns the innermost scope.
func (f *fn) top() *scope { return f.scopes[len(f.scopes)-1] }

// declare names a variable of the innermost scope: as it is written, unless the name
// means something else in C or in a scope around it.
func (f *fn) declare(l *lowerer, v *hir.Var, name string) string {
	if name == "" {
		name = "unnamed"
	}
	if reserved(name) || l.symbols[name] {
		name += "_"
	}
	base := name
	for n := 2; f.visible(name) || l.symbols[name]; n++ {
		name = numbered(base, n)
	}
	if v != nil {
		f.names[v] = name
	}
	f.top().names = append(f.top().names, name)
	return name
}

// visible reports whether a name is declared in an open scope.
func (f *fn) visible(name string) bool {
	for _, s := range f.scopes {
		for _, n := range s.names {
			if n == name {
				return true
			}
		}
	}
	return false
}

// body lowers the body of f, whose parameters have been named.
func (l *lowerer) body(f *hir.Func) *syntax.Block {
	l.fn.findLabels(f.Body, nil)
	return l.block(f.Body)
}

// findLabels records where the labels in b are.
func (f *fn) findLabels(b *hir.Block, path []step) {
	for i, s := range b.Stmts {
		here := append(path[:len(path):len(path)], step{b, i})
		f.findLabelsIn(s, here)
	}
}

func (f *fn) findLabelsIn(s hir.Stmt, path []step) {
	switch s := s.(type) {
	case *hir.Label:
		if f.labels == nil {
			f.labels = map[string][]step{}
		}
		f.labels[s.Name] = path
	case *hir.Block:
		f.findLabels(s, path)
	case *hir.If:
		f.findLabelsIn(s.Then, path)
		if s.Else != nil {
			f.findLabelsIn(s.Else, path)
		}
	case *hir.Loop:
		f.findLabelsIn(s.Body, path)
	case *hir.Switch:
		f.findLabelsIn(s.Body, path)
	}
}

// missing reports a construct that lowering does not know.
func (l *lowerer) missing(n node, what string) *source.Diagnostic {
	return l.errorf(n, codeMissing, "lowering does not know %s", what)
}
