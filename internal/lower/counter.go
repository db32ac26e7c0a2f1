package lower

import (
	"fmt"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Counters that all threads share are what cooperative conversion (coop.go; IrGL
// paper, section 4.2) does for the program's own atomics. Those of one address run
// one after another, about one in a nanosecond, however many threads wait. Package
// analysis says which atomics are on such counters, and which of two forms they can
// have:
//
//	atomicAdd(&lost[to], change);      unsigned int or double lost_part = 0, at the top of the kernel
//	                                   lost_part += change;
//	                                   ... at its end the threads of the warp or of the block
//	                                   add up their parts, and one of them adds the sum to lost[to]
//	int at = atomicAdd(&waiting, 1);   int at = irgl_add_same(&waiting, 1);
//
// The first is for what is done for its effect alone. A thread executes many
// iterations, and those of inner ForAlls that others own: it gathers all of them
// in a register. It works for each operation that can be done in any order, and a
// warp or block that has nothing to add leaves the counter alone. All threads come
// to the end of the kernel (not of one that retries items, which one thread of a
// block may have to itself), so that warps are whole there, but for the last of a
// block whose size is no multiple of 32. Sums of integers are gathered in unsigned
// variables, which wrap as atomics do; floating sums come in another order.
//
// The second is for results that are used, and for sums that cannot wait, as the
// kernel looks at the counter: one atomic for the lanes that come together, at
// both levels of cooperation, and each lane gets a place of its own. (The paper
// has this for its worklists alone.)
//
// With gr the grid meets in front of the tiles at the end of the kernel (hubs.go),
// and not behind them if there are none. So what has been gathered goes to the
// counter before it meets, and what the tiles gather behind them.

// A tally is what each thread gathers for a counter.
type tally struct {
	part
	place syntax.Expr // of the program
	elem  check.Type  // of the counter
	name  string      // the local variable
	own   bool        // at thread level: each thread adds what it has
	warps string      // at block level: an array with what the warps have
}

// tallyOf returns what the atomics on the same place have in common.
func (l *lowerer) tallyOf(c *analysis.Counter, level plan.Level) *tally {
	at := c.Tally()
	if t := l.tp.tallyAt[at]; t != nil {
		return t
	}
	t := &tally{place: c.Place, elem: c.Type, name: l.fresh(nameOf(c.Object) + "_part")}
	in := c.Type
	if wraps := map[check.Type]check.Type{check.Int: check.UInt, check.Long: check.ULong, check.LongLong: check.ULongLong}[in]; c.Op == "Add" && wraps != nil {
		in = wraps
	}
	t.part = part{Gather: &analysis.Gather{Object: &check.Object{Name: t.name, Type: in}, Op: c.Op}, typ: l.typeText(in)}
	t.own = level == plan.Thread
	if level == plan.Block {
		t.warps = l.sharedVar(t.typ, t.name+"s", plan.MaxWarps)
	}
	l.tp.tallies, l.tp.tallyAt[at] = append(l.tp.tallies, t), t
	return t
}

// tallyStmt lowers a statement that calls an atomic function for a counter that
// is gathered. It returns nil for other statements.
func (l *lowerer) tallyStmt(s *syntax.ExprStmt) syntax.Stmt {
	c, ok := syntax.Unparen(s.X).(*syntax.CallExpr)
	if !ok || l.tp == nil || l.tp.tallied[c] == nil {
		return nil
	}
	t := l.tp.tallied[c]
	return l.gatherInto(s.Span, c, t.Op, ident(s.Span, t.name), t.elem)
}

// declareTallies returns the variables in which a thread gathers.
func (l *lowerer) declareTallies() string {
	var b strings.Builder
	for _, t := range l.tp.tallies {
		fmt.Fprintf(&b, "%s %s = %s;\n", t.typ, t.name, t.none())
	}
	return b.String()
}

// addTallies returns the statements by which a warp or a block adds what its
// threads have gathered to the counters; all of them come there. With again they
// go on gathering.
func (l *lowerer) addTallies(again bool) string {
	tallies := l.tp.tallies
	if len(tallies) == 0 {
		return ""
	}
	if tallies[0].own {
		out := l.addTallied("")
		for _, t := range tallies {
			if again {
				out += fmt.Sprintf("%s = %s;\n", t.name, t.none())
			}
		}
		return out
	}
	mask, step := l.mask(), l.fresh("step")
	shuffle, from := "__shfl_down_sync", "(unsigned int)"+step
	if l.tp.partial { // a lane that the block has not got has no value
		shuffle, from = "__shfl_sync", fmt.Sprintf("min(irgl_lane() + %s, irgl_lanes() - 1)", step)
	}
	var some []string
	var shuffles, joins, reset strings.Builder
	for _, t := range tallies {
		more := l.fresh(t.name + "_more")
		some = append(some, t.name+" != "+t.none())
		fmt.Fprintf(&shuffles, "%s %s = %s(%s, %s, %s);\n", t.typ, more, shuffle, mask, t.name, from)
		joins.WriteString(t.join(t.name, more))
		fmt.Fprintf(&reset, "%s = %s;\n", t.name, t.none())
	}
	join := joins.String()
	if l.tp.partial {
		join = fmt.Sprintf("if (irgl_lane() + %s < irgl_lanes()) {\n%s}\n", step, join)
	}
	vote := fmt.Sprintf("__any_sync(%s, %s)", mask, strings.Join(some, " || "))
	add := l.addByOne("irgl_lane() == 0", "")
	if tallies[0].warps != "" {
		vote = fmt.Sprintf("__syncthreads_or(%s)", strings.Join(some, " || "))
		add = l.addByBlock()
	}
	if !again {
		reset.Reset()
	}
	return fmt.Sprintf("if (%[1]s != 0) {\nfor (int %[2]s = 16; %[2]s > 0; %[2]s /= 2) {\n%[3]s%[4]s}\n%[5]s%[6]s}\n", vote, step, shuffles.String(), join, add, reset.String())
}

// addByBlock returns the statements by which the first thread of a block adds what
// the first lanes of its warps have.
func (l *lowerer) addByBlock() string {
	warp := l.fresh("warp")
	var put, joins strings.Builder
	for _, t := range l.tp.tallies {
		fmt.Fprintf(&put, "%s[threadIdx.x / 32] = %s;\n", t.warps, t.name)
		joins.WriteString(t.join(t.name, t.warps+"["+warp+"]"))
	}
	sum := fmt.Sprintf("for (int %[1]s = 1; %[1]s < (int)((blockDim.x + 31) / 32); %[1]s++) {\n%[2]s}\n", warp, joins.String())
	return fmt.Sprintf("if (irgl_lane() == 0) {\n%s}\n__syncthreads();\n%s", put.String(), l.addByOne("threadIdx.x == 0", sum))
}

// addByOne returns the statement by which the thread for which cond holds adds
// its tallies to the counters, behind others.
func (l *lowerer) addByOne(cond, others string) string {
	return fmt.Sprintf("if (%s) {\n%s}\n", cond, l.addTallied(others))
}

// addTallied returns the statements by which a thread adds its tallies to the counters, behind
// others.
func (l *lowerer) addTallied(others string) string {
	var adds strings.Builder
	for _, t := range l.tp.tallies {
		value := t.name
		to := t.part
		if t.elem != t.Object.Type {
			value = "(" + l.typeText(t.elem) + ")" + value
			to.Gather = &analysis.Gather{Object: &check.Object{Name: t.name, Type: t.elem}, Op: t.Op}
		}
		fmt.Fprintf(&adds, "if (%s != %s) {\n%s}\n", t.name, t.none(), l.atomicTo(&to, syntax.String(l.expr(t.place)), value))
	}
	return others + adds.String()
}

// addTogether lowers a call of atomicAdd or atomicSub that the lanes which come to
// it together share.
func (l *lowerer) addTogether(x *syntax.CallExpr, args []syntax.Expr) syntax.Expr {
	c, s := l.tp.lanes[x], x.Span
	in, form := check.Type(check.Int), ""
	if c.Type.Size() == 8 {
		in, form = check.Long, "_long"
	}
	to := args[0]
	if c.Type != in {
		to = l.pointerTo(to, in)
	}
	n := l.addend(x, args[1], c.Type, in)
	name := l.method(devlib.Once, "atomicAdd") + form
	if c.Same {
		name = "irgl_add_same" + form
	}
	out := syntax.Expr(call(s, name, to, n))
	if c.Type != in {
		out = paren(cast(s, l.typeName(s, c.Type), out))
	}
	return out
}

// isSum reports whether an atomic function adds, and does not subtract.
func (l *lowerer) isSum(x *syntax.CallExpr) bool {
	return syntax.Unparen(x.Fun).(*syntax.Ident).Name == "atomicAdd"
}

// addend returns what a call adds to a counter of type t, as the type in of that
// size.
func (l *lowerer) addend(x *syntax.CallExpr, value syntax.Expr, t, in check.Type) syntax.Expr {
	s, from := at(x.Args[1]), l.info.Types[x.Args[1]]
	if k := l.info.Consts[x.Args[1]]; k != nil && check.IsInteger(from) {
		v := k.Int
		if !l.isSum(x) {
			v = -v
		}
		if in == check.Int {
			v = int64(int32(v))
		}
		return constant(s, in, &check.Const{Int: v})
	}
	if value = l.integer(x.Args[1], value, t); check.IsFloat(from) {
		from = t
	}
	if !l.isSum(x) { // the smallest number has no negation but as an unsigned one
		wraps := map[check.Type]check.Type{check.Int: check.UInt, check.Long: check.ULong}[in]
		value, from = paren(&syntax.UnaryExpr{Span: s, Op: "-", X: cast(s, l.typeName(s, wraps), value)}), wraps
	}
	if from != in {
		value = cast(s, l.typeName(s, in), value)
	}
	return value
}
