package lower

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// The parts of a lowered program that are the same for every program but for
// names and types are written as text and parsed.

// text parses declarations and adds them to the program.
func (l *lowerer) text(format string, args ...any) {
	l.out = append(l.out, tree.Declarations(fmt.Sprintf(format, args...))...)
}

// graphStruct declares the struct that carries the graph's arrays: nnodes + 1
// row offsets, and per edge its destination and weight, then what the program
// looks at of where edges come from, then the properties.
func (l *lowerer) graphStruct() {
	var b strings.Builder
	fmt.Fprintf(&b, "struct %s {\n  int nnodes;\n", abi.GraphTag)
	if l.info.Mesh != nil {
		// The struct has no hole: control kernels copy it, word by word.
		b.WriteString("  int irgl_unused;\n")
	}
	b.WriteString("  long nedges;\n  const irgl_index *row;\n  const int *dst;\n")
	if l.info.Requires.Weights {
		b.WriteString("  const int *weight;\n")
	}
	if l.info.Needs.Sources {
		b.WriteString("  const int *src;\n")
	}
	if l.info.Needs.InEdges {
		fmt.Fprintf(&b, "  const irgl_index *%[1]srow;\n  const int *%[1]sdst;\n", abi.InPrefix)
		if l.info.Requires.Weights {
			fmt.Fprintf(&b, "  const int *%sweight;\n", abi.InPrefix)
		}
	}
	b.WriteString(l.meshFields())
	for _, p := range l.info.Props {
		pointer := &check.Pointer{Elem: p.Object.Type}
		b.WriteString("  " + l.declarator(pointer, FieldName(p.Object.Name)) + ";\n")
	}
	b.WriteString("};\n")
	l.text("%s", b.String())
}

