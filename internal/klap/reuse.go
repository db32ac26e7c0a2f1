package klap

import (
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Thread reuse: launches that the parent's own blocks do ("Free Launch", Chen and Shen, MICRO 2015, is where the idea is from: no launch is as cheap as none).
//
//	if (__klap_arrive(group)) launch;              if (__klap_arrive(group)) step = __klap_decide(group, work), and launch if that says so;
//	                                               else step = __klap_stay(group);
//	                                               __syncthreads();
//	                                               if (step == 2) __klap_reuse_child(...): warps take warps of the flattened list until none is left
//
// The launch itself takes 14 µs of the 28 µs that an aggregated launch costs (together.go) in a round of a program that works off a frontier, whose parent has a few blocks, all of which the device holds. The blocks that have added
// their lists to the grid's record wait for the last one to arrive, which knows all work: if it is less than what the blocks that wait do in the time of a launch, they
// do it, and else it launches.
//
// No block waits for long, since nothing says that all are resident: other kernels may hold the device. Behind a bound a block gives up, and counts as gone; its lists are in the
// record. Work is taken from a counter, warp by warp, so that what is done does not depend on who stayed: the last block alone would do. The record lives until all
// blocks have left.
//
// Legality: as for launches that warps do (together.go); a child begins behind the last thread of its parent, which its launch allows. Profitability: grid granularity, flattened children
// whose loads are known, and parents of at most as many blocks as the device has processors, in one dimension and of whole warps, which the kernel sees when it
// runs. Off by default, until it has been measured.

// reuse says which kernels do the launches of their grid with their own blocks.
func (p *Program) reuse(children []*child, list []*site, kernels []*kernel) {
	if !p.o.Reuse || p.o.Granularity != Grid {
		return
	}
	t := &thresholding{p: p, list: list}
	of, launched := map[*check.FuncInfo]*child{}, map[*check.FuncInfo]bool{}
	for _, c := range children {
		of[c.fn] = c
	}
	for _, s := range list {
		launched[s.child] = true
	}
	for _, k := range kernels {
		k.reuses = len(k.sites) > 0 && !launched[k.fn] && !k.ordered && !p.traitsOf(k.fn, nil).nonCoherent
		for _, s := range k.sites {
			c := of[s.child]
			k.reuses = k.reuses && c.flat && t.loadsOf(c.thread) > 0 && !t.cyclic(&site{fn: s.fn, child: c.thread})
		}
		for _, s := range k.sites {
			of[s.child].reused = of[s.child].reused || k.reuses
		}
	}
}

// loadsOf returns the loads of a thread of a kernel, one after the other, if threads of another kernel can do it; 0 if they cannot, or the number is not known.
func (t *thresholding) loadsOf(k *check.FuncInfo) int {
	n, known := t.p.waits(k)
	if !known || t.refuse(t.p.traitsOf(k, t.list)) != "" {
		return 0
	}
	return n
}

// reuseName returns the function by which a block of the parent does warps of a flattened list.
func (c *child) reuseName() string { return "__klap_reuse_" + c.name() }

// reuseDecl returns that function.
func (g *generator) reuseDecl(c *child) syntax.Decl {
	params := "struct __klap_site *__klap_list_of"
	if c.passesSize(g.p) {
		params += ", unsigned int __klap_bx"
	}
	f := tree.Declarations(fmt.Sprintf("static __device__ void %s(%s);\n", c.reuseName(), params))[0].(*syntax.FuncDecl)
	f.Params = append(f.Params, g.uniformParams(c)...)
	unrestricted(f)
	body := tree.Template(`if (__klap_list_of->blocks == 0) {
	return;
}
struct __klap_launch __klap_launch = __klap_list_of->launch;
for (;;) {
	unsigned int __klap_warp = __klap_draw(&__klap_list_of->next), __klap_all = __klap_list_of->blocks, __klap_i;
	if (__klap_warp >= __klap_all) {
		return;
	}
	irgl_hole(0);
	__syncwarp(0xffffffffu);
}
`, g.flatWarp(c))
	f.Body = tree.Block(tree.At(c.fn.Decl.Body), body...)
	return f
}

// reused writes the end of a grid whose blocks may do its launches.
func (e *ending) reused() {
	var closed, some, work strings.Builder
	for j, v := range e.sites {
		fmt.Fprintf(&closed, "struct __klap_site *g%d = __klap_close(group, %d);\n", j, j)
		fmt.Fprintf(&some, "(g%d != 0) + ", j)
		fmt.Fprintf(&work, " + (g%[1]d ? g%[1]d->blocks * %[2]dull : 0)", j, e.loads(v))
	}
	e.f("__shared__ unsigned int step;\nif (thread == 0) {\nstep = 1;\nif (group && !__klap_arrive(group)) {\nstep = __klap_stay(group, threads);\n} else if (group) {\n")
	e.f("%s__klap_hold(%s1);\n", closed.String(), some.String())
	e.f("step = __klap_decide(group, %s, %dull, threads);\nif (step == 1) {\n", strings.TrimPrefix(work.String(), " + "), mostLoads)
	for j, v := range e.sites {
		e.launchClosed(j, v)
	}
	e.f("}\n}\n}\n__syncthreads();\nif (step == 2) {\n")
	for j, v := range e.sites {
		e.f("%s((struct __klap_site *)(group + 1) + %d%s);\n", v.c.reuseName(), j, v.passed)
	}
	e.f("__syncthreads();\n}\nif (thread == 0) {\n__klap_fence();\nif (__klap_leave(grid) && group) {\n__klap_give(1ull << 36);\n}\n}\n")
}

func (e *ending) loads(v local) int {
	n, _ := e.g.p.waits(v.c.thread)
	return n
}
