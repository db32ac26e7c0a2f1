package klap

import (
	"irgl/internal/dynpar"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Waits for children at the ends of kernels.
//
// CUDA 12 has removed cudaDeviceSynchronize from device code. Where nothing of the kernel follows
// the call, it has no effect, since a grid is complete when its children are: the call goes. Package
// dynpar refuses the others, before and behind aggregation alike.

// waits drops the calls of cudaDeviceSynchronize that nothing of their kernel follows.
func waits(p *Program, run *pass.Run) error {
	for _, f := range p.info.Funcs {
		if !isKernel(f) {
			continue
		}
		last := dynpar.EndWaits(f.Decl)
		if len(last) == 0 {
			continue
		}
		tree.Rewriter{Stmt: func(s syntax.Stmt) []syntax.Stmt {
			x, ok := s.(*syntax.ExprStmt)
			if !ok {
				return []syntax.Stmt{s}
			}
			c, ok := uncast(x.X).(*syntax.CallExpr)
			if !ok || !last[c] {
				return []syntax.Stmt{s}
			}
			p.report.Dropped = append(p.report.Dropped, c.Pos())
			run.Count("dropped", 1)
			run.Applied(c.Pos(), "cudaDeviceSynchronize is dropped: nothing of the kernel follows it")
			return nil
		}}.Rewrite(f.Decl)
	}
	if len(p.report.Dropped) == 0 {
		return nil
	}
	return p.set(p.info.File)
}
