package check

// This file checks declarations of constants, types, variables and functions.

import (
	"irgl/syntax"
)

// collect declares everything at file level. In a .cu file names are visible
// from their declaration on, as in C, so bodies are checked in passing; in an
// .irgl file the order of functions does not matter.
//
//irgl:allnodes Decl
func (c *checker) collect() {
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *syntax.GraphDecl:
			c.declareGraph(d)
		case *syntax.MeshDecl:
			c.declareMesh(d)
		}
	}
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *syntax.DefineDecl:
			c.define(d)
		case *syntax.NamesDecl:
			c.foreign(d)
		case *syntax.CBlock:
			c.later = append(c.later, func() { c.cBlock(d) })
		case *syntax.TypeDecl:
			c.typeDecl(d)
		case *syntax.VarDecls:
			c.varDecls(d)
		case *syntax.FuncDecl:
			c.funcDecl(d)
			if !c.irgl && d != nil && d.Body != nil {
				c.body(c.funcs[d])
			}
		}
	}
	c.propBodies()
	if g := c.info.Graph; g != nil {
		c.racy(g.Racy)
	}
	if m := c.info.Mesh; m != nil {
		c.racy(m.Racy)
	}
}

// define declares a #define that the tree keeps: a constant.
func (c *checker) define(d *syntax.DefineDecl) {
	o := &Object{Kind: ConstObj, Name: nameOf(d.Name), Type: Invalid, Decl: d, ReadOnly: true, Global: true}
	if d.Value != nil {
		x := c.rvalue(d.Value)
		o.Type, o.Const = x.typ, x.cv
		if x.inf {
			c.infs(o)
		}
		if x.typ != Invalid && x.cv == nil && x.typ != String {
			c.errorf(d.Value, codeNotConst, "the value of %s must be a constant", o.Name).Hint = "write a global variable or a function"
			o.Type = Invalid
		}
	}
	c.declare(d.Name, o)
}

// typeDecl declares a typedef, or a struct, union or enum by its tag.
func (c *checker) typeDecl(d *syntax.TypeDecl) {
	if d == nil {
		return
	}
	q := c.typ(d.Type)
	if d.Name == nil {
		return
	}
	prev := c.scope.names[d.Name.Name]
	if prev != nil && prev.Kind == TypeObj && Identical(prev.Type, q.Type) {
		c.info.Defs[d.Name] = prev // C11 and C++ allow the same typedef again
		return
	}
	c.declare(d.Name, &Object{Kind: TypeObj, Name: d.Name.Name, Type: q.Type, Decl: d, ReadOnly: q.ro, Volatile: q.volatile, Global: c.fn == nil})
}

// varDecls declares the variables of one declaration, at file level or in a
// function.
func (c *checker) varDecls(d *syntax.VarDecls) {
	if d == nil {
		return
	}
	c.varQualifiers(d)
	align := c.alignment(d.Align)
	for _, v := range d.Vars {
		if v != nil {
			c.varDecl(v, d.Attrs, align)
		}
	}
}

// varQualifiers checks the qualifiers of a variable declaration.
func (c *checker) varQualifiers(d *syntax.VarDecls) {
	const memory = syntax.Shared | syntax.Device | syntax.Constant | syntax.Managed
	a, local := d.Attrs, c.fn != nil
	bad := func(format string, args ...any) { c.errorf(d, codeQualifier, format, args...) }
	switch {
	case a&(syntax.Global|syntax.HostAttr|syntax.NoInline|syntax.ForceInline|syntax.Inline) != 0:
		bad("a variable cannot have a function's qualifier")
	case c.irgl && a.Has(syntax.Shared):
		c.cacheQualifier(d)
	case c.irgl && a&memory != 0:
		bad("global variables of an .irgl file live on the device without a qualifier")
	case c.irgl && local && a&(syntax.Static|syntax.Extern) != 0:
		bad("a local variable of an .irgl file cannot be static or extern")
	case a.Has(syntax.Output) && (local || !c.irgl):
		bad("only global variables and properties can be outputs")
	case a.Has(syntax.Shared) && local && !c.fn.Device:
		bad("a host function cannot have a __shared__ variable")
	case a&(syntax.Device|syntax.Constant|syntax.Managed) != 0 && local && !a.Has(syntax.Shared):
		bad("a __device__, __constant__ or __managed__ variable belongs outside functions")
	case a.Has(syntax.Shared) && a&(syntax.Constant|syntax.Managed) != 0, a.Has(syntax.Constant | syntax.Managed):
		bad("a variable can be in one memory only")
	}
}

// Sizes of the memory for local variables in bytes.
const (
	MaxLocal     = 512 << 10 // of a thread on the device
	MaxHostStack = 1 << 20   // of the host functions that call each other
)

