package rt

import (
	"sync/atomic"
	"unsafe"
)

// A kernel with SyncRunningThreads or Exclusive is cut where its threads meet,
// in segments. Threads are numbers, far more of them than workers: what a thread
// keeps from one segment to the next lies in its frame. Each segment is a job of
// the pool, in which the workers claim threads in chunks, and the end of the job
// is the barrier. So nobody waits for a worker that sleeps, has failed or is not
// run by the system, and one worker alone can do it all.
//
// The iterations of a ForAll run in groups of at most one a thread (report
// "Lowering IrGL to CUDA", sections 3.3 and 3.4).

// A Segment is the code of the threads from lo up to hi between two barriers.
type Segment func(w *Worker, g *Group, lo, hi int)

// A Step is a part of a kernel's body: a ForAll whose iterations meet, or what
// stands between such ForAlls.
type Step struct {
	// Over gives the range that the ForAll goes through; nil for code outside of
	// ForAlls, which every thread runs once.
	Over     func(g *Group) Range
	Segments []Segment
}

// A Group is what the segments of a kernel know about the threads that run.
type Group struct {
	Frames  unsafe.Pointer // one for each thread
	First   int64          // the value of the ForAll's variable in thread 0
	Stride  int64          // what the next thread's has more
	Threads int            // that run the code outside of ForAlls
	r       *Run
}

// Groups is what a kernel keeps from one invocation to the next: the frames, and
// the size of groups that turned out well.
type Groups struct {
	// New makes n frames of Size bytes each.
	New  func(n int) unsafe.Pointer
	Size uintptr

	frames unsafe.Pointer
	count  int
	most   int // threads a worker has in a group, and those in the next one
	size   int
	spread int // how far apart the iterations of a group are
	serial int // groups of one iteration since the size became too small
}

// A Plan is a kernel in segments.
type Plan struct {
	Groups *Groups
	Locks  uint8 // the set of domains that Exclusive locks
	// LoopsOnly says that no code stands outside of ForAlls, so that no frame need
	// last from one ForAll to the next.
	LoopsOnly bool
	Steps     []Step
}

const (
	// groupWork is the number of iterations from which it pays to run segments
	// on several workers.
	groupWork = 96
	// exclusiveWorkers is the number of workers from which it pays with
	// Exclusive. What one worker alone saves, the claims, what is done in vain,
	// and the caches' traffic over elements that two workers added next to each
	// other, is worth a second one: refining a mesh, two workers together take
	// twice the time of one.
	exclusiveWorkers = 3
	// maxGroup bounds the threads a worker has in a group: more make barriers
	// rarer. With Exclusive there are firstGroup at first and maxExclusive at
	// most, firstSpread or more apart: items next to each other in a list tend to
	// be neighbours, in conflict; items very far apart, and more of them before
	// one is looked at again, use the caches badly.
	maxGroup     = 1024
	maxExclusive = 64
	firstGroup   = 16
	firstSpread  = 16
	maxSpread    = 512
	// minGroup is the least number of threads that a worker has in a group of
	// several workers, and serialGroups how many groups of one iteration follow
	// when that is too many.
	minGroup     = 4
	serialGroups = 256
	// frameMemory bounds the bytes of frames a worker has in a group: more than
	// its caches hold is no gain.
	frameMemory = 512 << 10
	// ManyIterations stands for a number of iterations that only the kernel
	// itself finds out.
	ManyIterations = 1 << 20
)

// Grouped reports whether an invocation with n iterations, which lock elements of
// a set of domains, runs in segments on several workers. Otherwise one thread
// runs, for which a barrier is nothing and every Exclusive is won.
func (r *Run) Grouped(n int, locks uint8) bool {
	if locks != 0 && len(r.workers) < exclusiveWorkers {
		return false
	}
	return len(r.workers) > 1 && !r.alone && n >= groupWork
}

// Alone calls launch so that what it launches runs on worker 0.
func (r *Run) Alone(launch func() Reduced) Reduced {
	saved := r.alone
	r.alone = true
	x := launch()
	r.alone = saved
	return x
}

// reserve makes sure that there are n frames. A frame's contents are lost when
// there are not.
func (gs *Groups) reserve(n int) unsafe.Pointer {
	if gs.count < n {
		gs.frames, gs.count = gs.New(n), n
	}
	return gs.frames
}

// begin sets the size of the first groups, and bounds those that come.
func (gs *Groups) begin(locks uint8) {
	if gs.size != 0 {
		return
	}
	gs.most = min(maxGroup, max(16, int(frameMemory/max(1, gs.Size))))
	gs.size, gs.spread = gs.most, 1
	if locks != 0 {
		gs.most = min(gs.most, maxExclusive)
		gs.size, gs.spread = firstGroup, firstSpread
	}
}

