package opt

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/syntax"
)

// Nested parallelism (IrGL paper, section 4.3): the iterations of an inner ForAll are
// executed by other threads than the one whose iteration it is in. There is a row for each
// policy of Table 5; each takes the loops of at least its preferred size that those before
// it have left, the last whatever is left:
//
//	gr      the longest: all blocks share them at the end of the kernel
//	tb      sizes of a block and more: all threads execute one loop after another
//	wp      sizes of a warp and more: its lanes do the same
//	fg      consecutive iterations of all loops, by consecutive threads
//	serial  each thread its own
//
// What is legal is the same for all policies, and is here. The threads of a block have to
// converge at the loop, as often as each other: so its outermost ForAll must be at a focal
// point (section 4.2.2), and the loops around it be uniform. The iterations must not
// write the same place, which several threads would do at once. What the loop uses of
// the outer iteration, its closure, goes from thread to thread, and so consists of
// numbers; it needs room in shared memory. Package analysis answers most of it
// (analysis.Nest).
//
// It pays where degrees differ: a hub's edges in one thread keep its whole block
// waiting. It costs barriers and searches, so that it loses where all degrees are small
// and alike.

// policy makes the row of a policy.
func policy(p int) func(*Work, *pass.Run) error {
	return perKernel(func(k *kernel) {
		for _, nest := range k.f.Nests() {
			if !k.given(nest.Loop, "np") && k.wants(policyRows[p], nest.Loop) {
				k.take(nest, p)
			}
		}
	})
}

// policyRows are the rows of the policies.
var policyRows = [plan.Policies]string{"np-gr", "np-tb", "np-wp", "np-fg", "np-serial"}

// take has a policy take an inner ForAll, if it can.
func (k *kernel) take(nest *analysis.Nest, p int) {
	s := nest.Loop
	if why := k.unscheduled(nest); len(why) > 0 {
		k.missed(s, why)
		return
	}
	if p == plan.ByGrid {
		if why := slices.Concat(notLater(nest), k.oneBlock(k.f.Fn)); len(why) > 0 {
			k.missed(s, why)
			// Other policies take it; if there is none, its block converges for it all the same.
			p = plan.Serially
			if k.plan.Loops[s].Scheduled() {
				return
			}
		}
	}
	k.schedule(nest, p)
	k.Applied(s.Pos(), "%s", [...]string{
		"all blocks share it at the end of the kernel, if it is long", "the threads of the block execute it",
		"the lanes of the warp execute it", "consecutive threads of the block execute its iterations", "its thread executes it, where the block converges",
	}[p])
	k.Count("loops", 1)
}

// unscheduled returns why no policy can take an inner ForAll: what is not legal, or that
// shared memory has no room for its closure.
func (k *kernel) unscheduled(nest *analysis.Nest) []analysis.Reason {
	if why := k.staysIn(nest); len(why) > 0 {
		return why
	}
	if why := k.anyBlock(k.f.Fn); len(why) > 0 {
		return why
	}
	if k.plan.Loops[nest.Loop].Scheduled() {
		return nil
	}
	if k.tallies+k.closures+k.closure(nest) > closureLimit {
		return []analysis.Reason{{Pos: nest.Loop.Pos(), Text: noRoom}}
	}
	return nil
}

// notLater returns why the grid cannot execute an inner ForAll at the end of the kernel.
func notLater(nest *analysis.Nest) []analysis.Reason {
	if len(nest.NotLater) == 0 && len(nest.Serial) > 0 {
		return []analysis.Reason{{Pos: nest.Serial[0].Pos(), Text: "the rounds of the serial loop around it follow each other"}}
	}
	return nest.NotLater
}

// staysIn returns why an inner ForAll stays in the thread of its iteration.
func (k *kernel) staysIn(nest *analysis.Nest) []analysis.Reason {
	if why, known := k.stays[nest]; known {
		return why
	}
	why := slices.Clone(nest.Refused)
	refuse := func(at syntax.Node, format string, args ...any) {
		why = append(why, analysis.Reason{Pos: at.Pos(), Text: fmt.Sprintf(format, args...)})
	}
	why = append(why, k.notConverged(nest.Outer)...)
	if len(nest.Refused) == 0 {
		for _, s := range nest.Serial {
			if _, ok := s.(*syntax.ForStmt); !ok {
				refuse(s, "it is in a serial loop that is no for with a head")
			}
		}
	}
	if !copyable(nest.Loop.Body) {
		refuse(nest.Loop.Body, "it contains a label")
	}
	if at := k.dependent(nest.Loop); at != nil {
		refuse(at, "two of its iterations may write the same place")
	}
	for _, c := range nest.Closure {
		if !check.IsArithmetic(c.Type) && !analysis.IsHandle(c.Type) && c.Type != check.Edges && c.Type != check.InEdges && c.Type != check.InEdge {
			refuse(nest.Loop, "it uses %s, which is no number", c.Object.Name)
		}
	}
	if len(nest.Gathers) > 0 && k.partial {
		refuse(nest.Gathers[0].Calls[0], "it gathers %s, and not all warps are whole", nest.Gathers[0].Object.Name)
	}
	k.stays[nest] = why
	return why
}

