package compile

import (
	"irgl/internal/source"
	"irgl/internal/ssa"
)

// CompileSSA is [Compile] for a module as [Unit.Emit] prints it in the form "ssa":
// it reads and verifies the text, and runs the scalar passes and what follows
// them. A text that breaks an invariant of SSA is an error at its line.
func CompileSSA(file *source.File, last string, o Options) (*Unit, error) {
	u := &Unit{Source: file, FromSSA: true, Options: o, done: map[string]bool{}}
	stages := []Stage{{Name: "parse", run: readSSA}}
	for _, s := range Stages() {
		if s.Name == "opt" || s.Name == "ptxgen" {
			stages = append(stages, s)
		}
	}
	return u, u.runStages(stages, last)
}

func readSSA(u *Unit) error {
	m, err := ssa.Parse(u.Source)
	if err != nil {
		return err
	}
	u.SSA = m
	return ssa.Verify(m)
}
