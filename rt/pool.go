package rt

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

const (
	maxWorkers = 1 << 10
	// spins is how often an idle worker looks for a job before it sleeps, and worker 0 for
	// the end of one: about 25 µs. A level of a grid-like graph takes less than half of that. On a busy
	// machine whoever spins takes the processor from those that are waited for.
	spins = 1 << 15
	// politeSpins is the same when there are more workers than processors.
	politeSpins = 64
)

// pool hands jobs from worker 0 to the others. state tells all about a job:
//
//	bits 0-15   workers in the job, besides worker 0
//	bit  16     open: workers may still join
//	bits 17-27  helpers: how many may, those with the lowest numbers
//	bits 28-    number of the job
//
// A job with little work has few helpers, and always the same ones: the others go to sleep.
// Worker 0 never waits for a worker that has not joined: one that sleeps, or
// that the system does not run, costs nothing but its help.
type pool struct {
	state  atomic.Uint64
	_      [56]byte
	work   func(*Worker)
	limit  int // how long to spin
	idle   []*sleeper
	boss   sleeper // worker 0, while it waits for those in a job
	done   atomic.Bool
	group  sync.WaitGroup
	failMu sync.Mutex
	failed any         // first panic of a worker
	broken atomic.Bool // some worker of the job panicked
}

const (
	poolOpen   = 1 << 16
	poolHelper = 1 << 17
	poolJob    = 1 << 28
)

// A sleeper is where a worker sleeps: asleep is 1 while it needs a token.
type sleeper struct {
	asleep atomic.Int32
	wake   chan struct{} // capacity 1
}

// start makes the goroutines of workers 1 and up.
func (p *pool) start(workers []*Worker) {
	p.limit, p.boss.wake = spins, make(chan struct{}, 1)
	if len(workers) > min(runtime.GOMAXPROCS(0), runtime.NumCPU()) {
		p.limit = politeSpins
	}
	for _, w := range workers[1:] {
		s := &sleeper{wake: make(chan struct{}, 1)}
		p.idle = append(p.idle, s)
		p.group.Go(func() { p.loop(w, s) })
	}
}

// close ends the goroutines; it waits for them.
func (p *pool) close() {
	p.done.Store(true)
	p.wake(len(p.idle))
	p.group.Wait()
}

// wake wakes those of the first n workers, after worker 0, that sleep.
func (p *pool) wake(n int) {
	for _, s := range p.idle[:n] {
		s.rouse()
	}
}

// rouse wakes the worker if it sleeps.
func (s *sleeper) rouse() {
	if s.asleep.Load() == 1 && s.asleep.CompareAndSwap(1, 0) {
		s.wake <- struct{}{}
	}
}

// sleep sleeps until it is woken, unless there is news by now, such as what came before it
// could be woken.
func (s *sleeper) sleep(news func() bool) {
	s.asleep.Store(1)
	if news() && s.asleep.CompareAndSwap(1, 0) {
		return
	}
	<-s.wake
}

// do runs work on worker 0 and on those helpers that join before it is over.
func (p *pool) do(w *Worker, helpers int, work func(*Worker)) {
	p.work = work
	s := (p.state.Load()/poolJob+1)*poolJob | uint64(helpers)*poolHelper | poolOpen
	p.state.Store(s)
	p.wake(helpers)
	// The job must be closed, and the others out of it, also when work panics:
	// the caller's recovery gives up what they use.
	ok := false
	defer func() {
		// Who waits for a lock that the failed one holds must not go on.
		if !ok {
			p.broken.Store(true)
		}
		p.finish()
	}()
	work(w)
	ok = true
}

// finish closes the job and waits for the workers in it.
func (p *pool) finish() {
	p.state.And(^uint64(poolOpen))
	for i := 1; !p.empty(); i++ {
		switch {
		case i >= p.limit:
			p.boss.sleep(p.empty)
		case i%(1<<10) == 0:
			runtime.Gosched()
		}
	}
}

// empty reports whether no worker is in the job, besides worker 0.
func (p *pool) empty() bool { return p.state.Load()%poolOpen == 0 }

// check passes a worker's panic on.
func (p *pool) check() {
	p.failMu.Lock()
	x := p.failed
	p.failMu.Unlock()
	if x != nil {
		panic(x)
	}
}

// loop is the life of a worker other than 0.
func (p *pool) loop(w *Worker, s *sleeper) {
	debug.SetPanicOnFault(true) // of this goroutine
	var last uint64
	for !p.done.Load() {
		if job, ok := p.join(w, last); ok {
			last = job
			p.guarded(w)
			if p.state.Add(^uint64(0))%(2*poolOpen) == 0 { // closed, and w was the last
				p.boss.rouse()
			}
			continue
		}
		if p.spin(w, last) {
			continue
		}
		s.sleep(func() bool { return p.news(w, last) || p.done.Load() })
	}
}

// news reports whether there is a job after the one numbered last that w may join.
func (p *pool) news(w *Worker, last uint64) bool { return isNews(p.state.Load(), w, last) }

func isNews(s uint64, w *Worker, last uint64) bool {
	return s&poolOpen != 0 && s/poolJob != last && uint64(w.ID) <= s%poolJob/poolHelper
}

// join enters the open job, if there is one after last, and returns its number.
func (p *pool) join(w *Worker, last uint64) (uint64, bool) {
	for p.news(w, last) {
		s := p.state.Load()
		if isNews(s, w, last) && p.state.CompareAndSwap(s, s+1) {
			return s / poolJob, true
		}
	}
	return 0, false
}

// spin waits a while for a job after last and reports whether one came.
func (p *pool) spin(w *Worker, last uint64) bool {
	for i := 0; i < p.limit; i++ {
		if p.news(w, last) {
			return true
		}
		if i&(1<<12-1) == 1<<12-1 {
			if p.done.Load() {
				return true
			}
			runtime.Gosched()
		}
	}
	return false
}

func (p *pool) guarded(w *Worker) {
	defer func() {
		if x := recover(); x != nil {
			p.failMu.Lock()
			if p.failed == nil {
				p.failed = x
			}
			p.failMu.Unlock()
			p.broken.Store(true)
		}
	}()
	p.work(w)
}
