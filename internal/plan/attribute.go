package plan

import (
	"slices"
	"strings"

	"irgl/internal/builtin"
	"irgl/syntax"
)

// A kind is one attribute: its name, what it suits, and how arguments become a
// decision and a decision becomes arguments.
type kind struct {
	name  string
	suits string                            // the statements, as a message names them
	form  string                            // as a message shows it
	on    func(w *walk, n syntax.Node) bool // nil if it only limits a switch
	read  func(r *reading) string           // takes the arguments; what is wrong with them, or ""
	calls bool                              // a statement may have several, of some of its calls each
	// part takes the arguments of an attribute of a part of a kernel that has the switch of
	// that name; nil if there is none.
	part func(r *reading) ([]Setting, string)
}

// kinds are the attributes, in the order in which they are printed.
var kinds []kind

func init() { // kinds and the functions in it name each other
	const (
		node      = "a loop, a Pipe or an Iterate of a Host function, or the function"
		outermost = "an outermost ForAll of a kernel"
		atomic    = "a statement of a kernel that calls an atomic function"
		parts     = "a kernel, or a block or loop around such loops"
	)
	kinds = []kind{
		{name: "threads", suits: "a kernel", form: "threads(N)", on: isKernel, read: readThreads},
		{name: "outline", suits: node, form: "outline, outline(threads N, blocks N) with either or both, or outline(dp)", on: isNode, read: readOutline},
		{name: "scope", suits: node, form: "scope(block, ITEMS) or scope(cluster BLOCKS, ITEMS)", on: isNode, read: readScope},
		{name: "deal", suits: outermost + ", or a kernel", form: "deal, or deal(none)", on: isOutermost, read: readDeal, part: partDeal},
		{name: "queue", suits: outermost, form: "queue", on: isOutermost, read: readQueue},
		{name: "np", suits: "an inner ForAll of a kernel, or " + parts, form: "np(gr SIZE, tb SIZE, wp SIZE, fg SIZE, serial) with some of these, the last without its size, or np(none)", on: isInner, read: readNP, part: partNP},
		{name: "batch", suits: "an inner ForAll or a serial loop over a range of a kernel, or " + parts, form: "batch(N) or batch(N, eager)", on: isLoop, read: readBatch, part: partBatch},
		{name: "coop", suits: "a kernel, or a block or loop of one", form: "coop(LEVEL) with one of " + strings.Join(CoopLevels[:], ", "), part: partCoop},
		{name: "backoff", suits: "a kernel", form: "backoff(auto), backoff(list), backoff(N) or backoff(blocked N), with tail ITEMS behind or alone", part: partBackoff},
		{name: "ldg", suits: "a kernel", form: "ldg, or ldg(none)", part: partLdg},
		{name: "each", suits: "a statement of a kernel that pushes or calls an atomic function", form: "each, or each(CALL, ...) with the numbers of calls", on: hasCall, read: readEach, calls: true},
		{name: "reserve", suits: "a statement of a kernel that pushes", form: "reserve(thread), reserve(warp) or reserve(block), with the numbers of calls behind", on: hasPush, read: readReserve, calls: true},
		{name: "gather", suits: atomic, form: "gather(thread), gather(warp) or gather(block), with the numbers of calls behind", on: hasAtomic, read: readGather, calls: true},
		{name: "lanes", suits: atomic, form: "lanes, or lanes(CALL, ...) with the numbers of calls", on: hasAtomic, read: readLanes, calls: true},
	}
}

func kindOf(name string) *kind {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// suitsNode reports whether the attribute decides about n.
func (k *kind) suitsNode(w *walk, n syntax.Node) bool { return k.on != nil && k.on(w, n) }

func isKernel(_ *walk, n syntax.Node) bool {
	f, ok := n.(*syntax.FuncDecl)
	return ok && f.Kind == syntax.KernelFunc
}

func isNode(w *walk, n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		return n.Kind == syntax.HostFunc
	case syntax.Loop:
		return w.kind == syntax.HostFunc
	}
	return false
}

func isOutermost(w *walk, n syntax.Node) bool {
	s, ok := n.(*syntax.ForAllStmt)
	return ok && w.kind == syntax.KernelFunc && !s.Serial && w.forAlls == 0
}

func isInner(w *walk, n syntax.Node) bool {
	s, ok := n.(*syntax.ForAllStmt)
	return ok && w.kind == syntax.KernelFunc && !s.Serial && w.forAlls > 0
}

func isLoop(w *walk, n syntax.Node) bool {
	s, ok := n.(*syntax.ForAllStmt)
	return ok && w.kind == syntax.KernelFunc && (s.Serial || w.forAlls > 0)
}

func hasPush(w *walk, n syntax.Node) bool {
	return w.kind == syntax.KernelFunc && slices.ContainsFunc(sites(n), isPush)
}

func hasAtomic(w *walk, n syntax.Node) bool {
	return w.kind == syntax.KernelFunc && slices.ContainsFunc(sites(n), isAtomic)
}

func hasCall(w *walk, n syntax.Node) bool { return w.kind == syntax.KernelFunc && len(sites(n)) > 0 }

// sites returns what a statement itself, and no statement in it, does with atomics: the
// Retry that it is, or its calls that push and of atomic functions, in order of the
// text. The numbers in attributes count them from 1.
func sites(n syntax.Node) []syntax.Node {
	if s, ok := n.(*syntax.RetryStmt); ok {
		return []syntax.Node{s}
	}
	var head syntax.Stmt
	if s, ok := n.(*syntax.ForStmt); ok {
		head = s.Init
	}
	var out []syntax.Node
	syntax.Inspect(n, func(c syntax.Node) bool {
		if s, ok := c.(syntax.Stmt); ok && c != n && s != head {
			return false
		}
		if c != nil && (isPush(c) || isAtomic(c)) {
			out = append(out, c)
		}
		return true
	})
	return out
}

func isPush(n syntax.Node) bool {
	if _, ok := n.(*syntax.RetryStmt); ok {
		return true
	}
	c, ok := n.(*syntax.CallExpr)
	if !ok {
		return false
	}
	m, ok := syntax.Unparen(c.Fun).(*syntax.MemberExpr)
	return ok && m.Name.Name == "push"
}

func isAtomic(n syntax.Node) bool {
	c, ok := n.(*syntax.CallExpr)
	if !ok {
		return false
	}
	id, ok := syntax.Unparen(c.Fun).(*syntax.Ident)
	if !ok {
		return false
	}
	row := builtin.Lookup(id.Name)
	return row != nil && row.Rule == builtin.AtomicCall
}
