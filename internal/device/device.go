package device

import (
	"context"
	"fmt"

	"irgl/internal/memory"
)

// A Ptr is an address in a device's global memory. Zero is the null pointer.
type Ptr uint64

// A Dim3 is a grid or block size; zero components count as one.
type Dim3 struct{ X, Y, Z uint32 }

// Norm returns d with zero components replaced by one.
func (d Dim3) Norm() Dim3 {
	return Dim3{max(1, d.X), max(1, d.Y), max(1, d.Z)}
}

// Count returns the number of elements in d.
func (d Dim3) Count() uint64 {
	d = d.Norm()
	return uint64(d.X) * uint64(d.Y) * uint64(d.Z)
}

func (d Dim3) String() string {
	d = d.Norm()
	return fmt.Sprintf("%dx%dx%d", d.X, d.Y, d.Z)
}

// Info describes a device.
type Info struct {
	Kind                 string // "cuda" or "simt"
	Name                 string // as the maker calls it
	Driver               string // driver version, "" for simt
	Major, Minor         int    // compute capability
	Multiprocessors      int
	WarpSize             int
	MaxThreadsPerBlock   int
	MaxThreadsPerSM      int
	SharedMemoryPerBlock int   // bytes, without opting in to more
	Memory               int64 // bytes of global memory
	Cooperative          bool  // cooperative launches are possible
	Clusters             bool  // kernels whose blocks form clusters are, too
}

// Target returns the PTX target name for the device, such as "sm_90".
func (i Info) Target() string { return fmt.Sprintf("sm_%d%d", i.Major, i.Minor) }

// A Launch configures one kernel launch.
type Launch struct {
	Grid, Block Dim3
	Shared      uint32 // bytes of dynamic shared memory a block
	Cooperative bool   // all blocks must be resident at once
	// Params is the parameter block: each parameter at the next offset that
	// is a multiple of its alignment, little-endian, as the PTX .param
	// declarations of the entry lay it out.
	Params []byte
	// Origin says which launch in device code this is, for reports; nil for one of the host.
	Origin *Origin
}

// An Origin is a launch in device code, which has gone through a queue in device memory.
type Origin struct {
	Grid uint64 // that launches, its %gridid
	// Slot is where in the allocation [LaunchQueue] its thread has recorded the launch; 0 for one that
	// begins when the grid that launches it is complete.
	Slot Ptr
}

// LaunchQueue is the name of the allocation with the queue of launches in device code.
const LaunchQueue = "the queue of launches in device code"

// KernelInfo describes a loaded kernel.
type KernelInfo struct {
	Name         string
	Registers    int  // a thread
	SharedBytes  int  // static, a block
	LocalBytes   int  // a thread, spills included
	MaxThreads   int  // a block
	ParamsLength int  // bytes, 0 when the device does not know
	Cluster      Dim3 // blocks of a cluster; one for a kernel without clusters
}

// A Device runs kernels. Its own methods queue work in one order, the device's
// default stream; NewStream makes others. See the package comment for ordering,
// concurrency and errors.
type Device interface {
	Info() Info

	// Alloc returns memory of size bytes, aligned to 256, that is zero for every
	// stream. The name appears in reports about accesses to it. Too little memory
	// is an *[OutOfMemoryError].
	Alloc(name string, size int64) (Ptr, error)
	// Free waits for all work of the device and frees memory from Alloc.
	Free(p Ptr) error
	// AllocHost returns zero-filled, page-locked host memory that copies in a
	// [Stream] read and write without waiting, and that kernels can address.
	AllocHost(name string, size int64) (HostMemory, error)

	// CopyIn, CopyOut, Copy and Fill are those of the default stream, but CopyIn
	// has taken the contents of src when it returns, and CopyOut has filled dst.
	CopyIn(dst Ptr, src []byte) error
	CopyOut(dst []byte, src Ptr) error
	Copy(dst, src Ptr, size int64) error
	Fill(dst Ptr, value byte, size int64) error

	// Load compiles PTX text. The error of a text that is refused holds the
	// compiler's log.
	Load(name, ptx string) (Module, error)
	// Launch starts a kernel in the default stream.
	Launch(k Kernel, l Launch) error
	// Sync waits for all work of all streams. When ctx ends first, Sync returns
	// its error at once. What was in flight is then stopped (simt), or runs on
	// since nothing can stop it, and the next call that waits waits for it (cuda).
	Sync(ctx context.Context) error

	NewStream(o StreamOptions) (Stream, error)
	NewEvent() (Event, error)

	// CanPeer reports whether kernels and copies of this device can address the
	// memory of other, once EnablePeer(other) has been called. A device can
	// always address its own memory.
	CanPeer(other Device) (bool, error)
	// EnablePeer makes the memory of other, present and future, addressable by
	// this device's kernels. It is idempotent; one direction is enabled by a call.
	EnablePeer(other Device) error

	Close() error
}

