package serve

import (
	"cmp"
	"context"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

type allocArgs struct {
	header
	Device uint64 `cbor:"device"`
	Name   string `cbor:"name"`
	Size   int64  `cbor:"size"`
	// Unwritten has the emulator report reads of what was not written before.
	Unwritten bool   `cbor:"unwritten"`
	Stack     string `cbor:"stack"` // of the call in host code
}

type ptrResult struct {
	reply
	Ptr uint64 `cbor:"ptr"`
}

func alloc(s *server, a *allocArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err != nil {
		return nil, nil, err
	}
	defer g.enter()()
	p, err := g.dev.Alloc(a.Name, a.Size)
	if err != nil {
		return g, nil, err
	}
	g.note(p, a.Size)
	s.allocated(a.Name, a.Stack)
	if d, ok := g.dev.(*simt.Device); ok && a.Unwritten {
		d.Unwritten(p)
	}
	return g, &ptrResult{Ptr: uint64(p)}, nil
}

type memoryArgs struct {
	header
	Device uint64 `cbor:"device"`
}

type memoryResult struct {
	reply
	Free  int64 `cbor:"free"`
	Total int64 `cbor:"total"`
}

// memoryInfo counts what alloc has given.
func memoryInfo(s *server, a *memoryArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err != nil {
		return nil, nil, err
	}
	total := g.dev.Info().Memory
	return g, &memoryResult{Free: total - g.inUse(), Total: total}, nil
}

type freeArgs struct {
	header
	Device uint64 `cbor:"device"`
	Ptr    uint64 `cbor:"ptr"`
}

func free(s *server, a *freeArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err != nil {
		return nil, nil, err
	}
	return g, wait(func(context.Context) (any, error) {
		defer g.enterToWait()()
		err := g.dev.Free(device.Ptr(a.Ptr))
		if err == nil {
			g.forget(device.Ptr(a.Ptr))
		}
		return nil, err
	}), nil
}

type hostArgs struct {
	header
	As     uint64 `cbor:"as"`
	Device uint64 `cbor:"device"`
	Name   string `cbor:"name"`
	Size   int64  `cbor:"size"`
	Stack  string `cbor:"stack"`
}

type hostResult struct {
	reply
	At  int64  `cbor:"at"`
	Ptr uint64 `cbor:"ptr"`
}

// host makes a range of the arena memory that kernels address as the client does.
func host(s *server, a *hostArgs) (*gpu, any, error) {
	g, err := lookup[*gpu](s.handles, a.Device)
	if err := cmp.Or(err, s.handles.check(a.As)); err != nil {
		return nil, nil, err
	}
	dev, ok := g.dev.(adopts)
	if !ok {
		return g, nil, argumentf("host: a device of kind %s has no page-locked memory in the arena yet", g.kind)
	}
	if s.arena != nil && s.arena.base == 0 {
		return g, nil, argumentf("host: hello has not said where the client has mapped the arena (base)")
	}
	r, err := s.arena.alloc(a.Name, a.Size)
	if err != nil {
		return g, nil, err
	}
	defer g.enter()()
	p := s.arena.base + uint64(r.at)
	m, err := dev.AdoptHost(a.Name, device.Ptr(p), s.arena.data[r.at:r.at+a.Size:r.at+a.Size])
	if err != nil {
		s.arena.free(r)
		return g, nil, err
	}
	s.handles[a.As] = &hostMemory{g, m, r}
	s.allocated(a.Name, a.Stack)
	return g, &hostResult{At: r.at, Ptr: p}, nil
}

type hostFreeArgs struct {
	header
	Host uint64 `cbor:"host"`
}

func hostFree(s *server, a *hostFreeArgs) (*gpu, any, error) {
	h, err := lookup[*hostMemory](s.handles, a.Host)
	if err != nil {
		return nil, nil, err
	}
	delete(s.handles, a.Host)
	return h.g, s.closeHost(h), nil
}

// closeHost waits for the device, and frees the range.
func (s *server) closeHost(h *hostMemory) wait {
	return func(context.Context) (any, error) {
		defer h.g.enterToWait()()
		err := h.m.Close()
		s.arena.free(h.r)
		return nil, err
	}
}

type roomArgs struct {
	header
	As   uint64 `cbor:"as"`
	Size int64  `cbor:"size"`
	Lazy bool   `cbor:"lazy"` // the client allocates the pages, and writes all of them
}

type roomResult struct {
	reply
	At    int64 `cbor:"at"`
	Dirty bool  `cbor:"dirty"` // a lazy one has its pages from before
}

func newRoom(s *server, a *roomArgs) (*gpu, any, error) {
	if err := s.handles.check(a.As); err != nil {
		return nil, nil, err
	}
	var r span
	var err error
	dirty := false
	if a.Lazy {
		r, dirty, err = s.arena.take("room", a.Size)
	} else {
		r, err = s.arena.alloc("room", a.Size)
	}
	if err != nil {
		return nil, nil, err
	}
	s.handles[a.As] = newRoomAt(r)
	return nil, &roomResult{At: r.at, Dirty: dirty}, nil
}

type copyArgs struct {
	header
	Stream uint64 `cbor:"stream"`
	Ptr    uint64 `cbor:"ptr"`
	At     *int64 `cbor:"at"`
	Size   int64  `cbor:"size"`
	Data   []byte `cbor:"data"`
	Wait   bool   `cbor:"wait"`
	Called string `cbor:"stack"` // of the call in host code
}

// maxInline bounds the bytes of a copy that are in the message.
const maxInline = 64 << 10

func copyIn(s *server, a *copyArgs) (*gpu, any, error) {
	o, err := s.handles.order(a.Stream)
	if err != nil {
		return nil, nil, err
	}
	o.g.calling(a.Called)
	src := a.Data
	switch {
	case a.At != nil && a.Data != nil:
		return o.g, nil, argumentf("copyin: both at and data")
	case a.At != nil:
		if src, err = s.arena.bytes(*a.At, a.Size); err != nil {
			return o.g, nil, err
		}
	case len(src) > maxInline || a.Size != 0 && a.Size != int64(len(src)):
		return o.g, nil, argumentf("copyin: data of %d bytes, size %d: at most %d", len(src), a.Size, maxInline)
	}
	err = func() error {
		defer o.g.enter()()
		return o.queue().CopyIn(device.Ptr(a.Ptr), src)
	}()
	if err != nil || !a.Wait {
		return o.g, nil, err
	}
	return syncWith(s, &syncArgs{Stream: a.Stream})
}

type dataResult struct {
	reply
	Data []byte `cbor:"data"`
}

func copyOut(s *server, a *copyArgs) (*gpu, any, error) {
	o, err := s.handles.order(a.Stream)
	if err != nil {
		return nil, nil, err
	}
	o.g.calling(a.Called)
	if a.Data != nil {
		return o.g, nil, argumentf("copyout: data is a result")
	}
	if a.At == nil {
		if a.Size < 0 || a.Size > maxInline {
			return o.g, nil, argumentf("copyout: %d bytes without at: at most %d", a.Size, maxInline)
		}
		return o.g, wait(func(context.Context) (any, error) {
			defer o.g.enterToWait()()
			r := &dataResult{Data: make([]byte, a.Size)}
			return r, o.queue().CopyOut(r.Data, device.Ptr(a.Ptr))
		}), nil
	}
	dst, err := s.arena.bytes(*a.At, a.Size)
	if err != nil {
		return o.g, nil, err
	}
	if o.s != nil && s.pageLocked(*a.At, a.Size) && !a.Wait {
		defer o.g.enter()()
		return o.g, nil, o.s.CopyOut(dst, device.Ptr(a.Ptr))
	}
	return o.g, wait(func(ctx context.Context) (any, error) {
		defer o.g.enterToWait()()
		if err := o.queue().CopyOut(dst, device.Ptr(a.Ptr)); err != nil || o.s == nil || !a.Wait {
			return nil, err
		}
		return nil, o.s.Sync(ctx)
	}), nil
}

// pageLocked reports whether bytes of the arena are page-locked memory.
func (s *server) pageLocked(at, size int64) bool {
	for _, o := range s.handles {
		if h, ok := o.(*hostMemory); ok && at >= h.r.at && at+size <= h.r.end {
			return true
		}
	}
	return false
}

type copyWithinArgs struct {
	header
	Stream uint64 `cbor:"stream"`
	Dst    uint64 `cbor:"dst"`
	Src    uint64 `cbor:"src"`
	Size   int64  `cbor:"size"`
	From   uint64 `cbor:"from"`
	Value  byte   `cbor:"value"`
	Called string `cbor:"stack"` // of the call in host code
}

func copyWithin(s *server, a *copyWithinArgs) (*gpu, any, error) {
	o, err := s.handles.order(a.Stream)
	if err != nil {
		return nil, nil, err
	}
	defer o.g.enter()()
	o.g.calling(a.Called)
	return o.g, nil, o.queue().Copy(device.Ptr(a.Dst), device.Ptr(a.Src), a.Size)
}

// copyPeer copies between devices. In the default stream it is done by a blocking
// stream that ends with it.
func copyPeer(s *server, a *copyWithinArgs) (*gpu, any, error) {
	o, err := s.handles.order(a.Stream)
	if err != nil {
		return nil, nil, err
	}
	from, err := lookup[*gpu](s.handles, a.From)
	if err != nil {
		return o.g, nil, err
	}
	if o.s != nil {
		defer o.g.enter()()
		return o.g, nil, o.s.CopyPeer(device.Ptr(a.Dst), from.dev, device.Ptr(a.Src), a.Size)
	}
	defer o.g.enterToWait()()
	t, err := o.g.dev.NewStream(device.StreamOptions{Blocking: true})
	if err != nil {
		return o.g, nil, err
	}
	err = t.CopyPeer(device.Ptr(a.Dst), from.dev, device.Ptr(a.Src), a.Size)
	return o.g, nil, cmp.Or(err, t.Close())
}

func fill(s *server, a *copyWithinArgs) (*gpu, any, error) {
	o, err := s.handles.order(a.Stream)
	if err != nil {
		return nil, nil, err
	}
	defer o.g.enter()()
	o.g.calling(a.Called)
	return o.g, nil, o.queue().Fill(device.Ptr(a.Dst), a.Value, a.Size)
}
