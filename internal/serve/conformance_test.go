//go:build unix

package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"golang.org/x/sys/unix"

	"irgl/internal/device"
	"irgl/internal/device/devicetest"
)

// TestConformance runs the suite of devices over the protocol.
func TestConformance(t *testing.T) {
	devicetest.Run(t, func(t *testing.T) device.Device {
		t.Helper()
		d, err := dial(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return d
	})
}

// A remote is an emulated device of a server: handle 1.
type remote struct {
	in     *os.File
	arena  []byte
	mode   cbor.DecMode
	info   device.Info
	end    chan error
	mu     sync.Mutex
	id     int
	handle int
	wait   map[int]chan msg
	closed bool
}

// dial starts a server in this process and opens a device of it.
func dial(dir string) (*remote, error) {
	const size = 1 << 26
	toServer, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, fromServer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, "arena")
	if err != nil {
		return nil, err
	}
	d := &remote{in: in, end: make(chan error, 1), wait: map[int]chan msg{}, handle: 100}
	if d.arena, err = unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, err
	}
	inherited, err := unix.Dup(int(file.Fd()))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if d.mode, err = (cbor.DecOptions{DefaultMapType: reflectMsg}).DecMode(); err != nil {
		return nil, err
	}
	go func() {
		d.end <- Serve(context.Background(), toServer, fromServer, Options{Version: "test", Arena: uintptr(inherited), HasArena: true})
		_ = fromServer.Close()
	}()
	go d.read(out)
	if _, err := d.do(msg{"do": "hello", "protocol": []int{1, 0}, "client": "conformance", "arena": size, "base": uint64(base)}); err != nil {
		return nil, err
	}
	r, err := d.do(msg{"do": "open", "as": 1, "kind": "simt"})
	if err != nil {
		return nil, err
	}
	i := r["info"].(msg)
	d.info = device.Info{Kind: "simt", Name: i["name"].(string), Major: num[int](i["major"]), Minor: num[int](i["minor"]), Multiprocessors: num[int](i["multiprocessors"]),
		WarpSize: num[int](i["warp"]), MaxThreadsPerBlock: num[int](i["maxthreads"]), MaxThreadsPerSM: num[int](i["threadspersm"]),
		SharedMemoryPerBlock: num[int](i["shared"]), Memory: num[int64](i["memory"]), Cooperative: i["cooperative"].(bool), Clusters: i["clusters"].(bool)}
	return d, nil
}

func num[T int | int64 | device.Ptr | uint32](v any) T {
	n, _ := v.(uint64)
	return T(n)
}

// read hands out replies.
func (d *remote) read(out *os.File) {
	for {
		b, err := readMessage(out)
		var m msg
		if err == nil {
			err = d.mode.Unmarshal(b, &m)
		}
		d.mu.Lock()
		if err != nil {
			for _, c := range d.wait {
				close(c)
			}
			d.wait = nil
			d.mu.Unlock()
			_ = out.Close()
			return
		}
		n := num[int](m["id"])
		d.wait[n] <- m
		delete(d.wait, n)
		d.mu.Unlock()
	}
}

// start sends a request and returns where its reply comes.
func (d *remote) start(m msg) (int, chan msg, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.wait == nil {
		return 0, nil, errors.New("the device is closed")
	}
	d.id++
	m["id"] = d.id
	b, err := cbor.Marshal(m)
	if err != nil {
		return 0, nil, err
	}
	c := make(chan msg, 1)
	d.wait[d.id] = c
	_, err = d.in.Write(frame(b))
	return d.id, c, err
}

func (d *remote) do(m msg) (msg, error) { return d.doContext(context.Background(), m) }

// doContext makes a request, which the end of ctx cancels.
func (d *remote) doContext(ctx context.Context, m msg) (msg, error) {
	id, c, err := d.start(m)
	if err != nil {
		return nil, err
	}
	var r msg
	ok := true
	select {
	case r, ok = <-c:
	case <-ctx.Done():
		if _, err := d.do(msg{"do": "cancel", "queue": 9, "request": id}); err != nil {
			return nil, err
		}
		r, ok = <-c
	}
	if !ok {
		return nil, errors.New("the server has ended")
	}
	e, failed := r["error"].(msg)
	switch {
	case !failed:
		return r, nil
	case e["kind"] == "cancelled":
		return nil, ctx.Err()
	case e["kind"] == "memory":
		return nil, &device.OutOfMemoryError{Name: m["name"].(string), Size: num[int64](e["size"]), Free: num[int64](e["free"])}
	}
	return nil, errors.New(e["message"].(string))
}

