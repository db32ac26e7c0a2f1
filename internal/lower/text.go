package lower

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// The parts of a lowered program that are the same for every program but for
// names and types are written as text and parsed.

// text parses declarations and adds them to the program. An error in them is a
// defect of this package; it is reported like any other.
func (l *lowerer) text(format string, args ...any) {
	const prefix = "typedef int irgl_index;\n"
	f := source.NewFile("irgl-runtime.cu", []byte(prefix+fmt.Sprintf(format, args...)))
	l.out = append(l.out, syntax.Parse(f, syntax.CUDA, l.diags).Decls[1:]...)
}

// graphStruct declares the struct that carries the graph's arrays: nnodes + 1
// row offsets, and per edge its destination and weight, then the properties.
func (l *lowerer) graphStruct() {
	var b strings.Builder
	fmt.Fprintf(&b, "struct %s {\n  int nnodes;\n  long nedges;\n  const irgl_index *row;\n  const int *dst;\n", GraphTag)
	if l.info.Requires.Weights {
		b.WriteString("  const int *weight;\n")
	}
	for _, p := range l.info.Props {
		fmt.Fprintf(&b, "  %s *%s;\n", l.typeText(p.Object.Type), FieldName(p.Object.Name))
	}
	b.WriteString("};\n")
	l.text("%s", b.String())
}

// degreeFunc declares irgl_degree, and irgl_host_degree for the host, where the
// program uses them.
func (l *lowerer) degreeFuncs() {
	device, host := false, false
	for _, d := range l.out {
		syntax.Inspect(d, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok {
				device = device || id.Name == "irgl_degree"
				host = host || id.Name == "irgl_host_degree"
			}
			return true
		})
	}
	program := l.out
	l.out = nil
	if device {
		l.text(`static __device__ __forceinline__ int irgl_degree(struct %s graph, int node) {
  return (int)(graph.row[node + 1] - graph.row[node]);
}
`, GraphTag)
	}
	if host {
		l.text(`static inline int irgl_host_degree(struct %s graph, int node) {
  irgl_index ends[2];
  irgl_check(cudaMemcpy(ends, graph.row + node, sizeof ends, cudaMemcpyDeviceToHost));
  return (int)(ends[1] - ends[0]);
}
`, GraphTag)
	}
	l.out = append(l.out, program...)
}

const (
	initNodes = "irgl_init_nodes"
	initEdges = "irgl_init_edges"
)

// initKernels writes the kernels that give every property its initial value.
func (l *lowerer) initKernels() {
	l.function = function{}
	l.initKernel(false, initNodes, "int id = irgl_thread(); id < %[1]s.nnodes; id += irgl_threads()")
	l.initKernel(true, initEdges, "long id = irgl_thread(); id < %[1]s.nedges; id += irgl_threads()")
}

// initKernel writes the one for the properties of nodes or of edges.
func (l *lowerer) initKernel(edge bool, name, loop string) {
	var b strings.Builder
	degree := false
	for _, p := range l.info.Props {
		if p.Of == syntax.EdgeDomain != edge {
			continue
		}
		init := "0"
		if p.Decl.Init != nil {
			init = syntax.String(l.expr(p.Decl.Init))
			syntax.Inspect(p.Decl.Init, func(n syntax.Node) bool {
				if id, ok := n.(*syntax.Ident); ok && id.Name == "degree" {
					degree = true
				}
				return true
			})
		}
		fmt.Fprintf(&b, "    %s.%s[id] = %s;\n", l.textGraph, FieldName(p.Object.Name), init)
	}
	if b.Len() == 0 {
		return
	}
	decl := ""
	if degree {
		decl = fmt.Sprintf("    int degree = irgl_degree(%s, id);\n", l.textGraph)
	}
	l.text("extern \"C\" __global__ void %s(struct %s %s) {\n  for (%s) {\n%s%s  }\n}\n",
		name, GraphTag, l.textGraph, fmt.Sprintf(loop, l.textGraph), decl, b.String())
	l.inits = append(l.inits, name)
}

