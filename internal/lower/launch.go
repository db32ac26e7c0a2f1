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

// An invocation is a host function (report, section 4.3): it makes the arrays
// coherent, launches the kernel as often as it retries items, takes over what
// the kernel added to the mesh, and swaps the worklists.

// invokeFunc writes the host function that invokes a variant.
func (l *lowerer) invokeFunc(v variant) {
	f := v.kernel
	params, args := l.launchParams(v)
	before, after := l.coherence(f.Reads, f.Writes)
	result := "void"
	if v.aggr != syntax.NoAggr {
		result = "bool"
		before += "  int *irgl_reduced_at = irgl_reduce_begin();\n"
	}
	if f.UsesWL {
		after += "  irgl_pipe_swap(irgl_wl);\n"
	}
	if v.aggr != syntax.NoAggr {
		not := ""
		if v.aggr == syntax.All {
			not = "!"
		}
		after += fmt.Sprintf("  return %sirgl_reduce_end(irgl_reduced_at);\n", not)
	}
	// The kernel runs again for what it retries, and only then is what it
	// pushed the next list (report, section 4.2, Figure 2).
	again := ""
	switch {
	case f.Retries:
		again = "irgl_retry"
	case f.Respawns:
		again = "irgl_respawn"
	}
	indent := "  "
	if again != "" {
		indent = "    "
	}
	// Each run sees what the one before has added.
	counts, launch := "", l.launch(v, args, indent)
	if l.info.Mesh != nil {
		counts = l.setCounts(indent)
	}
	if len(f.Adds) > 0 {
		launch += fmt.Sprintf("%[1]sirgl_mesh_counted(%[2]s.mesh_count, %[2]s.point_room, %[2]s.element_room);\n", indent, l.textGraph)
	}
	launch = counts + launch
	if again != "" {
		launch = "  do {\n" + launch + "  } while (" + again + "(irgl_wl));\n"
	}
	l.text("static %s %s(struct %s %s%s) {\n%s%s%s}\n",
		result, l.invokeName(v), abi.GraphTag, l.textGraph, params, before, launch, after)
}

// launchParams returns the parameters of a kernel's invocation besides the
// graph, and the arguments of its launch.
func (l *lowerer) launchParams(v variant) (params string, args []string) {
	f := v.kernel
	args = []string{l.textGraph}
	var b strings.Builder
	if f.UsesWL {
		b.WriteString(", struct irgl_pipe *irgl_wl")
		args = append(args, "irgl_wl->in", "irgl_wl->out")
	}
	if retries(f) {
		args = append(args, "irgl_wl->retry")
	}
	for i, p := range f.Params {
		if isWorld(p.Type) {
			continue
		}
		name := fmt.Sprintf("irgl_%d", i)
		b.WriteString(", " + l.declarator(p.Type, name))
		args = append(args, name)
	}
	if v.aggr != syntax.NoAggr {
		args = append(args, "irgl_reduced_at")
	}
	return b.String(), args
}

// coherence returns the statements before and after the launches of a kernel so
// that it sees what host functions wrote, and they see what it wrote. A kernel
// may call the C text outside functions.
func (l *lowerer) coherence(read, written []*check.Object) (before, after string) {
	for _, o := range l.accessors {
		writes := slices.Contains(written, o) || l.facts.TextWrites[o]
		if writes || slices.Contains(read, o) || l.facts.TextReads[o] {
			before += fmt.Sprintf("  irgl_flush(%s);\n", l.deviceArray(o))
		}
		if writes {
			after += fmt.Sprintf("  irgl_stale(%s);\n", l.deviceArray(o))
		}
	}
	return before, after
}

// launch returns the statements that launch a kernel once. One whose threads
// wait for each other gets no more blocks than the device holds at once.
func (l *lowerer) launch(v variant, args []string, indent string) string {
	blocks, threads := l.gridOf(v.kernel)
	name := l.variantNames[v]
	var b strings.Builder
	if !v.kernel.Syncs && !l.waits[v] {
		fmt.Fprintf(&b, "%s<<<%s, %s>>>(%s);\n", name, blocks, threads, strings.Join(args, ", "))
		b.WriteString("irgl_check(cudaGetLastError());\n")
	} else {
		fmt.Fprintf(&b, "int irgl_t = %s;\n", threads)
		fmt.Fprintf(&b, "int irgl_b = irgl_fewer(%s, irgl_resident((const void *)%s, irgl_t));\n", blocks, name)
		fmt.Fprintf(&b, "void *irgl_args[] = {&%s};\n", strings.Join(args, ", &"))
		fmt.Fprintf(&b, "irgl_check(cudaLaunchCooperativeKernel((const void *)%s, dim3(irgl_b), dim3(irgl_t), irgl_args, 0, 0));\n", name)
	}
	return indent + strings.TrimSuffix(strings.ReplaceAll(b.String(), "\n", "\n"+indent), indent)
}

// setCounts returns the statements that tell a launch how large the mesh is.
func (l *lowerer) setCounts(indent string) string {
	return fmt.Sprintf("%[1]s%[2]s.npoints = irgl_npoints;\n%[1]s%[2]s.nelements = irgl_nelements;\n", indent, l.textGraph)
}

// declarator returns the declaration of a name of type t as text.
func (l *lowerer) declarator(t check.Type, name string) string {
	d := &syntax.VarDecls{Vars: []*syntax.VarDecl{{Type: l.typeName(syntax.Span{}, t), Name: &syntax.Ident{Name: name}}}}
	return strings.TrimRight(syntax.String(d), ";\n")
}

// gridOf returns the blocks of a launch and their threads: enough for the
// outermost ForAll's iterations up to the device's limit, and a single thread
// for a kernel without one.
func (l *lowerer) gridOf(f *check.FuncInfo) (blocks, threads string) {
	n := l.o.BlockThreadsOf(f)
	mixed := false
	for _, s := range analysis.OuterForAlls(f.Decl.Body) {
		size := "irgl_max_blocks"
		switch l.info.Types[s.Iter] {
		case check.Worklist:
			size = fmt.Sprintf("irgl_blocks(irgl_wl->size, %d)", n)
		case check.Nodes:
			size = fmt.Sprintf("irgl_blocks(%s.nnodes, %d)", l.textGraph, n)
		case check.AllEdges:
			size = fmt.Sprintf("irgl_blocks(%s, %d)", l.someEdges(), n)
		case check.Points:
			size = fmt.Sprintf("irgl_blocks(%s.npoints, %d)", l.textGraph, n)
		case check.Elements:
			size = fmt.Sprintf("irgl_blocks(%s.nelements, %d)", l.textGraph, n)
		}
		mixed = mixed || blocks != "" && size != blocks
		blocks = size
	}
	if mixed {
		blocks = "irgl_max_blocks"
	}
	if blocks == "" {
		return "1", "1"
	}
	threads = fmt.Sprint(n)
	if f.Retries {
		return fmt.Sprintf("irgl_retry_blocks(irgl_wl, %s)", blocks), fmt.Sprintf("irgl_retry_threads(irgl_wl, %s)", threads)
	}
	return blocks, threads
}

// someEdges returns how many edges there are, as an int: beyond what the threads
// of any device share out in one round, the number does not matter.
func (l *lowerer) someEdges() string {
	return fmt.Sprintf("(%[1]s.nedges < 1073741824 ? (int)%[1]s.nedges : 1073741824)", l.textGraph)
}