// localSize refuses a local variable that no thread, or the host's stack, has
// room for.
func (c *checker) localSize(v *syntax.VarDecl, o *Object, fn *FuncInfo) {
	if o.Type == Invalid {
		return
	}
	switch size := o.Type.Size(); {
	case fn.Device && size > MaxLocal:
		c.errorf(v, codeLocalSize, "%s takes %d bytes; a thread's local memory has %d", o.Type, size, MaxLocal).Hint = "use a property or a global array"
	case size > MaxHostStack:
		c.errorf(v, codeLocalSize, "%s takes %d bytes; the host's stack has %d", o.Type, size, MaxHostStack).Hint = "use a global array"
	}
}

// varDecl declares one variable. Its name is visible in its own initial
// value, as in C. A const number with a constant value is itself a constant,
// as in C++: an array length, or a host constant that device code uses.
func (c *checker) varDecl(v *syntax.VarDecl, attrs syntax.Attrs, align int64) {
	q := c.typ(v.Type)
	o := &Object{Kind: VarObj, Name: nameOf(v.Name), Type: q.Type, Decl: v, Attrs: attrs, Align: align, Global: c.fn == nil, Volatile: q.volatile, ReadOnly: q.ro}
	arr, isArray := q.Type.(*Array)
	fromInit := isArray && arr.Len < 0 && v.Init != nil
	if q.Type != Invalid && !fromInit && !attrs.Has(syntax.Extern) && !c.complete(v, q.Type, "a variable") {
		o.Type = Invalid
		if isArray && arr.Len < 0 && attrs.Has(syntax.Shared) && !c.irgl {
			c.diags.Diags[len(c.diags.Diags)-1].Hint = "an array whose length the launch gives is extern __shared__"
		}
	}
	if attrs.Has(syntax.Output) && o.Type != Invalid && !IsArithmetic(elemOf(o.Type)) {
		c.errorf(v, codePropType, "an output must be a number or an array of numbers, not %s", o.Type)
	}
	if _, ok := elemOf(o.Type).(*Pointer); ok && c.irgl && o.Global {
		c.errorf(v, codePropType, "a global variable of an .irgl file cannot be a pointer")
	}
	o = c.declareVar(v, o)
	if c.irgl && attrs.Has(syntax.Shared) {
		c.cache(v, o)
	}
	if c.irgl && c.fn != nil {
		fn := c.fn.FuncInfo
		c.later = append(c.later, func() { c.localSize(v, o, fn) })
	}
	if v.Init == nil {
		if o.ReadOnly && o.Type != Invalid && !attrs.Has(syntax.Extern) && !attrs.Has(syntax.Constant) {
			c.errorf(v, codeInit, "the constant %s needs an initial value", o.Name)
		}
		c.setAddressed(o)
		return
	}
	if attrs.Has(syntax.Shared) {
		if c.irgl {
			c.errorf(v.Init, codeInit, "a __shared__ array cannot have initial values").Hint = "assign its elements in the iteration, which has an array of its own"
		} else {
			c.errorf(v.Init, codeInit, "a __shared__ variable cannot have an initial value: each block has its own").Hint = "let one thread set it, then __syncthreads()"
		}
	}
	x := c.initialise(v.Init, o)
	if (o.Global || attrs.Has(syntax.Static)) && x.typ != Invalid && !c.staticInit(v.Init, x) {
		c.errorf(v.Init, codeNotConst, "the initial value of %s must be a constant", o.Name)
	}
	if fromInit {
		c.info.Named[v.Type] = o.Type
	}
	if o.ReadOnly && !o.Volatile && IsArithmetic(o.Type) && x.cv != nil {
		o.Const = convertConst(x.cv, x.typ, o.Type)
	}
	c.setAddressed(o)
}

// elemOf returns the innermost element type of an array, or t itself.
func elemOf(t Type) Type {
	for {
		a, ok := t.(*Array)
		if !ok {
			return t
		}
		t = a.Elem
	}
}

// setAddressed marks variables that need memory by their type alone.
func (c *checker) setAddressed(o *Object) {
	switch o.Type.(type) {
	case *Array, *Struct:
		o.Addressed = true
	}
}

// declareVar enters o, or finds the variable that an extern declaration and a
// definition have in common.
func (c *checker) declareVar(v *syntax.VarDecl, o *Object) *Object {
	prev := c.scope.names[o.Name]
	extern := func(o *Object) bool { return o.Attrs.Has(syntax.Extern) }
	if prev != nil && prev.Kind == VarObj && o.Global && prev.Global && v.Name != nil && (extern(prev) || extern(o)) {
		if !sameObjectType(prev.Type, o.Type) {
			noteDecl(c.errorf(v.Name, codeConflict, "%s is declared as %s and as %s", o.Name, prev.Type, o.Type), prev, "the first declaration")
		}
		c.info.Defs[v.Name] = prev
		if !extern(o) {
			prev.Decl, prev.Type, prev.Attrs = v, o.Type, o.Attrs|prev.Attrs&^syntax.Extern
		}
		return prev
	}
	if c.declare(v.Name, o) && o.Global {
		c.info.Globals = append(c.info.Globals, o)
	}
	return o
}

