package findings

import "irgl/internal/device"

// A Rule is a kind of fault.
type Rule struct {
	ID    string // stable: rules are only added
	Name  string // stable, too
	Level string // "error" or "warning"
	Short string // what it is
	Help  string // what to do
}

// The names of rules that no device reports by a kind.
const (
	KernelFault  = "kernel-fault"
	Leak         = "leak"
	DeviceLeak   = "device-leak"
	LaunchFailed = "launch-failed"
	CallFailed   = "call-failed"
	HostAccess   = "host-access"
	HostFault    = "host-fault"
)

const (
	levelError   = "error"
	levelWarning = "warning"
)

// rules are all rules, by their identifiers. Identifiers and names are not used again.
var rules = []Rule{
	{"F0101", device.OutOfBounds, levelError, "An access outside of every allocation and variable, or outside of the one that the address was computed from", "Compare the index with the length: if (i < n)."},
	{"F0102", device.RuleUseAfterFree, levelError, "An access to memory that is freed", "Free memory when the last kernel that uses it is done."},
	{"F0103", device.RuleNullPointer, levelError, "An access through a null pointer", "Look whether the allocation has failed, or was left out."},
	{"F0104", device.Misaligned, levelError, "An access at an address that is no multiple of its size", "Align the base, or copy bytes."},
	{"F0105", device.RuleHostMemory, levelError, "A kernel accesses memory that the host alone can address", "Pass memory of cudaMalloc or cudaMallocManaged; cudaGetSymbolAddress gives the address of a variable of the device."},
	{"F0106", device.RuleOtherMemory, levelError, "A kernel accesses memory of another device, or shared or local memory of others", "Enable peers by cudaDeviceEnablePeerAccess; pass what a block or a thread has for itself through global memory."},
	{"F0107", device.RuleReadOnly, levelError, "A write to constant memory", "Drop __constant__, or write by cudaMemcpyToSymbol."},
	{"F0108", device.Undeclared, levelError, "C text of an IrGL program accesses what it has not declared", "Add the property to the sets of the CBlock."},
	{"F0201", device.Race, levelError, "Two threads of a launch access the same bytes, one of them writes, and nothing orders them", "Order them by __syncthreads, __syncwarp or an atomic of a sufficient scope. Threads of a warp are not ordered without __syncwarp."},
	{"F0202", device.RuleRaceLaunches, levelError, "Two kernels access the same bytes, one of them writes, and no stream or event orders them", "Launch both in one stream, or let one stream wait for an event of the other."},
	{"F0203", device.RuleRaceCopy, levelError, "A copy or fill is not ordered with a kernel or another copy that accesses the same bytes", "Wait for the stream before the memory is used, or let the other stream wait for an event."},
	{"F0204", device.RuleRaceScope, levelError, "Two atomic accesses to the same bytes, of which one orders a smaller group of threads than both are in", "Use an atomic of the device's scope: atomicAdd rather than atomicAdd_block."},
	{"F0205", device.RuleRaceHost, levelError, "Host code accesses page-locked or managed memory before it has waited for a kernel or a copy that accesses it", "Wait first: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize."},
	{"F0206", device.RuleRaceAsync, levelError, "An access to shared memory that a copy in the kernel, cp.async, is under way to", "Wait for the copy, by cp.async.wait_group, __pipeline_wait_prior, cuda::pipeline or a barrier, and then for the other threads, by __syncthreads."},
	{"F0301", device.DivergentBarrier, levelError, "Threads of a block wait at different barriers, or some do not come", "Move __syncthreads out of the condition."},
	{"F0302", device.DivergentBranch, levelError, "Threads of a warp part at a branch that the PTX says is the same for all", "It is an error of the compiler, or of inline PTX."},
	{"F0303", "deadlock", levelError, "All threads wait for each other, or poll memory that nothing changes", "Look at locks that lanes of one warp contend for, and at masks of shuffles and votes that name lanes which do not come."},
	{"F0304", "wrong-mask", levelError, "The member mask of a _sync function lacks the thread that calls it", "Compute the mask where all of its lanes are, by __ballot_sync or __activemask."},
	{"F0305", "inactive-lane", levelError, "A shuffle reads from a lane that does not take part in it", "Give the mask of the lanes that take part, and read from one of them."},
	{"F0306", "wrong-barrier", levelError, "A barrier is used wrongly: its number, its number of threads, or the order of arriving and waiting", "Give all threads of a barrier the same number."},
	{"F0307", "different-operands", levelError, "The address or the stride of a matrix differs among the lanes of a warp", "Compute both from what all threads of a warp have in common, as threadIdx.x / 32."},
	{"F0401", device.Uninitialised, levelError, "A read of memory or of a register that nothing has written", "Write it first: cudaMemset, an initialiser, or the branch that leaves it out."},
	{"F0501", device.BadFree, levelError, "A kernel frees what malloc has not returned, or what is freed already", "Free each result of malloc once."},
	{"F0502", Leak, levelWarning, "Memory, a stream or an event of the host's is not freed at the end of the program or at cudaDeviceReset", "Free it: cudaFree, cudaFreeHost, cudaStreamDestroy, cudaEventDestroy."},
	{"F0503", DeviceLeak, levelWarning, "Memory of malloc in a kernel is not freed at the end of the program or at cudaDeviceReset", "Free it in a kernel."},
	{"F0601", "assert", levelError, "An assertion in a kernel fails", "The condition is in the message."},
	{"F0602", "trap", levelError, "A kernel executes __trap, or waits for the grid in a launch that is not cooperative", "Launch by cudaLaunchCooperativeKernel."},
	{"F0603", "timeout", levelError, "A launch executes more instructions than it may", "Look for an endless loop, or allow more: IRGL_SIMT=instructions=N."},
	{"F0604", KernelFault, levelError, "Another fault of a kernel, such as a stack that overflows", "The message says which."},
	{"F0701", LaunchFailed, levelError, "A launch was refused, and no call has asked for the error", "The reason is in the message; call cudaGetLastError behind launches."},
	{"F0702", CallFailed, levelWarning, "A call of the CUDA runtime was refused, as its arguments are wrong", "The reason is in the message."},
	{"F0703", HostAccess, levelError, "Host code accesses memory of the device by its address", "Copy it by cudaMemcpy, or use cudaMallocManaged."},
	{"F0704", HostFault, levelError, "Evaluated host code accesses memory outside of its objects, or stops otherwise", "The message says where."},
}

// RuleOf returns the rule of a name.
func RuleOf(name string) (Rule, bool) {
	i := ruleIndex(name)
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// ruleIndex returns where in the list the rule of a name is, or -1.
func ruleIndex(name string) int {
	for i := range rules {
		if rules[i].Name == name {
			return i
		}
	}
	return -1
}
