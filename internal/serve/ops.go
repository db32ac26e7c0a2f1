package serve

import (
	"cmp"
	"context"
	"errors"

	"irgl/internal/device"
)

// An operation decodes its arguments, and does what does not wait. The device is that
// whose news the reply announces, or nil.
type operation func(s *server, raw []byte) (*gpu, any, error)

// op makes an operation of a function of decoded arguments.
func op[A any](f func(s *server, a *A) (*gpu, any, error)) operation {
	return func(s *server, raw []byte) (*gpu, any, error) {
		a := new(A)
		if err := s.modes.strict.Unmarshal(raw, a); err != nil {
			return nil, nil, argumentf("%v", argumentError(raw, err))
		}
		return f(s, a)
	}
}

// operations returns the table of docs/serve.md.
func operations() map[string]operation {
	return map[string]operation{
		"hello":      op(hello),
		"open":       op(open),
		"alloc":      op(alloc),
		"free":       op(free),
		"memory":     op(memoryInfo),
		"host":       op(host),
		"hostfree":   op(hostFree),
		"room":       op(newRoom),
		"copyin":     op(copyIn),
		"copyout":    op(copyOut),
		"copy":       op(copyWithin),
		"copypeer":   op(copyPeer),
		"fill":       op(fill),
		"load":       op(load),
		"unload":     op(unload),
		"kernel":     op(kernelOf),
		"global":     op(global),
		"occupancy":  op(occupancy),
		"limit":      op(limit),
		"launch":     op(launch),
		"stream":     op(newStream),
		"event":      op(newEvent),
		"record":     op(record),
		"waitevent":  op(waitEvent),
		"sync":       op(syncWith),
		"query":      op(query),
		"since":      op(since),
		"canpeer":    op(canPeer),
		"enablepeer": op(enablePeer),
		"report":     op(report),
		"close":      op(closeHandle),
		"cancel":     op(cancel),
		"note":       op(note),
		"finish":     op(finish),
		"graph":      op(newGraph),
		"arrays":     op(graphArrays),
		"statistics": op(statistics),
		"compile":    op(newProgram),
		"run":        op(runProgram),
		"explain":    op(explain),
		"tune":       op(tuneProgram),
		"devices":    op(listDevices),
		"progress":   op(tellProgress),
	}
}

type streamArgs struct {
	header
	As       uint64 `cbor:"as"`
	Device   uint64 `cbor:"device"`
	Name     string `cbor:"name"`
	Blocking bool   `cbor:"blocking"`
	High     bool   `cbor:"high"`
	made
}

func newStream(s *server, a *streamArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err := cmp.Or(err, s.handles.check(a.As)); err != nil {
		return g, nil, err
	}
	defer g.enter()()
	o, err := g.dev.NewStream(device.StreamOptions{Name: a.Name, Blocking: a.Blocking, High: a.High})
	if err != nil {
		return g, nil, err
	}
	s.handles[a.As] = &stream{g, o}
	s.made(g, a.As, a.made)
	return g, nil, nil
}

type eventArgs struct {
	header
	As     uint64 `cbor:"as"`
	Device uint64 `cbor:"device"`
	made
}

// made says which call of the program has made a stream or an event, and where; those of the runtime's own have no call.
type made struct {
	Call  string `cbor:"call"`
	Stack string `cbor:"stack"`
}

// made has the log know a stream or an event of the program's.
func (s *server) made(g *gpu, as uint64, m made) {
	if s.log != nil && m.Call != "" {
		s.log.Made(g.number, as, m.Call, stackOf(m.Stack))
	}
}

func newEvent(s *server, a *eventArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err := cmp.Or(err, s.handles.check(a.As)); err != nil {
		return g, nil, err
	}
	defer g.enter()()
	e, err := g.dev.NewEvent()
	if err != nil {
		return g, nil, err
	}
	s.handles[a.As] = &event{g, e}
	s.made(g, a.As, a.made)
	return g, nil, nil
}

type recordArgs struct {
	header
	Stream uint64 `cbor:"stream"`
	Event  uint64 `cbor:"event"`
}