// StreamOptions say what a stream is like.
type StreamOptions struct {
	// Name appears in reports and traces; it may be empty.
	Name string
	// Blocking orders the stream with the device's default stream as CUDA's
	// legacy default stream does: work in the default stream begins after
	// everything queued in blocking streams before it, and theirs after it.
	// Other streams are ordered by events only.
	Blocking bool
	// High asks that its blocks be scheduled before those of other streams. It
	// is a hint.
	High bool
}

// A Stream is an order of work on its device. Each method queues an item and
// returns; items of one stream run one after the other, items of different
// streams may overlap in any way that [Event]s do not exclude. Errors in a
// kernel are reported by a later call that waits, on any stream of the device.
type Stream interface {
	Launch(k Kernel, l Launch) error
	// CopyIn and CopyOut do not wait if the host's side is in [HostMemory] of
	// any device; it must stay as it is until the copy has run. With other
	// memory, CopyIn has taken the contents of src, and CopyOut filled dst,
	// when it returns.
	CopyIn(dst Ptr, src []byte) error
	CopyOut(dst []byte, src Ptr) error
	// Copy copies within the device.
	Copy(dst, src Ptr, size int64) error
	// CopyPeer copies from another device's memory to this one's, which needs no
	// EnablePeer. Its order on the other device's side is that of this stream alone.
	CopyPeer(dst Ptr, from Device, src Ptr, size int64) error
	Fill(dst Ptr, value byte, size int64) error

	// Record captures in e all that is queued in the stream so far. An event is
	// recorded on streams of its own device only.
	Record(e Event) error
	// Wait holds back what is queued in the stream later until the work that e
	// captures now is done. Events of other devices can be waited for; an event
	// that was never recorded holds back nothing.
	Wait(e Event) error

	// Sync waits for the stream's work, as [Device].Sync does for all.
	Sync(ctx context.Context) error
	// Idle reports whether all of the stream's work is done, without waiting.
	Idle() (bool, error)
	// Close waits for the stream's work and gives the stream back.
	Close() error
}

// HostMemory is page-locked memory of the host.
type HostMemory interface {
	// Bytes returns the memory, or nil once it is closed; it must not be used
	// after its device is. Where a kernel accesses it at the same time, both use
	// atomic accesses, the kernel those of system scope.
	Bytes() []byte
	// Ptr returns the address by which kernels of the device read and write it.
	Ptr() Ptr
	// Close waits for all work of the device and frees the memory. Work of other
	// devices that uses it must be done.
	Close() error
}

// A Module is loaded code.
type Module interface {
	Kernel(name string) (Kernel, error)
	// Global returns the address and size in bytes of a .global variable.
	Global(name string) (Ptr, int64, error)
	Close() error
}

// A Kernel is an entry of a loaded module.
type Kernel interface {
	Info() KernelInfo
	// Occupancy returns how many blocks of the given number of threads can
	// be resident on one multiprocessor.
	Occupancy(threads int, shared uint32) (int, error)
	// Clusters returns how many of the kernel's clusters, of such blocks, the
	// whole device holds at once.
	Clusters(threads int, shared uint32) (int, error)
}

// An Event marks a point in an order of work. Recording it again moves it.
type Event interface {
	// Record records the event in the device's default stream; see also
	// [Stream].Record.
	Record() error
	// Since returns the milliseconds between start and this event, both
	// recorded, of the same device, waiting for this one.
	Since(start Event) (float64, error)
	// Done reports whether the work that the event captures is done, without
	// waiting. It is true of an event that was never recorded.
	Done() (bool, error)
	// Sync waits for the work that the event captures.
	Sync(ctx context.Context) error
	Close() error
}

