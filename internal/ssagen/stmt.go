package ssagen

import (
	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// block translates statements in order. Scopes are already resolved: two
// variables of one name are two objects.
func (g *fb) block(b *syntax.Block) {
	if b == nil {
		return
	}
	for _, s := range b.Stmts {
		g.stmt(s)
	}
}

// stmt translates a statement.
//
//irgl:allnodes CStmt except CBlock
func (g *fb) stmt(s syntax.Stmt) {
	if s == nil {
		return
	}
	g.pos = s.Pos()
	switch s := s.(type) {
	case *syntax.Block:
		g.block(s)
	case *syntax.VarDecls:
		for _, d := range s.Vars {
			g.localVar(s, d)
		}
	case *syntax.ExprStmt:
		g.effect(s.X)
	case *syntax.AsmStmt:
		g.asm(s)
	case *syntax.EmptyStmt:
	case *syntax.IfStmt:
		g.ifStmt(s)
	case *syntax.ForStmt:
		g.forStmt(s)
	case *syntax.WhileStmt:
		g.whileStmt(s)
	case *syntax.SwitchStmt:
		g.switchStmt(s)
	case *syntax.CaseStmt:
		g.caseStmt(s)
	case *syntax.ReturnStmt:
		g.returnStmt(s)
	case *syntax.BreakStmt:
		if n := len(g.breaks); n > 0 {
			g.jump(g.breaks[n-1])
		}
	case *syntax.ContinueStmt:
		if n := len(g.conts); n > 0 {
			g.jump(g.conts[n-1])
		}
	case *syntax.LabelStmt:
		b := g.label(s.Name.Name)
		g.jump(b)
		g.setBlock(b)
	case *syntax.TypeDecl: // laid out by check
	case *syntax.GotoStmt:
		g.jump(g.label(s.Name.Name))
	default:
		g.errorf(s, codeEarlier, "this statement of IrGL has not been lowered to CUDA")
	}
}

// label returns the block of a label, which an earlier goto may have created.
func (g *fb) label(name string) *ssa.Block {
	if g.labels[name] == nil {
		g.labels[name] = g.newBlock()
	}
	return g.labels[name]
}

// addShared adds a variable in shared memory to those of the function, and reports the one that does
// not fit any more.
func (g *fb) addShared(d *syntax.VarDecl, v *ssa.Global) {
	before := g.shared
	g.shared = (g.shared+v.Align-1)/v.Align*v.Align + v.Size
	if before <= MaxShared && g.shared > MaxShared {
		g.diags.Errorf(d.Pos(), d.End(), codeTooLarge, "the shared arrays of %s take %d bytes up to here; a block's static shared memory has %d",
			g.fn.Decl.Name.Name, g.shared, MaxShared).Hint = "declare one as extern __shared__, and give its size in the launch"
	}
}

// localVar declares a variable in a function.
func (g *fb) localVar(s *syntax.VarDecls, d *syntax.VarDecl) {
	o := g.info.Defs[d.Name]
	if o == nil || o.Kind != check.VarObj {
		return
	}
	g.pos = d.Pos()
	space := spaceOf(o.Attrs | s.Attrs)
	if space == ssa.Void && (o.Attrs | s.Attrs).Has(syntax.Static) {
		space = ssa.PtrGlobal
	}
	if space != ssa.Void {
		v := g.addVar(o, d, space, g.f.Name+"."+o.Name)
		if space == ssa.PtrShared {
			g.addShared(d, v)
		}
		return
	}
	p := place{addr: g.alloca(o.Type), typ: o.Type, volatile: o.Volatile}
	p.addr.Mem.Align = max(p.addr.Mem.Align, o.Align)
	g.vars[o] = p
	if d.Init != nil {
		g.initialise(p, d.Init)
	}
}

// loop translates body with the given targets of break and continue.
func (g *fb) loop(body syntax.Stmt, brk, cont *ssa.Block) {
	g.breaks, g.conts = append(g.breaks, brk), append(g.conts, cont)
	g.stmt(body)
	g.breaks, g.conts = g.breaks[:len(g.breaks)-1], g.conts[:len(g.conts)-1]
}

// ifStmt translates if; without an else the false edge leads to the code after it.
func (g *fb) ifStmt(s *syntax.IfStmt) {
	then, done := g.newBlock(), g.newBlock()
	other := done
	if s.Else != nil {
		other = g.newBlock()
	}
	g.condition(s.Cond, then, other)
	g.setBlock(then)
	g.stmt(s.Then)
	g.jump(done)
	if s.Else != nil {
		g.setBlock(other)
		g.stmt(s.Else)
		g.jump(done)
	}
	g.setBlock(done)
}

// forStmt translates a for. The loop header records the unroll pragma.
func (g *fb) forStmt(s *syntax.ForStmt) {
	g.stmt(s.Init)
	head, body, post, done := g.newBlock(), g.newBlock(), g.newBlock(), g.newBlock()
	head.Unroll = s.Unroll
	g.jump(head)
	g.setBlock(head)
	if s.Cond != nil {
		g.condition(s.Cond, body, done)
	} else {
		g.jump(body)
	}
	g.setBlock(body)
	g.loop(s.Body, done, post)
	g.jump(post)
	g.setBlock(post)
	if s.Post != nil {
		g.pos = s.Post.Pos()
		g.effect(s.Post)
	}
	g.jump(head)
	g.setBlock(done)
}

// whileStmt translates while and do. Both test in one block, the target of
// continue; do only has another entry.
func (g *fb) whileStmt(s *syntax.WhileStmt) {
	head, body, done := g.newBlock(), g.newBlock(), g.newBlock()
	if s.Do {
		g.jump(body)
	} else {
		g.jump(head)
	}
	g.setBlock(head)
	g.condition(s.Cond, body, done)
	g.setBlock(body)
	g.loop(s.Body, done, head)
	g.jump(head)
	g.setBlock(done)
}

// returnStmt returns from the function. A struct is stored to the caller's address.
func (g *fb) returnStmt(s *syntax.ReturnStmt) {
	t := g.fn.Type.Result
	switch {
	case s.X == nil && g.f.Result != ssa.Void:
		g.ret(g.undef(g.f.Result))
	case s.X == nil:
		g.ret(nil)
	case isStruct(t):
		src := g.aggregate(s.X, t)
		g.copyAggregate(place{addr: g.result, typ: t}, src)
		g.ret(nil)
	case g.f.Result == ssa.Void:
		g.effect(s.X)
		g.ret(nil)
	default:
		g.ret(g.convertExpr(s.X, t))
	}
}

// A switchCtx is a switch whose body is being translated.
type switchCtx struct {
	typ      check.Type
	cases    []switchCase
	fallback *ssa.Block // default
}

type switchCase struct {
	value  int64
	target *ssa.Block
}

// switchStmt first translates the body, which collects the cases, and then the
// search for the case, which is placed before the body.
func (g *fb) switchStmt(s *syntax.SwitchStmt) {
	ctx := &switchCtx{typ: check.Promote(g.typ(s.X))}
	x := g.convertExpr(s.X, ctx.typ)
	pos := g.pos
	dispatch, done := g.cur, g.newBlock()
	g.setBlock(g.dead) // statements before the first case are unreachable
	g.switches, g.breaks = append(g.switches, ctx), append(g.breaks, done)
	g.block(s.Body)
	g.switches, g.breaks = g.switches[:len(g.switches)-1], g.breaks[:len(g.breaks)-1]
	g.jump(done)
	if ctx.fallback == nil {
		ctx.fallback = done
	}
	g.setBlock(dispatch)
	g.pos = pos
	sortCases(ctx.cases, check.IsUnsigned(ctx.typ))
	g.search(x, ctx, ctx.cases)
	g.setBlock(done)
}

// caseStmt begins a block that is a target of the innermost switch; the
// preceding code falls through into it.
func (g *fb) caseStmt(s *syntax.CaseStmt) {
	b := g.newBlock()
	g.jump(b)
	g.setBlock(b)
	if len(g.switches) == 0 {
		return
	}
	ctx := g.switches[len(g.switches)-1]
	if s.Value == nil {
		ctx.fallback = b
		return
	}
	if c := g.info.Consts[s.Value]; c != nil {
		n := constIn(c, g.typ(s.Value), ctx.typ).Int
		ctx.cases = append(ctx.cases, switchCase{n, b})
	}
}