// notConverged returns why the threads of a block do not execute an outermost ForAll together.
func (k *kernel) notConverged(s *syntax.ForAllStmt) []analysis.Reason {
	refuse := func(text string) []analysis.Reason { return []analysis.Reason{{Pos: s.Pos(), Text: text}} }
	info := k.facts.Info
	head := k.f.Graph.Heads[s]
	switch {
	case head == nil || !k.f.Converges().Has(head):
		return refuse("the threads of a block may come to the outermost ForAll differently often")
	case info.Groups[s]:
		return refuse("the iterations of the outermost ForAll wait for each other")
	case info.Types[s.Iter] == check.Edges || info.Types[s.Iter] == check.InEdges:
		return refuse("the outermost ForAll is over edges")
	}
	return nil
}

// dependent returns a place that two iterations of an inner ForAll may both
// write, without an atomic function and without a word of the program that it may
// be so, or nil: in one thread they come one after another, in several they race.
func (k *kernel) dependent(s *syntax.ForAllStmt) syntax.Node {
	info := k.facts.Info
	edge := info.Defs[s.Var]
	for i, n := range k.f.Graph.Nodes {
		if !n.Within(s) || n.Stmt == syntax.Stmt(s) {
			continue
		}
		for _, r := range k.f.Effects[i].Refs {
			o := r.Object
			if r.Mode&(analysis.Write|analysis.Escape) == 0 || r.Mode&analysis.AtomicOp != 0 || o != nil && (analysis.IsLocal(o) || info.Racy[o.Name] != "") {
				continue
			}
			m, ok := r.Expr.(*syntax.MemberExpr)
			if !ok {
				return r.Expr
			}
			if id, ok := syntax.Unparen(m.X).(*syntax.Ident); !ok || info.Uses[id] != edge {
				return r.Expr
			}
		}
	}
	return nil
}

// colon finds what may be a label in text that is not C99: C++, or a line of assembly.
var colon = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w$]\s*:([^:]|$)`) })

// asmLabel matches a label of inline PTX that is the same in all copies of the statement.
var asmLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s;{}])[\w$%]+\s*:($|[^:])`) })

// labelled reports whether C text has a label. Of text that the parser does not take, which only
// CUDA's compiler can, it reports whether it may have one.
func labelled(text string) bool {
	var diags source.List
	f := syntax.Parse(source.NewFile("irgl-text.cu", []byte("void irgl_text(void) {\n"+text+"\n}\n")), syntax.CUDA, &diags)
	if diags.Errors() > 0 {
		return colon().MatchString(text)
	}
	for _, d := range f.Decls {
		for n := range syntax.Preorder(d) {
			switch n := n.(type) {
			case *syntax.LabelStmt:
				return true
			case *syntax.AsmStmt: // a label in PTX, unless its name is another in each copy (L%=)
				if asmLabel().MatchString(n.Template) {
					return true
				}
			}
		}
	}
	return false
}

// copyable reports whether a body can be repeated in a function: it has no labels.
func copyable(body syntax.Node) bool {
	ok := true
	syntax.Inspect(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CBlock:
			ok = ok && !labelled(n.Text)
		case *syntax.LabelStmt:
			ok = false
		}
		return ok
	})
	return ok
}

// together reports whether the threads of a block execute an outermost ForAll together:
// what is decided about it, or about loops in it, takes that.
func (k *kernel) together(s *syntax.ForAllStmt) bool {
	return k.plan.Loops[s].Queue || slices.ContainsFunc(k.f.Nests(), func(nest *analysis.Nest) bool {
		return nest.Outer == s && k.plan.Loops[nest.Loop].Scheduled()
	}) || slices.ContainsFunc(k.pushes(), func(x *analysis.Site) bool {
		return x.Node.Within(s) && k.plan.Shares[x.Syntax()] == plan.Share{How: plan.Reserve, Level: plan.Block}
	})
}