// Counters are what a device can count about the kernels it ran; see
// [Counting]. All are totals since the device was opened.
type Counters struct {
	Launches          uint64
	Barriers          uint64 // block-wide, one per block and arrival of all
	AtomicsGlobal     uint64 // executed, one per active thread
	AtomicsShared     uint64
	Transactions      uint64 // 32-byte sectors moved by global loads and stores
	Branches          uint64 // per warp
	DivergentBranches uint64 // of those, where a warp split
	Instructions      uint64 // per warp
}

// Counting is implemented by devices that count (simt).
type Counting interface {
	Counters() Counters
}

// KernelCounting is implemented by counting devices that know which kernel it
// was.
type KernelCounting interface {
	Counting
	// KernelCounters returns the counts of the launches that have ended, by the
	// names of the kernels.
	KernelCounters() map[string]Counters
}

// Sub returns what was counted after before.
func (c Counters) Sub(before Counters) Counters {
	c.Launches -= before.Launches
	c.Barriers -= before.Barriers
	c.AtomicsGlobal -= before.AtomicsGlobal
	c.AtomicsShared -= before.AtomicsShared
	c.Transactions -= before.Transactions
	c.Branches -= before.Branches
	c.DivergentBranches -= before.DivergentBranches
	c.Instructions -= before.Instructions
	return c
}

// Add returns the sum of two counts. Unsigned numbers wrap, so it is a difference, too.
func (c Counters) Add(more Counters) Counters { return c.Sub(Counters{}.Sub(more)) }

// The kinds of reports.
const (
	Race             = "race"
	OutOfBounds      = "out-of-bounds"
	Uninitialised    = "uninitialised"
	DivergentBarrier = "divergent-barrier"
	DivergentBranch  = "divergent-branch"
	Misaligned       = "misaligned"
	Undeclared       = "undeclared"
	BadFree          = "bad-free" // of memory that malloc did not return or that is freed already
)

// What reports tell apart within their kinds ([Report].Rule), besides the kinds themselves.
const (
	RuleUseAfterFree = "use-after-free"  // OutOfBounds: in memory that is freed
	RuleNullPointer  = "null-pointer"    // OutOfBounds: below the first 4096 bytes
	RuleHostMemory   = "host-memory"     // OutOfBounds: an address of the host
	RuleOtherMemory  = "other-memory"    // OutOfBounds: of another device, or shared or local memory of others
	RuleReadOnly     = "read-only"       // OutOfBounds: a write to constants
	RuleRaceLaunches = "race-of-kernels" // Race: between two launches
	RuleRaceCopy     = "race-with-copy"  // Race: of a launch and a copy or fill, or of two of these
	RuleRaceAsync    = "race-with-async" // Race: a copy that a kernel goes on beside is not waited for
	RuleRaceHost     = "race-with-host"  // Race: host code accesses page-locked or managed memory before it has waited
	RuleRaceScope    = "race-of-scopes"  // Race: two atomic accesses of which one has too small a scope
)

// A Report is a fault that a checking device found in a kernel.
type Report struct {
	Kind    string // Race or another of these
	Kernel  string // its name; "K and L" for a race between launches of two; "" for a copy
	Buffer  string // name given to Alloc, or the variable's name; may be empty
	Place   string // what of it: "property a of node 4"; may be empty
	Message string // one line, with threads, positions in the source and PTX lines
	Count   int    // how often a race was found between the same lines; 0 for other faults
	Address uint64 // of an access to memory that the device does not have; 0 for other faults

	Positions []Position // in the source, as far as they are known

	Rule  string // what tells the report apart within its kind, "" where nothing does
	Sites []Site // the accesses, barriers, ... that the report is about: of a race both
}

// A Site is one of the things that a report is about: what a thread or a copy did, and where.
type Site struct {
	Role   string  // "launched" of a call of the host that has launched the kernel; else ""
	What   string  // "thread 3 of block 0 writes", "a copy to the device in stream 2 writes it"
	Kernel string  // "" for a copy
	At     Frame   // where
	Calls  []Frame // the calls that led there, the innermost first, as far as they are not inlined
	Line   int     // of the PTX, 0 where there is none
}

// A Frame is a position in a function, which may both be unknown.
type Frame struct {
	Function string
	Position Position
}

func (r Report) String() string {
	text := fmt.Sprintf("%s in kernel %s: %s", r.Kind, r.Kernel, r.Message)
	switch {
	case r.Kernel == "":
		text = r.Kind + ": " + r.Message
	case r.Place != "":
		text = fmt.Sprintf("%s on %s (kernel %s): %s", r.Kind, r.Place, r.Kernel, r.Message)
	}
	if r.Count > 1 {
		text += fmt.Sprintf(", the first of %d between these lines", r.Count)
	}
	return text
}

