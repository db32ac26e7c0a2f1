package klap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Kernel launch aggregation (KLAP, section II; Figure 12 has its detailed code).
//
//	__global__ void parent(int *p) {             __global__ void parent(int *p) {
//		if (c) {                                 	struct __klap_child __klap_0;
//			child<<<g, b>>>(p, i);               	__klap_0.pred = 0;
//		}                                        	{
//		...                                      		if (c) {
//	}                                            			__klap_set_child(&__klap_0, g, b, 0, i);
//	                                             		}
//	                                             		...
//	                                             	}
//	                                             	__klap_end_parent(..., &__klap_0, p);
//	                                             }
//
// Legality: sites.go and legal.go. A launch moves behind what its thread still does, which a child may
// see or not in either form; what other threads of the group write before their end becomes visible
// to it. Profitability: always, if a group launches more than once; otherwise a block pays a barrier
// at its end.
//
// If a thread may launch more than once, in a loop or in a function, its launches are a chain in the
// pool. Those without order become one launch, as before. Those into one stream become rounds, which follow each
// other as the launches of a thread do: in each, a thread has at most its next launch. Limits: rounds
// are of warps and blocks alone.

// aggregate makes the launches of the threads of a group one.
func aggregate(p *Program, run *pass.Run) error {
	if p.o.Granularity == None {
		return nil
	}
	list := p.sites()
	p.legal(list)
	p.streams(list)
	kernels := p.kernels(list)
	p.wait(kernels)
	p.mixed(kernels)
	follow(kernels)
	for _, k := range kernels {
		k.settle()
	}
	for i, s := range list {
		s.number = i
	}
	children := p.children(list)
	p.flatten(children, list)
	p.together(children, list, kernels)
	p.behind(children, list, kernels)
	p.tell(list, kernels, children, run)
	g := &generator{p: p, children: children, carrying: p.carrying(list), asks: p.asks()}
	if len(g.children) == 0 {
		return nil
	}
	g.positioned = g.places()
	file := *p.info.File
	file.Decls = g.file(kernels)
	if err := p.set(&file); err != nil {
		return fmt.Errorf("%w\n%s", err, syntax.String(&file))
	}
	return nil
}

// tell reports what becomes of the launches.
func (p *Program) tell(list []*site, kernels []*kernel, children []*child, run *pass.Run) {
	p.aggregated = true
	of := map[*check.FuncInfo]*child{}
	for _, c := range children {
		of[c.fn] = c
	}
	few, behind := map[*site]bool{}, map[*site]bool{}
	for _, k := range kernels {
		for _, s := range k.sites {
			few[s] = few[s] || p.switches(k)
			behind[s] = behind[s] || k.behind
		}
	}
	for _, s := range list {
		child, done, whole := p.kernelName(syntax.String(s.launch.Fun)), "", ""
		if s.reason == "" {
			done = "aggregated over the " + map[Granularity]string{Warp: "warp", Block: "block", Grid: "grid"}[p.o.Granularity]
			if p.o.Granularity == Multiblock {
				done = fmt.Sprintf("aggregated over %d blocks", p.o.blocks())
			}
			c := of[s.child]
			if c.flat {
				done += ", flattened"
			}
			if few[s] {
				done += fmt.Sprintf(", over the block in grids of at most %d blocks, by the thread in those of at most %d threads", fewBlocks, fewLaunches)
			}
			if behind[s] && c.flat {
				done += ", launched by the host behind the kernel"
			}
			if s.warps {
				done += ", or done by warps that have little to launch"
			}
			whole = c.whole
			run.Count("aggregated", 1)
			run.Applied(s.launch.Pos(), "launch of %s: %s", child, done)
		} else {
			run.Count("stayed", 1)
			run.Missed(s.launch.Pos(), "launch of %s: %s", child, s.reason)
		}
		p.reported(s, done, whole)
	}
}

// readable returns a function's name as the program has it.
func readable(symbol string) string { return demangle.Filter(symbol, demangle.NoParams) }

