package analysis

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"irgl/internal/ssa"
)

// A Report is one analysis as text, for users and for goldens.
type Report struct {
	Name, Doc string
	print     func(c *reported) string
}

// A reported is a function with the trees that most analyses require.
type reported struct {
	m   *ssa.Module
	f   *ssa.Func
	dom *DomTree
}

func (c *reported) alias() *Aliases { return Alias(c.f, c.m) }
func (c *reported) loops() *Loops   { return FindLoops(c.f, c.dom) }

// Reports returns the analyses that can be printed, in order of their
// dependences.
func Reports() []Report {
	return []Report{
		{"order", "blocks in reverse postorder", func(c *reported) string { return fmt.Sprintln(ReversePostorder(c.f)) }},
		{"dominators", "the dominator tree", func(c *reported) string { return c.dom.String() }},
		{"postdominators", "the postdominator tree", func(c *reported) string { return PostDominators(c.f).String() }},
		{"frontiers", "the dominance frontier of each block", func(c *reported) string {
			var s strings.Builder
			for _, b := range c.dom.Order() {
				fmt.Fprintf(&s, "%s: %v\n", b, c.dom.Frontiers()[b.ID])
			}
			return s.String()
		}},
		{"loops", "the loop nest: headers, blocks, exits", func(c *reported) string { return c.loops().String() }},
		{"trips", "induction variables and trip counts", func(c *reported) string { return TripsString(Trips(c.loops())) }},
		{"uses", "the uses of each value", func(c *reported) string { return Uses(c.f).String() }},
		{"liveness", "values live into and out of each block", func(c *reported) string { return Live(c.f, c.dom).String() }},
		{"pressure", "registers and predicates live at once in each block, and the estimate for the function", func(c *reported) string {
			return EstimateRegisters(c.f, c.dom, c.loops()).String()
		}},
		{"divergence", "values that vary between the threads of a warp, divergent branches and the blocks they guard", func(c *reported) string {
			return Vary(c.f, c.dom).String()
		}},
		{"ranges", "intervals of integer values, by block where a branch narrows them", func(c *reported) string { return Ranges(c.f, c.dom).String() }},
		{"alignment", "known alignment of integers and pointers, in bytes", func(c *reported) string { return Align(c.f, c.m, c.dom).String() }},
		{"spaces", "the address space of each memory access", func(c *reported) string { return spacesString(c.f) }},
		{"alias", "the object that each pointer is based on, and pairs of accesses that cannot alias", func(c *reported) string { return c.alias().String() }},
		{"memory", "the objects that each block writes, and those written on a path to it", func(c *reported) string {
			return Clobbers(c.f, c.dom, c.alias()).String()
		}},
		{"readonly", "loads of memory that the kernel does not write", func(c *reported) string { return fmt.Sprintln(ReadOnly(c.f, c.alias())) }},
	}
}

// spacesString returns a line per access: its operation, address and space.
func spacesString(f *ssa.Func) string {
	var s strings.Builder
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if p := v.Address(); p != nil {
				space := strings.TrimPrefix(p.Type.String(), "ptr.")
				if p.Type == ssa.Ptr {
					space = "generic"
				}
				name := v.Op.String()
				if v.Type != ssa.Void {
					name = fmt.Sprintf("%s = %s", v, v.Op)
				}
				fmt.Fprintf(&s, "%s: %s at %s: %s\n", b, name, p, space)
			}
		}
	}
	return s.String()
}

// WriteReports writes the named reports of each function of m that has a body; m
// must satisfy [ssa.Verify].
func WriteReports(w io.Writer, m *ssa.Module, names []string) error {
	var s strings.Builder
	for _, f := range m.Funcs {
		if len(f.Blocks) == 0 {
			continue
		}
		fmt.Fprintf(&s, "func @%s\n", f.Name)
		c := &reported{m, f, Dominators(f)}
		for _, r := range Reports() {
			if !slices.Contains(names, r.Name) {
				continue
			}
			fmt.Fprintf(&s, "  %s\n", r.Name)
			for line := range strings.Lines(r.print(c)) {
				s.WriteString("    " + line)
			}
		}
	}
	_, err := io.WriteString(w, s.String())
	return err
}
