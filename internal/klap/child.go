package klap

import (
	"fmt"
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Aggregated kernels.
//
// The grid of an aggregated kernel has one dimension. A block finds the launch that it is of, loads
// its configuration and arguments, and executes the kernel's body with the built-in variables that
// it would have in a launch by itself. Threads behind the size of the launch's blocks leave, as the barrier waits
// for threads that have not left. Functions that read the built-in variables have a copy that takes them
// as a parameter.

// agg returns the head of an aggregated kernel.
func (g *generator) agg(c *child) *syntax.FuncDecl {
	params := "struct __klap_list *__klap_list"
	if c.block {
		params += ", unsigned int __klap_bx"
	}
	f := tree.Declarations(fmt.Sprintf("__global__ void %s(%s);\n", c.aggName(), params))[0].(*syntax.FuncDecl)
	f.Attrs = c.fn.Decl.Attrs
	for _, b := range c.fn.Decl.Bounds {
		f.Bounds = append(f.Bounds, tree.Clone(b))
	}
	if len(f.Bounds) == 0 {
		// It must have registers for the largest block that the kernel may have.
		f.Bounds = []syntax.Expr{tree.Number(tree.At(c.fn.Decl), c.most)}
	}
	for i, q := range parameters(c.fn) {
		if c.uniform[i] {
			f.Params = append(f.Params, tree.Clone(q))
		}
	}
	return f
}

// aggregatedKernel returns the aggregated form of a kernel, which launches in turn if k is not nil.
func (g *generator) aggregatedKernel(c *child, k *kernel) syntax.Decl {
	f := g.agg(c)
	copied := &copying{g: g, k: k, placed: true}
	body := copied.function(c.fn.Decl).Body
	var b strings.Builder
	fmt.Fprintf(&b, "unsigned int __klap_block;\nstruct __klap_list *__klap_own;\n")
	fmt.Fprintf(&b, "const struct %[1]s *__klap_mine = (const struct %[1]s *)__klap_parent(__klap_list, sizeof(struct %[1]s), &__klap_block, &__klap_own);\n", c.tag())
	b.WriteString("struct __klap_place " + place + ";\n")
	set := func(field, value string) { fmt.Fprintf(&b, "%s.%s = %s;\n", place, field, value) }
	set("gridDim.x", "__klap_mine->gx")
	if c.gridDims == 3 {
		set("gridDim.y", "__klap_mine->gy")
		set("gridDim.z", "__klap_mine->gz")
		set("blockIdx.x", "__klap_block % __klap_mine->gx")
		set("blockIdx.y", "__klap_block / __klap_mine->gx % __klap_mine->gy")
		set("blockIdx.z", "__klap_block / __klap_mine->gx / __klap_mine->gy")
	} else {
		set("gridDim.y", "1")
		set("gridDim.z", "1")
		set("blockIdx.x", "__klap_block")
		set("blockIdx.y", "0")
		set("blockIdx.z", "0")
	}
	live := place + ".blockDim.x"
	switch {
	case c.block:
		set("blockDim.x", "__klap_bx")
	default:
		set("blockDim.x", "__klap_mine->bx")
	}
	if c.blockDims == 3 {
		live = strings.Join([]string{place + ".blockDim.x", place + ".blockDim.y", place + ".blockDim.z"}, " * ")
		set("blockDim.y", "__klap_mine->by")
		set("blockDim.z", "__klap_mine->bz")
		set("threadIdx.x", "threadIdx.x % __klap_mine->bx")
		set("threadIdx.y", "threadIdx.x / __klap_mine->bx % __klap_mine->by")
		set("threadIdx.z", "threadIdx.x / __klap_mine->bx / __klap_mine->by")
	} else {
		set("blockDim.y", "1")
		set("blockDim.z", "1")
		set("threadIdx.x", "threadIdx.x")
		set("threadIdx.y", "0")
		set("threadIdx.z", "0")
	}
	front := tree.Template(b.String())
	for i, q := range parameters(c.fn) {
		if !c.uniform[i] && q.Name != nil {
			mine := &syntax.MemberExpr{Span: tree.At(q), X: tree.Ident(tree.At(q), "__klap_mine"), Arrow: true, Name: tree.Ident(tree.At(q), "a"+strconv.Itoa(i))}
			front = append(front, tree.Variable(tree.At(q), variableType(q.Type), q.Name.Name, mine))
		}
	}
	leave := "__klap_read(__klap_list, __klap_own);\n"
	if !c.block {
		leave += fmt.Sprintf("if (threadIdx.x >= %s) {\n\treturn;\n}\n", live)
	}
	front = append(front, tree.Template(leave)...)
	if k != nil {
		f.Body = g.deferred(k, body, front, tree.Template(fmt.Sprintf("threadIdx.x; %s;", live)), copied)
		return f
	}
	f.Body = tree.Block(tree.At(body), append(front, body)...)
	return f
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
