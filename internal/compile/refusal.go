package compile

import (
	"slices"

	"irgl/internal/ptxgen"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/internal/ssagen"
)

// Finish runs the stages behind ssagen on a unit that has come that far, if one of them may refuse the
// program. They refuse inline PTX, clusters of blocks and shared memory alone, and the passes leave code
// out but never add any of these: a module that gives no reason here is not refused. Errors of the
// compiler itself in those stages are not found then.
func (u *Unit) Finish() error {
	if !u.mayBeRefused() {
		return nil
	}
	stages := Stages()
	from := slices.IndexFunc(stages, func(s Stage) bool { return s.Name == "opt" })
	return u.runStages(stages[from:], "")
}

func (u *Unit) mayBeRefused() bool {
	var diags source.List
	if ptxgen.Refuse(u.SSA, u.Options.PTX, &diags); len(diags.Diags) > 0 {
		return true
	}
	if _, err := ptxgen.Generate(&ssa.Module{}, u.Options.PTX); err != nil {
		return true // the options
	}
	// What a kernel needs of shared memory is at most its own and that of all other functions.
	shared := map[string]*ssa.Global{}
	for _, g := range u.SSA.Globals {
		if g.Space == ssa.PtrShared {
			shared[g.Name] = g
		}
	}
	others, most := map[string]int64{}, int64(0)
	for _, f := range u.SSA.Funcs {
		vars := others
		if f.Kernel {
			vars = map[string]int64{}
		}
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if _, inline := v.Asm(); inline {
					return true
				}
				if v.Op == ssa.OpGlobalAddr && v.Type == ssa.PtrShared {
					if g := shared[v.Sym.String()]; g != nil {
						vars[g.Name] = g.Size + g.Align
					}
				}
			}
		}
		if f.Kernel {
			most = max(most, sum(vars))
		}
	}
	return most+sum(others) > ssagen.MaxShared
}

func sum(sizes map[string]int64) (n int64) {
	for _, size := range sizes {
		n += size
	}
	return n
}