// LaunchGroups runs a kernel in segments, and then swaps the lists.
func (r *Run) LaunchGroups(wl *WL, p Plan) Reduced {
	r.begin(wl)
	gs := p.Groups
	r.makeLocks(p.Locks)
	gs.begin(p.Locks)
	l := &launch{r: r, g: Group{Threads: gs.most * len(r.workers), r: r}, gs: gs, queues: make([]queue, len(r.workers))}
	l.work = l.share
	if !p.LoopsOnly {
		l.g.Frames = gs.reserve(l.g.Threads)
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Over == nil {
			for _, segment := range s.Segments {
				l.run(segment, int64(l.g.Threads))
			}
			continue
		}
		l.loop(s, p.LoopsOnly)
	}
	return r.end(wl)
}

// A launch is an invocation in segments.
type launch struct {
	r       *Run
	g       Group
	gs      *Groups
	segment Segment
	queues  []queue
	work    func(*Worker)
}

// A queue is the threads of a segment that one worker runs, and others when
// they have none left. From one segment to the next, and in groups whose
// iterations are neighbours, most threads keep their worker and its caches.
type queue struct {
	next   atomic.Int64
	lo, hi int64
	chunk  int64
	_      [32]byte
}

// loop runs the groups of a ForAll. A window of iterations is a table with as many
// rows as a group has threads. A group is a column of it, or part of one when
// groups have shrunk since the window began.
func (l *launch) loop(s *Step, fresh bool) {
	rng := s.Over(&l.g)
	for at := rng.Lo; at < rng.Hi; {
		rows, stride := int64(l.threads()), int64(l.gs.spread)
		window := min(rng.Hi-at, rows*stride)
		stride = (window + rows - 1) / rows
		if fresh {
			l.g.Frames = l.gs.reserve(int(rows))
		}
		l.g.Stride = stride
		for column := range stride {
			n := (window - column + stride - 1) / stride
			for done := int64(0); done < n; {
				part := min(n-done, int64(l.threads()))
				l.g.First = at + column + done*stride
				for _, segment := range s.Segments {
					l.run(segment, part)
				}
				done += part
				l.adapt(int(part), rng.Hi-rng.Lo)
			}
		}
		at += window
	}
}

// threads returns the number of threads in the next group: one, which cannot
// lose, when a worker would have too few.
func (l *launch) threads() int {
	if l.gs.size < minGroup {
		return 1
	}
	return min(l.gs.size*len(l.r.workers), l.g.Threads)
}

// adapt chooses the size of the groups after one of n threads, in a loop of so
// many iterations. An iteration that loses costs as much as one that wins, a
// barrier as much as a few.
func (l *launch) adapt(n int, iterations int64) {
	tried, lost := 0, 0
	for _, w := range l.r.workers {
		tried, lost = tried+w.tried, lost+w.lost
		w.tried, w.lost = 0, 0
	}
	gs, workers := l.gs, len(l.r.workers)
	switch {
	case gs.size < minGroup:
		// Alone for a while, and then another attempt.
		if gs.serial++; gs.serial >= serialGroups {
			gs.size, gs.serial = minGroup, 0
		}
	case lost*4 > tried:
		if gs.spread < maxSpread && int64(gs.size*gs.spread*workers) < iterations {
			gs.spread *= 2
		}
		gs.size /= 2
	case lost*16 <= tried && n == gs.size*workers:
		gs.size = min(2*gs.size, gs.most)
		if lost*64 <= tried && gs.spread > firstSpread {
			gs.spread /= 2
		}
	}
}

// run runs a segment of n threads, on all workers when there are enough.
func (l *launch) run(segment Segment, n int64) {
	r := l.r
	r.newRound()
	workers := int64(len(r.workers))
	if n < minGroup*workers {
		r.Check()
		segment(r.workers[0], &l.g, 0, int(n))
		return
	}
	l.segment = segment
	for i := range l.queues {
		q := &l.queues[i]
		q.next.Store(0)
		q.lo, q.hi = n*int64(i)/workers, n*int64(i+1)/workers
		q.chunk = max(1, (q.hi-q.lo)/8)
	}
	r.parallel(len(r.workers)-1, l.work)
}

// share is a worker's part of a segment: chunks of its own threads, and then of
// the others', until none is left.
func (l *launch) share(w *Worker) {
	for i := range l.queues {
		q := &l.queues[(w.ID+i)%len(l.queues)]
		for {
			lo := q.lo + q.next.Load()*q.chunk
			if lo >= q.hi {
				break
			}
			if lo = q.lo + (q.next.Add(1)-1)*q.chunk; lo >= q.hi {
				break
			}
			if l.r.halted() {
				return
			}
			l.segment(w, &l.g, int(lo), int(min(lo+q.chunk, q.hi)))
		}
	}
}

// Frame returns the frame of a thread.
func Frame[T any](frames unsafe.Pointer, thread int) *T {
	var x T
	return (*T)(unsafe.Add(frames, uintptr(thread)*unsafe.Sizeof(x)))
}
