package compile

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"irgl/internal/analysis"
	ssaanalysis "irgl/internal/ssa/analysis"
	"irgl/internal/suggest"
	"irgl/syntax"
)

// An Analysis is one that Emit prints as part of the form "analysis".
type Analysis struct{ Name, Doc string }

// Analyses returns the analyses of the trees of IrGL programs and those of SSA.
func Analyses() (tree, ssa []Analysis) {
	for _, r := range analysis.Reports() {
		tree = append(tree, Analysis{r.Name, r.Doc})
	}
	for _, r := range ssaanalysis.Reports() {
		ssa = append(ssa, Analysis{r.Name, r.Doc})
	}
	return tree, ssa
}

// splitForm returns the name of a form and the analyses that follow it, all if
// none does: "analysis=loops,ranges".
func splitForm(form string) (name string, analyses []string, err error) {
	name, list, some := strings.Cut(form, "=")
	if !some {
		list = ""
	}
	if name != "analysis" {
		if some {
			return "", nil, fmt.Errorf("the form %s takes no list", name)
		}
		return name, nil, nil
	}
	var known []string
	tree, ssa := Analyses()
	for _, a := range slices.Concat(tree, ssa) {
		known = append(known, a.Name)
	}
	if list == "" {
		return name, known, nil
	}
	for _, a := range strings.Split(list, ",") {
		if !slices.Contains(known, a) {
			return "", nil, fmt.Errorf("there is no analysis %q (there are %s)%s", a, strings.Join(known, ", "), suggest.Hint(a, known))
		}
		analyses = append(analyses, a)
	}
	return name, analyses, nil
}

// writeAnalyses writes the named analyses: those of the tree for an IrGL program,
// then those of SSA.
func (u *Unit) writeAnalyses(w io.Writer, names []string) error {
	if u.Dialect == syntax.IrGL && u.Info != nil {
		if err := analysis.WriteReports(w, u.Info, names); err != nil {
			return err
		}
	}
	return ssaanalysis.WriteReports(w, u.SSA, names)
}
