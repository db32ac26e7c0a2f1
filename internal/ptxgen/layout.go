package ptxgen

import (
	"strconv"

	"irgl/internal/ptx"
	"irgl/internal/ssa"
)

// layout orders the blocks, emits branches and labels, names the registers in
// order of appearance, and returns the body.
func (g *fgen) layout(blocks []*mblock) []ptx.Stmt {
	var placed []*mblock
	for i, b := range blocks {
		if i == 0 || !b.jumpsOnly() || thread(b) == b {
			placed = append(placed, b)
		}
	}
	for _, b := range placed {
		b.ins = fuseVectors(b.ins, g.classes)
	}
	l := &layouter{fg: g, names: make([]string, len(g.classes))}
	for i, b := range placed {
		var next *mblock
		if i+1 < len(placed) {
			next = placed[i+1]
		}
		l.branch(b, next)
	}
	l.label(placed)
	n := 0
	for _, b := range placed {
		n += len(b.ins) + 1
	}
	body := make([]ptx.Stmt, 0, n)
	for _, b := range placed {
		if b.label != "" {
			body = append(body, &ptx.Label{Name: b.label})
			if b.rolled {
				body = append(body, &ptx.Pragma{Text: "nounroll"})
			}
		}
		body = l.stmts(body, b)
	}
	return append(l.declarations(), body...)
}

// thread follows jumps through blocks that contain only a jump. In a cycle of
// such blocks, an endless loop, it returns b.
func thread(b *mblock) *mblock {
	seen := map[*mblock]bool{}
	for t := b; ; t = t.succs[0] {
		if !t.jumpsOnly() {
			return t
		}
		if seen[t] {
			return b
		}
		seen[t] = true
	}
}

type layouter struct {
	fg     *fgen
	names  []string // by register
	counts [numClasses]int
	jumps  []jump
	last   ptx.Loc
}

// A jump is a branch whose label is not known yet.
type jump struct {
	inst *ptx.Inst
	to   *mblock
}

// branch appends the instructions that end b, where next is placed after b.
func (l *layouter) branch(b, next *mblock) {
	switch b.kind {
	case ssa.BlockJump:
		if to := thread(b.succs[0]); to != next {
			l.jump(b, to, 0, false)
		}
	case ssa.BlockIf:
		then, other := thread(b.succs[0]), thread(b.succs[1])
		switch {
		case then == other:
			if then != next {
				l.jump(b, then, 0, false)
			}
		case other == next:
			l.jump(b, then, b.pred, b.predNot)
		case then == next:
			l.jump(b, other, b.pred, !b.predNot)
		default:
			l.jump(b, then, b.pred, b.predNot)
			l.jump(b, other, 0, false)
		}
	}
}

// jump appends a branch whose label label fills in.
func (l *layouter) jump(b, to *mblock, guard vreg, not bool) {
	in := &ptx.Inst{Op: "bra", GuardNot: not}
	if b.uniform {
		in.Mods = []string{"uni"}
	}
	b.ins = append(b.ins, minst{inst: in, guard: guard})
	l.jumps = append(l.jumps, jump{in, to})
}

// label numbers the jump targets, in order.
func (l *layouter) label(placed []*mblock) {
	wanted := map[*mblock]bool{}
	for _, j := range l.jumps {
		wanted[j.to] = true
	}
	n := 0
	for _, b := range placed {
		if wanted[b] {
			n++
			b.label = "$L_" + strconv.Itoa(n)
		}
	}
	for _, j := range l.jumps {
		j.inst.Args = []ptx.Operand{ptx.Sym(j.to.label)}
	}
}

// stmts appends b's instructions, with registers named, to body.
func (l *layouter) stmts(body []ptx.Stmt, b *mblock) []ptx.Stmt {
	var scope *ptx.Scope
	add := func(s ptx.Stmt) {
		if scope != nil {
			scope.Body = append(scope.Body, s)
		} else {
			body = append(body, s)
		}
	}
	for i := range b.ins {
		in := &b.ins[i]
		switch {
		case in.opens:
			scope = &ptx.Scope{}
		case in.closes:
			s := scope
			scope = nil
			add(s)
		case in.decl != nil:
			add(in.decl)
		default:
			if in.guard != 0 {
				in.inst.Guard = l.name(in.guard)
			}
			for k := range in.inst.Args {
				if in.asm == nil {
					l.nameIn(&in.inst.Args[k])
				}
			}
			if loc := l.loc(in); loc != nil {
				add(loc)
			}
			if in.asm == nil {
				add(in.inst)
				break
			}
			for _, s := range l.asm(in) {
				add(s)
			}
		}
	}
	return body
}

// loc returns the position of in if it differs from that of the previous
// instruction.
func (l *layouter) loc(in *minst) *ptx.Loc {
	if !l.fg.opts.Lines || !in.pos.IsValid() {
		return nil
	}
	loc := ptx.Loc{File: l.fg.file(in.pos.File.Name), Line: in.pos.Line(), Column: in.pos.Column()}
	if loc == l.last {
		return nil
	}
	l.last = loc
	return &loc
}

// nameIn replaces the virtual registers of an operand by names.
func (l *layouter) nameIn(o *ptx.Operand) {
	if o.Kind == ptx.KindReg || o.Kind == ptx.KindMem {
		if o.Name == "" && o.Bits != 0 {
			o.Name, o.Bits = l.name(vreg(o.Bits)), 0
		}
		return
	}
	for i := range o.List {
		l.nameIn(&o.List[i])
	}
}

// name returns r's name: its class's prefix and the next number at first use.
func (l *layouter) name(r vreg) string {
	if l.names[r] == "" {
		c := l.fg.classes[r]
		l.counts[c]++
		l.names[r] = classInfo[c].prefix + strconv.Itoa(l.counts[c])
	}
	return l.names[r]
}

// declarations declares the registers and local memory in use.
func (l *layouter) declarations() []ptx.Stmt {
	var list []ptx.Stmt
	for c, n := range l.counts {
		if n > 0 {
			info := classInfo[c]
			list = append(list, &ptx.Var{Space: ptx.Reg, Type: info.decl, Name: info.prefix, Range: n + 1})
		}
	}
	for i, v := range l.fg.locals {
		if l.fg.localUsed[i] {
			list = append(list, v)
		}
	}
	return list
}
