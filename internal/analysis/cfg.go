package analysis

import (
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// A Kind says what a [Node] does.
type Kind uint8

// The kinds of nodes. Those that can have several successors are If, Switch,
// Loop, ForAll, Atomic, Exclusive, Iterate and Pipe.
const (
	Start     Kind = iota
	Exit           // the end of the function, on all paths
	Plain          // a declaration or an expression for its effect
	If             // the condition of an if
	Switch         // the value of a switch
	Case           // a case or default label
	Join           // where the arms of an if, switch, Atomic, Exclusive or Pipe Once meet, and the breaks of a loop
	Do             // the top of a do loop
	Loop           // the condition of a C loop
	Post           // the step of a for; the end of the rounds of a loop with a continue
	ForAll         // the head of a ForAll, or of a for over a range
	Label          // a target of goto
	Jump           // break, continue, goto, return
	Reduce         // ReduceAndReturn
	Retry          // Retry, Respawn
	Barrier        // SyncRunningThreads, LocalBarrier
	Atomic         // the taking of a lock
	Exclusive      // the decision of an Exclusive
	Text           // a CBlock
	Initial        // the items of a worklist
	Iterate        // the question of an Iterate whether to go on
	Invoke         // the invocation of an Iterate; those in expressions are Plain
	Pipe           // the question of a Pipe whether to go on; the top of a Pipe Once
)

// An EdgeKind says when control takes an [Edge].
type EdgeKind uint8

// The kinds of edges.
const (
	Next  EdgeKind = iota // always
	True                  // the condition holds, the loop goes on, the lock was got
	False                 // the opposite
	Taken                 // to a case of a switch
	// Wait leads around the body of a blocking Atomic. No thread takes it; it
	// says that the threads of a block pass the body at different times.
	Wait
)

func (k EdgeKind) String() string { return [...]string{"", "T", "F", "case", "wait"}[k] }

// A Node is one step of a function: a statement, or the part of a compound
// statement that is evaluated at once. An expression is one step, whatever
// operators like && and ?: are in it.
type Node struct {
	ID    int // index into Graph.Nodes
	Kind  Kind
	Stmt  syntax.Stmt   // nil for Start and Exit
	Exprs []syntax.Node // what is evaluated: expressions and *syntax.VarDecl, in order
	Scope *Scope        // what is around the node; nil at the top of the body
	Succs []*Edge
	Preds []*Edge
}

// An Edge leads from one node to another.
type Edge struct {
	ID       int // index into Graph.Edges
	From, To *Node
	Kind     EdgeKind
}

// An Arm is a part of a compound statement.
type Arm uint8

// The arms. Body is also the body of an Atomic or Exclusive that got its locks.
const (
	Body Arm = iota
	Then
	Else
	Init // of a for
)

// A Scope is one compound statement around a node, and in which part of it the
// node is. The head of a loop is outside of the loop's own scope.
type Scope struct {
	Stmt  syntax.Stmt
	Arm   Arm
	Outer *Scope
}

// A Graph is the control flow of one function. Its first node is Start, its
// last is Exit; the others are in the order of the text.
type Graph struct {
	Nodes []*Node
	Edges []*Edge
	// Heads holds for each statement with a node the one that decides it, or
	// else its only one; Joins where the arms of a branching statement meet.
	Heads map[syntax.Stmt]*Node
	Joins map[syntax.Stmt]*Node
}

// Start returns the node where the function begins.
func (g *Graph) Start() *Node { return g.Nodes[0] }

// Exit returns the node where the function ends.
func (g *Graph) Exit() *Node { return g.Nodes[len(g.Nodes)-1] }

// Name returns the name of the node in prints: Start, Exit or its number, from
// 0 for the first that the text has.
func (n *Node) Name() string {
	switch n.Kind {
	case Start:
		return "Start"
	case Exit:
		return "Exit"
	}
	return strconv.Itoa(n.ID - 1)
}

// String returns the node as the text has it, in one line.
func (n *Node) String() string {
	if n.Kind == Join && isLoop(n.Stmt) {
		return "endloop"
	}
	if _, ok := n.Stmt.(*syntax.ForStmt); n.Kind == Post && !ok {
		return "endround"
	}
	switch s := n.Stmt.(type) {
	case *syntax.IfStmt:
		if n.Kind == Join {
			return "endif"
		}
		return "if (" + line(s.Cond) + ")"
	case *syntax.SwitchStmt:
		if n.Kind == Join {
			return "endswitch"
		}
		return "switch (" + line(s.X) + ")"
	case *syntax.WhileStmt:
		if n.Kind == Do {
			return "do"
		}
		return "while (" + line(s.Cond) + ")"
	case *syntax.ForStmt:
		if n.Kind == Post {
			return line(s.Post)
		}
		return "for (; " + line(s.Cond) + ";)"
	case *syntax.AtomicStmt:
		if n.Kind == Join {
			return "endatomic"
		}
		return "Atomic (" + line(s.Lock) + ")"
	case *syntax.ExclusiveStmt:
		if n.Kind == Join {
			return "endexclusive"
		}
		return "Exclusive (" + line(s.Object) + ")"
	case *syntax.IterateStmt, *syntax.PipeStmt:
		return n.orchestration()
	case syntax.Loop:
		head, _, _ := strings.Cut(line(s), " {")
		return head
	case nil:
		return n.Name()
	}
	return strings.TrimSuffix(line(n.Stmt), ";")
}

// orchestration is String for the nodes of an Iterate or a Pipe.
func (n *Node) orchestration() string {
	switch n.Kind {
	case Initial:
		return "Initial"
	case Join:
		return "endpipe"
	case Invoke:
		s := n.Stmt.(*syntax.IterateStmt)
		return "Invoke " + s.Kernel.Name
	}
	return Title(n.Stmt)
}

// Title names a Pipe, an Iterate or another statement by its first words:
// "Pipe Once", "Iterate While Any relax".
func Title(s syntax.Stmt) string {
	switch s := s.(type) {
	case *syntax.PipeStmt:
		if s.Once {
			return "Pipe Once"
		}
		return "Pipe"
	case *syntax.IterateStmt:
		words := []string{"Iterate"}
		if s.Cond != syntax.NoCond {
			words = append(words, [...]string{"", "While", "Until"}[s.Cond], s.Aggr.String())
		}
		return strings.Join(append(words, s.Kernel.Name), " ")
	case syntax.Loop:
		word, _, _ := strings.Cut(line(s), " ")
		return word
	}
	return line(s)
}

// line prints a node of the tree in one line, cut where it gets long.
func line(n syntax.Node) string {
	if n == nil {
		return ""
	}
	const limit = 80
	s := strings.Join(strings.Fields(syntax.String(n)), " ")
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit-3]) + "..."
	}
	return s
}

