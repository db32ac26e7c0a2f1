package sema

import (
	"slices"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// A body is a function's body while it is analysed. It is the scope of local classes.
type body struct {
	fn    *function
	hir   *hir.Func
	class *class
	stmts *[]hir.Stmt // where statements are added
	// result is what auto was deduced to.
	result   types.Type
	returned ast.Span
	deducing types.Type // the result as it is declared, if it has auto
	failed   bool       // a return whose type is to be deduced is an error
	named    *hir.Var   // the local variable that every return so far names
	unnamed  bool       // a return names something else
	endLabel string     // where returns of a destructor go
	ended    bool       // endLabel is used
	labels   map[string]*label
	loops    int
	switches []*switchState
	cases    bool // it has a case or default
	locals   []*variable
	chosen   bool           // a branch of if constexpr is left out
	statics  []string       // the names of its static variables, in order
	classes  map[string]int // how many classes of a name it has declared
	hidden   int            // variables that the program has no name for
	closure  *closure       // of a lambda's body
	outer    *env           // what the lambda is in
	// passes says that nothing refers to what the body declares once it is analysed.
	passes bool
}

// A label is a target of goto.
type label struct {
	defined bool
	used    ast.Span
}

// A switchState is a switch whose cases are being collected.
type switchState struct {
	typ   types.Type
	cases map[int64]ast.Span
	deflt bool
}

// ScopeName implements types.Scope.
func (b *body) ScopeName() string { return b.fn.name }

// ScopeParent implements types.Scope.
func (b *body) ScopeParent() types.Scope { return b.fn.scope.typesScope() }

// ScopeSymbol implements types.FuncScope.
func (b *body) ScopeSymbol() *types.Symbol {
	if b.fn.symbol == nil {
		return &types.Symbol{Name: b.fn.name, External: true}
	}
	return b.fn.symbol
}

// numberOf returns the place of a class among those of its name in the function, from 0.
func (b *body) numberOf(name string) int {
	if b.classes == nil {
		b.classes = map[string]int{}
	}
	b.classes[name]++
	return b.classes[name] - 1
}

// bindParams declares the parameters of a function in the scope of its body.
func (b *body) bindParams(e *env, s *scope, f *function) {
	d := f.def
	if d == nil {
		d = f.decl
	}
	i := 0
	n := len(d.Type.Params)
	room := e.nodes.variables(b, len(b.hir.Params))
	for _, p := range d.Type.Params {
		count := 1
		if isPack(p) {
			count = len(f.params) - (n - 1)
		}
		vars := room[i:min(i+max(count, 0), len(room))]
		for j := range vars {
			h := b.hir.Params[i]
			v := &vars[j]
			v.name, v.at, v.typ, v.hir, v.state, v.owner, v.spelled = h.Name, h.Span, h.Type, h, done, b, p.Type
			i++
		}
		if p.Name == nil {
			continue
		}
		var old object
		if isPack(p) {
			pack := &packVar{at: p.Name.Span}
			for j := range vars {
				if j > 0 {
					vars[j].hir.Name = p.Name.Name + "__" + decimal(j)
				}
				pack.vars = append(pack.vars, &vars[j])
			}
			old = s.declare(p.Name.Name, pack)
		} else if len(vars) == 1 {
			vars[0].name = p.Name.Name
			vars[0].hir.Name = p.Name.Name
			old = s.declareNumbered(p.Name.Name, p.Name.Number, &vars[0])
		}
		if old != nil {
			e.errorf(p.Name, codeRedefined, "redefinition of parameter '%s'", p.Name.Name)
		}
	}
	// The host destroys the arguments of a kernel.
	kernel := b.fn != nil && b.fn.has(ast.Global)
	for _, h := range b.hir.Params {
		if h.Type.IsClass() && e.requireComplete(h.Type, h.Span, "parameter has incomplete type") && !kernel {
			h.Destroy = e.destructorOf(h.Type, h.Span)
		}
	}
}

// add adds a statement.
func (b *body) add(s hir.Stmt) { *b.stmts = append(*b.stmts, s) }

// finish checks labels and jumps of the body, which is block, and settles a deduced result.
func (b *body) finish(e *env, block *hir.Block) {
	e.checkJumps(block)
	b.nameResult(block)
	e.warnBody(block)
	for name, l := range b.labels {
		if !l.defined {
			e.errorf(l.used, codeLabel, "use of undeclared label '%s'", name)
		}
	}
	f := b.fn
	if hasAuto(f.result()) {
		r := b.result
		if !r.IsValid() {
			r = e.basic(types.Void)
			f.bad = b.failed // so that its calls say nothing
		}
		b.setResult(e, r)
	}
}

// returns notes that a return names a local variable, which is nil for other operands.
func (b *body) returns(v *hir.Var) {
	b.unnamed = b.unnamed || v == nil || b.named != nil && b.named != v
	b.named = v
}

// nameResult makes the variable that all returns name the object of the result, if the
// outermost block declares it, as g++ does: its life ends with a return alone.
func (b *body) nameResult(block *hir.Block) {
	v := b.named
	if v == nil || b.unnamed || block == nil || v.Static || v.Space != hir.Local || v.Type.IsVolatile() || v.Align > v.Type.Align() {
		return
	}
	for _, s := range block.Stmts {
		if d, ok := s.(*hir.VarStmt); ok && slices.Contains(d.Vars, v) {
			b.hir.Named = v
		}
	}
}

// setResult replaces an auto result by what was deduced.
func (b *body) setResult(e *env, r types.Type) {
	f := b.fn
	info := *f.typ.Func
	f.typ = e.types.Func(r, info)
	f.deduced = true
	b.hir.Result = r
}
