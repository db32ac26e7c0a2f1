package plan

import (
	"maps"

	"irgl/syntax"
)

// A Plan is what has been decided about a program. The zero Plan lowers everything in
// its plain form.
type Plan struct {
	Threads map[*syntax.FuncDecl]int    // the only size that the blocks of a kernel have: the program says so
	Loops   map[*syntax.ForAllStmt]Loop // of kernels
	Shares  map[syntax.Node]Share       // of calls that push or add to a counter, and of Retry and Respawn
	Nodes   map[syntax.Node]Node        // of Host functions: a loop, a Pipe, an Iterate or the whole function
	Parts   map[syntax.Node][]Setting   // what the program chooses for a kernel, or for a loop or block of one
}

// A Loop is what has been decided about a ForAll, or a serial loop over a range.
type Loop struct {
	// NP are the sizes from which policies take the loop; 0: not by this one. Of a
	// loop with policies the last one takes what is left, so that its size is 1.
	NP    [Policies]int
	Batch int  // iterations begun at once; 0 or 1: one
	Eager bool // with Batch: load also what an iteration may leave out
	Deal  bool // outermost: the warps of a block have iterations that lie apart
	Queue bool // outermost: what it pushes goes through queues in shared memory
}

// The policies of Loop.NP, in the order in which they take their shares (IrGL paper,
// Table 5). A loop of which none takes anything is executed by the thread whose
// iteration it is in, as with Serially, but its block does not converge for it.
const (
	ByGrid      = iota // all blocks of the grid, at the end of the kernel
	ByBlock            // all threads of the block, one loop after another
	ByWarp             // all lanes of a warp
	FineGrained        // consecutive iterations by consecutive threads of the block
	Serially           // the thread whose iteration it is in
	Policies
)

// PolicyNames are the names of the policies in texts.
var PolicyNames = [Policies]string{"gr", "tb", "wp", "fg", "serial"}

// Scheduled reports whether the block converges for the loop, whose iterations
// policies execute.
func (l Loop) Scheduled() bool { return l.NP != [Policies]int{} }

// Add has a policy take the loop from its size on, which sizeOf says, or all of it if
// no later policy does. The grid has room for few loops, and so leaves the others to
// Serially, until another policy takes them.
func (l *Loop) Add(policy int, sizeOf func(policy int) int) {
	if policy < Serially {
		l.NP[Serially] = 0
	}
	l.NP[policy] = sizeOf(policy)
	last := Serially
	for l.NP[last] == 0 {
		last--
	}
	for p := range last {
		if l.NP[p] == 1 {
			l.NP[p] = sizeOf(p)
		}
	}
	if last == ByGrid {
		last = Serially
	}
	l.NP[last] = 1
}

// A Share says which threads share the atomic of a push or of an addition, and how.
type Share struct {
	How   Sharing
	Level Level
}

// A Sharing is a form of cooperative conversion (IrGL paper, section 4.2).
type Sharing uint8

// The forms.
const (
	Each    Sharing = iota // every execution has its own atomic
	Reserve                // room for all iterations is reserved in front of the loop
	Gather                 // gathered in a local variable, added at the end of the kernel
	Lanes                  // one atomic for the lanes that come together
)

// shareNames are the attributes that say which threads share an atomic.
var shareNames = [...]string{Each: "each", Reserve: "reserve", Gather: "gather", Lanes: "lanes"}

// String returns the name of the attribute.
func (s Sharing) String() string { return shareNames[s] }

// A Level is a group of threads that act together.
type Level uint8

// The levels.
const (
	Thread Level = iota + 1
	Warp
	Block
)

// String returns the level as texts have it.
func (l Level) String() string { return [...]string{"", "thread", "warp", "block"}[l] }

// A Node is what has been decided about a node of an outline tree
// (analysis.Outline).
type Node struct {
	Outline bool // it has a control kernel
	Threads int  // with Outline: of its blocks; 0: the default
	Blocks  int  // with Outline: a multiprocessor; 0: the default
	// Launches, with Outline, has the control kernel launch the kernels (dynamic parallelism)
	// instead of calling them.
	Launches bool
	// Items is the length of a worklist up to which Cluster blocks execute the
	// rounds alone, one block where Cluster is 0; 0: the grid does.
	Items   int
	Cluster int
}

// OwnAtomic reports whether the program says that a push or an atomic has one of its own in
// each execution, with the attribute each.
func (p *Plan) OwnAtomic(n syntax.Node) bool {
	s, said := p.Shares[n]
	return said && s.How == Each
}

// Clone returns a copy, to which decisions can be added.
func (p *Plan) Clone() *Plan {
	out := &Plan{Threads: maps.Clone(p.Threads), Loops: maps.Clone(p.Loops), Shares: maps.Clone(p.Shares), Nodes: maps.Clone(p.Nodes), Parts: maps.Clone(p.Parts)}
	if out.Threads == nil {
		out.Threads = map[*syntax.FuncDecl]int{}
	}
	if out.Loops == nil {
		out.Loops = map[*syntax.ForAllStmt]Loop{}
	}
	if out.Shares == nil {
		out.Shares = map[syntax.Node]Share{}
	}
	if out.Nodes == nil {
		out.Nodes = map[syntax.Node]Node{}
	}
	if out.Parts == nil {
		out.Parts = map[syntax.Node][]Setting{}
	}
	return out
}