// sameObjectType is Identical, with an array of unknown length equal to any.
func sameObjectType(x, y Type) bool {
	a, ok1 := x.(*Array)
	b, ok2 := y.(*Array)
	if ok1 && ok2 && (a.Len < 0 || b.Len < 0) {
		return Identical(a.Elem, b.Elem)
	}
	return Identical(x, y)
}

// funcDecl declares a function, kernel or host function, without its body.
func (c *checker) funcDecl(d *syntax.FuncDecl) {
	if d == nil {
		return
	}
	f := &FuncInfo{Decl: d, Type: &Func{Result: Void}}
	c.funcs[d] = f
	f.Object = &Object{Kind: FuncObj, Name: nameOf(d.Name), Type: f.Type, Decl: d, Func: f, Attrs: d.Attrs, Global: true}
	if d.Result != nil {
		f.Type.Result = c.typ(d.Result).Type
		switch r := f.Type.Result.(type) {
		case *Array, *Func:
			c.errorf(d.Result, codeBadType, "a function cannot return %s", describe(r))
			f.Type.Result = Invalid
		}
	}
	c.funcQualifiers(f)
	for i, p := range d.Params {
		if p == nil {
			continue
		}
		if i == 0 && len(d.Params) == 1 && p.Name == nil {
			if b, ok := p.Type.(*syntax.BasicType); ok && b.Name == "void" {
				c.typ(p.Type)
				break
			}
		}
		o := c.param(d, p)
		f.Type.Params = append(f.Type.Params, o.Type)
		f.Params = append(f.Params, o)
	}
	f.MaxThreads = c.bounds(d)
	c.clusterDims(d)
	c.declareFunc(d, f)
}

// param makes the object of one parameter.
func (c *checker) param(d *syntax.FuncDecl, p *syntax.Param) *Object {
	o := &Object{Kind: ParamObj, Name: nameOf(p.Name), Type: Invalid, Decl: p}
	switch {
	case p.Type != nil:
		q := c.typ(p.Type)
		o.Type, o.ReadOnly, o.Volatile = q.Type, q.ro, q.volatile
		if a, ok := q.Type.(*Array); ok {
			o.Type, o.ReadOnly = &Pointer{Elem: a.Elem, Const: q.ro, Volatile: q.volatile}, false
		} else if f, ok := q.Type.(*Func); ok {
			o.Type = &Pointer{Elem: f}
		} else if q.Type != Invalid && !c.complete(p, q.Type, "a parameter") {
			o.Type = Invalid
		}
		if _, isStruct := o.Type.(*Struct); o.Type != Invalid && !IsArithmetic(o.Type) {
			if d.Kind == syntax.HostFunc {
				c.errorf(p, codePropType, "a parameter of a Host function must be a number, a bool or a node, not %s", o.Type)
			} else if d.Kind == syntax.KernelFunc && !isStruct {
				c.errorf(p, codePropType, "a parameter of a Kernel must be a number, a node, an edge or a struct, not %s", o.Type).Hint =
					"a Kernel can name global arrays and properties itself"
			}
		}
	case p.Name != nil && c.worldNamed(p.Name.Name) != nil:
		o = c.worldNamed(p.Name.Name)
		c.info.Uses[p.Name] = o
	case d.Kind == syntax.KernelFunc && p.Name != nil:
		c.inferred[p] = &inference{kernel: d}
	default:
		c.errorf(p, codeInfer, "the parameter %s needs a type", o.Name)
	}
	if p.Default != nil {
		x := c.rvalue(p.Default)
		switch {
		case d.Kind != syntax.HostFunc:
			c.errorf(p.Default, codeInit, "only parameters of Host functions have default values")
		case x.typ == Invalid || o.Type == Invalid:
		case !c.convertible(p.Default, &x, o.Type, "the default of "+o.Name):
		case x.cv == nil:
			c.errorf(p.Default, codeNotConst, "the default of %s must be a constant", o.Name)
		}
	}
	return o
}