// Checking is implemented by devices that look for faults (simt). Races and
// uninitialised reads are reported and the run goes on; the other kinds also
// stop the launch with an error.
type Checking interface {
	Reports() []Report
}

// Forgetting is implemented by checking devices that can take reports back:
// those of a run that did not count.
type Forgetting interface {
	Checking
	// Forget drops all reports but the first n.
	Forget(n int)
}

// Describing is implemented by devices whose reports name the elements of memory
// (simt).
type Describing interface {
	// Describe says what the allocation that starts at p holds.
	Describe(p Ptr, e Elements)
}

// Elements says what an array in device memory holds: element i, of Size bytes, is
// that of the node, edge, ... with number i.
type Elements struct {
	Of   string // "node", "edge", "point", "element": what a report calls an element; "" in an array of the program
	Size int64  // bytes of each; 0 when not known
	// Count is how many nodes, edges, ... there are, if the array has something else than
	// one value for each of them; 0 otherwise.
	Count int64
}

// A Position is a place in the source that device code was made of. The zero Position
// is one that is not known.
type Position struct {
	File         string
	Line, Column int
}

func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// NamingModule is implemented by modules of devices that report faults (simt).
type NamingModule interface {
	Module
	// NameKernels has reports call a kernel of the module what name returns for what was
	// done at a position.
	NameKernels(name func(kernel string, at Position) string)
	// NameVariables has reports call a variable of the module what name returns.
	NameVariables(name func(variable string) string)
}

// RestrictingModule is implemented by modules of devices that compare what code accesses
// with what it declares (simt).
type RestrictingModule interface {
	Module
	// Restrict has accesses to global memory by the code of a position checked. For each
	// allocation or variable that such code accesses, allowed returns "" or what is wrong
	// about it, which ends the launch.
	Restrict(at Position, allowed func(buffer string, write bool) string)
}

// A Positioned error is about a fault of a kernel, and knows where that is in the source.
type Positioned interface {
	error
	// Position returns the position in the source.
	Position() Position
	// Summary says what is wrong in words that are the same on every kind of device, ""
	// where there are none.
	Summary() string
	// Detail says what the device knows, without the position: kernel, thread, access.
	Detail() string
}

// Interrupting is implemented by devices that can write memory while a kernel
// runs that reads it, so that a kernel can be told to end.
type Interrupting interface {
	Device
	// Interrupt stores 1 in the 32-bit word at p, not in the order of the other
	// work, and returns when it is there. It may be called while another
	// goroutine uses the device.
	Interrupt(p Ptr) error
}

// Linking is implemented by devices whose kernels can launch others by CUDA's device runtime (cuda).
type Linking interface {
	Device
	// LoadLinked is Load for a text that calls functions of a library, which is in the file libcudadevrt.a
	// at the path.
	LoadLinked(name, ptx, library string) (Module, error)
}

// Waiting is implemented by devices that can give up waiting for a copy, which
// waits for the kernels before it.
type Waiting interface {
	Device
	// CopyOutContext is CopyOut that returns ctx's error when ctx ends first; dst
	// has no meaning then.
	CopyOutContext(ctx context.Context, dst []byte, src Ptr) error
}

// Abandoning is implemented by devices that can give up queued work: freeing memory
// would otherwise wait for a launch that a context has ended, for ever if it has no
// end.
type Abandoning interface {
	Device
	// Abandon drops the work that is queued or running, half done as it is (simt).
	// A device that cannot stop a kernel (cuda) waits for it no more than a moment
	// when something is freed, which is an error then, or the device closed, whose
	// memory then stays in use until the process ends.
	Abandon()
}

// OutOfMemoryError says that an allocation does not fit.
type OutOfMemoryError struct {
	Name       string
	Size, Free int64 // bytes; Free is -1 when not known
}

func (e *OutOfMemoryError) Error() string {
	if e.Free < 0 {
		return fmt.Sprintf("device out of memory: %s needs %s", e.Name, memory.Format(e.Size))
	}
	return fmt.Sprintf("device out of memory: %s needs %s, %s are free", e.Name, memory.Format(e.Size), memory.Format(e.Free))
}