// invokeFunc writes the host function that invokes a variant: it makes the
// arrays coherent, launches, and swaps the worklists.
func (l *lowerer) invokeFunc(v variant) {
	f := v.kernel
	var params, args, before, after strings.Builder
	if f.UsesWL {
		params.WriteString(", struct irgl_pipe *irgl_wl")
		args.WriteString(", irgl_wl->in, irgl_wl->out")
	}
	if retries(f) {
		args.WriteString(", irgl_wl->retry")
	}
	for i, p := range f.Params {
		if p.Type == check.GraphType {
			continue
		}
		fmt.Fprintf(&params, ", %s", l.declarator(p.Type, fmt.Sprintf("irgl_%d", i)))
		fmt.Fprintf(&args, ", irgl_%d", i)
	}
	for _, o := range l.accessors {
		writes := slices.Contains(f.Writes, o)
		if writes || slices.Contains(f.Reads, o) {
			fmt.Fprintf(&before, "  irgl_flush(%s);\n", l.deviceArray(o))
		}
		if writes {
			fmt.Fprintf(&after, "  irgl_stale(%s);\n", l.deviceArray(o))
		}
	}
	result := "void"
	if v.aggr != syntax.NoAggr {
		result = "bool"
		neutral := 0
		if v.aggr == syntax.All {
			neutral = 1
		}
		fmt.Fprintf(&before, "  irgl_reduce_begin(%d);\n", neutral)
	}
	if f.UsesWL {
		after.WriteString("  irgl_pipe_swap(irgl_wl);\n")
	}
	if v.aggr != syntax.NoAggr {
		after.WriteString("  return irgl_reduce_end();\n")
	}
	g := l.textGraph
	launch := fmt.Sprintf("  %s<<<%s>>>(%s%s);\n  irgl_check(cudaGetLastError());\n", l.variantNames[v], l.gridOf(f), g, args.String())
	// The kernel runs again for what it retries, and only then is what it
	// pushed the next list (report, section 4.2, Figure 2).
	switch {
	case f.Retries:
		launch = "  do {\n" + launch + "  } while (irgl_retry(irgl_wl));\n"
	case f.Respawns:
		launch = "  do {\n" + launch + "  } while (irgl_respawn(irgl_wl));\n"
	}
	l.text("static %s %s(struct %s %s%s) {\n%s%s%s}\n",
		result, l.invokeName(v), GraphTag, g, params.String(), before.String(), launch, after.String())
}

// declarator returns a parameter of type t as text.
func (l *lowerer) declarator(t check.Type, name string) string {
	text := l.typeText(t)
	if strings.HasSuffix(text, "*") {
		return text + name
	}
	return text + " " + name
}

// gridOf returns the launch configuration of a kernel: enough threads for the
// outermost ForAll's iterations up to the device's limit, and a single thread
// for a kernel without one.
func (l *lowerer) gridOf(f *check.FuncInfo) string {
	size, mixed := "", false
	for _, s := range outermost(f.Decl.Body) {
		n := "irgl_max_blocks"
		switch l.info.Types[s.Iter] {
		case check.Worklist:
			n = fmt.Sprintf("irgl_blocks(irgl_wl->size, %d)", l.o.BlockThreads)
		case check.Nodes:
			n = fmt.Sprintf("irgl_blocks(%s.nnodes, %d)", l.textGraph, l.o.BlockThreads)
		}
		mixed = mixed || size != "" && size != n
		size = n
	}
	if mixed {
		size = "irgl_max_blocks"
	}
	if size == "" {
		return "1, 1"
	}
	if f.Retries {
		return fmt.Sprintf("irgl_retry_blocks(irgl_wl, %s), irgl_retry_threads(irgl_wl, %d)", size, l.o.BlockThreads)
	}
	return fmt.Sprintf("%s, %d", size, l.o.BlockThreads)
}

// outermost returns the ForAlls of a kernel that are in no other.
func outermost(body *syntax.Block) []*syntax.ForAllStmt {
	var out []*syntax.ForAllStmt
	syntax.Inspect(body, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.ForAllStmt); ok && !s.Serial {
			out = append(out, s)
			return false
		}
		return true
	})
	return out
}

// initFunc writes the host function that launches the init kernels.
func (l *lowerer) initFunc() {
	var b strings.Builder
	for _, name := range l.inits {
		blocks := fmt.Sprintf("irgl_blocks(%s.nnodes, %d)", l.textGraph, l.o.BlockThreads)
		if name == initEdges {
			blocks = "irgl_max_blocks"
		}
		fmt.Fprintf(&b, "  %s<<<%s, %d>>>(%s);\n  irgl_check(cudaGetLastError());\n", name, blocks, l.o.BlockThreads, l.textGraph)
	}
	if b.Len() > 0 && l.info.Entry != nil {
		l.text("static void irgl_init(struct %s %s) {\n%s}\n", GraphTag, l.textGraph, b.String())
	}
}

// runFunc writes the function that a runtime calls: initial values, the entry
// function, and at the end the host's copies back to the device.
func (l *lowerer) runFunc() {
	entry := l.info.Entry
	if entry == nil {
		return
	}
	var params, args, body strings.Builder
	for i, p := range entry.Params {
		if p.Type == check.GraphType {
			continue
		}
		fmt.Fprintf(&params, ", %s", l.declarator(p.Type, fmt.Sprintf("irgl_%d", i)))
		fmt.Fprintf(&args, ", irgl_%d", i)
	}
	if len(l.inits) > 0 {
		fmt.Fprintf(&body, "  irgl_init(%s);\n", l.textGraph)
	}
	fmt.Fprintf(&body, "  %s(%s%s);\n", nameOf(entry.Object), l.textGraph, args.String())
	if len(l.accessors) > 0 {
		body.WriteString("  irgl_settle();\n")
	}
	l.text("extern \"C\" void %s(struct %s %s%s) {\n%s}\n", RunFunc, GraphTag, l.textGraph, params.String(), body.String())
}