// Within reports whether n is a part of s: its head, or a node inside it.
func (n *Node) Within(s syntax.Stmt) bool {
	if n.Stmt == s {
		return true
	}
	for sc := n.Scope; sc != nil; sc = sc.Outer {
		if sc.Stmt == s {
			return true
		}
	}
	return false
}

// inside reports whether n is in the body of s, its head excluded.
func (n *Node) inside(s syntax.Stmt) bool {
	for sc := n.Scope; sc != nil; sc = sc.Outer {
		if sc.Stmt == s && sc.Arm != Init {
			return true
		}
	}
	return false
}

// Loops returns the loops around n, the outermost first, in Host functions with
// Iterate and Pipe.
func (n *Node) Loops() []syntax.Stmt {
	var out []syntax.Stmt
	for sc := n.Scope; sc != nil; sc = sc.Outer {
		if isLoop(sc.Stmt) && sc.Arm != Init {
			out = append(out, sc.Stmt)
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// body returns the nodes inside loop s, in order.
func (f *Func) body(s syntax.Stmt) []*Node {
	if f.bodies == nil {
		f.bodies = map[syntax.Stmt][]*Node{}
		for _, n := range f.Graph.Nodes {
			for sc := n.Scope; sc != nil; sc = sc.Outer {
				if isLoop(sc.Stmt) && sc.Arm != Init {
					f.bodies[sc.Stmt] = append(f.bodies[sc.Stmt], n)
				}
			}
		}
	}
	return f.bodies[s]
}

// isLoop reports whether s runs its body again and again.
func isLoop(s syntax.Stmt) bool {
	if p, ok := s.(*syntax.PipeStmt); ok {
		return !p.Once
	}
	_, ok := s.(syntax.Loop)
	return ok
}

// Print writes the graph, a node a line with its successors, for goldens:
//
//	0: ForAll (n In graph.nodes) -> T:1 F:Exit
//
// Nodes that control never reaches are marked with a -.
func (f *Func) Print() string {
	var b strings.Builder
	for _, n := range f.Graph.Nodes {
		if !f.Dom.Has(n) {
			b.WriteString("- ")
		}
		b.WriteString(n.Name())
		if n.Stmt != nil {
			b.WriteString(": " + n.String())
		}
		for i, e := range n.Succs {
			if i == 0 {
				b.WriteString(" ->")
			}
			b.WriteByte(' ')
			if e.Kind != Next {
				b.WriteString(e.Kind.String() + ":")
			}
			b.WriteString(e.To.Name())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A Func is what is known of one function. It stays true as long as the tree
// does.
type Func struct {
	Info  *check.Info
	Fn    *check.FuncInfo
	Graph *Graph
	// Dom and PostDom are the trees of dominators and postdominators.
	Dom, PostDom *Tree
	// Deps holds, by node number, the nodes that decide whether the node is
	// executed: those it is control-dependent on, in order. What is executed
	// whenever the function is depends on Start.
	Deps    [][]*Node
	Effects []*Effects // by node number

	split    *split // the graph with a node on every edge
	sites    []*Site
	nests    []*Nest
	batches  []*Batch
	counters []*Counter
	nestOf   map[*syntax.ForAllStmt]*Nest
	static   []bool // branches that are uniform as they are, by node number
	known    map[*check.Object]bool
	// fixedVars are the locals that never change: see fixedLocals.
	fixedVars map[*check.Object]syntax.Expr
	points    map[*syntax.ForAllStmt]*Focal
	perLoop   map[syntax.Stmt]*rounds
	bodies    map[syntax.Stmt][]*Node // the nodes inside each loop: see Func.body
	trip      map[syntax.Stmt]tripResult
	inFor     map[*syntax.ForStmt]string              // see contained
	jumpIn    map[*syntax.ForAllStmt]*syntax.GotoStmt // see jump
	uses      map[*check.Object][]use                 // see Func.otherUses
	others    map[usage][]use
	search    search
	cycles    cycles
	walks     int // over the graph, to count work
	steps     int // from one place of the graph to the next, to count work
	done      struct{ sites, nests, batches, counters bool }
}

// New analyses fn, a function of info with a body. The program must have been
// checked without errors.
func New(info *check.Info, fn *check.FuncInfo) *Func {
	f := &Func{Info: info, Fn: fn, Graph: build(info, fn)}
	d := f.Graph.digraph()
	f.Dom = newTree(f.Graph, d.idoms(0))
	pd := d.postIdoms()
	f.PostDom = newTree(f.Graph, pd.idom)
	for _, list := range d.controlDeps(pd) {
		var deps []*Node
		for _, b := range list {
			deps = append(deps, f.Graph.Nodes[b])
		}
		f.Deps = append(f.Deps, deps)
	}
	for _, n := range f.Graph.Nodes {
		f.Effects = append(f.Effects, effectsOf(info, n))
	}
	f.split = f.Graph.split()
	return f
}
