package simt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"irgl/internal/device"
)

// A system is emulated devices of one host. They have disjoint ranges of
// addresses, and one scheduler interleaves their launches. Nothing runs on its own:
// a call that waits executes the work of the whole system, on its goroutine, until
// what it waits for is done.
type system struct {
	mu      sync.Mutex // of everything here and in the devices, streams and launches
	opts    Options
	devices []*Device
	host    *memory    // page-locked memory
	streams []*stream  // open ones, in the order of creation
	active  []*launch  // under way: those of high priority first, then by start
	turn    int        // index in active: whose warp has the next turn
	rng     *rand.Rand // nil for the canonical schedule
	items   uint64     // queued so far
	shadows uint32     // generation of race shadows; see shadow
	modules int        // loaded so far
	races   *raceState // nil when races are not checked
	fresh   *launch    // begun, and no block has started yet: it may be executed in groups
	workers []*worker
	attempt *speculation // under way; nil for none
	tries   uint32       // speculations so far
	visits  chan visit   // for the goroutine that waits for a speculation

	ids   []uint32 // items that have begun, by the number of the stream
	spare []int    // numbers of closed streams
	known clock    // what the host has waited for
}

// maxDevices bounds a system: the ranges of addresses end there.
const maxDevices = 16

// OpenSystem returns n devices, numbered from 0, with no memory in use. They can
// be peers of each other, and events of one can be waited for by streams of another.
// Each has what the options say; Options.Memory and Options.Multiprocessors are
// those of one device. Different devices may be used from different goroutines.
func OpenSystem(n int, o Options) ([]*Device, error) {
	if n < 1 || n > maxDevices {
		return nil, fmt.Errorf("a system of %d emulated devices: it can have 1 to %d", n, maxDevices)
	}
	o = o.withDefaults()
	s := &system{opts: o, host: newMemory(hostStart, o.Memory), visits: make(chan visit)}
	if o.Seed != 0 {
		s.rng = rand.New(rand.NewPCG(o.Seed, systemSequence))
	}
	for i := range n {
		s.devices = append(s.devices, newDevice(s, i))
	}
	if o.CheckRaces {
		s.races = newRaceState(s)
	}
	return s.devices, nil
}

// systemSequence is the sequence of random numbers that interleaves launches; those
// of launches are numbered from 0.
const systemSequence = 1 << 63

// Open returns a device with no memory in use: a system of one.
func Open(o Options) *Device {
	list, err := OpenSystem(1, o)
	if err != nil {
		panic(err) // one device can always be opened
	}
	return list[0]
}

// slice is how many warp instructions run between two looks at the context and at
// the queues.
const slice = 4096

var errStuck = errors.New("the emulator's streams wait for each other")

// until executes the work of the system until done, or until ctx ends. It returns
// the error of a launch of d that failed. The caller holds the lock, which others
// get between two slices.
func (s *system) until(ctx context.Context, d *Device, done func() bool) error {
	if len(s.host.bufs) > 0 { // the host may have written what kernels poll
		for _, l := range s.active {
			l.progress()
		}
	}
	for !d.closed && d.failed == nil && !done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !s.divide(ctx) && !s.step() {
			return errStuck
		}
		s.mu.Unlock()
		s.mu.Lock()
	}
	return d.failure()
}

// divide executes a launch that has begun alone in groups, where that can be done, and begins its first round otherwise. It returns whether
// there was one.
func (s *system) divide(ctx context.Context) bool {
	l := s.fresh
	if l != nil && (len(s.active) > 1 || len(l.bulks) > 0 || !s.parallel(ctx, l)) {
		s.unite()
	}
	return l != nil
}

// unite has a launch that has begun alone executed by turns.
func (s *system) unite() {
	if l := s.fresh; l != nil {
		s.fresh = nil
		l.fill()
		l.beginRound()
	}
}

// step begins what can begin and runs a slice of the launches under way. It returns
// whether there was anything to do.
func (s *system) step() bool {
	var l *launch
	defer func() {
		if v := recover(); v != nil {
			if l == nil && len(s.active) == 1 {
				l = s.active[0]
			}
			s.crash(l, internalError(l, v))
		}
	}()
	s.unite()
	worked := s.begin()
	if s.fresh != nil {
		return true
	}
	for n := 0; n < slice && len(s.active) > 0; {
		worked = true
		if l = s.pick(); l == nil {
			s.endRound()
			return true
		}
		n += l.runWarp()
		if l.fault != nil {
			s.end(l, l.fault)
		}
	}
	return worked
}

