//go:build unix

package serve

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/engine"
)

// greeted is a client that has said hello.
func greeted(t *testing.T) *client {
	t.Helper()
	c := start(t)
	c.ok(msg{"do": "hello", "protocol": []int{1, 3}, "client": "test", "arena": 1 << 26, "base": uint64(base)})
	return c
}

// handle returns a handle that was not used.
func (c *client) handle() int {
	c.last++
	return c.last
}

// put lends a room for an array and fills it.
func put[T number](c *client, v []T) (room int, ref msg) {
	c.t.Helper()
	room = c.handle()
	r := c.ok(msg{"do": "room", "as": room, "size": len(raw(v))})
	at, _ := r["at"].(uint64)
	if _, err := c.file.WriteAt(raw(v), int64(at)); err != nil {
		c.t.Fatal(err)
	}
	return room, msg{"at": at, "type": typeName[T](), "length": len(v)}
}

// array reads an array of the arena.
func array[T number](c *client, ref any) []T {
	c.t.Helper()
	r, _ := ref.(msg)
	if r["type"] != typeName[T]() {
		c.t.Fatalf("%v is no array of %s", ref, typeName[T]())
	}
	out := make([]T, r["length"].(uint64))
	if _, err := c.file.ReadAt(raw(out), int64(r["at"].(uint64))); err != nil && len(out) > 0 {
		c.t.Fatal(err)
	}
	return out
}

// outputOf returns an output of a run.
func (c *client) outputOf(r msg, name string) msg {
	c.t.Helper()
	list, _ := r["outputs"].([]any)
	for _, o := range list {
		if o, _ := o.(msg); o["name"] == name {
			return o
		}
	}
	c.t.Fatalf("no output %s in %v", name, r)
	return nil
}

// make sends a request that makes an object, and returns its handle and the reply.
func (c *client) make(m msg) (int, msg) {
	c.t.Helper()
	as := c.handle()
	m["as"] = as
	return as, c.ok(m)
}

// The graph of the tests: 0 -> 1 -> 2 -> 0 and 2 -> 3, and 4 alone.
var (
	offsets = []int64{0, 1, 2, 4, 4, 4}
	sources = []int32{0, 1, 2, 2}
	targets = []int32{1, 2, 0, 3}
	weights = []int32{5, 1, 2, 9}
	levels  = []int32{0, 1, 2, 3, math.MaxInt32}
)

// TestGraphsOfArrays makes the same graph of all forms of arrays, and runs a program.
func TestGraphsOfArrays(t *testing.T) {
	c := greeted(t)
	_, rows := put(c, offsets)
	_, narrow := put(c, []int32{0, 1, 2, 4, 4, 4})
	_, dst := put(c, targets)
	_, long := put(c, []int64{1, 2, 0, 3})
	_, src := put(c, sources)
	_, w := put(c, weights)
	_, real := put(c, []float64{5, 1, 2, 9})
	_, single := put(c, []float32{5, 1, 2, 9})
	bfs, _ := c.make(msg{"do": "compile", "name": "bfs"})
	sssp, _ := c.make(msg{"do": "compile", "problem": "sssp"})
	for _, test := range []struct {
		name   string
		m      msg
		copied uint64
		weight string
	}{
		{"rows", msg{"offsets": rows, "targets": dst}, 6*8 + 4*4, ""},
		{"rows shared", msg{"offsets": rows, "targets": dst, "share": true}, 0, ""},
		{"narrow rows shared", msg{"offsets": narrow, "targets": dst, "share": true}, 6 * 8, ""},
		{"long targets shared", msg{"offsets": rows, "targets": long, "share": true}, 4 * 4, ""},
		{"edges", msg{"sources": src, "targets": dst}, 2 * 4 * 4, ""},
		{"edges shared", msg{"sources": src, "targets": dst, "share": true}, 0, ""},
		{"weighted rows", msg{"offsets": rows, "targets": dst, "weights": w, "share": true}, 0, "int32"},
		{"weighted edges", msg{"sources": src, "targets": dst, "weights": w}, 3 * 4 * 4, "int32"},
		{"real rows", msg{"offsets": rows, "targets": dst, "weights": real, "share": true}, 0, "float64"},
		{"real edges", msg{"sources": src, "targets": dst, "weights": single, "share": true}, 4 * 8, "float64"},
	} {
		test.m["do"], test.m["nodes"] = "graph", 5
		g, r := c.make(test.m)
		if r["nodes"] != uint64(5) || r["edges"] != uint64(4) || r["copied"] != test.copied || r["weights"] != test.weight {
			t.Errorf("%s: %v, want %d bytes copied", test.name, r, test.copied)
		}
		_, res := c.make(msg{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "cpu", "verify": true})
		if got := array[int32](c, c.outputOf(res, "level")); !reflect.DeepEqual(got, levels) || res["verified"] != true {
			t.Errorf("%s: levels %v, verified %v", test.name, got, res["verified"])
		}
		if test.weight == "" {
			continue
		}
		_, res = c.make(msg{"do": "run", "program": sssp, "graph": g, "args": msg{"src": 0}, "device": "cpu"})
		if got, want := array[int32](c, c.outputOf(res, "dist")), []int32{0, 5, 6, 15, math.MaxInt32}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: distances %v", test.name, got)
		}
	}
}

