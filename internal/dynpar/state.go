package dynpar

import (
	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// The errors of a thread's launches.
//
// Each thread has an error of its own, which cudaGetLastError returns. In a program that asks for it, a kernel
// has a variable irgl_state for that, and the functions that launch or ask, directly or by functions that
// they call, have a pointer to it as their last parameter. Functions whose address is taken, and those that other
// files may call, keep their parameters and have a variable of their own, like kernels: what fails there is found in the list of
// the queue, which has room for a few.

// stateName is the variable or parameter.
const stateName = "irgl_state"

// states says which functions know of the errors of their thread.
type states struct {
	in map[*check.FuncInfo]bool // that have irgl_state
	// passed are the names of those that have it as a parameter.
	passed map[string]bool
	// searched says that some functions leave errors in the list alone.
	searched bool
}

func (s *states) any() bool { return len(s.in) > 0 }

// findStates finds the functions that know of errors; none if the program does not ask.
func (l *lowerer) findStates(open bool) {
	asks := false
	in := map[*check.FuncInfo]bool{}
	for _, f := range l.info.Funcs {
		asked := f.Object.Name == "irgl_launch_error"
		asks = asks || asked
		if asked || onDevice(f) && len(f.Launches) > 0 {
			in[f] = true
		}
	}
	if !asks {
		return
	}
	for changed := true; changed; {
		changed = false
		for _, f := range l.info.Funcs {
			for _, g := range f.Calls {
				if in[g] && !in[f] && onDevice(f) {
					in[f], changed = true, true
				}
			}
		}
	}
	l.states = states{in: in, passed: map[string]bool{}}
	for f := range in {
		attrs := f.Decl.Attrs
		switch {
		case attrs.Has(syntax.Global):
		case open && !attrs.Has(syntax.Static) && !attrs.Has(syntax.Inline) && f.Object.Name != "irgl_launch_error", pointed(l.info, map[*check.FuncInfo]bool{f: true}):
			l.states.searched = true
		default:
			l.states.passed[f.Object.Name] = true
		}
	}
	l.states.searched = l.states.searched || open
}

// state returns a pointer to the errors in a function.
func (l *lowerer) state(in *check.FuncInfo, sp syntax.Span) syntax.Expr {
	if l.states.passed[in.Object.Name] {
		return tree.Ident(sp, stateName)
	}
	return tree.Addr(tree.Ident(sp, stateName))
}

// passState adds the errors to the arguments of a call of the copy of a function; origin has the nodes of the function.
func (l *lowerer) passState(c *syntax.CallExpr, in *check.FuncInfo, origin map[syntax.Node]syntax.Node) {
	id, ok := syntax.Unparen(c.Fun).(*syntax.Ident)
	if !ok || !l.states.in[in] {
		return
	}
	old, _ := origin[id].(*syntax.Ident)
	o := l.info.Uses[old]
	if o != nil && o.Kind == check.FuncObj && o.Func != nil && l.states.passed[o.Func.Object.Name] {
		c.Args = append(c.Args, l.state(in, tree.At(c)))
	}
}

// declareState adds the parameter or the variable to a function that knows of errors.
func (l *lowerer) declareState(f *syntax.FuncDecl, info *check.FuncInfo) {
	switch {
	case !l.states.in[info]:
	case l.states.passed[info.Object.Name]:
		addState(f)
	default:
		f.Body.Stmts = append(tree.Template("struct irgl_launch_state "+stateName+";\n"+stateName+".code = 0;\n"+stateName+".count = 0;\n"), f.Body.Stmts...)
	}
}

// addState adds the parameter.
func addState(f *syntax.FuncDecl) {
	if len(f.Params) == 1 && f.Params[0].Name == nil {
		if t, ok := f.Params[0].Type.(*syntax.BasicType); ok && t.Name == "void" {
			f.Params = nil
		}
	}
	with := tree.Declarations("void f(struct irgl_launch_state *" + stateName + ");\n")[0].(*syntax.FuncDecl)
	f.Params = append(f.Params, with.Params...)
}
