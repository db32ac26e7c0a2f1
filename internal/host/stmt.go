package host

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// A signal says how a statement completed.
type signal uint8

const (
	done signal = iota
	broke
	continued
	returned
)

// An exec runs a statement.
type exec func(m *machine) signal

// block compiles a list of statements.
func (f *frame) block(b *syntax.Block) func(m *machine) signal {
	list := make([]exec, 0, len(b.Stmts))
	for _, s := range b.Stmts {
		list = append(list, f.stmt(s))
	}
	return func(m *machine) signal {
		for _, s := range list {
			if sig := s(m); sig != done {
				return sig
			}
		}
		return done
	}
}

func nothing(*machine) signal { return done }

// stmt compiles a statement.
//
//irgl:flatswitch
//irgl:allnodes CStmt except GotoStmt CBlock
func (f *frame) stmt(s syntax.Stmt) exec {
	switch s := s.(type) {
	case nil, *syntax.EmptyStmt, *syntax.TypeDecl:
		return nothing
	case *syntax.Block:
		return f.block(s)
	case *syntax.VarDecls:
		return f.varDecls(s)
	case *syntax.ExprStmt:
		x := f.expr(s.X)
		return func(m *machine) signal { x(m); return done }
	case *syntax.IfStmt:
		return f.ifStmt(s)
	case *syntax.ForStmt:
		return f.forStmt(s)
	case *syntax.WhileStmt:
		return f.whileStmt(s)
	case *syntax.SwitchStmt:
		return f.switchStmt(s)
	case *syntax.ReturnStmt:
		return f.returnStmt(s)
	case *syntax.BreakStmt:
		return func(*machine) signal { return broke }
	case *syntax.ContinueStmt:
		return func(*machine) signal { return continued }
	case *syntax.CaseStmt: // compiled by switchStmt
		f.p.refuse(s, CodeGoto, "host code cannot jump to a case inside another statement")
		return nothing
	case *syntax.LabelStmt:
		return nothing
	case *syntax.AsmStmt:
		f.p.refuse(s, CodeGoto, "host code cannot run inline PTX")
		return nothing
	}
	f.p.refuse(s, CodeGoto, "host code cannot jump")
	return nothing
}

// varDecls compiles the initialisers of local variables.
func (f *frame) varDecls(d *syntax.VarDecls) exec {
	var inits []func(m *machine)
	for _, v := range d.Vars {
		obj := f.p.info.Defs[v.Name]
		if d.Attrs.Has(syntax.Static) {
			f.static(obj, v)
			continue
		}
		s := f.alloc(obj.Type)
		f.vars[obj] = s
		at := func(m *machine) uint64 { return address(stackSegment, m.fp+s.offset) }
		if v.Init != nil {
			inits = append(inits, f.initialise(at, obj.Type, v.Init))
		}
	}
	if len(inits) == 1 {
		init := inits[0]
		return func(m *machine) signal { init(m); return done }
	}
	return func(m *machine) signal {
		for _, init := range inits {
			init(m)
		}
		return done
	}
}

// static allocates a static local among the globals; every run starts with its
// initial value.
func (f *frame) static(obj *check.Object, v *syntax.VarDecl) {
	at := f.p.place(obj)
	if v.Init != nil {
		f.p.inits = append(f.p.inits, f.initialise(func(*machine) uint64 { return at }, obj.Type, v.Init))
	}
}

// initialise compiles the initialisation of the object at a place.
func (f *frame) initialise(at place, t check.Type, init syntax.Expr) func(m *machine) {
	list, ok := init.(*syntax.InitList)
	if !ok {
		if lit, ok := init.(*syntax.BasicLit); ok && lit.Kind == syntax.StringLit {
			if _, array := t.(*check.Array); array {
				set := f.stringSetter(t, lit)
				return func(m *machine) { set(m, at(m)) }
			}
		}
		set := f.store(init, t, f.converted(init, t))
		return func(m *machine) { set(m, at(m)) }
	}
	size := t.Size()
	var parts []func(m *machine, base uint64)
	for _, s := range f.p.info.Inits[list] {
		if lit, ok := s.Value.(*syntax.BasicLit); ok && lit.Kind == syntax.StringLit {
			if _, array := s.Type.(*check.Array); array {
				set := f.stringSetter(s.Type, lit)
				parts = append(parts, func(m *machine, b uint64) { set(m, b+uint64(s.Offset)) })
				continue
			}
		}
		set := f.store(s.Value, s.Type, f.converted(s.Value, s.Type))
		parts = append(parts, func(m *machine, b uint64) { set(m, b+uint64(s.Offset)) })
	}
	return func(m *machine) {
		base := at(m)
		clear(m.bytes(init, base, size))
		for _, p := range parts {
			p(m, base)
		}
	}
}

