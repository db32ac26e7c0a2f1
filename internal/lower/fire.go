package lower

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/syntax"
)

// Control kernels that launch kernels (report, section 4.3, dynamic parallelism). One thread executes the
// code of a Host function's loop. A kernel is launched with cudaStreamFireAndForget, so that it begins at
// once; the control kernel then launches itself with cudaStreamTailLaunch, and ends: a tail launch begins
// when the grid that launches it and all that this grid has launched are complete, and CUDA 12 has no other
// way to wait for a child. resume.go divides the code at launches:
//
//	extern "C" __global__ void irgl_control_1(struct irgl_graph graph) {
//	  int irgl_at = irgl_result_1.irgl_at;
//	  while (true) {
//	    switch (irgl_at) {
//	    case 0:
//	      if (!(irgl_result_1.irgl_wl.size > 0)) { return; }
//	      irgl_fire_BFS(graph, irgl_result_1.irgl_most, &irgl_result_1.irgl_wl, irgl_result_1.LEVEL);
//	      irgl_result_1.irgl_at = 1;
//	      irgl_control_1<<<1, 1, 0, (cudaStream_t)3>>>(graph);
//	      return;
//	    case 1:
//	      if (irgl_land_BFS(&graph, &irgl_result_1.irgl_wl) == 0) { return; }
//	      irgl_result_1.irgl_iterations++;
//	      irgl_result_1.LEVEL += 1;
//	      irgl_at = 0;
//	      continue;
//	    }
//	  }
//	}
//
// Variables are members of irgl_result_1, which is in global memory: the control kernel finds them there
// when it begins again, and the host at the end.
//
// A kernel whose threads wait for each other gets no more blocks than the device holds at once, which
// the host asks the driver for. No launch in device code is cooperative. These blocks are resident at once
// even so: nothing else of the program runs, since the control kernel ends without waiting for them.

// The streams of device code, as CUDA's headers define cudaStreamTailLaunch and cudaStreamFireAndForget.
const (
	tailStream   = 3
	forgetStream = 4
)

// fires reports whether a control kernel of the program launches kernels.
func (l *lowerer) fires() bool {
	return slices.ContainsFunc(l.ordered, func(r *region) bool { return r.planned.Launches })
}

