package serve

import (
	"context"
	"sync"
	"sync/atomic"

	"irgl/graph"
	"irgl/internal/engine"
)

// A future is an object that a request makes which waits: later requests may name it
// before it is there, and wait for it, too.
type future struct {
	ready chan struct{}
	err   error // why it was not made
}

func newFuture() future { return future{ready: make(chan struct{})} }

// resolve says that the object is there, or why it will not be.
func (f *future) resolve(err error) {
	f.err = err
	close(f.ready)
}

// await waits for the object.
func (f *future) await(ctx context.Context, what string) error {
	select {
	case <-f.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if f.err != nil {
		return argumentf("%s was not made: %v", what, f.err)
	}
	return nil
}

// made reports whether the object is there.
func (f *future) made() bool {
	select {
	case <-f.ready:
		return f.err == nil
	default:
		return false
	}
}

// failed reports whether it is known that there will be no object.
func (f *future) failed() bool {
	select {
	case <-f.ready:
		return f.err != nil
	default:
		return false
	}
}

// A mayFail is an object that may turn out not to be there.
type mayFail interface{ failed() bool }

// A making is a wait that makes the object of a handle.
type making struct {
	as uint64
	of mayFail
	do wait
}

// A room is a range of the arena: for the client to fill, or with results. Graphs may use
// it in place, so that it is there until the client and they have given it up.
type room struct {
	r    span
	uses atomic.Int64
}

// A dataset is a graph with what it uses. It is there until the client has closed it and
// no run uses it.
type dataset struct {
	future
	graph *graph.Graph
	rooms []*room  // that its arrays are in
	base  *dataset // that it may share arrays with, nil for none
	uses  atomic.Int64

	mu     sync.Mutex
	chosen map[choice]chosenProgram
}

// A choice is what the program for a problem on a graph depends on.
type choice struct{ problem, device, tuning, args string }

type chosenProgram struct {
	program *engine.Program
	from    string
}

// A program is one that was checked, or a problem that several bundled ones solve.
type program struct {
	future
	problem string
	p       *engine.Program // of a problem, the plain one
	own     bool            // not bundled: what is compiled of it ends with the handle
}

// A lent is a range of the arena with results, and what they are about. It is there until the
// client has closed it and no request looks at it.
type lent struct {
	future
	uses atomic.Int64
	room *room // nil if there are only values of variables
	// graph returns the graph that a program ran on, of results with values of edges.
	graph func(context.Context) (*graph.Graph, error)
	of    *dataset // that the graph may share arrays with
}

// newRoomAt returns a room with one user.
func newRoomAt(r span) *room {
	o := &room{r: r}
	o.keep()
	return o
}

// keep adds a user of a room.
func (r *room) keep() { r.uses.Add(1) }

// dropRoom takes a user away, and with the last one the room.
func (s *server) dropRoom(r *room) {
	if r.uses.Add(-1) == 0 {
		s.arena.free(r.r)
	}
}

// keep adds a user of a graph: a handle, a run, or another graph.
func (d *dataset) keep() { d.uses.Add(1) }

// drop takes a user away. With the last one goes all that was made of the graph, which
// waits for runs on others that are under way; the memory is free afterwards.
func (s *server) drop(d *dataset) {
	if d == nil || d.uses.Add(-1) > 0 {
		return
	}
	s.waits.Go(func() {
		if d.graph != nil {
			s.engines.dropGraph(d.graph)
		}
		s.dropRooms(d)
		s.drop(d.base)
	})
}

// newLent returns results to come, with one user: the handle.
func newLent() *lent {
	l := &lent{future: newFuture()}
	l.uses.Add(1)
	return l
}

// dropLent takes a user of results away, and with the last one the results. They are made, or failed.
func (s *server) dropLent(l *lent) {
	if l.uses.Add(-1) == 0 {
		s.giveUp(l)
	}
}

// giveUp ends what results hold.
func (s *server) giveUp(l *lent) {
	if l.room != nil {
		s.dropRoom(l.room)
	}
	s.drop(l.of)
	l.room, l.of, l.graph = nil, nil, nil
}

// dropRooms gives up the rooms of a graph.
func (s *server) dropRooms(d *dataset) {
	for _, r := range d.rooms {
		s.dropRoom(r)
	}
	d.rooms = nil
}

// roomAt returns the room, or the results, that bytes of the arena are in, nil for none.
func (s *server) roomAt(at, size int64) *room {
	for _, o := range s.handles {
		r, _ := o.(*room)
		if l, ok := o.(*lent); ok && l.made() {
			r = l.room
		}
		if r != nil && at >= r.r.at && at+size <= r.r.end {
			return r
		}
	}
	return nil
}
