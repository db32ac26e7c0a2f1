//go:build unix

package serve

import (
	"context"
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"golang.org/x/sys/unix"
)

// base is where the tests' client has the arena. It does not map it there: only kernels
// use the addresses.
const base = 0x2000_0000_0000

// A client is the other end of a server in the same process.
type client struct {
	t    *testing.T
	in   *os.File // of the server
	out  *os.File
	id   uint64
	end  chan error
	err  error
	over bool
	got  map[uint64]msg // replies to other requests
	file *os.File       // the arena
	last int            // handle
}

type msg = map[string]any

// start starts a server with options. hello has not been said.
func start(t *testing.T, set ...func(*Options)) *client {
	t.Helper()
	toServer, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromServer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Version: "test"}
	arena, err := os.CreateTemp(t.TempDir(), "arena")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = arena.Close() })
	inherited, err := unix.Dup(int(arena.Fd())) // the server's own
	if err != nil {
		t.Fatal(err)
	}
	o.Arena, o.HasArena = uintptr(inherited), true
	for _, f := range set {
		f(&o)
	}
	c := &client{t: t, in: in, out: out, end: make(chan error, 1), got: map[uint64]msg{}, file: arena, last: 1000}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		c.end <- Serve(ctx, toServer, fromServer, o)
		_ = fromServer.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		if err := c.wait(); err != nil && !c.over {
			t.Errorf("the server: %v", err)
		}
		stop()
		_ = out.Close()
	})
	return c
}

// wait returns the server's error.
func (c *client) wait() error {
	c.t.Helper()
	if c.end == nil {
		return c.err
	}
	select {
	case c.err = <-c.end:
	case <-time.After(10 * time.Second):
		c.t.Fatal("the server does not end")
	}
	c.end = nil
	return c.err
}

// hello starts a server, greets it, and opens an emulated device as handle 1.
func hi(t *testing.T) *client {
	t.Helper()
	c := start(t)
	c.ok(msg{"do": "hello", "protocol": []int{1, 0}, "client": "test", "arena": 1 << 24, "base": uint64(base)})
	c.ok(msg{"do": "open", "as": 1, "kind": "simt"})
	return c
}

// send writes a request and returns its number.
func (c *client) send(m msg) uint64 {
	c.t.Helper()
	c.id++
	m["id"] = c.id
	b, err := cbor.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	c.raw(frame(b))
	return c.id
}

func frame(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func (c *client) raw(b []byte) {
	c.t.Helper()
	if _, err := c.in.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// receive returns the reply to a request, and keeps others.
func (c *client) receive(id uint64) msg {
	c.t.Helper()
	for {
		if m, ok := c.got[id]; ok {
			delete(c.got, id)
			return m
		}
		m, err := c.next()
		if err != nil {
			c.t.Fatalf("no reply to request %d: %v", id, err)
		}
		n, _ := m["id"].(uint64)
		c.got[n] = m
	}
}

func (c *client) next() (msg, error) {
	if err := c.out.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return nil, err
	}
	b, err := readMessage(c.out)
	if err != nil {
		return nil, err
	}
	var m msg
	mode, err := cbor.DecOptions{DefaultMapType: reflectMsg}.DecMode()
	if err != nil {
		return nil, err
	}
	return m, mode.Unmarshal(b, &m)
}

// ok makes a request that must succeed.
func (c *client) ok(m msg) msg {
	c.t.Helper()
	r := c.receive(c.send(m))
	if e := r["error"]; e != nil {
		c.t.Fatalf("%v: %v", m, e)
	}
	return r
}

// refused makes a request that must fail, and returns the error.
func (c *client) refused(m msg) msg {
	c.t.Helper()
	e, ok := c.receive(c.send(m))["error"].(msg)
	if !ok {
		c.t.Fatalf("%v succeeded", m)
	}
	return e
}
