package lower

import (
	"irgl/internal/cxx/hir"
	"irgl/syntax"
)

// asm lowers inline PTX. The destructors of its operands' temporaries follow it.
func (l *lowerer) asm(s *hir.Asm) {
	l.fullExpr(func() {
		out := &syntax.AsmStmt{Span: at(s), Volatile: s.Volatile, Template: s.Template}
		for _, o := range s.Outputs {
			out.Outputs = append(out.Outputs, l.operand(o, l.lvalue(o.X)))
		}
		for _, o := range s.Inputs {
			out.Inputs = append(out.Inputs, l.operand(o, l.value(o.X)))
		}
		if s.Memory {
			out.Clobbers = []string{"memory"}
		}
		l.emit(out)
	})
}

func (l *lowerer) operand(o hir.AsmOperand, x syntax.Expr) *syntax.AsmOperand {
	return &syntax.AsmOperand{Span: at(o.X), Name: o.Name, Constraint: o.Constraint, X: x}
}