// graphFuncs declares the functions that look at the graph's arrays, where the
// program uses them: irgl_degree, irgl_host_degree for the host, and those by
// which host functions read the elements of the arrays.
func (l *lowerer) graphFuncs() {
	used := map[string]bool{}
	for _, d := range l.out {
		syntax.Inspect(d, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
	}
	program := l.out
	l.out = nil
	for _, in := range []string{"", abi.InPrefix} {
		if used["irgl_"+in+"degree"] {
			l.text(`static __device__ __forceinline__ int irgl_%[1]sdegree(struct %[2]s graph, int node) {
  return (int)(graph.%[1]srow[node + 1] - graph.%[1]srow[node]);
}
`, in, abi.GraphTag)
		}
	}
	for _, a := range graphArrays {
		if used["irgl_graph_"+a.name] {
			l.text(`static inline %[1]s irgl_graph_%[2]s(struct %[3]s graph, long i) {
  %[1]s value;
  irgl_read((void *)graph.%[2]s, %[4]s * sizeof(%[1]s), (size_t)i * sizeof(%[1]s), &value, sizeof(%[1]s));
  return value;
}
`, a.elem, a.name, abi.GraphTag, a.length)
		}
	}
	for _, in := range []string{"", abi.InPrefix} {
		if used["irgl_host_"+in+"degree"] {
			l.text(`static inline int irgl_host_%[2]sdegree(struct %[1]s graph, int node) {
  irgl_index ends[2];
  if (node < 0 || node >= graph.nnodes) {
    irgl_bad_element(graph.%[2]srow, node, graph.nnodes);
  }
  irgl_check(cudaMemcpy(ends, graph.%[2]srow + node, sizeof ends, cudaMemcpyDeviceToHost));
  return (int)(ends[1] - ends[0]);
}
`, abi.GraphTag, in)
		}
	}
	l.out = append(l.out, program...)
}

// graphArrays are the graph's arrays as host functions read them: no kernel
// writes them, so that a mirror stays valid.
var graphArrays = []struct{ name, elem, length string }{
	{abi.Row, "irgl_index", "((size_t)graph.nnodes + 1)"},
	{abi.Dst, "int", "(size_t)graph.nedges"},
	{abi.Weight, "int", "(size_t)graph.nedges"},
	{abi.Src, "int", "(size_t)graph.nedges"},
	{abi.InPrefix + abi.Row, "irgl_index", "((size_t)graph.nnodes + 1)"},
	{abi.InPrefix + abi.Dst, "int", "(size_t)graph.nedges"},
	{abi.InPrefix + abi.Weight, "int", "(size_t)graph.nedges"},
}

// initKernels writes the kernels that give every property its initial value.
func (l *lowerer) initKernels() {
	l.function = function{}
	for d := range domains {
		l.initKernel(syntax.Domain(d))
	}
}

// initKernel writes the one for the properties of a domain.
func (l *lowerer) initKernel(d syntax.Domain) {
	text, decls := l.initText(d, "    "), map[string]string{}
	for _, p := range l.info.Props {
		if p.Of == d && p.Decl.Init != nil {
			syntax.Inspect(p.Decl.Init, func(n syntax.Node) bool {
				if id, ok := n.(*syntax.Ident); ok {
					switch id.Name {
					case "degree":
						decls[id.Name] = fmt.Sprintf("    int degree = irgl_degree(%s, id);\n", l.textGraph)
					case "in_degree":
						decls[id.Name] = fmt.Sprintf("    int in_degree = (int)(%[1]s.%[2]s[id + 1] - %[1]s.%[2]s[id]);\n", l.textGraph, abi.InPrefix+abi.Row)
					}
				}
				return true
			})
		}
	}
	if text == "" {
		return
	}
	typ := "int"
	if d == syntax.EdgeDomain {
		typ = "long"
	}
	n, decl := domains[d], decls["degree"]+decls["in_degree"]
	l.text("extern \"C\" __global__ void %s(struct %s %s) {\n  for (%s id = irgl_thread(); id < %s.%s; id += irgl_threads()) {\n%s%s  }\n}\n",
		n.init, abi.GraphTag, l.textGraph, typ, l.textGraph, n.count, decl, text)
	l.inits = append(l.inits, d)
}

// initFunc writes the host function that launches the init kernels.
func (l *lowerer) initFunc() {
	var b strings.Builder
	if slices.ContainsFunc(l.inits, syntax.Domain.OfMesh) {
		b.WriteString(l.setCounts("  "))
	}
	for _, d := range l.inits {
		blocks := fmt.Sprintf("irgl_blocks(%s.%s, %d)", l.textGraph, domains[d].count, l.o.BlockThreads)
		if d == syntax.EdgeDomain {
			blocks = "irgl_max_blocks"
		}
		fmt.Fprintf(&b, "  %s<<<%s, %d>>>(%s);\n  irgl_check(cudaGetLastError());\n", domains[d].init, blocks, l.o.BlockThreads, l.textGraph)
	}
	if b.Len() > 0 && l.info.Entry != nil {
		l.text("static void irgl_init(struct %s %s) {\n%s}\n", abi.GraphTag, l.textGraph, b.String())
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
		if isWorld(p.Type) {
			continue
		}
		fmt.Fprintf(&params, ", %s", l.declarator(p.Type, fmt.Sprintf("irgl_%d", i)))
		fmt.Fprintf(&args, ", irgl_%d", i)
	}
	if len(l.inits) > 0 {
		fmt.Fprintf(&body, "  irgl_init(%s);\n", l.textGraph)
	}
	fmt.Fprintf(&body, "  %s(%s%s);\n", nameOf(entry.Object), l.textGraph, args.String())
	if len(l.accessors) > 0 || l.mirrored {
		body.WriteString("  " + abi.SettleFunc + "();\n")
	}
	l.text("extern \"C\" void %s(struct %s %s%s) {\n%s}\n", abi.RunFunc, abi.GraphTag, l.textGraph, params.String(), body.String())
}
