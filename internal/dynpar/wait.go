package dynpar

import (
	"irgl/internal/tree"
	"irgl/syntax"
)

// synchronize is the symbol of cudaDeviceSynchronize in device code.
const synchronize = "_Z21cudaDeviceSynchronizev"

// isWait reports whether s waits for children and does nothing else.
func isWait(s syntax.Stmt) bool { return wait(s) != nil }

// wait returns the call that is all of s and waits for children, or nil.
func wait(s syntax.Stmt) *syntax.CallExpr {
	x, ok := s.(*syntax.ExprStmt)
	if !ok {
		return nil
	}
	e := syntax.Unparen(x.X)
	if c, ok := e.(*syntax.CastExpr); ok {
		e = syntax.Unparen(c.X)
	}
	if c, ok := e.(*syntax.CallExpr); ok && tree.Callee(c) == synchronize {
		return c
	}
	return nil
}

// waits reports the calls of cudaDeviceSynchronize in a function: those that nothing of the
// kernel follows are dropped, with a warning, and the others are errors.
func (l *lowerer) waits(f *syntax.FuncDecl) {
	if f.Name.Name == synchronize {
		return
	}
	last := map[*syntax.CallExpr]bool{}
	if f.Attrs.Has(syntax.Global) {
		atEnd(f.Body.Stmts, true, last)
	}
	for n := range syntax.Preorder(f) {
		c, ok := n.(*syntax.CallExpr)
		if !ok || tree.Callee(c) != synchronize {
			continue
		}
		if last[c] {
			l.diags.Warnf(c.Pos(), c.End(), codeDropped, "cudaDeviceSynchronize has no effect here: a grid is complete when its children are").Hint = "leave the call out"
			continue
		}
		l.diags.Errorf(c.Pos(), c.End(), codeSynchronize, "cudaDeviceSynchronize cannot wait in device code: CUDA 12 has removed it").Hint =
			"make what follows a kernel of its own, and launch it into the same stream or into cudaStreamTailLaunch"
	}
}

// atEnd collects the waits among statements behind which a kernel does nothing; end says that
// it does nothing behind the list.
func atEnd(list []syntax.Stmt, end bool, out map[*syntax.CallExpr]bool) {
	for i, s := range list {
		e := ends(list[i+1:], end)
		switch s := s.(type) {
		case *syntax.ExprStmt:
			if c := wait(s); c != nil && e {
				out[c] = true
			}
		case *syntax.Block:
			atEnd(s.Stmts, e, out)
		case *syntax.IfStmt:
			atEnd(arm(s.Then), e, out)
			atEnd(arm(s.Else), e, out)
		}
	}
}

// ends reports whether a kernel that comes to the list does nothing any more.
func ends(list []syntax.Stmt, end bool) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.EmptyStmt:
			continue
		case *syntax.ReturnStmt:
			return s.X == nil
		case *syntax.ExprStmt:
			c, ok := syntax.Unparen(s.X).(*syntax.CallExpr)
			if isWait(s) || ok && tree.Callee(c) == "__syncthreads" {
				continue
			}
		case *syntax.Block:
			if ends(s.Stmts, true) {
				continue
			}
		}
		return false
	}
	return end
}

// arm returns the statements of an arm of an if.
func arm(s syntax.Stmt) []syntax.Stmt {
	switch s := s.(type) {
	case nil:
		return nil
	case *syntax.Block:
		return s.Stmts
	default:
		return []syntax.Stmt{s}
	}
}

// EndWaits returns the calls of cudaDeviceSynchronize in a kernel that nothing of it follows.
func EndWaits(kernel *syntax.FuncDecl) map[*syntax.CallExpr]bool {
	last := map[*syntax.CallExpr]bool{}
	atEnd(kernel.Body.Stmts, true, last)
	return last
}
