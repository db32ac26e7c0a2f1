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
	grown   [4][]grown // properties of the mesh, by domain

	fn      *function // being compiled
	pipes   int       // Pipes around the statement
	depth   int       // of nested expressions and statements
	forAlls int       // parallel ForAlls around the statement

	inits map[string]*int64 // set in a property's initialiser: id, degree and in_degree
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
	c.textOnly()
	for _, p := range c.info.Props {
		_, set := c.property(p)
		steps = append(steps, set)
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

// textOnly reports what only a compiler of CUDA's text understands.
func (c *compiler) textOnly() {
	for _, b := range c.info.CBlocks {
		c.errorf(b, codeCBlock, "the interpreter cannot run this C text")
	}
	for _, n := range c.info.Foreign {
		c.errorf(n, codeForeign, "the interpreter does not know the value of %s, which C text defines", n.Name)
	}
}

// property makes the memory of a property, and what sets its initial values.
func (c *compiler) property(p *check.Prop) (*segment, func()) {
	size := p.Object.Type.Size()
	seg := c.newSegment(c.counts[p.Of]*size, p.Decl)
	c.props[p.Object] = seg
	one := c.initialValue(p, seg)
	if p.Of.OfMesh() {
		seg.grows = true
		c.grown[p.Of] = append(c.grown[p.Of], grown{seg, size, one})
	}
	if p.Builtin {
		return seg, c.given(p, seg)
	}
	if one == nil {
		return seg, func() {}
	}
	n := c.counts[p.Of]
	return seg, func() {
		for i := range n {
			one(i)
		}
	}
}

// initialValue compiles the setting of a property's value at i; nil when that is
// zero.
func (c *compiler) initialValue(p *check.Prop, seg *segment) func(i int64) {
	if p.Decl.Init == nil {
		return nil
	}
	t, nodes := p.Object.Type, p.Of == syntax.NodeDomain
	id, degree, inDegree := new(int64), new(int64), new(int64)
	c.inits = map[string]*int64{"id": id, "degree": degree, "in_degree": inDegree}
	v := c.as(p.Decl.Init, t)
	c.inits = nil
	rows, inRows := c.g.RowStart, []uint64(nil)
	if nodes && c.info.Needs.InEdges {
		inRows = c.rows(true)
	}
	size := t.Size()
	return func(i int64) {
		*id = i
		if nodes {
			*degree = int64(int32(rows[i+1] - rows[i]))
			if inRows != nil {
				*inDegree = int64(int32(inRows[i+1] - inRows[i]))
			}
		}
		if v.f != nil {
			putFloat(t, seg.data[i*size:], v.f())
		} else {
			putInt(t, seg.data[i*size:], v.i())
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
	f := new(frame)
	f.save(fn.locals)
	return func() { f.restore(fn.locals) }
}
