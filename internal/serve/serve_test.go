//go:build unix

package serve

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"time"
)

var reflectMsg = reflect.TypeFor[msg]()

// kernels are those of the tests: add stores a[i] + n to out[i], past its end if there
// are more threads than elements; hello prints; spin counts for a long time; crash traps.
const kernels = `.version 7.0
.target sm_70
.address_size 64
.file 1 "add.cu"
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 4 .u32 seen = 7;
.global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};

.visible .entry add(.param .u64 out, .param .u64 a, .param .u32 n)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [a];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd1, %rd1, %rd3;
	add.s64 %rd2, %rd2, %rd3;
	.loc 1 5 3
	ld.u32 %r3, [%rd2];
	add.s32 %r3, %r3, %r1;
	.loc 1 6 3
	st.u32 [%rd1], %r3;
	ret;
}

.visible .entry hello()
{
	.reg .b64 %rd<4>;
	.reg .b32 %r<2>;
	mov.u64 %rd1, text;
	{
	.param .b64 f;
	.param .b64 v;
	.param .b32 r;
	st.param.b64 [f], %rd1;
	st.param.b64 [v], 0;
	call.uni (r), vprintf, (f, v);
	ld.param.b32 %r1, [r];
	}
	ret;
}

.visible .entry spin(.param .u64 out)
{
	.reg .b64 %rd<4>;
	.reg .pred %p<2>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [out];
	mov.u64 %rd2, 0;
L:
	add.s64 %rd2, %rd2, 1;
	st.u64 [%rd1], %rd2;
	setp.ne.s64 %p1, %rd2, 0;
	@%p1 bra L;
	ret;
}

.visible .entry crash()
{
	.loc 1 9 1
	trap;
}
`

// loaded is a client with the kernels: add is handle 11, hello 12, spin 13, crash 14.
func loaded(t *testing.T) *client {
	t.Helper()
	c := hi(t)
	c.ok(msg{"do": "load", "device": 1, "as": 10, "name": "add.ptx", "text": kernels})
	for i, name := range []string{"add", "hello", "spin", "crash"} {
		c.ok(msg{"do": "kernel", "module": 10, "as": 11 + i, "name": name})
	}
	return c
}

func (c *client) alloc(name string, size int) uint64 {
	c.t.Helper()
	p, _ := c.ok(msg{"do": "alloc", "device": 1, "name": name, "size": size})["ptr"].(uint64)
	return p
}