// object makes a request that makes an object, and returns its handle.
func (d *remote) object(m msg) (int, msg, error) {
	d.mu.Lock()
	d.handle++
	h := d.handle
	d.mu.Unlock()
	m["as"] = h
	r, err := d.do(m)
	return h, r, err
}

func (d *remote) Info() device.Info { return d.info }

func (d *remote) Alloc(name string, size int64) (device.Ptr, error) {
	r, err := d.do(msg{"do": "alloc", "device": 1, "name": name, "size": size})
	return num[device.Ptr](r["ptr"]), err
}

func (d *remote) Free(p device.Ptr) error {
	_, err := d.do(msg{"do": "free", "device": 1, "ptr": uint64(p)})
	return err
}

func (d *remote) AllocHost(name string, size int64) (device.HostMemory, error) {
	h, r, err := d.object(msg{"do": "host", "device": 1, "name": name, "size": size})
	if err != nil {
		return nil, err
	}
	at := num[int64](r["at"])
	return &remoteHost{d, h, num[device.Ptr](r["ptr"]), d.arena[at : at+size : at+size]}, nil
}

type remoteHost struct {
	d *remote
	h int
	p device.Ptr
	b []byte
}

func (m *remoteHost) Bytes() []byte   { return m.b }
func (m *remoteHost) Ptr() device.Ptr { return m.p }
func (m *remoteHost) Close() error {
	if m.b == nil {
		return nil
	}
	m.b = nil
	_, err := m.d.do(msg{"do": "hostfree", "host": m.h})
	return err
}

// at returns where bytes are in the arena.
func (d *remote) at(b []byte) (int, bool) {
	if len(b) == 0 {
		return 0, false
	}
	for i := 0; i < len(d.arena); i += pageSize {
		if &d.arena[i] == &b[0] {
			return i, true
		}
	}
	return 0, false
}

func (d *remote) CopyIn(dst device.Ptr, src []byte) error {
	return (&remoteStream{d: d, h: 1}).CopyIn(dst, src)
}
func (d *remote) CopyOut(dst []byte, src device.Ptr) error {
	return (&remoteStream{d: d, h: 1}).CopyOut(dst, src)
}
func (d *remote) Copy(dst, src device.Ptr, size int64) error {
	return (&remoteStream{d: d, h: 1}).Copy(dst, src, size)
}
func (d *remote) Fill(dst device.Ptr, value byte, size int64) error {
	return (&remoteStream{d: d, h: 1}).Fill(dst, value, size)
}
func (d *remote) Launch(k device.Kernel, l device.Launch) error {
	return (&remoteStream{d: d, h: 1}).Launch(k, l)
}

func (d *remote) Load(name, ptx string) (device.Module, error) {
	h, _, err := d.object(msg{"do": "load", "device": 1, "name": name, "text": ptx})
	if err != nil {
		return nil, err
	}
	return &remoteModule{d, h}, nil
}

func (d *remote) Sync(ctx context.Context) error {
	_, err := d.doContext(ctx, msg{"do": "sync", "device": 1})
	return err
}

func (d *remote) NewStream(o device.StreamOptions) (device.Stream, error) {
	h, _, err := d.object(msg{"do": "stream", "device": 1, "name": o.Name, "blocking": o.Blocking, "high": o.High})
	if err != nil {
		return nil, err
	}
	return &remoteStream{d: d, h: h}, nil
}

func (d *remote) NewEvent() (device.Event, error) {
	h, _, err := d.object(msg{"do": "event", "device": 1})
	if err != nil {
		return nil, err
	}
	return &remoteEvent{d, h}, nil
}

func (d *remote) CanPeer(other device.Device) (bool, error) {
	if other == nil {
		return false, errors.New("no device")
	}
	return other == device.Device(d), nil
}

