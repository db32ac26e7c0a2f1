package lower

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/syntax"
)

// Cooperative conversion (IrGL paper, section 4.2): threads that push together
// reserve room together. Which function of the library replaces irgl_push at
// which level is said by the annotations in its source (Listing 8; devlib).
//
//	pushes                          become
//	one a round of a counted loop   room for all rounds, reserved in front of the
//	                                loop by the thread, the warp or the block; each
//	                                round then has its place (@task; counted.go)
//	in a batch of iterations        one reservation for the batch
//	others, warp                    one atomic for the lanes that push together: left
//	                                as they are here, and made by the row warp-push
//	                                of package opt
//	with the attribute each         a call of irgl_push_each, which no row replaces
//	others, block                   a queue in shared memory, which goes to the
//	                                list where the threads of the block meet
//
// A queue is emptied at the end of each round of the outermost ForAll and after as many
// rounds of a scheduling loop as may fill half of it, where the threads of the block
// converge. If it overflows in divergent code, the rest goes to the list by warps; a queue
// that is not half full stays until the last round.
//
// What the program adds to counters of its own is gathered in a local variable, and
// added once by one lane of the warp or of the block when the thread has done all its
// iterations (counter.go). So are reductions, by the row gather of package opt. Which pushes
// and counters have which form is planned by rows of package opt, with what is legal.

// A pending is what a batch pushes at one site.
type pending struct {
	key   syntax.Node
	list  string
	bits  string // variable: which slots push
	items []string
	slot  int // the slot that is being lowered
}

// A queue gathers what a block pushes to a list.
type queue struct {
	list, items, count string
	room               int
}

// siteList returns the list that a site pushes to.
func (l *lowerer) siteList(x *analysis.Site) string {
	if x.Kind == analysis.RetryItem || x.Kind == analysis.RespawnItem {
		return l.retried
	}
	return l.pushed
}

// method returns the library's function for a level.
func (l *lowerer) method(level devlib.Level, fun string) string {
	name, err := devlib.Method(level, fun)
	if err != nil {
		panic(err) // the library is part of the binary
	}
	return name
}

// reserveFront reserves room for the counted sites of a loop that its own
// thread executes.
func (l *lowerer) reserveFront(s *syntax.ForAllStmt, r iteration) []syntax.Stmt {
	if l.tp == nil {
		return nil
	}
	var b strings.Builder
	for _, c := range l.tp.counted[s] {
		l.reserveText(&b, c, syntax.String(r.first), "("+r.size()+")")
	}
	return l.template(b.String())
}

// pushTo lowers a push to a list; key is the call or statement of the program.
func (l *lowerer) pushTo(s syntax.Span, key syntax.Node, list string, item syntax.Expr) syntax.Expr {
	if l.plan.OwnAtomic(key) {
		return call(s, "irgl_push_each", ident(s, list), item)
	}
	if tp := l.tp; tp != nil {
		if c := tp.starts[key]; c != nil {
			if start, task := l.placeOf(s, c, key); start != nil {
				return call(s, l.method(devlib.Task, "irgl_push"), ident(s, list), start, task, item)
			}
		}
		if q := l.queueOf(list); q != nil {
			return call(s, "irgl_queue_push", ident(s, list), ident(s, q.items), addr(ident(s, q.count)), number(s, int64(q.room)), item)
		}
	}
	return call(s, "irgl_push", ident(s, list), item)
}

// queueOf returns the queue of a list, where pushes go to queues.
func (l *lowerer) queueOf(list string) *queue {
	tp := l.tp
	if !tp.queued {
		return nil
	}
	for _, q := range tp.queues {
		if q.list == list {
			return q
		}
	}
	const room = abi.QueueRoom
	q := &queue{list: list, items: l.sharedVar("int", list+"_queue", room), count: l.sharedVar("int", list+"_queued", 0), room: room}
	tp.queues = append(tp.queues, q)
	return q
}

// flush returns the statements that move queues to their lists if they hold more
// items than the value of over; meets says that the threads of the block meet
// before they push again.
func (l *lowerer) flush(queues []*queue, over string, meets bool) string {
	var b strings.Builder
	for _, q := range queues {
		flush := fmt.Sprintf("irgl_queue_flush(%s, %s, &%s, %d, %s)", q.list, q.items, q.count, q.room, over)
		if !meets {
			flush = "if (" + flush + ") {\n__syncthreads();\n}\n"
		} else {
			flush += ";\n"
		}
		b.WriteString(flush)
	}
	return b.String()
}