// pick returns the launch whose warp has the next turn: each in turn, or any under
// a seed. It returns nil when all warps had theirs in this round.
func (s *system) pick() *launch {
	n := len(s.active)
	if n == 1 {
		if s.active[0].more() {
			return s.active[0]
		}
		return nil
	}
	from := s.turn
	if s.rng != nil {
		from = s.rng.IntN(n)
	}
	for i := range n {
		j := (from + i) % n
		if l := s.active[j]; l.more() {
			s.turn = j + 1
			return l
		}
	}
	return nil
}

// endRound ends launches that have ended or hang, and fills the room that blocks
// have left.
func (s *system) endRound() {
	changed := slices.ContainsFunc(s.active, (*launch).changedInRound)
	busy := slices.ContainsFunc(s.active, func(l *launch) bool { return l.active > l.round.from })
	for _, l := range slices.Clone(s.active) {
		if l.item.done { // another launch of its device has failed
			continue
		}
		if changed { // what one waits for may be what another does
			l.progress()
		}
		if busy {
			l.active = l.executed
		}
		if ended := l.endRound(); ended || l.fault != nil {
			var err error
			if l.fault != nil {
				err = l.fault
			}
			s.end(l, err)
		}
	}
	for _, l := range s.active {
		l.fill()
		l.beginRound()
	}
}

// begin starts the items at the heads of the queues that nothing holds back.
func (s *system) begin() bool {
	worked := false
	for again := true; again; {
		again = false
		for _, st := range s.streams {
			for st.canBegin() {
				it := st.queue[0]
				if it.launch != nil && s.rng != nil && len(s.active) > 0 && s.rng.IntN(2) == 0 {
					break // other schedules begin it later
				}
				st.begin(it)
				worked = true
				if it.launch != nil {
					break
				}
				// What it has done may let items of other streams begin.
				again = len(s.streams) > 1
			}
		}
	}
	return worked
}

// start adds a launch to those under way.
func (s *system) start(l *launch) {
	at := len(s.active)
	if l.item.s.o.High {
		at = slices.IndexFunc(s.active, func(o *launch) bool { return !o.item.s.o.High })
		if at < 0 {
			at = len(s.active)
		}
	}
	s.active = slices.Insert(s.active, at, l)
	l.start()
	if s.divisible(l) {
		s.fresh = l
		return
	}
	l.fill()
	l.beginRound()
}

// end takes a launch out of those under way. An error ends all work of its device,
// as it does on a GPU.
func (s *system) end(l *launch, err error) {
	s.remove(l)
	d := l.d
	name := l.k.Info().Name
	c := l.counters
	c.Launches = 1 // the device counts launches when they are queued
	l.k.parallel.work = 1 + l.executed/(l.total*uint64(l.warpsPer))
	d.kernels[name] = d.kernels[name].Add(c)
	if err != nil {
		d.drop()
		d.failed = err
		return
	}
	l.item.s.finish(l.item)
}

// remove takes a launch out of those under way and gives back its room.
func (s *system) remove(l *launch) {
	i := slices.Index(s.active, l)
	if i < 0 {
		return
	}
	s.active = slices.Delete(s.active, i, i+1)
	if s.fresh == l {
		s.fresh = nil
	}
	if s.turn > i {
		s.turn--
	}
	l.leave()
	l.d.counters = l.d.counters.Add(l.counters)
}

// newID returns a number for a stream.
func (s *system) newID() int {
	if n := len(s.spare); n > 0 {
		id := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return id
	}
	s.ids = append(s.ids, 0)
	return len(s.ids) - 1
}

// deviceOf returns d as a device of the system.
func (s *system) deviceOf(d device.Device) (*Device, error) {
	o, ok := d.(*Device)
	if !ok || o.sys != s {
		return nil, errors.New("the devices were not opened together")
	}
	return o, nil
}