func (d *remote) EnablePeer(other device.Device) error {
	if other != device.Device(d) {
		return errors.New("a device of another server")
	}
	_, err := d.do(msg{"do": "enablepeer", "device": 1, "other": 1})
	return err
}

func (d *remote) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	d.mu.Unlock()
	if err := d.in.Close(); err != nil {
		return err
	}
	select {
	case err := <-d.end:
		return err
	case <-time.After(10 * time.Second):
		return errors.New("the server does not end")
	}
}

// Reports implements [device.Checking].
func (d *remote) Reports() []device.Report {
	var list []device.Report
	for {
		r, err := d.do(msg{"do": "report", "device": 1, "from": len(list)})
		if err != nil {
			return list
		}
		more, _ := r["reports"].([]any)
		for _, x := range more {
			m := x.(msg)
			p := device.Report{Kind: m["kind"].(string), Kernel: m["kernel"].(string), Buffer: m["buffer"].(string), Place: m["place"].(string), Message: m["text"].(string)}
			list = append(list, p)
		}
		if r["news"] != true {
			return list
		}
	}
}

type remoteModule struct {
	d *remote
	h int
}

func (m *remoteModule) Kernel(name string) (device.Kernel, error) {
	h, r, err := m.d.object(msg{"do": "kernel", "module": m.h, "name": name})
	if err != nil {
		return nil, err
	}
	i := r["info"].(msg)
	c := i["cluster"].([]any)
	return &remoteKernel{m.d, h, device.KernelInfo{Name: i["name"].(string), Registers: num[int](i["registers"]), SharedBytes: num[int](i["shared"]), LocalBytes: num[int](i["local"]),
		MaxThreads: num[int](i["maxthreads"]), ParamsLength: num[int](i["params"]), Cluster: device.Dim3{X: num[uint32](c[0]), Y: num[uint32](c[1]), Z: num[uint32](c[2])}}}, nil
}

func (m *remoteModule) Global(name string) (device.Ptr, int64, error) {
	r, err := m.d.do(msg{"do": "global", "module": m.h, "name": name})
	return num[device.Ptr](r["ptr"]), num[int64](r["size"]), err
}

func (m *remoteModule) Close() error { return m.d.drop(&m.h) }

// drop closes a handle once.
func (d *remote) drop(h *int) error {
	if *h == 0 {
		return nil
	}
	_, err := d.do(msg{"do": "close", "handle": *h})
	*h = 0
	if err != nil && strings.Contains(err.Error(), "closed") {
		return nil
	}
	return err
}

type remoteKernel struct {
	d    *remote
	h    int
	info device.KernelInfo
}

func (k *remoteKernel) Info() device.KernelInfo { return k.info }
func (k *remoteKernel) Occupancy(threads int, shared uint32) (int, error) {
	r, err := k.d.do(msg{"do": "occupancy", "kernel": k.h, "threads": threads, "shared": shared})
	return num[int](r["blocks"]), err
}
func (k *remoteKernel) Clusters(threads int, shared uint32) (int, error) {
	r, err := k.d.do(msg{"do": "occupancy", "kernel": k.h, "threads": threads, "shared": shared})
	return num[int](r["clusters"]), err
}

// A remoteStream with the device's handle is its default stream.
type remoteStream struct {
	d *remote
	h int
}

func (s *remoteStream) Launch(k device.Kernel, l device.Launch) error {
	r, ok := k.(*remoteKernel)
	if !ok || r.d != s.d {
		return errors.New("the kernel is not of this device")
	}
	_, err := s.d.do(msg{"do": "launch", "stream": s.h, "kernel": r.h, "grid": []uint32{l.Grid.X, l.Grid.Y, l.Grid.Z}, "block": []uint32{l.Block.X, l.Block.Y, l.Block.Z},
		"shared": l.Shared, "cooperative": l.Cooperative, "params": l.Params})
	return err
}

func (s *remoteStream) CopyIn(dst device.Ptr, src []byte) error {
	if at, ok := s.d.at(src); ok {
		_, err := s.d.do(msg{"do": "copyin", "stream": s.h, "ptr": uint64(dst), "at": at, "size": len(src)})
		return err
	}
	if len(src) <= maxInline {
		_, err := s.d.do(msg{"do": "copyin", "stream": s.h, "ptr": uint64(dst), "data": src})
		return err
	}
	return s.d.inRoom(len(src), func(at int, room []byte) error {
		copy(room, src)
		_, err := s.d.do(msg{"do": "copyin", "stream": s.h, "ptr": uint64(dst), "at": at, "size": len(src)})
		return err
	})
}

