package lower

import (
	"fmt"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/syntax"
)

// Reductions of inner ForAlls into locals of the outer iteration:
//
//	double sum = 0;
//	ForAll (e In n.edges) { atomicAdd(&sum, e.dst.share); }
//
// Where a thread executes its own iterations the function is a plain operation
// on a register: no other thread has the local, and the memory of a thread's own
// has no atomics. Where others execute them, each gathers in a register of its
// own, and the parts come together
//
//	wp  in the warp, when a range is done: __shfl_xor_sync, to the owner
//	tb  the same, and from each warp by one atomic to the owner's element of an
//	    array in shared memory
//	fg  each round: the iterations of an owner belong to neighbouring lanes, so
//	    that each first one of an owner in a warp gathers what those behind it
//	    have, in five steps, and brings it to that array
//
// and the owner adds its element when all are done. With gr the sum would be
// known only behind the outer iteration, which uses it; so analysis keeps such
// loops from gr. Sums of floating numbers come in another order, and so may
// differ in their last digits. (IrGL paper, section 4.3, has this for the
// reductions that its schedulers know; the form is ours.)

// A part is what a loop gathers in one local.
type part struct {
	*analysis.Gather
	typ   string
	array string // in shared memory, an element a thread; "" for none
}

// parts returns what the loop of a schedule gathers.
func (l *lowerer) gatheredBy(c *schedule) []*part {
	var out []*part
	for _, g := range c.nest.Gathers {
		out = append(out, &part{Gather: g, typ: l.typeText(g.Object.Type)})
	}
	return out
}

// plain returns the type of a part as that of a number: a node is an int.
func (p *part) plain() check.Type {
	switch {
	case p.Object.Type == check.Edge:
		return check.Long
	case analysis.IsHandle(p.Object.Type):
		return check.Int
	}
	return p.Object.Type
}

// none returns the value to begin with.
func (p *part) none() string {
	t := p.plain()
	if check.IsFloat(t) {
		return "0"
	}
	bits := 8 * t.Size()
	least, most := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
	if check.IsUnsigned(t) {
		least, most = 0, -1
	}
	v := map[string]int64{"And": -1, "Min": most, "Max": least}[p.Op]
	return syntax.String(constant(syntax.Span{}, t, &check.Const{Int: v}))
}

// join returns the statement that adds y to the variable x.
func (p *part) join(x, y string) string {
	switch p.Op {
	case "Min", "Max":
		return fmt.Sprintf("%[1]s = %[2]s(%[1]s, %[3]s);\n", x, strings.ToLower(p.Op), y)
	}
	return fmt.Sprintf("%[1]s = %[1]s %[2]s %[3]s;\n", x, map[string]string{"Add": "+", "And": "&", "Or": "|", "Xor": "^"}[p.Op], y)
}

// atomicTo returns the statement that adds the variable y to the place x, to
// which others add.
func (l *lowerer) atomicTo(p *part, x, y string) string {
	s := syntax.Span{}
	name, t := "atomic"+p.Op, p.plain()
	args := []syntax.Expr{addr(ident(s, x)), ident(s, y)}
	if to := atomicForm(name, t); to != t {
		args[0] = l.pointerTo(args[0], to)
		args[1] = cast(s, l.typeName(s, to), args[1])
	}
	return syntax.String(call(s, name, args...)) + ";\n"
}

// gatherWarp returns the statements that give all lanes what all have in a
// variable.
func (p *part) gatherWarp(l *lowerer, x string) string {
	step := l.fresh("step")
	return fmt.Sprintf("for (int %[1]s = 16; %[1]s > 0; %[1]s /= 2) {\n%[2]s}\n", step, p.join(x, fmt.Sprintf("__shfl_xor_sync(0xffffffffu, %s, %s)", x, step)))
}

// gatherOwners returns the statements by which the lanes of a warp bring what
// they have in a variable to its owners; neighbours have the same one, and none
// is negative.
func (p *part) gatherOwners(l *lowerer, x, owner string) string {
	step, more, its := l.fresh("step"), l.fresh("more"), l.fresh("its")
	return fmt.Sprintf(`for (int %[1]s = 1; %[1]s < 32; %[1]s *= 2) {
%[2]s %[3]s = __shfl_down_sync(0xffffffffu, %[4]s, (unsigned int)%[1]s);
int %[5]s = __shfl_down_sync(0xffffffffu, %[6]s, (unsigned int)%[1]s);
if (irgl_lane() + %[1]s < 32 && %[5]s == %[6]s) { %[7]s }
}
int %[5]s = __shfl_up_sync(0xffffffffu, %[6]s, 1u);
if (%[6]s >= 0 && (irgl_lane() == 0 || %[5]s != %[6]s)) { %[8]s }
`, step, p.typ, more, x, its, owner, p.join(x, more), l.atomicTo(p, p.array+"["+owner+"]", x))
}

// declareParts returns variables for the parts of c, with the values to begin
// with, and has the copies of the body gather in them.
func (l *lowerer) declareParts(c *schedule) (names []string, text string) {
	for _, p := range c.parts {
		name := l.fresh(nameOf(p.Object) + "_part")
		names = append(names, name)
		text += fmt.Sprintf("%s %s = %s;\n", p.typ, name, p.none())
	}
	return names, text
}

// gatherIn returns which variables a copy of the body of c gathers in.
func (c *schedule) gatherIn(names []string) map[*check.Object]string {
	out := map[*check.Object]string{}
	for i, p := range c.parts {
		out[p.Object] = names[i]
	}
	return out
}

// plainAtomic lowers a statement that calls an atomic function for a local: in
// its own thread it is a plain operation. It returns nil for other statements.
func (l *lowerer) plainAtomic(s *syntax.ExprStmt) syntax.Stmt {
	c, ok := syntax.Unparen(s.X).(*syntax.CallExpr)
	if !ok || l.host {
		return nil
	}
	o, op := analysis.GatherOp(l.info, c)
	if o == nil || !check.IsArithmetic(o.Type) && !analysis.IsHandle(o.Type) {
		return nil
	}
	p := &part{Gather: &analysis.Gather{Object: o, Op: op}}
	x := ident(s.Span, nameOf(o))
	if l.tp != nil && l.tp.parts[o] != "" {
		x = ident(s.Span, l.tp.parts[o])
	}
	return l.gatherInto(s.Span, c, op, x, p.plain())
}

// gatherInto returns the statement by which a call of an atomic function changes a
// variable of the thread's own in place of what has the type t.
func (l *lowerer) gatherInto(s syntax.Span, c *syntax.CallExpr, op string, x *syntax.Ident, t check.Type) syntax.Stmt {
	value := l.expr(c.Args[1])
	if from := l.info.Types[c.Args[1]]; from != t && (check.IsFloat(from) || check.IsFloat(t) || op == "Min" || op == "Max") {
		value = cast(at(c.Args[1]), l.typeName(s, t), value)
	}
	if op == "Min" || op == "Max" {
		return stmt(assign(x, "=", call(s, strings.ToLower(op), x, value)))
	}
	symbol := syntax.Op(map[string]string{"Add": "+=", "And": "&=", "Or": "|=", "Xor": "^="}[op])
	if fun := syntax.Unparen(c.Fun).(*syntax.Ident); fun.Name == "atomicSub" {
		symbol = "-="
	}
	return stmt(assign(x, symbol, value))
}