// stringSetter compiles setting an array of char to a literal.
func (f *frame) stringSetter(t check.Type, lit *syntax.BasicLit) func(m *machine, at uint64) {
	text, size := stringValue(lit), t.Size()
	return func(m *machine, at uint64) {
		b := m.bytes(lit, at, size)
		clear(b)
		copy(b, text)
	}
}

// ifStmt compiles if.
func (f *frame) ifStmt(s *syntax.IfStmt) exec {
	cond, then := f.cond(s.Cond), f.stmt(s.Then)
	if s.Else == nil {
		return func(m *machine) signal {
			if cond(m) {
				return then(m)
			}
			return done
		}
	}
	otherwise := f.stmt(s.Else)
	return func(m *machine) signal {
		if cond(m) {
			return then(m)
		}
		return otherwise(m)
	}
}

// forStmt compiles for; each iteration checks the context.
func (f *frame) forStmt(s *syntax.ForStmt) exec {
	init := f.stmt(s.Init)
	cond := func(*machine) bool { return true }
	if s.Cond != nil {
		cond = f.cond(s.Cond)
	}
	post := func(*machine) uint64 { return 0 }
	if s.Post != nil {
		post = f.expr(s.Post)
	}
	body := f.stmt(s.Body)
	return func(m *machine) signal {
		for init(m); cond(m); post(m) {
			m.tick(s)
			switch body(m) {
			case broke:
				return done
			case returned:
				return returned
			}
		}
		return done
	}
}

// whileStmt compiles while and do.
func (f *frame) whileStmt(s *syntax.WhileStmt) exec {
	cond, body := f.cond(s.Cond), f.stmt(s.Body)
	do := s.Do
	return func(m *machine) signal {
		for do || cond(m) {
			m.tick(s)
			switch body(m) {
			case broke:
				return done
			case returned:
				return returned
			}
			if do && !cond(m) {
				break
			}
		}
		return done
	}
}

// switchStmt compiles a switch whose cases are directly in its body.
func (f *frame) switchStmt(s *syntax.SwitchStmt) exec {
	x := f.converted(s.X, check.Promote(f.typ(s.X)))
	start := map[uint64]int{}
	otherwise := -1
	var list []exec
	for _, c := range s.Body.Stmts {
		if label, ok := c.(*syntax.CaseStmt); ok {
			if label.Value == nil {
				otherwise = len(list)
			} else if k := f.p.info.Consts[label.Value]; k != nil {
				start[narrow(check.Promote(f.typ(s.X)), uint64(k.Int))] = len(list)
			}
			continue
		}
		list = append(list, f.stmt(c))
	}
	return func(m *machine) signal {
		at, ok := start[x(m)]
		if !ok {
			at = otherwise
		}
		if at < 0 {
			return done
		}
		for _, c := range list[at:] {
			switch sig := c(m); sig {
			case done:
			case broke:
				return done
			default:
				return sig
			}
		}
		return done
	}
}

// returnStmt compiles return: a struct is copied out of the callee's frame.
func (f *frame) returnStmt(s *syntax.ReturnStmt) exec {
	if s.X == nil {
		return func(*machine) signal { return returned }
	}
	t := f.fn.result
	x := f.converted(s.X, t)
	if !isAggregate(t) {
		return func(m *machine) signal { m.result = x(m); return returned }
	}
	size := t.Size()
	return func(m *machine) signal {
		m.returned = append(m.returned[:0], m.bytes(s, x(m), size)...)
		return returned
	}
}

// cond compiles a condition.
func (f *frame) cond(x syntax.Expr) func(m *machine) bool {
	v := f.expr(x)
	if check.IsFloat(f.typ(x)) {
		return func(m *machine) bool { return toFloat(v(m)) != 0 }
	}
	return func(m *machine) bool { return v(m) != 0 }
}