func (a *recordArgs) lookup(s *server) (order, *event, error) {
	o, err := s.handles.order(a.Stream)
	if err != nil {
		return o, nil, err
	}
	e, err := lookup[*event](s.handles, a.Event)
	return o, e, err
}

func record(s *server, a *recordArgs) (*gpu, any, error) {
	o, e, err := a.lookup(s)
	if err != nil {
		return o.g, nil, err
	}
	defer o.g.enter()()
	if o.s != nil {
		return o.g, nil, o.s.Record(e.e)
	}
	if e.g != o.g {
		return o.g, nil, argumentf("record: the event is not of the stream's device")
	}
	return o.g, nil, e.e.Record()
}

// waitEvent makes a stream wait. The default stream has no such item: the server
// waits before it begins another request.
func waitEvent(s *server, a *recordArgs) (*gpu, any, error) {
	o, e, err := a.lookup(s)
	if err != nil {
		return o.g, nil, err
	}
	if o.s == nil {
		defer e.g.enterToWait()()
		return o.g, nil, e.e.Sync(s.ctx)
	}
	defer o.g.enter()()
	return o.g, nil, o.s.Wait(e.e)
}

type syncArgs struct {
	header
	Device uint64 `cbor:"device"`
	Stream uint64 `cbor:"stream"`
	Event  uint64 `cbor:"event"`
}

func syncWith(s *server, a *syncArgs) (*gpu, any, error) {
	switch {
	case a.Event != 0:
		e, err := lookup[*event](s.handles, a.Event)
		if err != nil {
			return nil, nil, err
		}
		return e.g, waiting(e.g, e.e.Sync), nil
	case a.Stream != 0:
		o, err := s.handles.order(a.Stream)
		if err != nil {
			return nil, nil, err
		}
		if o.s != nil {
			return o.g, waiting(o.g, o.s.Sync), nil
		}
		e, err := mark(o.g)
		if err != nil {
			return o.g, nil, err
		}
		return o.g, waiting(o.g, func(ctx context.Context) error { return errors.Join(e.Sync(ctx), e.Close()) }), nil
	}
	g, err := lookup[*gpu](s.handles, a.Device)
	if err != nil {
		return nil, nil, err
	}
	return g, waiting(g, g.dev.Sync), nil
}

// waiting returns a wait without results.
func waiting(g *gpu, f func(context.Context) error) wait {
	return func(ctx context.Context) (any, error) {
		defer g.enterToWait()()
		return nil, f(ctx)
	}
}