// firedVariants returns the variants that control kernels launch, in the order of the program.
func (l *lowerer) firedVariants() []variant {
	var out []variant
	for _, f := range l.info.Funcs {
		if f.Decl.Kind == syntax.KernelFunc {
			for _, v := range variantsOf(f) {
				if l.fired[v] {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

func (l *lowerer) fireName(v variant) string { return "irgl_fire_" + l.variantNames[v] }
func (l *lowerer) landName(v variant) string { return "irgl_land_" + l.variantNames[v] }

// residentName is the member of frames with how many blocks of a kernel the device holds at once.
func (l *lowerer) residentName(v variant) string { return "irgl_resident_" + l.variantNames[v] }

// waiting reports whether the blocks of a kernel wait for each other.
func (l *lowerer) waiting(v variant) bool { return v.kernel.Syncs || l.waits[v] }

// fire returns the call that stands for an invocation until the code is divided there: with the kernel's
// own arguments alone.
func (l *lowerer) fire(s syntax.Span, v variant, args []syntax.Expr) syntax.Expr {
	var out []syntax.Expr
	for _, a := range args {
		if !isWorld(l.info.Types[a]) {
			out = append(out, l.expr(a))
		}
	}
	x := call(s, l.fireName(v), out...)
	l.region.fired[x] = v
	return x
}

// fireFuncs writes the functions that launch a kernel from a control kernel, and do what is to be done
// when it is complete.
func (l *lowerer) fireFuncs(v variant) {
	f := v.kernel
	params, args := l.launchParams(v)
	blocks, threads := l.gridOf(f)
	onDevice := strings.NewReplacer("irgl_blocks(", "irgl_child_blocks(irgl_most, ", "irgl_max_blocks", "irgl_most",
		"irgl_retry_blocks(", "irgl_child_retry_blocks(", "irgl_retry_threads(", "irgl_child_retry_threads(")
	blocks, threads = onDevice.Replace(blocks), onDevice.Replace(threads)
	first := "int irgl_most"
	if l.waiting(v) {
		first += ", int irgl_resident"
		blocks = fmt.Sprintf("min(%s, irgl_resident)", blocks)
	}
	var b strings.Builder
	if f.UsesWL {
		b.WriteString("  irgl_pipe_clear(irgl_wl);\n")
	}
	if v.aggr != syntax.NoAggr {
		b.WriteString("  int *irgl_reduced_at = irgl_reduced;\n  *irgl_reduced_at = 0;\n")
	}
	fmt.Fprintf(&b, "  %s<<<%s, %s, 0, (cudaStream_t)%d>>>(%s);\n", l.variantNames[v], blocks, threads, forgetStream, strings.Join(args, ", "))
	l.text("static __device__ void %s(struct %s %s, %s%s) {\n%s}\n", l.fireName(v), abi.GraphTag, l.textGraph, first, params, b.String())
	l.landFunc(v)
}

// landFunc writes the function that is called when a launch is complete. It returns 0 if the control kernel
// is to end: there was not enough room, or the run has been given up; and 2 if the kernel is to run again
// for the items that it retries.
func (l *lowerer) landFunc(v variant) {
	f := v.kernel
	params := fmt.Sprintf("struct %s *%s", abi.GraphTag, l.textGraph)
	on, again := "*(volatile int *)&irgl_stop == 0", ""
	var b strings.Builder
	if len(f.Adds) > 0 {
		fmt.Fprintf(&b, "  %[1]s->npoints = %[1]s->mesh_count[0];\n  %[1]s->nelements = %[1]s->mesh_count[1];\n", l.textGraph)
		on += fmt.Sprintf(" && !(%s)", fullText(l.textGraph+"->"))
	}
	fmt.Fprintf(&b, "  bool irgl_on = %s;\n", on)
	if f.UsesWL {
		params += ", struct irgl_pipe *irgl_wl"
		switch {
		case f.Retries:
			again = "irgl_pipe_retry"
		case f.Respawns:
			again = "irgl_pipe_respawn"
		}
		if again != "" {
			fmt.Fprintf(&b, "  if (%s(irgl_wl) && irgl_on) {\n    return 2;\n  }\n", again)
		}
		b.WriteString("  irgl_pipe_turn(irgl_wl);\n  irgl_on = irgl_on && irgl_wl->need == 0;\n")
	}
	l.text("static __device__ int %s(%s) {\n%s  return irgl_on ? 1 : 0;\n}\n", l.landName(v), params, b.String())
}

// launchingControl writes the control kernel of a region that launches kernels, and its frame.
func (l *lowerer) launchingControl(r *region, s syntax.Span) {
	l.inPipe = r.pipe
	r.fired = map[*syntax.CallExpr]variant{}
	c := &resumer{l: l, r: r, s: s, fields: map[string]bool{}}
	c.enter()
	for _, o := range r.locals {
		c.declare(nameOf(o), l.declarator(o.Type, "%s"))
	}
	c.declare(abi.IterationsVar, "long %s")
	if r.pipe {
		name := l.fresh("irgl_wl")
		c.declareAs(name, "irgl_wl", "struct irgl_pipe %s")
		l.contexts = []string{name}
	}
	for _, name := range []string{"irgl_most", "irgl_at"} {
		c.declare(name, "int %s")
	}
	c.declare(abi.LaunchedVar, "long %s")
	for _, v := range l.firedVariants() {
		if l.waiting(v) && slices.ContainsFunc(r.Calls, func(x analysis.Invocation) bool { return x.Kernel == v.kernel && x.Aggr == v.aggr }) {
			c.declare(l.residentName(v), "int %s")
		}
	}
	var code []syntax.Stmt
	if r.Stmt != nil {
		code = l.listOf(r.Stmt)
	} else {
		code = l.block(r.Func().Decl.Body).Stmts
	}
	body := c.divide(code)
	l.text("struct %[1]s {\n%[2]s};\n__device__ struct %[1]s %[3]s;\n", r.frameTag(), c.frame.String(), r.resultName())
	l.out = append(l.out, &syntax.FuncDecl{Span: s, Attrs: syntax.ExternC | syntax.Global, Result: basic(s, "void"), Name: ident(s, r.kernelName()),
		Params: []*syntax.Param{l.graphParam(s)}, Bounds: []syntax.Expr{number(s, 1)}, Body: block(s, body...)})
	l.function = function{}
}

// startText returns the statements of the host that launch a control kernel that launches kernels, and copy
// the results back.
func (l *lowerer) startText(r *region) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  irgl_frame->irgl_most = irgl_max_blocks;\n  irgl_frame->irgl_at = 0;\n  irgl_frame->%s = 0;\n", abi.LaunchedVar)
	seen := map[variant]bool{}
	for _, c := range r.Calls {
		v := variant{c.Kernel, c.Aggr}
		if !l.waiting(v) || seen[v] {
			continue
		}
		seen[v] = true
		fmt.Fprintf(&b, "  irgl_frame->%s = irgl_resident((const void *)%s, %d);\n", l.residentName(v), l.variantNames[v], l.o.BlockThreadsOf(c.Kernel))
	}
	fmt.Fprintf(&b, "  irgl_check(cudaMemcpyToSymbol(%s, irgl_frame, sizeof(struct %s)));\n", r.resultName(), r.frameTag())
	fmt.Fprintf(&b, "  %s<<<1, 1>>>(%s);\n  irgl_check(cudaGetLastError());\n", r.kernelName(), l.textGraph)
	fmt.Fprintf(&b, "  irgl_check(cudaMemcpyFromSymbol(irgl_frame, %s, sizeof(struct %s)));\n", r.resultName(), r.frameTag())
	fmt.Fprintf(&b, "  %[1]s += irgl_frame->%[1]s;\n", abi.LaunchedVar)
	return b.String()
}

// argumentType returns the type of the i-th argument of a kernel, without the graph and the mesh.
func (l *lowerer) argumentType(v variant, i int) check.Type {
	for _, p := range v.kernel.Params {
		if isWorld(p.Type) {
			continue
		}
		if i == 0 {
			return p.Type
		}
		i--
	}
	return nil
}
