package plan

import (
	"irgl/syntax"
)

// A Plan is what has been decided about a program. The zero Plan lowers everything in
// its plain form.
type Plan struct {
	Loops  map[*syntax.ForAllStmt]Loop // of kernels
	Shares map[syntax.Stmt]Share       // of statements that push, or add to a counter
	Nodes  map[syntax.Node]Node        // of Host functions: a loop, a Pipe, an Iterate or the whole function
}

// A Loop is what has been decided about a ForAll.
type Loop struct {
	NP    [Policies]int // iterations from which a policy takes the loop; 0: not by it
	Batch int           // iterations begun at once; 0 or 1: one
	Eager bool          // with Batch: load also what an iteration may leave out
	Deal  bool          // outermost: the warps of a block have iterations that lie apart
	Queue bool          // outermost: what it pushes goes through queues in shared memory
}

// The policies of Loop.NP, in the order in which they take their shares (IrGL paper,
// Table 5). What none takes is executed by the thread whose iteration it is in.
const (
	ByGrid      = iota // all blocks of the grid, at the end of the kernel
	ByBlock            // all threads of the block, one loop after another
	ByWarp             // all lanes of a warp
	FineGrained        // consecutive iterations by consecutive threads of the block
	Policies
)

// A Share says which threads share the atomics of a statement, and how.
type Share struct {
	How   Sharing
	Level Level
}

// A Sharing is a form of cooperative conversion (IrGL paper, section 4.2).
type Sharing uint8

// The forms.
const (
	Each    Sharing = iota // every execution has its own atomic
	Reserve                // room for all rounds is reserved in front of the loop
	Gather                 // gathered in a local variable, added at the end of the kernel
	Lanes                  // one atomic for the lanes that come together
)

// A Level is a group of threads that act together.
type Level uint8

// The levels.
const (
	Warp Level = iota + 1
	Block
)

// A Node is what has been decided about a node of an outline tree
// (analysis.Outline).
type Node struct {
	Outline bool // it has a control kernel
	Threads int  // with Outline: of its blocks
	Blocks  int  // with Outline: a multiprocessor; 0: the default
	// Items is the length of a worklist up to which Cluster blocks execute the
	// rounds alone, one block where Cluster is 0; 0: the grid does.
	Items   int
	Cluster int
}
