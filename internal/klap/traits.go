package klap

import (
	"regexp"
	"strings"
	"sync"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// What a kernel has in it, and in the functions that it calls, that matters to a copy of it that runs
// otherwise than as a grid.

// patterns are those of asm.
var patterns = sync.OnceValue(func() (p struct{ block, warp, nc, async, lane, scope, jump *regexp.Regexp }) {
	p.block = regexp.MustCompile(`\b(bar|barrier)\.(cta\.)?(sync|arrive|red|cluster)`)
	p.warp = regexp.MustCompile(`\.sync\b|\b(vote|shfl|activemask|match|redux|elect)\b`)
	p.nc = regexp.MustCompile(`\.nc\b|\b(tex|tld4|suld|sust|sured)\.`)
	p.async = regexp.MustCompile(`\b(mbarrier|cp\.async|cp\.reduce|griddepcontrol|setmaxnreg|wgmma|tcgen05|discard)\b`)
	p.lane = regexp.MustCompile(`%(laneid|lanemask_\w+|warpid)\b`)
	p.scope = regexp.MustCompile(`\.cta\b`)
	p.jump = regexp.MustCompile(`\bbra\b`)
	return p
})

// traits of a kernel.
type traits struct {
	cluster, pointer, coordinates, exits bool
	block, warp, shared, async           bool // barriers, operations of warps, shared memory
	nonCoherent, spins, promoted         bool
	scope                                bool   // an order or an atomicity that holds in a block alone
	foreign                              bool   // functions of other files, which may have all of this
	named                                string // why it has no other form
	launches                             []*site
}

// traitsOf returns the traits of a function. list are the program's launches.
func (p *Program) traitsOf(k *check.FuncInfo, list []*site) *traits {
	t := &traits{cluster: len(k.Decl.Cluster) > 0, promoted: p.promoted[k.Object.Name], named: p.named(k)}
	for _, f := range reachable(k) {
		t.pointer = t.pointer || p.indirect(f)
		for n := range syntax.Preorder(f.Decl) {
			t.add(p, n)
		}
		for _, s := range list {
			if s.fn == f {
				t.launches = append(t.launches, s)
			}
		}
	}
	return t
}

func (t *traits) add(p *Program, n syntax.Node) {
	switch n := n.(type) {
	case *syntax.AsmStmt:
		text, a := syntax.String(n), patterns()
		block := a.block.MatchString(text)
		t.block = t.block || block
		t.warp = t.warp || !block && a.warp.MatchString(text) || a.lane.MatchString(text)
		t.nonCoherent = t.nonCoherent || a.nc.MatchString(text)
		t.async = t.async || a.async.MatchString(text)
		t.coordinates = t.coordinates || coordinates().MatchString(text)
		t.exits = t.exits || exits().MatchString(text)
		t.scope = t.scope || a.scope.MatchString(text)
		t.spins = t.spins || a.jump.MatchString(text)
	case *syntax.VarDecls:
		t.shared = t.shared || n.Attrs.Has(syntax.Shared)
	case *syntax.Ident:
		o := p.info.Uses[n]
		if o == nil {
			return
		}
		t.shared = t.shared || o.Attrs.Has(syntax.Shared)
		if o.Kind == check.BuiltinObj {
			block, warp := synchronises(o.Name)
			t.block, t.warp = t.block || block, t.warp || warp
			t.nonCoherent = t.nonCoherent || strings.HasPrefix(o.Name, "__ldg") || strings.HasPrefix(o.Name, "tex")
			t.cluster = t.cluster || strings.HasPrefix(o.Name, "__cluster")
			t.scope = t.scope || strings.HasSuffix(o.Name, "_block")
		}
		t.foreign = t.foreign || isForeign(o)
	case syntax.Loop:
		t.spins = t.spins || p.spins(n)
	}
}

// synchronises reports whether threads of a block or a warp meet in a function of CUDA.
func synchronises(name string) (block, warp bool) {
	row := builtin.Lookup(name)
	barrier := row != nil && row.Effects&builtin.Barrier != 0
	block = barrier && (strings.HasPrefix(name, "__syncthreads") || strings.HasPrefix(name, "__cluster"))
	return block, barrier && !block || name == "__activemask"
}

// isForeign reports whether an object is a function whose body is in another file.
func isForeign(o *check.Object) bool {
	return o.Kind == check.FuncObj && (o.Func == nil || o.Func.Decl.Body == nil)
}

// spins reports whether a loop may go on until another thread has done something: what its condition asks has an order with
// other threads (volatile memory, an atomic operation, a function with one), or was assigned in the loop from what has one; or it has no condition, and something in it has one.
//
//irgl:allnodes Loop except IterateStmt PipeStmt ForAllStmt
func (p *Program) spins(loop syntax.Loop) bool {
	var cond syntax.Expr
	switch l := loop.(type) {
	case *syntax.WhileStmt:
		cond = l.Cond
	case *syntax.ForStmt:
		cond = l.Cond
	default:
		return false
	}
	if cond == nil || p.info.Consts[cond] != nil {
		return p.ordersIn(loop.LoopBody())
	}
	asked := map[*check.Object]bool{}
	for id := range idents(cond) {
		asked[p.info.Uses[id]] = true
	}
	if p.ordersIn(cond) {
		return true
	}
	for n := range syntax.Preorder(loop.LoopBody()) {
		if a, ok := n.(*syntax.AssignExpr); ok {
			if id, ok := syntax.Unparen(a.L).(*syntax.Ident); ok && asked[p.info.Uses[id]] && p.ordersIn(a.R) {
				return true
			}
		}
	}
	return false
}

// ordersIn reports whether a node or one below it may order accesses of a thread with those of others.
func (p *Program) ordersIn(n syntax.Node) bool {
	seen := map[*check.FuncInfo]bool{}
	for c := range syntax.Preorder(n) {
		if p.orders(c, seen) {
			return true
		}
	}
	return false
}

// volatile reports whether a pointer points to volatile memory.
func (p *Program) volatile(x syntax.Expr) bool {
	q, ok := p.info.Types[x].(*check.Pointer)
	return ok && q.Volatile
}