// mark returns an event that the default stream's work so far is recorded in.
func mark(g *gpu) (device.Event, error) {
	defer g.enter()()
	e, err := g.dev.NewEvent()
	if err != nil {
		return nil, err
	}
	if err := e.Record(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

type doneResult struct {
	reply
	Done bool `cbor:"done"`
}

type queryArgs struct {
	header
	Stream uint64 `cbor:"stream"`
	Event  uint64 `cbor:"event"`
}

func query(s *server, a *queryArgs) (*gpu, any, error) {
	if a.Event != 0 {
		e, err := lookup[*event](s.handles, a.Event)
		if err != nil {
			return nil, nil, err
		}
		defer e.g.enter()()
		done, err := e.e.Done()
		return e.g, &doneResult{Done: done}, err
	}
	o, err := s.handles.order(a.Stream)
	if err != nil {
		return nil, nil, err
	}
	if o.s != nil {
		defer o.g.enter()()
		done, err := o.s.Idle()
		return o.g, &doneResult{Done: done}, err
	}
	e, err := mark(o.g)
	if err != nil {
		return o.g, nil, err
	}
	defer o.g.enter()()
	done, err := e.Done()
	return o.g, &doneResult{Done: done}, errors.Join(err, e.Close())
}

type sinceArgs struct {
	header
	Event uint64 `cbor:"event"`
	Start uint64 `cbor:"start"`
}

type sinceResult struct {
	reply
	MS float64 `cbor:"ms"`
}

func since(s *server, a *sinceArgs) (*gpu, any, error) {
	e, err := lookup[*event](s.handles, a.Event)
	if err != nil {
		return nil, nil, err
	}
	start, err := lookup[*event](s.handles, a.Start)
	if err != nil {
		return nil, nil, err
	}
	return e.g, wait(func(context.Context) (any, error) {
		defer e.g.enterToWait()()
		ms, err := e.e.Since(start.e)
		return &sinceResult{MS: ms}, err
	}), nil
}

type peerArgs struct {
	header
	Device uint64 `cbor:"device"`
	Other  uint64 `cbor:"other"`
}

type peerResult struct {
	reply
	Can bool `cbor:"can"`
}

func canPeer(s *server, a *peerArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err != nil {
		return nil, nil, err
	}
	o, err := lookup[*gpu](s.handles, a.Other)
	if err != nil {
		return nil, nil, err
	}
	defer g.enter()()
	can, err := g.dev.CanPeer(o.dev)
	return g, &peerResult{Can: can}, err
}

func enablePeer(s *server, a *peerArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err != nil {
		return nil, nil, err
	}
	o, err := lookup[*gpu](s.handles, a.Other)
	if err != nil {
		return nil, nil, err
	}
	defer g.enter()()
	return g, nil, g.dev.EnablePeer(o.dev)
}

type closeArgs struct {
	header
	Handle uint64 `cbor:"handle"`
}

// closeHandle closes any handle. What is of a closed device goes with it.
func closeHandle(s *server, a *closeArgs) (*gpu, any, error) {
	o, ok := s.handles.get(a.Handle)
	if !ok {
		return nil, nil, argumentf("there is no handle %d", a.Handle)
	}
	delete(s.handles, a.Handle)
	if s.log != nil {
		s.log.Destroyed(a.Handle)
	}
	var g *gpu
	var end func() error
	switch o := o.(type) {
	case *gpu:
		s.closing(o)
		s.closeDevice(o)
		return nil, wait(func(context.Context) (any, error) {
			defer o.enterToWait()()
			s.count(o)
			return nil, o.dev.Close()
		}), nil
	case *stream:
		g, end = o.g, o.s.Close
	case *event:
		g, end = o.g, o.e.Close
	case *module:
		g, end = o.g, o.m.Close
	case *hostMemory:
		return o.g, s.closeHost(o), nil
	case *room:
		s.dropRoom(o)
		return nil, nil, nil
	case *dataset:
		return nil, s.closeWhenMade(&o.future, func() { s.drop(o) }), nil
	case *program:
		return nil, s.closeWhenMade(&o.future, func() {
			if o.own {
				s.engines.dropProgram(o.p)
			}
		}), nil
	case *lent:
		return nil, s.closeWhenMade(&o.future, func() { s.dropLent(o) }), nil
	case *kernel:
		return o.g, nil, nil
	}
	return g, wait(func(context.Context) (any, error) {
		defer g.enterToWait()()
		return nil, end()
	}), nil
}

// closeWhenMade ends an object when it is there, if it will be: also after the request was
// cancelled, since the handle is gone.
func (s *server) closeWhenMade(f *future, end func()) wait {
	return func(ctx context.Context) (any, error) {
		if f.await(ctx, "") == nil {
			end()
			return nil, nil
		}
		if ctx.Err() != nil {
			s.waits.Go(func() {
				if f.await(s.ctx, "") == nil {
					end()
				}
			})
		}
		return nil, ctx.Err()
	}
}

type cancelArgs struct {
	header
	Request uint64 `cbor:"request"`
}

type cancelResult struct {
	reply
	Found bool `cbor:"found"`
}

// cancel ends a request that waits, or that is behind one.
func cancel(s *server, a *cancelArgs) (*gpu, any, error) {
	for _, q := range s.queues {
		if q.busy != nil && q.busy.ID == a.Request {
			q.busy.cancel()
			return nil, &cancelResult{Found: true}, nil
		}
		for _, r := range q.backlog {
			if r.ID == a.Request {
				r.dead = true
				return nil, &cancelResult{Found: true}, nil
			}
		}
	}
	return nil, &cancelResult{}, nil
}
