package abi

// Prefix begins every name of the device library and every name that lowering
// makes up outside functions. Programs may not use it.
const Prefix = "irgl_"

// Tags of the device library's structs.
const (
	GraphTag = "irgl_graph"    // the graph's arrays, sizes and properties
	ListTag  = "irgl_worklist" // a list of work items
	PipeTag  = "irgl_pipe"     // the context of a Pipe or Iterate
	ItemTag  = "irgl_item"     // an item that brings the bounds of its node's edges
	HubsTag  = "irgl_hubs"     // ranges that wait for the end of a kernel
)

// ListCount is the field of struct irgl_worklist with the address of its counter.
const ListCount = "count"

// Fields of struct irgl_graph. The properties of a program are further fields; one
// that has the name of a field here gets an underscore at its end.
const (
	Nodes  = "nnodes" // number of nodes
	Edges  = "nedges" // number of edges
	Row    = "row"    // per node the first of its edges, and the end
	Dst    = "dst"    // per edge its destination
	Weight = "weight" // per edge its weight
	Src    = "src"    // per edge its source

	// InPrefix begins the fields for the edges that lead to nodes: in_row, in_dst
	// (where they come from), in_weight.
	InPrefix = "in_"

	Points       = "npoints"   // number of points when a kernel starts
	Elements     = "nelements" // number of elements when a kernel starts
	PointRoom    = "point_room"
	ElementRoom  = "element_room"
	MeshCount    = "mesh_count" // counters of points and elements, to which kernels add
	NodeLocks    = "node_locks" // claims of Exclusive
	PointLocks   = "point_locks"
	ElementLocks = "element_locks"
)

// Fields returns the names of the fields of struct irgl_graph that are no
// properties.
func Fields() []string {
	return []string{
		Nodes, Edges, Row, Dst, Weight, Src, InPrefix + Row, InPrefix + Dst, InPrefix + Weight,
		Points, Elements, PointRoom, ElementRoom, MeshCount, NodeLocks, PointLocks, ElementLocks,
	}
}

// Functions of the lowered program that a runtime calls or replaces.
const (
	// RunFunc initialises the properties, runs the entry function, and brings the
	// host's changes back to the device.
	RunFunc = "irgl_run"

	// SettleFunc brings the host's changes back to the device; a program whose host
	// functions change nothing there lacks it.
	SettleFunc = "irgl_settle"

	// OverflowFunc is called when a worklist overflows, with the number of items
	// needed.
	OverflowFunc = "irgl_overflow"

	// MeshOverflowFunc is called when a mesh has no room for what kernels added,
	// with the numbers of points and elements that it must have room for.
	MeshOverflowFunc = "irgl_mesh_overflow"

	// StepFunc is called with a step of a slice in Initial that is 0 or less.
	StepFunc = "irgl_bad_step"

	// ElementFunc is called when host code accesses an element that an array on the
	// device does not have, with the array, the index and the number of elements.
	ElementFunc = "irgl_bad_element"

	// SizeFunc is called with a Size in Initial that no worklist can have.
	SizeFunc = "irgl_bad_size"
)

// Variables of the device library that a runtime sets and reads.
const (
	MaxBlocksVar  = "irgl_max_blocks" // blocks of a launch at most
	CapacityVar   = "irgl_capacity"   // items of a worklist; 0 for the program's choice
	IterationsVar = "irgl_iterations" // rounds executed so far
	LaunchedVar   = "irgl_launched"   // grids that control kernels have launched
	PointsVar     = "irgl_npoints"    // points of the mesh
	ElementsVar   = "irgl_nelements"  // elements of the mesh
	// StopVar is the variable of the device that the host sets to end control
	// kernels before their loops do.
	StopVar = "irgl_stop"
)

// Names that lowering makes up for outlined loops, by which passes over the CUDA
// tree know them. What follows a prefix is a number or the name of a kernel.
const (
	ControlPrefix = "irgl_control_" // the control kernel of an outlined loop
	BodyPrefix    = "irgl_body_"    // a kernel as a function that control kernels call
	CallPrefix    = "irgl_call_"    // the function by which they call it
	SplitPrefix   = "irgl_split_"   // the same, with a barrier before the kernel

	// BlocksVar is the variable of a control kernel, and the parameter of what it
	// calls, with the number of blocks that execute the present round.
	BlocksVar = "irgl_working"
	// AheadVar is the same for the first item that a thread may pop.
	AheadVar = "irgl_ahead"
)