func (s *remoteStream) CopyOut(dst []byte, src device.Ptr) error {
	if at, ok := s.d.at(dst); ok {
		_, err := s.d.do(msg{"do": "copyout", "stream": s.h, "ptr": uint64(src), "at": at, "size": len(dst)})
		return err
	}
	if len(dst) <= maxInline {
		r, err := s.d.do(msg{"do": "copyout", "stream": s.h, "ptr": uint64(src), "size": len(dst)})
		if err == nil {
			copy(dst, r["data"].([]byte))
		}
		return err
	}
	return s.d.inRoom(len(dst), func(at int, room []byte) error {
		_, err := s.d.do(msg{"do": "copyout", "stream": s.h, "ptr": uint64(src), "at": at, "size": len(dst)})
		copy(dst, room)
		return err
	})
}

// inRoom lends a range of the arena to f.
func (d *remote) inRoom(size int, f func(at int, room []byte) error) error {
	h, r, err := d.object(msg{"do": "room", "size": size})
	if err != nil {
		return fmt.Errorf("a room of %d bytes: %w", size, err)
	}
	at := num[int](r["at"])
	return errors.Join(f(at, d.arena[at:at+size]), d.drop(&h))
}

func (s *remoteStream) Copy(dst, src device.Ptr, size int64) error {
	_, err := s.d.do(msg{"do": "copy", "stream": s.h, "dst": uint64(dst), "src": uint64(src), "size": size})
	return err
}

func (s *remoteStream) CopyPeer(dst device.Ptr, from device.Device, src device.Ptr, size int64) error {
	if from != device.Device(s.d) {
		return errors.New("a device of another server")
	}
	_, err := s.d.do(msg{"do": "copypeer", "stream": s.h, "dst": uint64(dst), "from": 1, "src": uint64(src), "size": size})
	return err
}

func (s *remoteStream) Fill(dst device.Ptr, value byte, size int64) error {
	_, err := s.d.do(msg{"do": "fill", "stream": s.h, "dst": uint64(dst), "value": value, "size": size})
	return err
}

func (s *remoteStream) Record(e device.Event) error {
	r, ok := e.(*remoteEvent)
	if !ok || r.d != s.d {
		return errors.New("the event is of another device")
	}
	_, err := s.d.do(msg{"do": "record", "stream": s.h, "event": r.h})
	return err
}

func (s *remoteStream) Wait(e device.Event) error {
	r, ok := e.(*remoteEvent)
	if !ok || r.d != s.d {
		return errors.New("the event is of another server")
	}
	_, err := s.d.do(msg{"do": "waitevent", "stream": s.h, "event": r.h})
	return err
}

func (s *remoteStream) Sync(ctx context.Context) error {
	_, err := s.d.doContext(ctx, msg{"do": "sync", "stream": s.h})
	return err
}

func (s *remoteStream) Idle() (bool, error) {
	r, err := s.d.do(msg{"do": "query", "stream": s.h})
	return r["done"] == true, err
}

func (s *remoteStream) Close() error { return s.d.drop(&s.h) }

type remoteEvent struct {
	d *remote
	h int
}

func (e *remoteEvent) Record() error { return (&remoteStream{d: e.d, h: 1}).Record(e) }
func (e *remoteEvent) Since(start device.Event) (float64, error) {
	s, ok := start.(*remoteEvent)
	if !ok || s.d != e.d {
		return 0, errors.New("the events are of different devices")
	}
	r, err := e.d.do(msg{"do": "since", "event": e.h, "start": s.h})
	ms, _ := r["ms"].(float64)
	return ms, err
}
func (e *remoteEvent) Done() (bool, error) {
	r, err := e.d.do(msg{"do": "query", "event": e.h})
	return r["done"] == true, err
}
func (e *remoteEvent) Sync(ctx context.Context) error {
	_, err := e.d.doContext(ctx, msg{"do": "sync", "event": e.h})
	return err
}
func (e *remoteEvent) Close() error { return e.d.drop(&e.h) }
