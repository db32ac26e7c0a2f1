package analysis

import "irgl/internal/ssa"

// ReportOf returns one report of f, a function of m.
func ReportOf(m *ssa.Module, f *ssa.Func, name string) string {
	for _, r := range Reports() {
		if r.Name == name {
			return r.print(&reported{m, f, Dominators(f)})
		}
	}
	return "there is no report " + name + "\n"
}