// file returns the declarations of the transformed program.
func (g *generator) file(kernels []*kernel) []syntax.Decl {
	parents := map[*check.FuncInfo]*kernel{}
	for _, k := range kernels {
		if len(k.sites) > 0 {
			parents[k.fn] = k
		}
	}
	byName := map[string]*check.FuncInfo{}
	for _, f := range g.p.info.Funcs {
		byName[f.Object.Name] = f
	}
	clones := g.clones()
	seen := map[string]bool{}
	var out []syntax.Decl
	for _, d := range g.p.info.File.Decls {
		decl, ok := d.(*syntax.FuncDecl)
		f := byName[nameOf(decl)]
		if !ok || f == nil {
			out = append(out, d)
			continue
		}
		if c := g.of(f); c != nil && !seen[c.name()] {
			seen[c.name()] = true
			out = append(out, g.front(c)...)
		}
		if decl.Body == nil {
			if g.carrying[f] && !isKernel(f) {
				d = tree.Clone(decl)
				carry(d.(*syntax.FuncDecl))
			}
			out = append(out, d)
			if clones[f] {
				out = append(out, g.prototype(g.clone(f)))
			}
			continue
		}
		if g.carrying[f] && !isKernel(f) {
			c := &copying{g: g}
			d = c.function(decl)
		}
		k := parents[f]
		var agg syntax.Decl
		if c := g.of(f); c != nil {
			if c.flat {
				agg = g.flatKernel(c)
			} else {
				agg = g.aggregatedKernel(c, k)
			}
		}
		if k != nil {
			if k.behind {
				out = append(out, g.leftDecls(k)...)
			}
			out = append(out, g.end(k))
			d = g.parent(k)
		}
		out = append(out, d)
		if clones[f] {
			out = append(out, g.clone(f))
		}
		if agg != nil {
			out = append(out, agg)
		}
		if k != nil && k.behind {
			out = append(out, g.behindKernel(k))
		}
		if i := slices.IndexFunc(g.children, func(c *child) bool { return c.thread == f }); i >= 0 && g.made(f) == nil {
			out = append(out, g.threadOf(g.children[i]))
		}
	}
	if flush := g.flush(); flush != nil {
		out = append(out, flush)
	}
	return g.p.withLibrary(out)
}

func nameOf(f *syntax.FuncDecl) string {
	if f == nil {
		return ""
	}
	return f.Name.Name
}

// places returns the functions with a copy for aggregated kernels: those that read built-in variables which differ there from
// the launch's. Where all blocks of a child have one size, in one dimension, threadIdx and blockDim do not.
func (g *generator) places() map[*check.FuncInfo]bool {
	out, all := g.p.reading("blockIdx", "gridDim"), g.p.positioned()
	for _, c := range g.children {
		for _, f := range reachable(c.fn) {
			out[f] = out[f] || !c.block && all[f]
		}
		if c.thread != nil {
			for _, f := range reachable(c.thread)[1:] {
				out[f] = out[f] || all[f]
			}
		}
	}
	return out
}

// clones returns the functions that aggregated kernels call and that read the built-in variables.
func (g *generator) clones() map[*check.FuncInfo]bool {
	out := map[*check.FuncInfo]bool{}
	for _, c := range g.children {
		list := reachable(c.fn)[1:]
		if c.thread != nil {
			list = append(list, reachable(c.thread)[1:]...)
		}
		for _, f := range list {
			out[f] = out[f] || g.positioned[f]
		}
	}
	return out
}

// entries is the size of the table by which the blocks of a grid find its records.
var entries = 1024

// libraryText returns the text of klap.cu and promote.cu for a pool of so many bytes.
func libraryText(pool int64) string {
	return strings.NewReplacer("KLAP_POOL", fmt.Sprint(pool), "KLAP_ENTRIES", fmt.Sprint(entries), "KLAP_SEGMENTS", "0xffffffffu").Replace(library + promoteLibrary)
}

// OfLibrary reports whether a file is the text of klap.cu and promote.cu, whose declarations have no other name than those that
// passes write.
func OfLibrary(f *source.File) bool {
	start, _, _ := strings.Cut(library, "\n")
	return f != nil && strings.Contains(string(f.Content), start)
}

// mention adds the names in n, without those of labels.
func mention(n syntax.Node, used tree.Names) {
	labels := map[*syntax.Ident]bool{}
	for c := range syntax.Preorder(n) {
		switch c := c.(type) {
		case *syntax.GotoStmt:
			labels[c.Name] = true
		case *syntax.LabelStmt:
			labels[c.Name] = true
		case *syntax.Ident:
			used[c.Name] = used[c.Name] || !labels[c]
		}
	}
}

// declared returns the name that a declaration of the library declares.
func declared(d syntax.Decl) string {
	switch d := d.(type) {
	case *syntax.FuncDecl:
		return d.Name.Name
	case *syntax.VarDecls:
		return d.Vars[0].Name.Name
	case *syntax.TypeDecl:
		if t, ok := d.Type.(*syntax.TagType); ok && t.Tag != nil {
			return t.Tag.Name
		}
	}
	return ""
}
