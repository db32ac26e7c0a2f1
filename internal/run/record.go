package run

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Collect says what a run records of itself, besides what [Stats] has always.
// Recording costs time; a run that records nothing does not pay for it.
type Collect uint8

const (
	CollectNothing Collect = iota
	CollectKernels         // Stats.Kernels
	CollectEvents          // Stats.Kernels and Stats.Events
)

// KernelStats is what a run recorded of all launches of one kernel.
type KernelStats struct {
	// Name is the kernel's. On devices the form of it that reduces has one of its
	// own, as in step_any, and so have the kernels that set initial values.
	Name     string `json:"name"`
	Launches int64  `json:"launches"`
	// Time is the milliseconds of all launches together: by the device's clock
	// on cuda, by that of the machine elsewhere.
	Time float64 `json:"time_ms"`
	// Items is the sum of the sizes that the list popped from had when the
	// launches began, Pushes by how much they made the list pushed to grow.
	// What a launch retries is in Retries, and in the Items of the next.
	Items   int64 `json:"items"`
	Pushes  int64 `json:"pushes"`
	Retries int64 `json:"retries"`
	// Outlined says that the kernel executes rounds on the device: the host does not
	// count what it pops and pushes.
	Outlined bool `json:"outlined,omitempty"`
	// Counters is nil unless the device counts, as simt does.
	Counters *Counters `json:"counters,omitempty"`
}

// Counters are what an emulator counted in all launches of a kernel.
type Counters struct {
	AtomicsGlobal uint64 `json:"atomics_global"` // executed, one per active thread
	AtomicsShared uint64 `json:"atomics_shared"`
	Barriers      uint64 `json:"barriers"`     // of blocks, one per block and arrival of all
	Transactions  uint64 `json:"transactions"` // 32-byte sectors of global loads and stores
	Instructions  uint64 `json:"instructions"` // executed, one per warp
}

// An EventKind says what an [Event] is of.
type EventKind uint8

const (
	KernelEvent  EventKind = iota // a launch, while it runs
	CopyEvent                     // the host allocates, copies or fills, or waits before it can
	HostEvent                     // the host evaluates; may contain other events
	RestartEvent                  // the run begins again; it takes no time
)

// An Event is a part of a run.
type Event struct {
	Kind            EventKind
	Name            string
	Start, Time     float64 // milliseconds; the run began at 0
	Bytes           int64   // of a CopyEvent
	Blocks, Threads int64   // of a KernelEvent: the grid, and each of its blocks; 0 on a CPU
	// Of a KernelEvent, as in [KernelStats]. A kernel that runs again for what it
	// retries has the pushes of all those launches at the last one.
	Items, Pushes, Retries int64
	Iteration              int64 // of a KernelEvent: rounds that were counted before it
}

// MaxEvents is how many events a run keeps. Those after it are counted only.
const MaxEvents = 1 << 20

// A Recorder collects what one run records. Its methods are for the run's own
// goroutine.
type Recorder struct {
	collect Collect
	began   time.Time
	kernels map[string]*KernelStats
	events  []Event
	dropped int64
}

// NewRecorder returns a recorder whose run begins now; nil when there is nothing
// to collect.
func NewRecorder(c Collect) *Recorder {
	if c == CollectNothing {
		return nil
	}
	return &Recorder{collect: c, began: time.Now(), kernels: map[string]*KernelStats{}}
}

// Now returns the milliseconds since the run began.
func (r *Recorder) Now() float64 { return float64(time.Since(r.began).Nanoseconds()) / 1e6 }

// Kernel returns the numbers of the kernel called name, for the run to add to.
func (r *Recorder) Kernel(name string) *KernelStats {
	k := r.kernels[name]
	if k == nil {
		k = &KernelStats{Name: name}
		r.kernels[name] = k
	}
	return k
}

// Add keeps an event, if events are collected and it is not one too many. It
// returns a number for [Recorder.Event].
func (r *Recorder) Add(e Event) int {
	switch {
	case r.collect < CollectEvents:
		return -1
	case len(r.events) == MaxEvents:
		r.dropped++
		return -1
	}
	r.events = append(r.events, e)
	return len(r.events) - 1
}

// Event returns an event for changes, until the next is added. One that was not
// kept can be changed in vain.
func (r *Recorder) Event(i int) *Event {
	if i < 0 {
		return &Event{}
	}
	return &r.events[i]
}

// Launched adds a launch that is over, all of whose numbers are known.
func (r *Recorder) Launched(e Event) {
	e.Kind = KernelEvent
	r.Add(e)
	k := r.Kernel(e.Name)
	k.Launches++
	k.Time += e.Time
	k.Items += e.Items
	k.Pushes += e.Pushes
	k.Retries += e.Retries
}

// Restart notes that the run begins again: as its counts do, those of kernels
// begin at 0. The events stay.
func (r *Recorder) Restart() {
	clear(r.kernels)
	r.Add(Event{Kind: RestartEvent, Name: "restart", Start: r.Now()})
}

// Store puts what was collected into s: kernels in order of decreasing time.
func (r *Recorder) Store(s *Stats) {
	if r == nil {
		return
	}
	s.Kernels = []KernelStats{}
	for _, k := range r.kernels {
		s.Kernels = append(s.Kernels, *k)
	}
	SortKernels(s.Kernels)
	s.Events, s.DroppedEvents = r.events, r.dropped
}

// SortKernels rounds times to a nanosecond and sorts by decreasing time, those of
// the same time by name.
func SortKernels(list []KernelStats) {
	for i := range list {
		list[i].Time = math.Round(1e6*list[i].Time) / 1e6
	}
	slices.SortFunc(list, func(a, b KernelStats) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name))
	})
}