// deferIn returns the sites of a loop whose pushes wait for the end of a round.
func (l *lowerer) deferIn(r *round) []*pending {
	b := l.tp.batches[r.s]
	if r.n == 1 || b == nil {
		return nil
	}
	var out []*pending
	for _, x := range b.Deferrable() {
		key := x.Syntax()
		if l.tp.starts[key] != nil || l.plan.OwnAtomic(key) {
			continue
		}
		list := l.siteList(x)
		p := &pending{key: key, list: list, bits: l.fresh(list + "_bits")}
		for k := range r.n {
			p.items = append(p.items, l.fresh(fmt.Sprintf("%s_item_%d", list, k)))
		}
		l.tp.deferred[key] = p
		out = append(out, p)
	}
	return out
}

func (p *pending) declare() string {
	return fmt.Sprintf("unsigned int %s = 0;\nint %s = 0;", p.bits, strings.Join(p.items, " = 0, "))
}

// deferPush returns what replaces a push that waits for the end of the round,
// or nil.
func (l *lowerer) deferPush(s syntax.Span, key syntax.Node, item syntax.Expr) syntax.Stmt {
	if l.tp == nil || l.tp.deferred[key] == nil {
		return nil
	}
	p := l.tp.deferred[key]
	value := stmt(assign(ident(s, p.items[p.slot]), "=", l.expr(item)))
	return block(s, value, stmt(assign(ident(s, p.bits), "|=", number(s, 1<<p.slot))))
}

// pushPending writes the push of what a round has gathered.
func (l *lowerer) pushPending(p *pending) string {
	var b strings.Builder
	start := l.fresh(p.list + "_at")
	q := l.queueOf(p.list)
	reserve := fmt.Sprintf("%s(%s, __popc(%s))", l.method(devlib.Thread, "irgl_push"), p.list, p.bits)
	put := fmt.Sprintf("%s(%s, ", l.method(devlib.Task, "irgl_push"), p.list)
	if q != nil {
		reserve = fmt.Sprintf("irgl_warp_add(&%s, __popc(%s))", q.count, p.bits)
		put = fmt.Sprintf("irgl_queue_put(%s, %s, %d, ", p.list, q.items, q.room)
	}
	fmt.Fprintf(&b, "if (%s != 0) {\n", p.bits)
	fmt.Fprintf(&b, "int %s = %s;\n", start, reserve)
	for k, item := range p.items {
		before := "0"
		if k > 0 {
			before = fmt.Sprintf("__popc(%s & %d)", p.bits, 1<<k-1)
		}
		fmt.Fprintf(&b, "if ((%s & %d) != 0) { %s%s, %s, %s); }\n", p.bits, 1<<k, put, start, before, item)
	}
	b.WriteString("}\n")
	return b.String()
}

// queuesIn returns the queues that the sites in s push to.
func (l *lowerer) queuesIn(s syntax.Stmt) []*queue {
	var out []*queue
	for _, x := range l.tp.f.Sites() {
		if x.Kind > analysis.MergeItem || !x.Node.Within(s) || l.tp.starts[x.Syntax()] != nil || l.plan.OwnAtomic(x.Syntax()) {
			continue
		}
		if q := l.queueOf(l.siteList(x)); q != nil && !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// retryStmt lowers Retry and Respawn.
func (l *lowerer) retryStmt(s *syntax.RetryStmt) syntax.Stmt {
	if later := l.deferPush(s.Span, s, s.Item); later != nil {
		return later
	}
	list := l.retried
	if s.Merge {
		list = l.pushed
	}
	return stmt(l.pushTo(s.Span, s, list, l.expr(s.Item)))
}

// pushOf returns the push that a statement is, or nil.
func (l *lowerer) pushOf(s *syntax.ExprStmt) *syntax.CallExpr {
	c, ok := syntax.Unparen(s.X).(*syntax.CallExpr)
	if !ok || len(c.Args) != 1 {
		return nil
	}
	m, ok := c.Fun.(*syntax.MemberExpr)
	if !ok || l.info.Types[m.X] != check.Worklist || m.Name.Name != "push" {
		return nil
	}
	return c
}

// reserved reserves room for the counted sites of a plain loop in front of it,
// whose variable then says which place a round has.
func (l *lowerer) reserved(s *syntax.ForAllStmt, name string, r iteration) []syntax.Stmt {
	if l.tp == nil || len(l.tp.counted[s]) == 0 || l.strided(s) {
		return nil
	}
	l.tp.place[s] = name
	return l.reserveFront(s, r)
}
