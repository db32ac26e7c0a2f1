package check

import "irgl/internal/source"

// The diagnostics of this package, each with the smallest program that
// produces it. Codes are only appended and never reused; those from C0100 on
// are about IrGL's own constructs. Programs shown are .cu below C0100 and
// .irgl from there on, unless they say otherwise.
const (
	// A name that nothing declares.
	//	void f() { x++; }
	codeUndeclared source.Code = "C0001"
	// A name declared twice in one scope.
	//	int a; void a() {}
	codeRedeclared source.Code = "C0002"
	// A name that should be a type and is not.
	//	enum e x;
	codeNotType source.Code = "C0003"
	// An object of a type whose size is not known.
	//	struct s x;
	codeIncomplete source.Code = "C0004"
	// An array length that is not a positive integer constant.
	//	int a[-1];
	codeArrayLen source.Code = "C0005"
	// A value that must be known at compile time and is not.
	//	void f(int n) { switch (n) { case n: ; } }
	codeNotConst source.Code = "C0006"
	// A value whose type cannot become the type that is wanted.
	//	int *p = 1.5;
	codeConvert source.Code = "C0007"
	// A pointer conversion that would allow writing to constants; a warning
	// for a string as char *.
	//	void f(const int *p) { int *q = p; }
	codeDropConst source.Code = "C0008"
	// An operand that must name a place in memory and does not.
	//	void f() { 1 = 2; }
	codeNotLvalue source.Code = "C0009"
	// A change of something that is const or read-only.
	//	void f() { const int i = 1; i = 2; }
	codeReadOnly source.Code = "C0010"
	// An operator that its operands' types do not have.
	//	void f(int *p) { p * 2; }
	codeOperand source.Code = "C0011"
	// A call of something that is not a function.
	//	void f(int i) { i(); }
	codeNotFunc source.Code = "C0012"
	// A call with too few or too many arguments.
	//	void f(int i) { f(); }
	codeArgCount source.Code = "C0013"
	// A call of a builtin that has no form for the arguments' types.
	//	__device__ bool b; __device__ void f() { atomicAdd(&b, true); }
	codeNoForm source.Code = "C0014"
	// A member that the type does not have.
	//	struct s { int a; }; void f(struct s x) { x.b = 1; }
	codeNoMember source.Code = "C0015"
	// . or -> on the wrong kind of operand.
	//	struct s { int a; }; void f(struct s *x) { x.a = 1; }
	codeMemberOf source.Code = "C0016"
	// [] on something that is not an array or pointer, or with no integer index.
	//	void f(int i) { i[1.5] = 0; }
	codeIndex source.Code = "C0017"
	// A cast that C does not have.
	//	struct s { int a; }; void f(int i) { (struct s)i; }
	codeCast source.Code = "C0018"
	// * on something that is not a pointer to an object.
	//	void f(int i) { *i = 0; }
	codeDeref source.Code = "C0019"
	// A condition that is neither a number nor a pointer.
	//	struct s { int a; }; void f(struct s x) { if (x) {} }
	codeCondition source.Code = "C0020"
	// break or continue with nothing to leave or to go on with.
	//	void f() { break; }
	codeBreak source.Code = "C0021"
	// A case label outside a switch, or a second one for the same value.
	//	void f(int i) { switch (i) { case 1: case 1: ; } }
	codeCase source.Code = "C0022"
	// A switch on something that is not an integer.
	//	void f(double d) { switch (d) { } }
	codeSwitch source.Code = "C0023"
	// A goto without its label, or a label defined twice.
	//	void f() { goto out; }
	codeLabel source.Code = "C0024"
	// A return that does not fit the function's result.
	//	void f() { return 1; }
	codeReturn source.Code = "C0025"
	// Warning: the end of a function with a result can be reached.
	//	int f(int i) { if (i) return 1; }
	codeNoReturn source.Code = "C0026"
	// An initialiser list with too much in it, or for the wrong thing.
	//	int a[2] = {1, 2, 3};
	codeInit source.Code = "C0027"
	// A literal or enumerator whose value does not fit its type.
	//	enum { A = 2147483647, B };
	codeLiteral source.Code = "C0028"
	// A type or label used where a value is wanted.
	//	typedef int t; void f() { t + 1; }
	codeNotValue source.Code = "C0029"
	// Warning: an operation on constants without a defined result.
	//	int f() { return 1 << 40; }
	codeConstOp source.Code = "C0030"
	// A second declaration that disagrees with the first.
	//	int f(int); double f(int);
	codeConflict source.Code = "C0031"
	// A qualifier where it has no meaning.
	//	void f() { __shared__ int s; }
	codeQualifier source.Code = "C0032"
	// A launch of something that is not a __global__ function.
	//	void g(); void f() { g<<<1, 1>>>(); }
	codeLaunch source.Code = "C0033"
	// A call from the host to the device or the other way round; a warning in a
	// .cu function that runs on both.
	//	void h() {} __device__ void f() { h(); }
	codeSideCall source.Code = "C0034"
	// A variable of the host used on the device or the other way round, or, in
	// .irgl files, the address of device memory taken in a Host function.
	//	int h; __device__ int f() { return h; }
	codeSideVar source.Code = "C0035"
	// A type that a declaration cannot have.
	//	void v;
	codeBadType source.Code = "C0036"
	// Text nested more deeply than the compiler follows.
	codeDepth source.Code = "C0037"
	// __launch_bounds__ or __cluster_dims__ that is not a positive constant or has too many or too large values.
	//	__global__ void __launch_bounds__(0) k() {}
	codeBounds source.Code = "C0038"
	// __align__ that is not a power of two.
	//	struct __align__(3) s { int a; };
	codeAlign source.Code = "C0039"
	// A kernel called like a function.
	//	__global__ void k() {} void f() { k(); }
	codeKernelCall source.Code = "C0040"
	// A function that is called or launched and has no body; a warning when
	// only host code of a .cu file does so.
	//	__device__ int g(); __global__ void k(int *p) { *p = g(); }
	codeNoBody source.Code = "C0041"
	// Warning: a printf argument that its format does not fit; %n is an error.
	//	void f() { printf("%d", 1.5); }
	codeFormat source.Code = "C0042"
	// A builtin that the engine for this code does not have; a warning in a .cu
	// function that runs on both sides and where one side has it.
	//	void f(void **p) { cudaMallocManaged(p, 8); }
	codeNotAvailable source.Code = "C0043"
	// Inline PTX whose operands or template are malformed, or in host code.
	//	__device__ void f(float x) { asm("mov.u32 %0, 1;" : "=r"(x)); }
	codeAsm source.Code = "C0044"
	// Warning: a warp function of CUDA before 9, which has no mask.
	//	__device__ int f(int x) { return __shfl(x, 0); }
	codeOutdated source.Code = "C0045"
	// A bit-field whose width or type is wrong, or whose address or size is taken.
	//	struct s { int a : 40; };
	codeBits source.Code = "C0046"

	// Orchestration (Invoke, Iterate, Pipe) outside a Host function.
	//	Kernel A() {} Kernel B() { Invoke A(); }
	codeOrchestration source.Code = "C0101"
	// A kernel construct (ForAll, WL, ReduceAndReturn) outside a Kernel.
	//	Host m() { ReduceAndReturn(true); }
	codeKernelOnly source.Code = "C0102"
	// A CUDA feature that operator code may not use (IrGL paper, 3.2).
	//	Kernel K() { int i = threadIdx.x; }
	codeLowLevel source.Code = "C0103"
	// A device function that calls itself, directly or through others.
	//	int f(int n) { return f(n - 1); }
	codeRecursion source.Code = "C0104"
	// A parameter without a type that is not a graph and whose type no
	// invocation gives.
	//	Kernel K(x) {}
	codeInfer source.Code = "C0105"
	// A graph passed to or taken by a parameter that is not the Graph.
	//	Graph graph {} Kernel K(g) {} Host m() { Invoke K(graph); }
	codeGraphParam source.Code = "C0106"
	// A kernel name that is not a kernel.
	//	int f() { return 1; } Host m() { Invoke f(); }
	codeNotKernel source.Code = "C0107"
	// An iteration over something that has no iterations.
	//	Kernel K(int n) { ForAll (i In n) {} }
	codeIterable source.Code = "C0108"
	// Memory written outside the ForAll of a kernel that has one.
	//	Graph graph {} int c; Kernel K(graph) { c = 1; ForAll (n In graph.nodes) {} }
	codeOuterWrite source.Code = "C0109"
	// A jump out of a ForAll, whose iterations run in parallel.
	//	Graph graph {} Kernel K(graph) { ForAll (n In graph.nodes) { break; } }
	codeForAllJump source.Code = "C0110"
	// A worklist kernel invoked where there is no worklist.
	//	Kernel K() { WL.push(1); } Host m() { Invoke K(); }
	codeNoWorklist source.Code = "C0111"
	// Initial where a worklist exists already, or none is used.
	//	Kernel K() { WL.push(1); } Host m() { Pipe { Iterate K() Initial [1] {} } }
	codeInitial source.Code = "C0112"
	// A reduction of a kernel that has no ReduceAndReturn.
	//	Kernel K() {} Host m() { if (Any(Invoke K())) {} }
	codeNoReduce source.Code = "C0113"
	// An Iterate that nothing would end or start.
	//	Kernel K() {} Host m() { Iterate K() {} }
	codeIterate source.Code = "C0114"
	// A word after Requires that is not a requirement.
	//	Graph graph { Requires wieghts; }
	codeRequires source.Code = "C0115"
	// A Racy name that is neither a property nor a global.
	//	Graph graph { Racy dist "why"; }
	codeRacy source.Code = "C0116"
	// An initialiser of a property that is not made of constants, id, degree and in_degree.
	//	Graph graph { Node int a = f(); } int f() { return 1; }
	codePropInit source.Code = "C0117"
	// A property, output, parameter or item of a type it cannot have.
	//	Graph graph { Node int *p; }
	codePropType source.Code = "C0118"
	// The weight of an edge in a program that does not require weights.
	//	Graph graph {} Kernel K(graph) { ForAll (n In graph.nodes) { for (e In n.edges) { int w = e.weight; } } }
	codeWeight source.Code = "C0119"
	// More than one Host function, or none, could be the program.
	//	Host a() {} Host b() {}
	codeEntry source.Code = "C0120"
	// Warning: a kernel that nothing invokes.
	//	Kernel K() {} Host m() {}
	codeUnused source.Code = "C0121"
	// Warning: a local of an outer scope assigned in a ForAll.
	//	Graph graph {} Kernel K(graph) { int s = 0; ForAll (n In graph.nodes) { s += n; } }
	codeOuterLocal source.Code = "C0122"
	// A second Graph in one file.
	//	Graph a {} Graph b {}
	codeTwoGraphs source.Code = "C0123"
	// Warning: the reduction of an invocation is not used.
	//	Kernel K() { ReduceAndReturn(true); } Host m() { Invoke K(); }
	codeDropReduce source.Code = "C0124"
	// A member used as a function, or a method used without its call.
	//	Kernel K() { int i = WL.pop; }
	codeMethod source.Code = "C0125"
	// A lock of Atomic that is not an int in device memory: a property, a global or
	// an element of a global array.
	//	Kernel K() { int l; Atomic (l) { } }
	codeLock source.Code = "C0126"
	// A jump out of or into the body of an Atomic, which would keep the lock.
	//	int l; Kernel K() { Atomic (l) { return; } }
	codeAtomicJump source.Code = "C0127"
	// Retry or Respawn in a kernel that takes no items from the worklist.
	//	Kernel K(int x) { Respawn x; } Host m() { Pipe { Invoke K(1); } }
	codeRetry source.Code = "C0128"
	// And or Or at an Iterate whose kernel has no worklist; And may then go with While or Until.
	//	Kernel K() { } Host m() { Iterate K() And (true) { } }
	codeExtra source.Code = "C0129"
	// An Exclusive, SyncRunningThreads or LocalBarrier where not every thread
	// comes: not directly in the outermost ForAll of a kernel, nor in an if there that depends on parameters alone.
	//	Graph graph {} Kernel K(graph) { ForAll (n In graph.nodes) { if (n > 1) { SyncRunningThreads(); } } }
	codeBarrier source.Code = "C0130"
	// An Exclusive of something that has no elements to lock, or with a list
	// that is not an array of numbers.
	//	Graph graph {} Kernel K(graph) { ForAll (n In graph.nodes) { int a[1]; Exclusive (n, 1, a) { } } }
	codeExclusive source.Code = "C0131"
	// A path around a barrier: a return, or a goto across it.
	//	Graph graph {} Kernel K(graph, int a) { if (a == 1) return; ForAll (n In graph.nodes) { SyncRunningThreads(); } } Host m() { Invoke K(graph, 1); }
	codePastBarrier source.Code = "C0132"
	// A size that a worklist cannot have.
	//	Kernel K() { WL.push(1); } Host m() { Iterate K() Initial [1] Size (0) {} }
	codeSize source.Code = "C0133"
	// A slice of something that is not an array of numbers, or where a slice has no meaning.
	//	Host m() { int a[2] = {1, 2}; int b = a[0 : 1]; }
	codeSlice source.Code = "C0134"
	// A second Mesh in one file.
	//	Mesh a {} Mesh b {}
	codeTwoMeshes source.Code = "C0135"
	// A name in Reads or Writes of a CBlock that is not a property or variable.
	//	Kernel K() { CBlock "a();" Writes (a); }
	codeCBlock source.Code = "C0136"
	// A bound of an outermost range of ints that the kernel itself may change.
	//	int n = 3; Kernel K() { ForAll (i In range(n)) { atomicAdd(&n, 1); } } Host m() { Invoke K(); }
	codeRangeBound source.Code = "C0137"
	// Warning: a global variable, or a property at the far end of edges, that the iterations of a ForAll change, not atomically.
	//	Graph graph {} int sum; Kernel K(graph) { ForAll (n In graph.nodes) { sum += 1; } } Host m() { Invoke K(graph); }
	codeRace source.Code = "C0138"
	// Warning: an item of a worklist that is cut to 32 bits.
	//	Kernel K(long x) { WL.push(x); } Host m() { Pipe { Invoke K(1); } }
	codeItem source.Code = "C0139"
	// A parameter of the program with the name of a flag of irgl run.
	//	Host m(int target) { }
	codeFlagName source.Code = "C0140"
	// A local variable that is larger than the memory for locals.
	//	Host m() { int a[2147483647]; }
	codeLocalSize source.Code = "C0141"
)
