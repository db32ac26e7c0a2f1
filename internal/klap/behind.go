package klap

import (
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Launches of a grid by the host, behind the kernel (KLAP, section II-D: at the granularity of kernels "the aggregated child will be called
// from the host function after the parent kernel has returned").
//
//	parent<<<g, b, 0, s>>>(p);         parent<<<g, b, 0, s>>>(p, number);
//	                                   parent_behind<<<resident, 256, 0, s>>>(number);
//
//	if (__klap_arrive(group)) {        if (__klap_arrive(group)) {
//		child_agg<<<...>>>(...);       	if (number is not 0, and the record is free) write the lists and the arguments to it;
//	}                                  	else child_agg<<<...>>>(...);
//	                                   }
//
// A launch by the device takes 14 µs of the 38 µs of a round of a program that works off a frontier; one by the host that follows its parent in a stream is hidden
// behind the parent. The host knows neither whether there are launches nor how many blocks they have: so the kernel behind has the blocks that the device
// holds, whose warps share the warps of the flattened lists. Launches of the host are numbered, and the number says in which record a grid leaves its
// lists. The kernel behind returns if the record is not of its number: a grid that had no room in the pool, or found its record in use, has launched. Its last block
// gives the lists back, which need no counts of their items then, and frees the record.
//
// The host's half is the runtime's (internal/cudart/runtime/behind.h), or in the text (package emit).
//
// Legality: launches without order, of flattened children, as warps of another grid do their threads; the kernel is one that device code does not launch, since a launch by the device has
// nothing behind it, and what is behind a kernel in its stream waits for its children in either form. Profitability: a kernel behind each launch of the parent costs about
// 3 µs where it has launched nothing.

// behindSuffix is that of the kernels behind others.
const behindSuffix = "_behind"

// records is how many each kernel has: of so many launches that are under way, in all streams.
const records = 1024

// behind says which kernels leave the launches of their grid to the host.
func (p *Program) behind(children []*child, list []*site, kernels []*kernel) {
	if !p.o.HostLaunch || p.o.Granularity != Grid {
		return
	}
	of, not := map[*check.FuncInfo]*child{}, p.calledOtherwise()
	for _, c := range children {
		of[c.fn] = c
	}
	for _, s := range list {
		not[s.child] = true
	}
	for _, f := range p.info.Funcs {
		for _, k := range f.Launches { // by host code in the tree, which passes no record
			not[k] = not[k] || !onDevice(f)
		}
	}
	for _, k := range kernels {
		for _, s := range k.sites {
			if c := of[s.child]; c.flat && !k.ordered && !not[k.fn] {
				k.behind, c.divided = true, true
			}
		}
		if k.behind {
			p.report.behind(k.fn.Object.Name)
		}
	}
}

// behindParam is the parameter with the number of a launch by the host: 0 for one with no kernel behind it.
const behindParam = "__klap_behind"

func (k *kernel) behindName() string { return k.fn.Object.Name + behindSuffix }

// left and lefts are the type of a record, and the variable with all of them.
func (k *kernel) left() string  { return "__klap_left_" + k.fn.Object.Name }
func (k *kernel) lefts() string { return "__klap_lefts_" + k.fn.Object.Name }

// addBehind adds the parameter to a function.
func addBehind(f *syntax.FuncDecl) {
	with := tree.Declarations("void f(unsigned long long " + behindParam + ");\n")[0].(*syntax.FuncDecl)
	addParams(f, with.Params)
}

// leftDecls returns the records of a kernel.
func (g *generator) leftDecls(k *kernel) []syntax.Decl {
	var b strings.Builder
	b.WriteString("unsigned long long of; unsigned int arrived;")
	for _, v := range g.locals(k) {
		if v.c.flat {
			fmt.Fprintf(&b, " unsigned int blocks%[1]d; struct __klap_launch launch%[1]d;", v.index)
			if v.c.passesSize(g.p) {
				fmt.Fprintf(&b, " unsigned int b%d;", v.index)
			}
		}
	}
	decls := tree.Declarations(fmt.Sprintf("struct %[1]s { %[2]s };\nstatic __device__ struct %[1]s %[3]s[%[4]d];\n", k.left(), b.String(), k.lefts(), records))
	record := decls[0].(*syntax.TypeDecl).Type.(*syntax.TagType)
	for _, v := range g.locals(k) {
		for i, q := range parameters(v.c.fn) {
			if v.c.flat && v.c.uniform[i] {
				record.Fields = append(record.Fields, &syntax.VarDecl{Type: argument(q.Type), Name: tree.Ident(tree.At(q), v.uniform(i))})
			}
		}
	}
	return decls
}

// uniform returns the name of a uniform argument of a site in the function at a kernel's end.
func (v local) uniform(i int) string { return fmt.Sprintf("a%d_%d", v.index, i) }

// leave writes what the last block of a grid leaves to the kernel behind it.
func (e *ending) leave() {
	var some []string
	for j, v := range e.sites {
		if v.c.flat {
			some = append(some, fmt.Sprintf("g%d != 0", j))
		}
	}
	e.f("struct %[2]s *left = &%[3]s[%[1]s %% %[4]d];\nif (%[1]s && (%[5]s) && atomicCAS(&left->of, 0ull, %[1]s) == 0) {\n__klap_fence();\n",
		behindParam, e.k.left(), e.k.lefts(), records, strings.Join(some, " || "))
	for j, v := range e.sites {
		if !v.c.flat {
			continue
		}
		e.f("left->blocks%d = 0;\nif (g%[1]d) {\nleft->blocks%[1]d = g%[1]d->blocks;\nleft->launch%[1]d = g%[1]d->launch;\n", j)
		if v.c.passesSize(e.g.p) {
			e.f("left->b%[1]d = b%[1]d;\n", j)
		}
		for i, u := range v.c.uniform {
			if u {
				e.f("left->%[1]s = %[1]s;\n", v.uniform(i))
			}
		}
		e.f("}\n")
	}
	e.f("} else {\n")
	for j, v := range e.sites {
		if v.c.flat {
			e.launchClosed(j, v)
		}
	}
	e.f("}\n")
	for j, v := range e.sites {
		if !v.c.flat {
			e.launchClosed(j, v)
		}
	}
}

// behindKernel returns the kernel behind another one.
func (g *generator) behindKernel(k *kernel) syntax.Decl {
	var b, holders strings.Builder
	fmt.Fprintf(&b, "__global__ void %s(unsigned long long %s) {\n", k.behindName(), behindParam)
	fmt.Fprintf(&b, "struct %[1]s *left = &%[2]s[%[3]s %% %[4]d];\nif (%[3]s == 0 || *(volatile unsigned long long *)&left->of != %[3]s) {\nreturn;\n}\n", k.left(), k.lefts(), behindParam, records)
	for j, v := range g.locals(k) {
		if !v.c.flat {
			continue
		}
		fmt.Fprintf(&b, "if (left->blocks%[1]d) {\n%[2]s(left->launch%[1]d, left->blocks%[1]d", j, v.c.dividedName())
		if v.c.passesSize(g.p) {
			fmt.Fprintf(&b, ", left->b%d", j)
		}
		for i, u := range v.c.uniform {
			if u {
				b.WriteString(", left->" + v.uniform(i))
			}
		}
		b.WriteString(");\n}\n")
		fmt.Fprintf(&holders, " + (left->blocks%[1]d ? left->launch%[1]d.list->holders : 0)", j)
	}
	fmt.Fprintf(&b, "__syncthreads();\nif (threadIdx.x == 0 && __klap_count(&left->arrived, 1u) == gridDim.x - 1) {\n__klap_fence();\nleft->arrived = 0;\n"+
		"__klap_give((unsigned long long)(%s) << 36);\n__klap_fence();\natomicExch(&left->of, 0ull);\n}\n", strings.TrimPrefix(holders.String(), " + "))
	f := tree.Declarations(b.String() + "}\n")[0].(*syntax.FuncDecl)
	f.Bounds = []syntax.Expr{tree.Number(tree.At(k.fn.Decl), flatThreads)}
	return f
}

// dividedName returns the function by which the warps of a grid do those of a flattened list.
func (c *child) dividedName() string { return "__klap_divided_" + c.name() }

// dividedDecl returns that function.
func (g *generator) dividedDecl(c *child) syntax.Decl {
	params := "struct __klap_launch __klap_launch, unsigned int __klap_warps"
	if c.passesSize(g.p) {
		params += ", unsigned int __klap_bx"
	}
	f := tree.Declarations(fmt.Sprintf("static __device__ void %s(%s);\n", c.dividedName(), params))[0].(*syntax.FuncDecl)
	f.Params = append(f.Params, g.uniformParams(c)...)
	unrestricted(f)
	body := tree.Template(fmt.Sprintf(`for (unsigned int __klap_turn = blockIdx.x * %[1]d + threadIdx.x / 32; __klap_turn < __klap_warps; __klap_turn += gridDim.x * %[1]d) {
	unsigned int __klap_warp = __klap_turn, __klap_all = __klap_warps, __klap_i;
	irgl_hole(0);
	__syncwarp(0xffffffffu);
}
`, flatThreads/32), g.flatWarp(c, false))
	f.Body = tree.Block(tree.At(c.fn.Decl.Body), body...)
	return f
}
