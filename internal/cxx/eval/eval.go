package eval

import (
	"cmp"
	"fmt"
	"strconv"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
)

// A Context is what the evaluation of expressions needs of its caller.
type Context struct {
	Table *types.Table
	// Body returns the body of a function, analysed by need; nil if it has none.
	Body func(*hir.Func) *hir.Block
	// Steps and Depth limit an evaluation; 0 is for 1,000,000 and 512.
	Steps, Depth int
}

const (
	maxSteps = 1_000_000
	maxDepth = 512
)

// Eval returns the value of an expression: of a glvalue its address. If it is no constant,
// the diagnostic says why: a note without a code, for an error of the caller's.
func Eval(c *Context, e hir.Expr) (k *hir.Const, note *source.Diagnostic) {
	if x, ok := e.(*hir.ConstExpr); ok {
		k := x.Value
		k.Type = x.T
		return &k, nil
	}
	m := &machine{ctx: c, steps: cmp.Or(c.Steps, maxSteps), maxDepth: cmp.Or(c.Depth, maxDepth)}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *failure:
			k, note = nil, m.note(r)
		default:
			panic(r)
		}
	}()
	m.frame = &frame{}
	return m.result(e), nil
}

// A machine is one evaluation.
type machine struct {
	ctx      *Context
	steps    int // that are left
	depth    int // of the present call
	maxDepth int
	frame    *frame
	vars     map[*hir.Var]*object // those outside of the expression
	texts    map[*byte]*object    // of string literals, by their first bytes
	temps    []*root              // temporaries of the full expressions that are evaluated
}

// A frame is one call.
type frame struct {
	caller *frame
	fn     *hir.Func
	at     hir.Expr // the call
	args   []string // for notes
	locals []local
	result *object // where a class is returned
	value  scalar  // a scalar or reference that is returned
}

// A local is a variable of a call.
type local struct {
	v *hir.Var
	o *object
}

// A failure is why an expression is no constant.
type failure struct {
	pos, end source.Pos
	message  string
}

// A node is what a failure is about.
type node interface {
	Pos() source.Pos
	End() source.Pos
}

// fail ends the evaluation.
func (m *machine) fail(at node, format string, args ...any) {
	panic(&failure{pos: at.Pos(), end: at.End(), message: fmt.Sprintf(format, args...)})
}

// maxNotes bounds how many calls a note lists.
const maxNotes = 10

// note makes the diagnostic of a failure, with the calls that led to it.
func (m *machine) note(f *failure) *source.Diagnostic {
	d := &source.Diagnostic{Severity: source.Note, Pos: f.pos, End: f.end, Message: f.message}
	for fr := m.frame; fr != nil && fr.at != nil; fr = fr.caller {
		if len(d.Notes) == maxNotes {
			break
		}
		d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: fr.at.Pos(), End: fr.at.End(), Message: "in call to '" + fr.String() + "'"})
	}
	return d
}

// String returns the call as C++ writes it.
func (f *frame) String() string {
	s := f.fn.Name + "("
	for i, a := range f.args {
		if i > 0 {
			s += ", "
		}
		s += a
	}
	return s + ")"
}

// step counts one step.
func (m *machine) step(at node) { m.spend(at, 1) }

func (m *machine) spend(at node, n int64) {
	if int64(m.steps) < n {
		m.fail(at, "constexpr evaluation hit maximum step limit; possible infinite loop?")
	}
	m.steps -= int(n)
}

// result evaluates the whole expression.
func (m *machine) result(e hir.Expr) *hir.Const {
	t := e.Type()
	switch {
	case e.Category() != hir.PRValue:
		k := m.pointerConst(e, m.glvalue(e), true)
		k.Type = t
		return k
	case t.IsVoid():
		m.effect(e)
		return &hir.Const{Type: t}
	case t.IsScalar():
		return m.scalarConst(e, t, m.scalar(e))
	}
	o := m.newObject(e, t)
	m.into(e, o)
	return m.objectConst(e, o)
}

// text describes a scalar for notes.
func (s *scalar) text(t types.Type) string {
	switch {
	case t.IsFloat():
		return strconv.FormatFloat(s.f, 'g', 6, 64)
	case t.Underlying().Is(types.Bool):
		return strconv.FormatBool(s.i != 0)
	case t.Underlying().IsInteger() && t.IsSigned():
		return strconv.FormatInt(int64(s.i), 10)
	case t.Underlying().IsInteger():
		return strconv.FormatUint(s.i, 10)
	case t.IsPointer() && s.p.isNull():
		return "nullptr"
	}
	return "..."
}