func words(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

// params are those of add.
func params(out, a uint64, n uint32) []byte {
	b := binary.LittleEndian.AppendUint64(nil, out)
	b = binary.LittleEndian.AppendUint64(b, a)
	return binary.LittleEndian.AppendUint32(b, n)
}

func TestAdd(t *testing.T) {
	c := loaded(t)
	in, out := c.alloc("in", 16), c.alloc("out", 16)
	c.ok(msg{"do": "copyin", "stream": 1, "ptr": in, "data": words(1, 2, 3, 4)})
	c.ok(msg{"do": "launch", "stream": 1, "kernel": 11, "grid": []int{1}, "block": []int{4}, "params": params(out, in, 10)})
	got := c.ok(msg{"do": "copyout", "stream": 1, "ptr": out, "size": 16})["data"]
	if want := words(11, 12, 13, 14); !bytes.Equal(got.([]byte), want) {
		t.Errorf("out is %v, want %v", got, want)
	}
	g := c.ok(msg{"do": "global", "module": 10, "name": "seen"})
	if g["size"] != uint64(4) {
		t.Errorf("global: %v", g)
	}
	info := c.ok(msg{"do": "kernel", "module": 10, "as": 30, "name": "add"})["info"].(msg)
	if info["params"] != uint64(20) {
		t.Errorf("kernel: %v", info)
	}
	if n := c.ok(msg{"do": "occupancy", "kernel": 11, "threads": 1024, "shared": 0})["blocks"]; n != uint64(2) {
		t.Errorf("%v blocks of 1024 threads are resident, want 2", n)
	}
}

// TestBytes: names of files in a text need not be UTF-8.
func TestBytes(t *testing.T) {
	c := loaded(t)
	c.ok(msg{"do": "load", "device": 1, "as": 60, "name": "caf\xe9.ptx", "text": kernels + "\n// caf\xe9.cu\n"})
	c.ok(msg{"do": "kernel", "module": 60, "as": 61, "name": "add"})
}

// TestStreams: work of a stream that waits for an event comes after it, although it was
// queued first in the order of the other one.
func TestStreams(t *testing.T) {
	c := loaded(t)
	in, out := c.alloc("in", 16), c.alloc("out", 16)
	c.ok(msg{"do": "stream", "device": 1, "as": 20})
	c.ok(msg{"do": "stream", "device": 1, "as": 21, "name": "second", "blocking": true})
	for i := range 2 {
		c.ok(msg{"do": "event", "device": 1, "as": 22 + i})
	}
	c.ok(msg{"do": "record", "stream": 20, "event": 22})
	c.ok(msg{"do": "fill", "stream": 20, "dst": in, "value": 1, "size": 16})
	c.ok(msg{"do": "record", "stream": 20, "event": 23})
	c.ok(msg{"do": "waitevent", "stream": 21, "event": 23})
	c.ok(msg{"do": "copy", "stream": 21, "dst": out, "src": in, "size": 16})
	c.ok(msg{"do": "waitevent", "stream": 1, "event": 23})
	got := c.ok(msg{"do": "copyout", "stream": 21, "ptr": out, "size": 4})["data"]
	if !bytes.Equal(got.([]byte), []byte{1, 1, 1, 1}) {
		t.Errorf("the copy is %v", got)
	}
	for _, what := range []string{"stream", "event"} {
		c.ok(msg{"do": "sync", what: 20 + 2*len(what)/5 - 2 + map[string]int{"stream": 0, "event": 2}[what]})
	}
	if r := c.ok(msg{"do": "query", "stream": 1}); r["done"] != true {
		t.Errorf("the default stream has work: %v", r)
	}
	if ms, ok := c.ok(msg{"do": "since", "start": 22, "event": 23})["ms"].(float64); !ok || ms < 0 {
		t.Errorf("since: %v", ms)
	}
	c.ok(msg{"do": "sync", "stream": 1})
	c.ok(msg{"do": "sync", "device": 1})
	for h := 20; h < 24; h++ {
		c.ok(msg{"do": "close", "handle": h})
	}
}

// TestHost: page-locked memory is in the arena, and kernels address it as the client does.
func TestHost(t *testing.T) {
	c := loaded(t)
	r := c.ok(msg{"do": "host", "device": 1, "as": 20, "name": "pinned", "size": 32})
	p := r["ptr"].(uint64)
	if p != base+r["at"].(uint64) {
		t.Fatalf("host: %v", r)
	}
	in := c.alloc("in", 16)
	c.ok(msg{"do": "copyin", "stream": 1, "ptr": in, "data": words(1, 2, 3, 4)})
	c.ok(msg{"do": "launch", "stream": 1, "kernel": 11, "grid": []int{1}, "block": []int{4}, "params": params(p+16, in, 1)})
	c.ok(msg{"do": "sync", "device": 1})
	if got := c.ok(msg{"do": "copyout", "stream": 1, "ptr": p + 16, "size": 16})["data"].([]byte); !bytes.Equal(got, words(2, 3, 4, 5)) {
		t.Errorf("the kernel has stored %v", got)
	}
	// From the arena to the device and back, by ranges.
	c.ok(msg{"do": "copyin", "stream": 1, "ptr": in, "at": r["at"].(uint64) + 16, "size": 16})
	c.ok(msg{"do": "stream", "device": 1, "as": 21})
	c.ok(msg{"do": "copyout", "stream": 21, "ptr": in, "at": r["at"], "size": 16, "wait": true})
	if got := c.ok(msg{"do": "copyout", "stream": 1, "ptr": p, "size": 16})["data"].([]byte); !bytes.Equal(got, words(2, 3, 4, 5)) {
		t.Errorf("copied out: %v", got)
	}
	c.ok(msg{"do": "hostfree", "host": 20})
	if e := c.refused(msg{"do": "copyin", "stream": 1, "ptr": in, "at": r["at"], "size": 16}); e["kind"] != "argument" {
		t.Errorf("a freed range: %v", e)
	}
	room := c.ok(msg{"do": "room", "as": 22, "size": 5000})
	c.ok(msg{"do": "copyin", "stream": 1, "ptr": in, "at": room["at"], "size": 16})
	if got := c.ok(msg{"do": "copyout", "stream": 1, "ptr": in, "size": 16})["data"].([]byte); !bytes.Equal(got, make([]byte, 16)) {
		t.Errorf("a range that was lent before is not zero: %v", got)
	}
	c.ok(msg{"do": "close", "handle": 22})
}

// TestFault: a fault has its position, and is in the reports; the emulator goes on.
func TestFault(t *testing.T) {
	c := loaded(t)
	in, out := c.alloc("in", 64), c.alloc("out", 16)
	launch := msg{"do": "launch", "stream": 1, "kernel": 11, "grid": []int{1}, "block": []int{5}, "params": params(out, in, 1)}
	c.ok(launch)
	r := c.receive(c.send(msg{"do": "sync", "device": 1}))
	e, ok := r["error"].(msg)
	if !ok || e["kind"] != "fault" || e["code"] != "out-of-bounds" || e["position"] != "add.cu:6:3" || e["reported"] != true || r["news"] != true {
		t.Fatalf("sync: %v", r)
	}
	n := c.ok(msg{"do": "report", "device": 1, "from": 0})
	list := n["reports"].([]any)
	if len(list) != 1 || !strings.Contains(list[0].(msg)["text"].(string), "at add.cu:6:3") {
		t.Errorf("reports: %v", n)
	}
	if r := c.ok(msg{"do": "sync", "device": 1}); r["news"] != nil {
		t.Errorf("the same news again: %v", r)
	}
	c.ok(msg{"do": "launch", "stream": 1, "kernel": 14, "grid": []int{1}, "block": []int{1}, "params": []byte{}})
	if e := c.refused(msg{"do": "sync", "device": 1}); e["code"] != "trap" || e["reported"] != nil {
		t.Errorf("trap: %v", e)
	}
}

func TestPrinted(t *testing.T) {
	c := loaded(t)
	c.ok(msg{"do": "launch", "stream": 1, "kernel": 12, "grid": []int{1}, "block": []int{2}, "params": []byte{}})
	if r := c.ok(msg{"do": "sync", "device": 1}); r["news"] != true {
		t.Fatalf("no news: %v", r)
	}
	if r := c.ok(msg{"do": "report", "device": 1, "from": 0}); string(r["printed"].([]byte)) != "hello\nhello\n" {
		t.Errorf("printed: %v", r)
	}
}

// TestQuiet: a quiet request has a reply only if it fails, which the next that is not
// quiet comes behind.
func TestQuiet(t *testing.T) {
	c := loaded(t)
	in, out := c.alloc("in", 16), c.alloc("out", 16)
	for range 1000 {
		c.send(msg{"do": "launch", "quiet": true, "stream": 1, "kernel": 11, "grid": []int{1}, "block": []int{4}, "params": params(out, in, 1)})
	}
	bad := c.send(msg{"do": "launch", "quiet": true, "stream": 1, "kernel": 11, "grid": []int{1}, "block": []int{4}, "params": []byte{1}})
	last := c.send(msg{"do": "sync", "device": 1})
	if m, err := c.next(); err != nil || m["id"] != bad || m["error"] == nil {
		t.Errorf("the first reply is %v, %v", m, err)
	}
	if m, err := c.next(); err != nil || m["id"] != last || m["error"] != nil {
		t.Errorf("the second reply is %v, %v", m, err)
	}
}

// TestQueues: while a request waits, those of other queues are done, those of its own
// are not, and cancel ends both.
func TestQueues(t *testing.T) {
	c := loaded(t)
	out := c.alloc("out", 16)
	c.ok(msg{"do": "launch", "stream": 1, "kernel": 13, "grid": []int{1}, "block": []int{1}, "params": binary.LittleEndian.AppendUint64(nil, out)})
	waits := c.send(msg{"do": "sync", "queue": 1, "device": 1})
	behind := c.send(msg{"do": "alloc", "queue": 1, "device": 1, "name": "behind", "size": 4})
	dropped := c.send(msg{"do": "alloc", "queue": 1, "device": 1, "name": "dropped", "size": 4})
	c.ok(msg{"do": "alloc", "queue": 2, "device": 1, "name": "other", "size": 4})
	if r := c.ok(msg{"do": "cancel", "queue": 2, "request": dropped}); r["found"] != true {
		t.Errorf("cancel: %v", r)
	}
	if len(c.got) > 0 {
		t.Errorf("replies to requests that wait: %v", c.got)
	}
	if r := c.ok(msg{"do": "cancel", "queue": 2, "request": waits}); r["found"] != true {
		t.Errorf("cancel: %v", r)
	}
	if e, ok := c.receive(waits)["error"].(msg); !ok || e["kind"] != "cancelled" {
		t.Errorf("the request that waits: %v", e)
	}
	if r := c.receive(behind); r["error"] != nil {
		t.Errorf("the request behind it: %v", r)
	}
	if e, ok := c.receive(dropped)["error"].(msg); !ok || e["kind"] != "cancelled" {
		t.Errorf("the request that was cancelled before it was begun: %v", e)
	}
	if r := c.ok(msg{"do": "cancel", "request": waits}); r["found"] != false {
		t.Errorf("cancel of a request that is done: %v", r)
	}
}

// TestClientDies: a kernel without an end does not keep the server.
func TestClientDies(t *testing.T) {
	c := loaded(t)
	out := c.alloc("out", 16)
	c.ok(msg{"do": "launch", "stream": 1, "kernel": 13, "grid": []int{1}, "block": []int{1}, "params": binary.LittleEndian.AppendUint64(nil, out)})
	c.send(msg{"do": "sync", "queue": 1, "device": 1})
	c.send(msg{"do": "free", "queue": 2, "device": 1, "ptr": out})
	time.Sleep(20 * time.Millisecond)
	begun := time.Now()
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.wait(); err != nil {
		t.Error(err)
	}
	if d := time.Since(begun); d > 2*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestRefusedRequests(t *testing.T) {
	c := loaded(t)
	c.ok(msg{"do": "event", "device": 1, "as": 20})
	p := c.alloc("p", 64)
	for _, x := range []struct {
		request msg
		text    string
	}{
		{msg{"do": "nothing"}, `no operation "nothing"`},
		{msg{"do": "alloc", "device": 2, "size": 4}, "no handle 2"},
		{msg{"do": "alloc", "device": 20, "size": 4}, "handle 20 is an event, not a device"},
		{msg{"do": "alloc", "device": 1, "size": -4}, "negative"},
		{msg{"do": "alloc", "device": 1, "size": "4"}, `argument "size" cannot be a UTF-8 text string`},
		{msg{"do": "alloc", "device": 1, "size": 4, "colour": 1}, `there is no argument "colour"`},
		{msg{"do": "launch", "stream": 1, "kernel": 11, "grid": 1}, `argument "grid" cannot be a positive integer`},
		{msg{"do": "alloc", "device": 1, "size": 1.5}, `argument "size" cannot be a simple value or a float`},
		{msg{"do": "alloc", "device": []int{1}, "size": 1}, `argument "device" cannot be an array`},
		{msg{"do": "free", "device": 1, "ptr": 77}, "no allocation starts there"},
		{msg{"do": "event", "device": 1, "as": 20}, "in use"},
		{msg{"do": "event", "device": 1, "as": 0}, "above zero"},
		{msg{"do": "open", "as": 50, "kind": "tpu"}, "cuda or simt"},
		{msg{"do": "open", "as": 50, "kind": "simt", "number": 1}, "no emulated device 1"},
		{msg{"do": "open", "as": 50, "kind": "simt", "devices": 99}, "1 to 16"},
		{msg{"do": "copyin", "stream": 1, "ptr": p, "data": make([]byte, 65)}, "pass its end"},
		{msg{"do": "copyin", "stream": 1, "ptr": p, "data": make([]byte, 70000)}, "at most 65536"},
		{msg{"do": "copyin", "stream": 1, "ptr": p, "at": 0, "size": 8}, "not in a range"},
		{msg{"do": "copyin", "stream": 1, "ptr": p, "at": -8, "size": 8}, "not in a range"},
		{msg{"do": "copyout", "stream": 1, "ptr": p, "size": -1}, "at most 65536"},
		{msg{"do": "copyout", "stream": 1, "ptr": p + 64, "size": 1}, "pass its end"},
		{msg{"do": "copy", "stream": 1, "dst": p, "src": 0, "size": 4}, "not in device memory"},
		{msg{"do": "load", "device": 1, "as": 50, "name": "bad.ptx", "text": "bad"}, "bad.ptx"},
		{msg{"do": "kernel", "module": 10, "as": 50, "name": "none"}, "no kernel none"},
		{msg{"do": "global", "module": 10, "name": "none"}, "no variable none"},
		{msg{"do": "launch", "stream": 1, "kernel": 11, "grid": []int{1}, "block": []int{2048}, "params": make([]byte, 20)}, "at most 1024 threads"},
		{msg{"do": "launch", "stream": 1, "kernel": 11, "grid": []int{1, 1, 1, 1}, "block": []int{1}, "params": make([]byte, 20)}, "4 numbers"},
		{msg{"do": "host", "device": 1, "as": 50, "name": "big", "size": 1 << 30}, "out of memory"},
		{msg{"do": "host", "device": 1, "as": 50, "name": "big", "size": -1}, "negative"},
		{msg{"do": "since", "start": 20, "event": 20}, "not recorded"},
		{msg{"do": "report", "device": 1, "from": 9}, "there are 0"},
		{msg{"do": "close", "handle": 99}, "no handle 99"},
	} {
		e := c.refused(x.request)
		if text, _ := e["message"].(string); !strings.Contains(text, x.text) {
			t.Errorf("%v: %v, want %q", x.request, e, x.text)
		}
	}
	c.ok(msg{"do": "sync", "device": 1})
}

// TestOutOfTurn: what breaks the protocol ends the server, after it has said why.
func TestOutOfTurn(t *testing.T) {
	hello := func(version ...int) []byte {
		return frame(encode(t, msg{"id": 1, "do": "hello", "protocol": version, "client": "test", "arena": 1 << 24, "base": 0}))
	}
	for _, x := range []struct {
		name string
		send []byte
		text string
	}{
		{"not hello", frame(encode(t, msg{"id": 1, "do": "open"})), "must be hello"},
		{"more behind", bytes.Repeat(frame(encode(t, msg{"id": 1, "do": "open"})), 3), "must be hello"},
		{"hello behind", append(frame(encode(t, msg{"id": 1, "do": "open"})), hello(1, 0)...), "must be hello"},
		{"other version", hello(2, 0), "speaks 1.3"},
		{"no version", hello(), "major and a minor"},
		{"hello twice", append(hello(1, 0), frame(encode(t, msg{"id": 2, "do": "hello", "protocol": []int{1, 0}}))...), "once"},
		{"id again", append(hello(1, 0), frame(encode(t, msg{"id": 1, "do": "open"}))...), "numbers increase"},
		{"not CBOR", frame([]byte{0xff, 0xff}), "not a request"},
		{"not a map", frame([]byte{0x01}), "not a request"},
		{"indefinite length", frame([]byte{0xbf, 0xff}), "not a request"},
		{"duplicate key", frame([]byte{0xa2, 0x62, 'i', 'd', 1, 0x62, 'i', 'd', 2}), "not a request"},
		{"deep", frame(append([]byte{0xa1, 0x61, 'x'}, append(bytes.Repeat([]byte{0x81}, 20), 1)...)), "not a request"},
		{"too long", []byte{0xff, 0xff, 0xff, 0x7f}, "1 to 1048576"},
		{"empty", []byte{0, 0, 0, 0}, "1 to 1048576"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := start(t)
			c.raw(x.send)
			var last msg
			refused := false
			for {
				m, err := c.next()
				if err != nil {
					break
				}
				if last = m; refused {
					t.Errorf("%v behind the error", m)
				}
				refused = m["error"] != nil
			}
			e, _ := last["error"].(msg)
			if text, _ := e["message"].(string); e["kind"] != "protocol" || !strings.Contains(text, x.text) {
				t.Errorf("%v, want %q", last, x.text)
			}
			c.over = true
			if c.wait() == nil {
				t.Error("the server has no error")
			}
		})
	}
}

// TestCutOff: a client that dies in the middle of a message is an error, not a hang.
func TestCutOff(t *testing.T) {
	c := hi(t)
	c.over = true
	c.raw([]byte{9, 0, 0, 0, 0xa1})
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.wait(); err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("the error is %v", err)
	}
}

