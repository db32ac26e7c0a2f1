package interp

import (
	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// A compiler turns the functions of a program into closures over the memory of
// one machine. It is used for one run, and once by New to find errors.
//
// Every variable has one fixed home. That makes reading one a single load, and
// is enough because operator code cannot recur; a Host function that does
// saves its variables around the call.
type compiler struct {
	*machine
	info    *check.Info
	diags   *source.List
	vars    map[*check.Object]place
	funcs   map[*check.FuncInfo]*function
	strings map[*syntax.BasicLit]*segment
	props   map[*check.Object]*segment

	fn         *function // being compiled
	pipes      int       // Pipes around the statement
	depth      int       // of nested expressions and statements
	forAlls    int       // parallel ForAlls around the statement
	initID     *int64    // set in a property's initialiser: id and degree
	initDegree *int64
}

// A function is a compiled function, kernel or host function.
type function struct {
	info   *check.FuncInfo
	params []place // with no mode set for the graph: see isGraph
	locals []place // every variable, parameters included
	body   exec
	result place // where return leaves the value; t is Void without one
	depth  int   // how deeply its closures nest: what a call costs of the stack
}

// newCompiler returns a compiler for one machine; it reports to diags.
func newCompiler(m *machine, info *check.Info, diags *source.List) *compiler {
	return &compiler{
		machine: m, info: info, diags: diags,
		vars: map[*check.Object]place{}, funcs: map[*check.FuncInfo]*function{},
		strings: map[*syntax.BasicLit]*segment{}, props: map[*check.Object]*segment{},
	}
}

// errorf reports what the interpreter cannot run.
func (c *compiler) errorf(n syntax.Node, code source.Code, format string, args ...any) *source.Diagnostic {
	return c.diags.Errorf(n.Pos(), n.End(), code, format, args...)
}

// enter and leave measure how deeply a function's closures nest.
func (c *compiler) enter() {
	c.depth++
	if c.fn != nil {
		c.fn.depth = max(c.fn.depth, c.depth)
	}
}

func (c *compiler) leave() { c.depth-- }

// program compiles everything that a run needs: globals and properties with
// their initial values, and all functions. start sets the former.
func (c *compiler) program() (start func(), entry *function) {
	var steps []func()
	for _, p := range c.info.Props {
		seg := c.newSegment(c.count(propOwner(p))*p.Object.Type.Size(), p.Decl)
		c.props[p.Object] = seg
		steps = append(steps, c.initProp(p, seg))
	}
	for _, o := range c.info.Globals {
		d, ok := o.Decl.(*syntax.VarDecl)
		if !ok {
			continue
		}
		p := c.storage(o, d)
		if d.Init != nil {
			seg, set := p.seg, c.initialise(p, d.Init)
			steps = append(steps, set, func() { seg.ro = o.ReadOnly })
		}
	}
	for _, f := range c.info.Funcs {
		fn := c.function(f)
		if f == c.info.Entry {
			entry = fn
		}
	}
	return func() {
		for _, s := range steps {
			s()
		}
	}, entry
}

// propOwner returns the type of what has the property.
func propOwner(p *check.Prop) check.Type {
	if p.Of == syntax.EdgeDomain {
		return check.Edge
	}
	return check.Node
}

// initProp compiles the setting of a property to its initial values.
func (c *compiler) initProp(p *check.Prop, seg *segment) func() {
	if p.Decl.Init == nil {
		return func() {}
	}
	t, g := p.Object.Type, c.g
	id, degree := new(int64), new(int64)
	c.initID, c.initDegree = id, degree
	v := c.as(p.Decl.Init, t)
	c.initID, c.initDegree = nil, nil
	size, n, data := t.Size(), c.count(propOwner(p)), seg.data
	return func() {
		for i := range n {
			*id = i
			if p.Of != syntax.EdgeDomain {
				*degree = int64(int32(g.RowStart[i+1] - g.RowStart[i]))
			}
			if v.f != nil {
				putFloat(t, data[i*size:], v.f())
			} else {
				putInt(t, data[i*size:], v.i())
			}
		}
	}
}

// function compiles f, once. A recursive call finds it unfinished; closures
// look at the body only when they run.
func (c *compiler) function(f *check.FuncInfo) *function {
	if fn := c.funcs[f]; fn != nil {
		return fn
	}
	fn := &function{info: f}
	c.funcs[f] = fn
	saved := *c
	c.fn, c.pipes, c.depth, c.forAlls = fn, 0, 0, 0
	for _, o := range f.Params {
		if o == nil || o.Kind != check.ParamObj {
			fn.params = append(fn.params, place{t: check.GraphType})
			continue
		}
		fn.params = append(fn.params, c.storage(o, f.Decl))
	}
	fn.result = place{t: f.Type.Result, n: f.Decl}
	switch t := f.Type.Result; {
	case t == check.Void:
	case isStruct(t):
		fn.result.mode, fn.result.seg = fixedMode, c.newSegment(t.Size(), f.Decl)
	case isFloat(t):
		fn.result.fcell = new(float64)
	default:
		fn.result.cell = new(int64)
	}
	if f.Decl.Body != nil {
		fn.body = c.block(f.Decl.Body)
	} else {
		fn.body = func() control { return next }
	}
	c.fn, c.pipes, c.depth, c.forAlls = saved.fn, saved.pipes, saved.depth, saved.forAlls
	return fn
}

// save returns the values of all variables of fn, to be put back after a
// recursive call by what it returns.
func (fn *function) save() (restore func()) {
	var ints []int64
	var floats []float64
	var sets []bool
	var memory [][]byte
	for _, p := range fn.locals {
		switch {
		case p.cell != nil:
			ints = append(ints, *p.cell)
		case p.fcell != nil:
			floats = append(floats, *p.fcell)
		default:
			memory = append(memory, append([]byte(nil), p.seg.data...))
		}
		if p.set != nil {
			sets = append(sets, *p.set)
		}
	}
	return func() {
		for _, p := range fn.locals {
			switch {
			case p.cell != nil:
				*p.cell, ints = ints[0], ints[1:]
			case p.fcell != nil:
				*p.fcell, floats = floats[0], floats[1:]
			default:
				copy(p.seg.data, memory[0])
				memory = memory[1:]
			}
			if p.set != nil {
				*p.set, sets = sets[0], sets[1:]
			}
		}
	}
}
