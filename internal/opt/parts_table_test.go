package opt

import (
	"maps"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestLimitedSwitches: the switches that the command line can limit to a kernel are those
// that attributes of a kernel set, and those of the rows that ask for the switches at a place.
func TestLimitedSwitches(t *testing.T) {
	args := map[string]string{
		"np": "(gr 5, tb 4, wp 3, fg 2, serial)", "batch": "(4, eager)", "coop": "(warp)", "deal": "", "backoff": "(list, tail 9)", "ldg": "",
	}
	set, attributes := map[string]bool{}, map[string]bool{}
	for _, name := range plan.Names() {
		text := "Graph g { Node int a; }\n[[" + name + args[name] + "]] Kernel K(g) { ForAll (n In g.nodes) { ForAll (e In n.edges) { n.a = 1; } } }\nHost main() { Invoke K(g); }\n"
		diags := new(source.List)
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, diags), diags)
		for _, list := range info.Plan.Parts {
			for _, s := range list {
				set[s.Name], attributes[name] = true, true
			}
		}
	}
	limited := map[string]bool{}
	for _, s := range lower.Switches() {
		if s.Extent() != lower.OfProgram {
			limited[s.Name] = true
		}
	}
	if !maps.Equal(set, limited) {
		t.Errorf("attributes set %v, the command line limits %v", set, limited)
	}
	asked := map[string]bool{}
	for _, row := range Passes().Names() {
		if name := switchOf(row); name != "" {
			asked[name] = true
		}
	}
	if !maps.Equal(asked, attributes) {
		t.Errorf("rows ask for %v, attributes are %v", asked, attributes)
	}
	for name := range limited {
		base, _, _ := strings.Cut(name, "-")
		if !asked[base] && name != "eager" { // of batch
			t.Errorf("no row asks for %s", name)
		}
	}
}
