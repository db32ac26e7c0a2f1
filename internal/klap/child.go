package klap

import (
	"fmt"
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Aggregated kernels. Flattened ones are in flatten.go.
//
// The grid of an aggregated kernel has one dimension. A block finds the launch that it is of, loads
// its configuration and arguments, and executes the kernel's body with the built-in variables that
// it would have in a launch by itself. Threads behind the size of the launch's blocks leave, as the barrier waits
// for threads that have not left. Functions that read the built-in variables have a copy that takes them
// as a parameter. If all blocks of a child have one size, in one dimension, the aggregated kernel's have that, too: threadIdx and
// blockDim are those of the launch.

// agg returns the head of an aggregated kernel.
func (g *generator) agg(c *child) *syntax.FuncDecl {
	params := "struct __klap_launch __klap_launch"
	if c.flat {
		params += ", unsigned int __klap_warps"
	}
	if c.passesSize(g.p) {
		params += ", unsigned int __klap_bx"
	}
	f := tree.Declarations(fmt.Sprintf("__global__ void %s(%s);\n", c.aggName(), params))[0].(*syntax.FuncDecl)
	f.Attrs = c.fn.Decl.Attrs
	for _, b := range c.fn.Decl.Bounds {
		f.Bounds = append(f.Bounds, tree.Clone(b))
	}
	switch {
	case c.flat:
		f.Bounds = g.flatBounds(c)
	case len(f.Bounds) == 0:
		// It must have registers for the largest block that the kernel may have.
		f.Bounds = []syntax.Expr{tree.Number(tree.At(c.fn.Decl), c.most)}
	}
	f.Params = append(f.Params, g.uniformParams(c)...)
	return f
}

// uniformParams returns the parameters of an aggregated kernel that are those of the child.
func (g *generator) uniformParams(c *child) []*syntax.Param {
	var out []*syntax.Param
	for i, q := range parameters(c.fn) {
		if !c.uniform[i] {
			continue
		}
		q = tree.Clone(q)
		if c.flat && q.Name == nil {
			q.Name = tree.Ident(tree.At(q), c.own(i))
		}
		out = append(out, q)
	}
	return out
}

// aggregatedKernel returns the aggregated form of a kernel, which launches in turn if k is not nil.
func (g *generator) aggregatedKernel(c *child, k *kernel) syntax.Decl {
	f := g.agg(c)
	copied := &copying{g: g, k: k, placed: true, threads: c.block}
	body := copied.function(c.fn.Decl).Body
	threads, live := "__klap_mine->bx", "__klap_live" // of the launch's blocks
	switch {
	case c.block:
		live = "__klap_bx"
	case c.blockDims == 3:
		threads = "__klap_mine->bx * __klap_mine->by * __klap_mine->bz"
	}
	f.Body = tree.Block(tree.At(body), body)
	if k != nil {
		if k.small() {
			unrestricted(f)
		}
		f.Body = g.deferred(k, body, nil, tree.Template(fmt.Sprintf("threadIdx.x; %s;", live)), copied)
	}
	front := tree.Template(g.search(c) + c.places(f.Body))
	for i, q := range parameters(c.fn) {
		if !c.uniform[i] && q.Name != nil {
			mine := &syntax.MemberExpr{Span: tree.At(q), X: tree.Ident(tree.At(q), "__klap_mine"), Arrow: true, Name: tree.Ident(tree.At(q), "a"+strconv.Itoa(i))}
			front = append(front, tree.Variable(tree.At(q), variableType(q.Type), q.Name.Name, mine))
		}
	}
	leave := g.done(c)
	if !c.block { // behind done, another launch may have the memory of this one
		leave = fmt.Sprintf("unsigned int %s = %s;\n%sif (threadIdx.x >= %s) {\n\treturn;\n}\n", live, threads, leave, live)
	}
	if g.p.o.Parts != "" {
		leave += g.p.o.leaves(PartChildren, "")
	}
	f.Body.Stmts = append(append(front, tree.Template(leave)...), f.Body.Stmts...)
	return f
}

// places returns text that declares the variable of the launch's built-in variables, and sets those of them that a body has; "" if
// it has none.
func (c *child) places(body *syntax.Block) string {
	used, whole := map[string]bool{}, addressed(body, place)
	for n := range syntax.Preorder(body) {
		if m, ok := n.(*syntax.MemberExpr); ok {
			if id, ok := m.X.(*syntax.Ident); ok && id.Name == place {
				used[m.Name.Name] = true
			}
		}
	}
	if len(used) == 0 && !whole {
		return ""
	}
	var b strings.Builder
	b.WriteString("struct __klap_place " + place + ";\n")
	set := func(field, x, y, z string) {
		if whole || used[field] {
			fmt.Fprintf(&b, "%[1]s.%[2]s.x = %[3]s;\n%[1]s.%[2]s.y = %[4]s;\n%[1]s.%[2]s.z = %[5]s;\n", place, field, x, y, z)
		}
	}
	if c.gridDims == 3 {
		set("gridDim", "__klap_mine->gx", "__klap_mine->gy", "__klap_mine->gz")
		set("blockIdx", "__klap_block % __klap_mine->gx", "__klap_block / __klap_mine->gx % __klap_mine->gy", "__klap_block / __klap_mine->gx / __klap_mine->gy")
	} else {
		set("gridDim", "__klap_mine->gx", "1", "1")
		set("blockIdx", "__klap_block", "0", "0")
	}
	switch {
	case c.blockDims == 3:
		set("blockDim", "__klap_mine->bx", "__klap_mine->by", "__klap_mine->bz")
		set("threadIdx", "threadIdx.x % __klap_mine->bx", "threadIdx.x / __klap_mine->bx % __klap_mine->by", "threadIdx.x / __klap_mine->bx / __klap_mine->by")
	case c.block:
		set("blockDim", "__klap_bx", "1", "1")
		set("threadIdx", "threadIdx.x", "0", "0")
	default:
		set("blockDim", "__klap_mine->bx", "1", "1")
		set("threadIdx", "threadIdx.x", "0", "0")
	}
	return b.String()
}

// mostCopied is the largest launch that the blocks of an aggregated kernel copy to shared memory.
const mostCopied = 256

// copies reports whether a block's first warp finds its launch and copies it for the others. The blocks of one
// warp need no copy.
func (g *generator) copies(c *child) bool {
	size := int64(32)
	for i, t := range c.fn.Type.Params {
		if !c.uniform[i] {
			size += t.Size() + t.Align()
		}
	}
	return c.most > 32 && size <= mostCopied && g.dynamic() > 8<<10
}

// search returns text that finds the launch of a block.
func (g *generator) search(c *child) string {
	var b strings.Builder
	wide, own, blocks := g.p.o.Granularity >= Multiblock, "__klap_launch", "gridDim.x"
	b.WriteString("unsigned int __klap_block = blockIdx.x;\n")
	if wide {
		own, blocks = "__klap_mine_of", "__klap_all"
		b.WriteString("unsigned int __klap_all = gridDim.x;\n")
	}
	find := fmt.Sprintf("__klap_parent(%s, sizeof(struct %s), %s, &__klap_block)", own, c.tag(), blocks)
	of := fmt.Sprintf("%s = __klap_own(__klap_launch, &__klap_all, &__klap_block);\n", own)
	if !g.copies(c) {
		if wide {
			b.WriteString("struct __klap_launch " + of)
		}
		fmt.Fprintf(&b, "const void *__klap_item = %s;\nconst struct %[2]s *__klap_mine = (const struct %[2]s *)__klap_item;\n", find, c.tag())
		return b.String()
	}
	fmt.Fprintf(&b, "__shared__ __align__(16) char __klap_copied[sizeof(struct %s)];\n__shared__ unsigned int __klap_found;\nconst void *__klap_item;\n", c.tag())
	if wide {
		b.WriteString("struct __klap_launch __klap_mine_of;\n")
	}
	b.WriteString("if (threadIdx.x < 32) {\n")
	if wide {
		b.WriteString(of)
	}
	fmt.Fprintf(&b, "__klap_item = %s;\n__klap_copy(__klap_copied, __klap_item, sizeof(struct %s));\n", find, c.tag())
	b.WriteString("if (threadIdx.x == 0) {\n__klap_found = __klap_block;\n}\n}\n__syncthreads();\n__klap_block = __klap_found;\n")
	fmt.Fprintf(&b, "const struct %[1]s *__klap_mine = (const struct %[1]s *)__klap_copied;\n", c.tag())
	return b.String()
}

// done returns text that says that a block has read its arguments.
func (g *generator) done(c *child) string {
	blocks, call := "__klap_mine->gx", "__klap_done(__klap_launch.list"
	if c.gridDims == 3 {
		blocks = "__klap_mine->gx * __klap_mine->gy * __klap_mine->gz"
	}
	if g.p.o.Granularity >= Multiblock {
		call = "__klap_done_of(__klap_mine_of.list, __klap_launch.list"
	}
	text := fmt.Sprintf("if (threadIdx.x == 0) {\n%s, __klap_item, %s);\n}\n", call, blocks)
	if !g.copies(c) { // all threads have read it
		text = "__syncthreads();\n" + text
	}
	return text
}

// variableType returns the type of a variable that takes the place of a parameter.
func variableType(t syntax.TypeExpr) syntax.TypeExpr {
	switch t := tree.Clone(t).(type) {
	case *syntax.ArrayType:
		return &syntax.PointerType{Span: t.Span, Elem: t.Elem}
	case *syntax.PointerType:
		t.Restrict = false
		return t
	case *syntax.FuncType:
		return &syntax.PointerType{Span: t.Span, Elem: t}
	default:
		return t
	}
}

// clone returns the form of a function that takes the built-in variables as a parameter.
func (g *generator) clone(f *check.FuncInfo) *syntax.FuncDecl {
	c := &copying{g: g, placed: true, pointer: true}
	out := c.function(f.Decl)
	out.Name = tree.Ident(tree.At(f.Decl.Name), aggregated(f.Decl.Name.Name))
	at := tree.Declarations("void f(const struct __klap_place *" + place + ");\n")[0].(*syntax.FuncDecl)
	addParams(out, at.Params)
	return out
}