// funcQualifiers checks a function's qualifiers and works out where it runs.
func (c *checker) funcQualifiers(f *FuncInfo) {
	d := f.Decl
	a := d.Attrs
	const cuda = syntax.Global | syntax.Device | syntax.HostAttr
	switch {
	case d.Kind == syntax.KernelFunc:
		f.Device = true
	case d.Kind == syntax.HostFunc:
		f.Host = true
	case c.irgl:
		f.Host, f.Device = true, true
	default:
		f.Device = a&(syntax.Device|syntax.Global) != 0
		f.Host = a.Has(syntax.HostAttr) || !f.Device
	}
	switch {
	case a&(syntax.Shared|syntax.Constant|syntax.Managed|syntax.Output) != 0:
		c.errorf(d.Name, codeQualifier, "a function cannot have a variable's qualifier")
	case c.irgl && a&cuda != 0:
		c.errorf(d.Name, codeQualifier, "functions of an .irgl file have no CUDA qualifiers").Hint = "write Kernel, Host, or nothing for a function that both can call"
	case a.Has(syntax.Global) && a&(syntax.Device|syntax.HostAttr) != 0:
		c.errorf(d.Name, codeQualifier, "a __global__ function cannot be __device__ or __host__ as well")
	case a.Has(syntax.Global) && f.Type.Result != Void && f.Type.Result != Invalid:
		c.errorf(d.Result, codeReturn, "a __global__ function must return void")
	}
}

// bounds checks __launch_bounds__(maxThreads, minBlocks, maxBlocksPerCluster).
// It returns the first, 0 for none.
func (c *checker) bounds(d *syntax.FuncDecl) (threads int) {
	if len(d.Bounds) > 3 || len(d.Bounds) > 0 && !d.Attrs.Has(syntax.Global) && d.Kind != syntax.KernelFunc {
		c.errorf(d.Name, codeBounds, "__launch_bounds__ takes up to 3 values, on a kernel")
	}
	for i, e := range d.Bounds {
		x := c.rvalue(e)
		least := int64(1)
		if i > 0 {
			least = 0
		}
		switch {
		case x.typ == Invalid:
		case x.cv == nil || !IsInteger(x.typ) || x.cv.Int < least:
			c.errorf(e, codeBounds, "a launch bound must be a positive integer constant")
		case i == 0 && x.cv.Int > 1024:
			c.errorf(e, codeBounds, "a block has at most 1024 threads, not %d", x.cv.Int)
		case i == 0:
			threads = int(x.cv.Int)
		}
	}
	return threads
}

// maxCluster is the most blocks that a cluster has on any device; every device
// with clusters has those of 8.
const maxCluster = 16

// clusterDims checks __cluster_dims__(x, y, z).
func (c *checker) clusterDims(d *syntax.FuncDecl) {
	if len(d.Cluster) > 0 && !d.Attrs.Has(syntax.Global) {
		c.errorf(d.Name, codeBounds, "__cluster_dims__ is for kernels")
	}
	blocks := int64(1)
	for _, e := range d.Cluster {
		x := c.rvalue(e)
		switch {
		case x.typ == Invalid:
		case x.cv == nil || !IsInteger(x.typ) || x.cv.Int < 1:
			c.errorf(e, codeBounds, "the size of a cluster must be a positive integer constant")
		case x.cv.Int > maxCluster || blocks*x.cv.Int > maxCluster:
			c.errorf(e, codeBounds, "a cluster has at most %d blocks", maxCluster).Hint = "clusters of up to 8 blocks can be launched on all devices that have clusters"
			return
		default:
			blocks *= x.cv.Int
		}
	}
}

// declareFunc enters f, or joins it to an earlier declaration of the same
// function.
func (c *checker) declareFunc(d *syntax.FuncDecl, f *FuncInfo) {
	if d.Name == nil {
		return
	}
	prev := c.scope.names[d.Name.Name]
	if prev == nil || prev.Kind != FuncObj || prev.Func.Decl.Body != nil && d.Body != nil {
		if c.declare(d.Name, f.Object) && d.Body != nil {
			c.info.Funcs = append(c.info.Funcs, f)
		}
		return
	}
	first := prev.Func
	c.info.Defs[d.Name] = prev
	c.funcs[d] = first
	const where = syntax.Global | syntax.Device | syntax.HostAttr
	if !Identical(first.Type, f.Type) || first.Decl.Kind != d.Kind || first.Host != f.Host || first.Device != f.Device ||
		first.Decl.Attrs&where&^syntax.HostAttr != d.Attrs&where&^syntax.HostAttr {
		noteDecl(c.errorf(d.Name, codeConflict, "%s does not agree with its earlier declaration", d.Name.Name), prev, "the earlier declaration")
	}
	if d.Body != nil {
		first.Decl, first.Params, first.Object.Decl = d, f.Params, d
		first.Object.Attrs |= d.Attrs
		c.info.Funcs = append(c.info.Funcs, first)
	}
}

// bodies checks the bodies of the .irgl functions that which selects.
func (c *checker) bodies(which func(*syntax.FuncDecl) bool) {
	if !c.irgl {
		return
	}
	for _, d := range c.file.Decls {
		if d, ok := d.(*syntax.FuncDecl); ok && d != nil && d.Body != nil && which(d) {
			c.body(c.funcs[d])
		}
	}
}
