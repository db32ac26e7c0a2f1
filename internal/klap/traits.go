package klap

import (
	"regexp"
	"strings"
	"sync"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// What a kernel has in it, and in the functions that it calls, that matters to a copy of it that runs
// otherwise than as a grid.

// patterns are those of asm.
var patterns = sync.OnceValue(func() (p struct{ block, warp, nc, async, lane *regexp.Regexp }) {
	p.block = regexp.MustCompile(`\b(bar|barrier)\.(cta\.)?(sync|arrive|red|cluster)`)
	p.warp = regexp.MustCompile(`\.sync\b|\b(vote|shfl|activemask|match|redux|elect)\b`)
	p.nc = regexp.MustCompile(`\.nc\b|\b(tex|tld4|suld|sust|sured)\.`)
	p.async = regexp.MustCompile(`\b(mbarrier|cp\.async|cp\.reduce|griddepcontrol|setmaxnreg|wgmma|tcgen05|discard)\b`)
	p.lane = regexp.MustCompile(`%(laneid|lanemask_\w+|warpid)\b`)
	return p
})

// traits of a kernel.
type traits struct {
	cluster, pointer, coordinates, exits bool
	block, warp, shared, async           bool // barriers, operations of warps, shared memory
	nonCoherent, spins, promoted         bool
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
		}
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

// spins reports whether the condition of a loop is one that another thread may have to make true:
// it reads volatile memory, or has an atomic operation.
//
//irgl:allnodes Loop except IterateStmt PipeStmt ForAllStmt
func (p *Program) spins(loop syntax.Node) bool {
	var cond syntax.Expr
	switch l := loop.(type) {
	case *syntax.WhileStmt:
		cond = l.Cond
	case *syntax.ForStmt:
		cond = l.Cond
	}
	if cond == nil {
		return false
	}
	for n := range syntax.Preorder(cond) {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if name := tree.Callee(n); strings.Contains(name, "atomic") {
				return true
			}
		case *syntax.UnaryExpr:
			if n.Op == "*" && p.volatile(n.X) {
				return true
			}
		case *syntax.IndexExpr:
			if p.volatile(n.X) {
				return true
			}
		case *syntax.Ident:
			if o := p.info.Uses[n]; o != nil && o.Volatile && o.Global {
				return true
			}
		}
	}
	return false
}

// volatile reports whether a pointer points to volatile memory.
func (p *Program) volatile(x syntax.Expr) bool {
	q, ok := p.info.Types[x].(*check.Pointer)
	return ok && q.Volatile
}