// TestGraphRefusals: what is wrong with a graph is said, and the handle stays free.
func TestGraphRefusals(t *testing.T) {
	c := greeted(t)
	_, rows := put(c, offsets)
	_, dst := put(c, targets)
	_, falling := put(c, []int64{0, 3, 2, 4, 4, 4})
	_, negative := put(c, []int64{0, -1, 2, 4, 4, 4})
	_, far := put(c, []int32{1, 2, 5, 3})
	_, large := put(c, []int64{1, 2, 1 << 32, 3})
	_, heavy := put(c, []int64{1, 2, 1 << 31, 3})
	_, real := put(c, []float64{1, 2, 0, 3})
	with := func(m msg, key string, v any) msg {
		out := msg{}
		for k, v := range m {
			out[k] = v
		}
		out[key] = v
		return out
	}
	missing := filepath.Join(t.TempDir(), "missing.gr")
	bad := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(bad, []byte("0 1\n1 x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	good := msg{"nodes": 5, "offsets": rows, "targets": dst}
	for _, test := range []struct {
		m          msg
		kind, says string
	}{
		{msg{}, "argument", "give one of"},
		{msg{"path": missing, "generate": "path:3"}, "argument", "give one of"},
		{msg{"path": missing}, "input", "no such file"},
		{msg{"path": bad}, "input", "bad.txt:2"},
		{msg{"path": bad, "format": "snup"}, "argument", "unknown graph format"},
		{msg{"generate": "cube:3"}, "argument", "cube"},
		{msg{"generate": "path:3", "share": true}, "argument", "only arrays"},
		{msg{"from": 77}, "argument", "no handle 77"},
		{with(good, "offsets", falling), "input", "less than"},
		{with(good, "offsets", negative), "input", "offsets[1] is -1"},
		{with(good, "targets", far), "input", "5 nodes"},
		{with(good, "targets", large), "input", "targets[2] is 4294967296"},
		{with(good, "targets", real), "argument", "no integers"},
		{with(good, "weights", heavy), "input", "weights[2] is 2147483648"},
		{with(good, "nodes", 6), "argument", "6 offsets for 6 nodes"},
		{with(good, "nodes", 1<<31), "argument", "at most"},
		{with(good, "targets", nil), "argument", "no targets"},
		{with(good, "sources", dst), "argument", "either offsets or sources"},
		{with(good, "targets", with(dst, "type", "int7")), "argument", "int7"},
		{with(good, "targets", with(dst, "length", -1)), "argument", "-1 elements"},
		{with(good, "targets", with(dst, "length", 1<<62)), "argument", "elements"},
		{with(good, "targets", with(dst, "length", 1<<20)), "argument", "not in a range"},
		{with(good, "targets", with(dst, "at", 4097)), "argument", "cannot be at 4097"},
		{with(good, "random", -1), "argument", "random weights"},
	} {
		test.m["do"], test.m["as"] = "graph", 5
		e := c.refused(test.m)
		if text, _ := e["message"].(string); e["kind"] != test.kind || !strings.Contains(text, test.says) {
			t.Errorf("%v: %v, want %s with %q", test.m, e, test.kind, test.says)
		}
	}
	c.ok(with(with(good, "do", "graph"), "as", 5))
	if e := c.refused(with(with(good, "do", "graph"), "as", 5)); !strings.Contains(e["message"].(string), "in use") {
		t.Error(e)
	}
}

// TestSharedRoom: a room that a graph uses is there until both are closed.
func TestSharedRoom(t *testing.T) {
	c := greeted(t)
	room, rows := put(c, offsets)
	other, dst := put(c, targets)
	g, _ := c.make(msg{"do": "graph", "nodes": 5, "offsets": rows, "targets": dst, "share": true})
	at := rows["at"]
	c.ok(msg{"do": "close", "handle": room})
	c.ok(msg{"do": "close", "handle": other})
	next, ref := put(c, make([]int64, 512))
	if ref["at"] == at || ref["at"] == dst["at"] {
		t.Fatal("the room was lent again while the graph uses it")
	}
	bfs, _ := c.make(msg{"do": "compile", "name": "bfs"})
	_, res := c.make(msg{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "interp"})
	if got := array[int32](c, c.outputOf(res, "level")); !reflect.DeepEqual(got, levels) {
		t.Errorf("levels %v", got)
	}
	c.ok(msg{"do": "close", "handle": next})
	c.ok(msg{"do": "close", "handle": g})
	for range 1000 { // the graph goes when nothing uses it, which is soon
		as, ref := put(c, make([]int64, 512))
		c.ok(msg{"do": "close", "handle": as})
		if ref["at"] == at {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("the room of a closed graph is not free")
}

// TestDerivedGraphs: what is done to a graph makes another one.
func TestDerivedGraphs(t *testing.T) {
	c := greeted(t)
	g, r := c.make(msg{"do": "graph", "generate": "rmat:6:4:wmax=0"})
	edges := r["edges"]
	s, r := c.make(msg{"do": "graph", "from": g, "symmetrize": true, "random": 9, "seed": 4})
	if r["weights"] != "int32" || r["edges"].(uint64) <= edges.(uint64) {
		t.Errorf("%v of %v", r, edges)
	}
	c.ok(msg{"do": "close", "handle": g}) // before what was made of it
	stats := c.ok(msg{"do": "statistics", "graph": s})
	if stats["symmetric"] != true || stats["weightmax"].(float64) > 9 || stats["nodes"] != uint64(64) {
		t.Errorf("%v", stats)
	}
	p, _ := c.make(msg{"do": "graph", "generate": "path:3"})
	one, _ := c.make(msg{"do": "graph", "from": p, "transpose": true})
	as, rows := c.make(msg{"do": "arrays", "graph": one})
	if got := array[int32](c, rows["targets"]); !reflect.DeepEqual(got, []int32{1, 0, 2, 1}) || rows["weights"] != nil && rows["names"] != nil {
		t.Errorf("%v %v", rows, got)
	}
	c.ok(msg{"do": "close", "handle": as})
}

// TestNames: nodes of a file keep their numbers.
func TestNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "names.txt")
	if err := os.WriteFile(file, []byte("10 20\n20 70\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := greeted(t)
	g, r := c.make(msg{"do": "graph", "path": file})
	if r["named"] != true {
		t.Errorf("%v", r)
	}
	_, rows := c.make(msg{"do": "arrays", "graph": g})
	if got := array[uint64](c, rows["names"]); !reflect.DeepEqual(got, []uint64{10, 20, 70}) {
		t.Errorf("names %v", got)
	}
	bfs, _ := c.make(msg{"do": "compile", "name": "bfs_do"})
	_, res := c.make(msg{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 20}, "device": "cpu"})
	if got := array[int32](c, c.outputOf(res, "level")); !reflect.DeepEqual(got, []int32{math.MaxInt32, 0, 1}) {
		t.Errorf("levels %v", got)
	}
	if e := c.refused(msg{"do": "run", "as": 9, "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "cpu"}); !strings.Contains(e["message"].(string), "no node 0") {
		t.Error(e)
	}
}

// TestProgramsOnDevices runs every bundled program that needs a graph alone, and compares
// its results with independent answers.
func TestProgramsOnDevices(t *testing.T) {
	c := greeted(t)
	g, _ := c.make(msg{"do": "graph", "generate": "rmat:6:4:wmax=9"})
	for _, name := range engine.Programs() {
		p, about := c.make(msg{"do": "compile", "name": name})
		if about["mesh"] == true {
			if e := c.refused(msg{"do": "run", "as": 9, "program": p, "graph": g}); !strings.Contains(e["message"].(string), "needs a mesh") {
				t.Error(e)
			}
			continue
		}
		args := msg{}
		params, _ := about["params"].([]any) // null if there is none
		for _, param := range params {
			if param.(msg)["type"] == "node" {
				args[param.(msg)["name"].(string)] = 3
			}
		}
		for _, device := range []string{"cpu", "interp", "simt"} {
			_, r := c.make(msg{"do": "run", "program": p, "graph": g, "args": args, "device": device, "verify": true, "profile": true})
			stats, _ := r["stats"].(msg)
			if r["verified"] != true || stats["device"] != device || stats["program"] != name || len(stats["kernels"].([]any)) == 0 {
				t.Errorf("%s on %s: %v", name, device, r)
			}
		}
	}
}

// TestEdges: values of edges belong to the graph that ran.
func TestEdges(t *testing.T) {
	c := greeted(t)
	_, src := put(c, sources)
	_, dst := put(c, targets)
	_, w := put(c, weights)
	g, _ := c.make(msg{"do": "graph", "nodes": 5, "sources": src, "targets": dst, "weights": w})
	mst, _ := c.make(msg{"do": "compile", "problem": "mst"})
	as, r := c.make(msg{"do": "run", "program": mst, "graph": g, "device": "cpu"})
	if c.outputOf(r, "weight")["value"] != uint64(12) {
		t.Errorf("%v", r)
	}
	chosen := array[uint8](c, c.outputOf(r, "chosen"))
	_, rows := c.make(msg{"do": "arrays", "result": as})
	sum := int32(0)
	for e, weight := range array[int32](c, rows["weights"]) {
		if chosen[e] != 0 {
			sum += weight
		}
	}
	if sum != 12 || len(chosen) != len(array[int32](c, rows["targets"])) {
		t.Errorf("the chosen edges weigh %d", sum)
	}
	bfs, _ := c.make(msg{"do": "compile", "name": "bfs"})
	res, _ := c.make(msg{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "cpu"})
	if e := c.refused(msg{"do": "arrays", "as": c.handle(), "result": res}); !strings.Contains(e["message"].(string), "no values of edges") {
		t.Error(e)
	}
}

// TestRunRefusals: what is wrong with a run is said, with what to do.
func TestRunRefusals(t *testing.T) {
	c := greeted(t)
	g, _ := c.make(msg{"do": "graph", "generate": "path:4:wmax=0"})
	bfs, _ := c.make(msg{"do": "compile", "name": "bfs"})
	sssp, _ := c.make(msg{"do": "compile", "problem": "sssp"})
	ok := func(key string, v any) msg {
		m := msg{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "cpu"}
		m[key] = v
		return m
	}
	for _, test := range []struct {
		m          msg
		kind, says string
	}{
		{ok("args", msg{}), "argument", "parameter src"},
		{ok("args", msg{"src": 4}), "argument", "no node 4"},
		{ok("args", msg{"src": "zero"}), "argument", "zero is not"},
		{ok("args", msg{"src": nil}), "argument", "nil"},
		{ok("args", msg{"source": 0}), "argument", `no parameter "source"`},
		{ok("graph", 0), "argument", "needs a graph"},
		{ok("graph", bfs), "argument", "is a program, not a graph"},
		{ok("device", "tpu"), "argument", "no device"},
		{ok("device", "cuda:99"), "device", ""},
		{ok("workers", -1), "argument", "workers"},
		{ok("switches", "warp=9"), "argument", "switches"},
		{ok("program", sssp), "input", "has none"},
	} {
		test.m["as"] = 5
		e := c.refused(test.m)
		if text, _ := e["message"].(string); e["kind"] != test.kind || !strings.Contains(text, test.says) {
			t.Errorf("%v: %v, want %s with %q", test.m, e, test.kind, test.says)
		}
		if test.kind == "input" && e["hint"] == nil {
			t.Errorf("%v has no hint", e)
		}
	}
}

// TestProgramText: a program of one's own runs, and what is wrong with one is said with
// its place.
func TestProgramText(t *testing.T) {
	const text = `Graph g { Output Node int next = 0; }
Output long sum = 0;
int table[3];
Kernel K(g) { ForAll (n In g.nodes) { n.next = n.id + 1; atomicAdd(&sum, (long)n.next); } }
Host main(int times = 2) { for (i = 0; i < times; i++) { Invoke K(g); } printf("%d times\n", times); }
`
	c := greeted(t)
	e := c.refused(msg{"do": "compile", "as": 5, "name": "mine.irgl", "text": strings.Replace(text, "n.next = n.id", "n.nxt = n.id", 1)})
	list, _ := e["diagnostics"].([]any)
	if e["kind"] != "syntax" || e["position"] != "mine.irgl:4:41" || e["code"] == nil || len(list) == 0 || list[0].(msg)["source"] == "" {
		t.Errorf("%v", e)
	}
	p, about := c.make(msg{"do": "compile", "name": "mine.irgl", "text": text})
	params, _ := about["params"].([]any)
	if about["name"] != "mine" || len(params) != 1 || params[0].(msg)["default"] != "2" || about["known"] != false {
		t.Errorf("%v", about)
	}
	g, _ := c.make(msg{"do": "graph", "generate": "path:3"})
	_, r := c.make(msg{"do": "run", "program": p, "graph": g, "args": msg{"times": 3}, "device": "interp"})
	if string(r["printed"].([]byte)) != "3 times\n" || c.outputOf(r, "sum")["value"] != uint64(18) {
		t.Errorf("%v", r)
	}
	room := c.handle()
	at := c.ok(msg{"do": "room", "as": room, "size": len(text)})["at"]
	if _, err := c.file.WriteAt([]byte(text), int64(at.(uint64))); err != nil {
		t.Fatal(err)
	}
	c.make(msg{"do": "compile", "name": "mine.irgl", "at": at, "size": len(text)})
	c.ok(msg{"do": "close", "handle": p})
	if e := c.refused(msg{"do": "run", "as": 9, "program": p, "graph": g}); !strings.Contains(e["message"].(string), "no handle") {
		t.Error(e)
	}
	if e := c.refused(msg{"do": "compile", "as": 9, "name": "bfd"}); !strings.Contains(e["message"].(string), "bfs") {
		t.Error(e)
	}
	if e := c.refused(msg{"do": "compile", "as": 9, "problem": "bfd"}); !strings.Contains(e["message"].(string), "bfs") {
		t.Error(e)
	}
}

// endless is a program that does not end.
const endless = `Graph g { Output Node int n = 0; }
Kernel K(g) { ForAll (v In g.nodes) { v.n += 1; } }
Host main() { go = 1; while (go) { Invoke K(g); } }
`

// TestCancelRun: a cancelled run ends, and the server goes on; other queues do meanwhile.
func TestCancelRun(t *testing.T) {
	for _, device := range []string{"interp", "simt"} {
		c := greeted(t)
		g, _ := c.make(msg{"do": "graph", "generate": "path:3"})
		p, _ := c.make(msg{"do": "compile", "name": "endless.irgl", "text": endless})
		bfs, _ := c.make(msg{"do": "compile", "name": "bfs"})
		long := c.send(msg{"do": "run", "as": 5, "program": p, "graph": g, "device": device, "queue": 1})
		for range 1000 {
			r := c.ok(msg{"do": "progress", "request": long})
			if r["found"] == true && r["phase"] == "running" {
				break
			}
			time.Sleep(time.Millisecond)
		}
		c.make(msg{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "cpu", "queue": 2})
		if r := c.ok(msg{"do": "cancel", "request": long}); r["found"] != true {
			t.Errorf("%s: %v", device, r)
		}
		e, _ := c.receive(long)["error"].(msg)
		if e["kind"] != "cancelled" {
			t.Errorf("%s: %v", device, e)
		}
		c.ok(msg{"do": "run", "as": 5, "program": bfs, "graph": g, "args": msg{"src": 0}, "device": device, "queue": 1})
	}
}

// TestEndDuringRun: the server ends when its client does, whatever runs.
func TestEndDuringRun(t *testing.T) {
	c := greeted(t)
	g, _ := c.make(msg{"do": "graph", "generate": "path:3"})
	p, _ := c.make(msg{"do": "compile", "name": "endless.irgl", "text": endless})
	c.send(msg{"do": "run", "as": 5, "program": p, "graph": g, "device": "interp"})
	time.Sleep(20 * time.Millisecond)
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.wait(); err != nil {
		t.Error(err)
	}
}

// TestPipelined: requests may name what others before them make, or fail to make.
func TestPipelined(t *testing.T) {
	c := greeted(t)
	c.send(msg{"do": "graph", "as": 1, "generate": "path:4", "queue": 1})
	c.send(msg{"do": "compile", "as": 2, "name": "bfs", "queue": 2})
	run := c.send(msg{"do": "run", "as": 3, "program": 2, "graph": 1, "args": msg{"src": 0}, "device": "cpu", "queue": 3})
	if got := array[int32](c, c.outputOf(c.receive(run), "level")); !reflect.DeepEqual(got, []int32{0, 1, 2, 3}) {
		t.Errorf("levels %v", got)
	}
	c.send(msg{"do": "graph", "as": 4, "path": "/nowhere/at.all", "queue": 1})
	run = c.send(msg{"do": "run", "as": 5, "program": 2, "graph": 4, "args": msg{"src": 0}, "queue": 3})
	if e, _ := c.receive(run)["error"].(msg); e["kind"] != "argument" {
		t.Errorf("%v", e)
	}
}

// TestManyGraphs: what is closed leaves nothing behind, whatever ran on it. Graphs that get
// the memory of others are told from these by devices, which know arrays by their address.
func TestManyGraphs(t *testing.T) {
	c := greeted(t)
	bfs, _ := c.make(msg{"do": "compile", "name": "bfs"})
	first := uint64(0)
	for i := range 120 {
		device := []string{"cpu", "simt", "interp"}[i%3]
		_, rows := put(c, offsets)
		last := int32(i / 3 % 2 * 4) // where the edge of node 1 leads
		_, dst := put(c, []int32{1, last, 0, 3})
		if i == 0 {
			first = rows["at"].(uint64)
		}
		g, _ := c.make(msg{"do": "graph", "nodes": 5, "offsets": rows, "targets": dst, "share": true})
		r, res := c.make(msg{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": device, "seed": i / 60})
		want := []int32{0, 1, math.MaxInt32, math.MaxInt32, math.MaxInt32}
		if last == 4 {
			want[4] = 2
		}
		if got := array[int32](c, c.outputOf(res, "level")); !reflect.DeepEqual(got, want) {
			t.Fatalf("graph %d on %s: levels %v, want %v", i, device, got, want)
		}
		for _, h := range []int{r, g, c.last - 2, c.last - 3} {
			c.ok(msg{"do": "close", "handle": h})
		}
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		as, ref := put(c, make([]int64, 512))
		c.ok(msg{"do": "close", "handle": as})
		if ref["at"].(uint64) <= first {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the first free range is at %v, and was at %d", ref["at"], first)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestExplainAndTune: remarks in pages, and a search.
func TestExplainAndTune(t *testing.T) {
	c := greeted(t)
	p, _ := c.make(msg{"do": "compile", "name": "bfs"})
	all := c.ok(msg{"do": "explain", "program": p})
	remarks, _ := all["remarks"].([]any)
	if len(remarks) < 3 || all["total"] != uint64(len(remarks)) || remarks[0].(msg)["text"] == "" {
		t.Errorf("%v", all)
	}
	rest := c.ok(msg{"do": "explain", "program": p, "from": 2, "switches": "none"})
	if got, _ := rest["remarks"].([]any); len(got) != int(rest["total"].(uint64))-2 {
		t.Errorf("%v", rest)
	}
	g, _ := c.make(msg{"do": "graph", "generate": "grid:4:4"})
	file := filepath.Join(t.TempDir(), "tuning.json")
	found := c.ok(msg{"do": "tune", "program": p, "graph": g, "args": msg{"src": 0}, "device": "simt", "candidates": 3, "tuning": file, "save": true})
	if found["metric"] != "cost" || found["measured"].(uint64) < 2 || !strings.Contains(found["table"].(string), "bfs") {
		t.Errorf("%v", found)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if e := c.refused(msg{"do": "tune", "program": p, "graph": g, "args": msg{"src": 0}, "device": "cpu", "tuning": ""}); !strings.Contains(e["message"].(string), "no switches") {
		t.Error(e)
	}
	_, r := c.make(msg{"do": "run", "program": p, "graph": g, "args": msg{"src": 0}, "device": "simt", "tuning": file})
	if from, _ := r["stats"].(msg)["switchesfrom"].(string); !strings.Contains(from, "tuned on") {
		t.Errorf("switches from %q", from)
	}
}

// TestFaultOnEmulator: a fault in a program's kernel is told with its place, and the next
// run is right.
func TestFaultOnEmulator(t *testing.T) {
	const text = `Graph g { Output Node int n = 0; }
Kernel K(g) { ForAll (v In g.nodes) { g.nodes(0).n += v.id; } }
Host main() { Invoke K(g); }
`
	c := greeted(t)
	g, _ := c.make(msg{"do": "graph", "generate": "path:300"})
	p, _ := c.make(msg{"do": "compile", "name": "race.irgl", "text": text})
	e := c.refused(msg{"do": "run", "as": 5, "program": p, "graph": g, "device": "simt"})
	if e["kind"] != "fault" || !strings.Contains(e["message"].(string), "race.irgl:2") || e["hint"] == nil {
		t.Errorf("%v", e)
	}
	bfs, _ := c.make(msg{"do": "compile", "name": "bfs"})
	c.make(msg{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "simt", "verify": true})
}

// TestUnits: the executables and devices that are kept are few.
func TestUnits(t *testing.T) {
	e := newEngines()
	p, err := e.program("bfs")
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxUnits + 20 {
		key := unitKey{program: p, workers: i + 1, device: deviceKey{name: "cpu"}}
		if i%4 == 0 {
			key.device = deviceKey{name: "simt", seed: uint64(i)}
		}
		u, err := e.acquire(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		u.release()
	}
	if len(e.units) > maxUnits || len(e.devices) > maxDevices || len(e.order) != len(e.units) {
		t.Errorf("%d units, %d devices, %d in order", len(e.units), len(e.devices), len(e.order))
	}
	held, err := e.acquire(t.Context(), unitKey{program: p, device: deviceKey{name: "cpu"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := e.acquire(ctx, held.key); err == nil {
		t.Error("two runs use one executable")
	}
	held.release()
	e.closeAll()
	if fmt.Sprint(len(e.units), len(e.devices), len(e.order)) != "0 0 0" {
		t.Errorf("%d units, %d devices, %d in order are left", len(e.units), len(e.devices), len(e.order))
	}
}

// TestNegativeNodes: what is below 0 is told as it was given.
func TestNegativeNodes(t *testing.T) {
	c := greeted(t)
	_, rows := put(c, offsets)
	_, dst := put(c, targets)
	_, bad := put(c, []int32{1, 2, -7, 3})
	_, long := put(c, []int64{1, -9, 2, 3})
	for _, test := range []struct {
		m    msg
		says string
	}{
		{msg{"offsets": rows, "targets": bad}, "targets[2] is -7"},
		{msg{"offsets": rows, "targets": bad, "share": true}, "targets[2] is -7"},
		{msg{"sources": bad, "targets": dst}, "sources[2] is -7"},
		{msg{"sources": dst, "targets": bad}, "targets[2] is -7"},
	} {
		test.m["do"], test.m["as"], test.m["nodes"] = "graph", 5, 5
		if e := c.refused(test.m); e["kind"] != "input" || !strings.Contains(e["message"].(string), test.says) {
			t.Errorf("%v: %v, want %q", test.m, e, test.says)
		}
	}
	if e := c.refused(msg{"do": "graph", "as": 5, "nodes": 5, "sources": dst, "targets": long}); !strings.Contains(e["message"].(string), "targets[1] is -9") {
		t.Error(e)
	}
}

// TestManyNodes: a stray number of a node is refused before memory is taken.
func TestManyNodes(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	c := greeted(t)
	_, src := put(c, []int32{0})
	_, dst := put(c, []int32{1 << 29})
	for _, w := range []any{[]int32{1}, []float64{1}} {
		var ref msg
		switch w := w.(type) {
		case []int32:
			_, ref = put(c, w)
		case []float64:
			_, ref = put(c, w)
		}
		e := c.refused(msg{"do": "graph", "as": 5, "nodes": 1<<29 + 1, "sources": src, "targets": dst, "weights": ref})
		if e["kind"] != "input" || !strings.Contains(e["message"].(string), "this process may use 1 GiB") {
			t.Error(e)
		}
	}
}

// TestLongReplies: what does not fit a message is an error of the request, or is cut, and the server goes on.
func TestLongReplies(t *testing.T) {
	c := greeted(t)
	g, _ := c.make(msg{"do": "graph", "generate": "path:3"})
	bfs, _ := c.make(msg{"do": "compile", "name": "bfs_st"})
	sources := make([]int, 150_000)
	for i := range sources {
		sources[i] = 1_000_000 + i
	}
	control := strings.Repeat("\x01", 500_000)
	program := func(body string) string {
		return "Graph g { Node int x = 0; }\n" + body + "\nKernel K(g) { ForAll (n In g.nodes) { n.x = 1; } }\nHost main() { Invoke K(g); }"
	}
	var outputs, variables, faults strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&outputs, "Output int a%05d%s = 0;\n", i, strings.Repeat("b", 120))
	}
	for i := range 6500 {
		fmt.Fprintf(&variables, "Output int a%05d%s = 0;\n", i, strings.Repeat("b", 120))
	}
	for range 100 {
		fmt.Fprintf(&faults, "Output int a = %s;\n", strings.Repeat("q", 5000))
	}
	_, ref := put(c, []byte(program(variables.String())))
	many, _ := c.make(msg{"do": "compile", "name": "many.irgl", "at": ref["at"], "size": ref["length"]})
	_, ref = put(c, []byte(program(outputs.String())))
	as := c.handle()
	for _, m := range []msg{
		{"do": "run", "program": bfs, "graph": g, "args": msg{"src": sources}, "device": "cpu"},
		{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": control},
		{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "cpu", "switches": control},
		{"do": "run", "program": many, "graph": g, "device": "interp"},
		{"do": "graph", "generate": strings.Repeat("x", 900_000)},
		{"do": "graph", "generate": control},
		{"do": "compile", "name": "long.irgl", "at": ref["at"], "size": ref["length"]},
		{"do": "compile", "name": strings.Repeat("n", 4000), "text": program(faults.String())},
		{"do": control},
	} {
		m["as"] = as // which stays free
		e := c.refused(m)
		if text, _ := e["message"].(string); e["kind"] == "internal" || e["kind"] == "protocol" || text == "" || len(text) > 70_000 {
			t.Errorf("%v: %v", m["do"], e)
		}
	}
	_, r := c.make(msg{"do": "run", "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "cpu"})
	if got := array[int32](c, c.outputOf(r, "level")); len(got) != 3 {
		t.Errorf("levels %v", got)
	}
}

// TestArraysOfRunning: a result may be named before it is there.
func TestArraysOfRunning(t *testing.T) {
	c := greeted(t)
	g, _ := c.make(msg{"do": "graph", "generate": "rmat:14:8:wmax=9"})
	mst, _ := c.make(msg{"do": "compile", "name": "mst"})
	for _, closed := range []bool{false, true} {
		result, rows := c.handle(), c.handle()
		run := c.send(msg{"do": "run", "queue": 1, "as": result, "program": mst, "graph": g, "device": "cpu"})
		arrays := c.send(msg{"do": "arrays", "queue": 2, "as": rows, "result": result})
		if closed {
			c.ok(msg{"do": "close", "queue": 3, "handle": result})
		}
		r := c.receive(arrays)
		if list, _ := r["targets"].(msg); r["error"] != nil || list["length"] == uint64(0) {
			t.Errorf("arrays: %v", r)
		}
		if r := c.receive(run); r["error"] != nil {
			t.Errorf("run: %v", r)
		}
		c.ok(msg{"do": "close", "handle": rows})
		if !closed {
			c.ok(msg{"do": "close", "handle": result})
		}
	}
}

// TestCancelledClose: the handle is gone, and so is soon what it named.
func TestCancelledClose(t *testing.T) {
	c := greeted(t)
	g, _ := c.make(msg{"do": "graph", "generate": "rmat:16:4"})
	bfs, _ := c.make(msg{"do": "compile", "name": "bfs_st"})
	places := map[uint64]bool{}
	for range 20 {
		result := c.handle()
		run := c.send(msg{"do": "run", "queue": 1, "as": result, "program": bfs, "graph": g, "args": msg{"src": 0}, "device": "cpu"})
		closed := c.send(msg{"do": "close", "queue": 2, "handle": result})
		c.ok(msg{"do": "cancel", "request": closed})
		r := c.receive(run)
		if r["error"] != nil {
			t.Fatal(r)
		}
		c.receive(closed)
		places[c.outputOf(r, "level")["at"].(uint64)] = true
		time.Sleep(time.Millisecond)
	}
	if len(places) > 10 {
		t.Errorf("20 results that were closed are in %d places", len(places))
	}
}

// TestDropDuringRun: a graph that a run under way has nothing to do with goes at once.
func TestDropDuringRun(t *testing.T) {
	c := greeted(t)
	text := "Graph g { Output Node int n = 0; }\nKernel K(g) { ForAll (v In g.nodes) { v.n += 1; } }\nHost main() { go = 1; while (go) { Invoke K(g); } }\n"
	endless, _ := c.make(msg{"do": "compile", "name": "endless.irgl", "text": text})
	small, _ := c.make(msg{"do": "graph", "generate": "path:3"})
	run := c.send(msg{"do": "run", "queue": 1, "as": c.handle(), "program": endless, "graph": small, "device": "interp"})
	cc, _ := c.make(msg{"do": "compile", "name": "cc"})
	defer func() {
		c.ok(msg{"do": "cancel", "request": run})
		c.receive(run)
	}()
	for c.ok(msg{"do": "progress", "request": run})["phase"] != "running" {
		time.Sleep(time.Millisecond)
	}
	places := map[any]bool{}
	for range 20 {
		dstRoom, dst := put(c, targets)
		rowRoom, rows := put(c, offsets)
		places[rows["at"]] = true
		g, _ := c.make(msg{"do": "graph", "nodes": 5, "offsets": rows, "targets": dst, "share": true})
		result, _ := c.make(msg{"do": "run", "program": cc, "graph": g, "device": "interp"})
		for _, h := range []int{dstRoom, rowRoom, result, g} {
			c.ok(msg{"do": "close", "handle": h})
		}
		time.Sleep(2 * time.Millisecond)
	}
	if len(places) > 10 {
		t.Errorf("20 graphs that were closed were in %d places", len(places))
	}
}

// TestEmptyText: a text of nothing is a program of nothing, and not a bundled one.
func TestEmptyText(t *testing.T) {
	c := greeted(t)
	if _, r := c.make(msg{"do": "compile", "name": "bfs", "text": ""}); r["outputs"] != nil || r["params"] != nil {
		t.Error(r)
	}
}

// TestCompiledOutlivesGraphs: what was compiled for a device serves graphs that come after the one it was compiled with, and
// gives up their memory.
func TestCompiledOutlivesGraphs(t *testing.T) {
	e := newEngines()
	defer e.closeAll()
	p, err := e.program("sssp_nf")
	if err != nil {
		t.Fatal(err)
	}
	for _, device := range []string{"simt", "cpu"} {
		key := unitKey{program: p, device: deviceKey{name: device}}
		var units []*unit
		run := func(g *graph.Graph) {
			u, err := e.acquire(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			defer u.release()
			w := &work{args: engine.Args{"src": 0}}
			r, err := e.execute(t.Context(), u, engine.Input{Graph: g}, w, &progress{})
			if err != nil {
				t.Fatal(err)
			}
			if err := u.x.Verify(t.Context(), r); err != nil {
				t.Error(err)
			}
			units = append(units, u)
		}
		generated := func(spec string) *graph.Graph {
			g, err := graph.Generate(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		stays := generated("grid:5:4:wmax=9")
		run(stays)
		for _, spec := range []string{"rmat:5:4:wmax=9", "path:40:wmax=9", "rmat:5:4:wmax=9"} {
			g := generated(spec)
			run(g)
			run(stays)
			run(g)
			e.dropGraph(g)
			if units[0].used[g] {
				t.Errorf("%s: %s is still used", device, spec)
			}
		}
		run(stays)
		for _, u := range units {
			if u != units[0] || u.x == nil {
				t.Fatalf("%s: compiled again", device)
			}
		}
		e.dropGraph(stays)
		if d := units[0].dev; d != nil && (d.ended || len(d.used) > 0) {
			t.Errorf("%s: ended %t, %d graphs", device, d.ended, len(d.used))
		}
	}
}