// TestDevicesOfASystem: they are peers, and closing one takes its handles with it.
func TestDevicesOfASystem(t *testing.T) {
	c := hi(t)
	for i := range 2 {
		c.ok(msg{"do": "open", "as": 2 + i, "kind": "simt", "system": 1, "devices": 2, "number": i})
	}
	c.ok(msg{"do": "event", "device": 3, "as": 30})
	for _, x := range []struct {
		other int
		can   bool
	}{{3, true}, {1, false}} {
		if r := c.ok(msg{"do": "canpeer", "device": 2, "other": x.other}); r["can"] != x.can {
			t.Errorf("device 2 and %d are peers: %v", x.other, r)
		}
	}
	c.ok(msg{"do": "enablepeer", "device": 2, "other": 3})
	p, _ := c.ok(msg{"do": "alloc", "device": 2, "name": "p", "size": 16})["ptr"].(uint64)
	q, _ := c.ok(msg{"do": "alloc", "device": 3, "name": "q", "size": 16})["ptr"].(uint64)
	c.ok(msg{"do": "fill", "stream": 3, "dst": q, "value": 9, "size": 16})
	c.ok(msg{"do": "sync", "device": 3})
	c.ok(msg{"do": "copypeer", "stream": 2, "dst": p, "from": 3, "src": q, "size": 16})
	if got := c.ok(msg{"do": "copyout", "stream": 2, "ptr": p, "size": 1})["data"].([]byte); got[0] != 9 {
		t.Errorf("copied %v", got)
	}
	if r := c.ok(msg{"do": "memory", "device": 2}); r["total"].(uint64)-r["free"].(uint64) != 16 {
		t.Errorf("memory: %v", r)
	}
	c.ok(msg{"do": "close", "handle": 3})
	if e := c.refused(msg{"do": "close", "handle": 30}); !strings.Contains(e["message"].(string), "no handle 30") {
		t.Errorf("an event of a closed device: %v", e)
	}
}
