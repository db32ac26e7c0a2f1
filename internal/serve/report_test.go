//go:build unix

package serve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A written is a report in JSON, as far as the tests look at it.
type written struct {
	Program  string
	Complete bool
	Findings []struct {
		Name, Message string
		Sites         []struct {
			Role  string
			Stack []struct {
				Function, File string
				Line           int
			}
		}
	}
}

// reporting starts a server that writes a report, with a device and the tests' kernels.
func reporting(t *testing.T) (c *client, read func() written) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "r.json")
	c = start(t, func(o *Options) { o.Report = "json:" + file })
	r := c.ok(msg{"do": "hello", "protocol": []int{1, 2}, "client": "test", "arena": 1 << 24, "base": uint64(base)})
	if r["report"] != true {
		t.Errorf("hello: %v", r)
	}
	c.ok(msg{"do": "open", "as": 1, "kind": "simt", "leaks": 1, "program": "/bin/prog", "process": 7})
	c.ok(msg{"do": "load", "as": 10, "device": 1, "name": "add.ptx", "text": kernels})
	c.ok(msg{"do": "kernel", "as": 11, "module": 10, "name": "add"})
	return c, func() (w written) {
		t.Helper()
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &w)
		}
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

// TestReportFile: the file has what a device and the client have found, and what is not freed.
func TestReportFile(t *testing.T) {
	c, read := reporting(t)
	if w := read(); w.Program != "prog" || w.Complete || len(w.Findings) != 0 {
		t.Errorf("at the beginning: %+v", w)
	}
	in := c.ok(msg{"do": "alloc", "device": 1, "name": "cudaMalloc #1", "size": 64, "stack": "/none+12\n"})["ptr"].(uint64)
	own := c.ok(msg{"do": "alloc", "device": 1, "name": "of the runtime", "size": 16})["ptr"].(uint64)
	c.ok(msg{"do": "stream", "as": 30, "device": 1, "call": "cudaStreamCreate #1"})
	c.ok(msg{"do": "stream", "as": 31, "device": 1, "call": "cudaStreamCreate #2"})
	c.ok(msg{"do": "stream", "as": 32, "device": 1})
	c.ok(msg{"do": "close", "handle": 31})
	c.ok(msg{"do": "launch", "stream": 1, "kernel": 11, "grid": []int{1}, "block": []int{5}, "params": params(own, in, 1)})
	c.refused(msg{"do": "sync", "device": 1})
	c.ok(msg{"do": "report", "device": 1, "from": 0})
	if w := read(); len(w.Findings) != 1 || w.Findings[0].Name != "out-of-bounds" || w.Findings[0].Sites[0].Stack[0].File != "add.cu" || w.Findings[0].Sites[0].Stack[0].Line != 6 {
		t.Errorf("when it was found: %+v", w)
	}
	c.ok(msg{"do": "note", "rule": "call-failed", "text": "cudaErrorInvalidValue: why", "file": "main.cu", "line": 8})
	if e := c.refused(msg{"do": "note", "rule": "none", "text": "why"}); e["kind"] != "argument" {
		t.Errorf("a rule that is not there: %v", e)
	}
	c.ok(msg{"do": "launch", "stream": 1, "kernel": 11, "grid": []int{1}, "block": []int{1}, "params": params(own, 0x7fff00001000, 1)})
	c.refused(msg{"do": "sync", "device": 1})
	c.ok(msg{"do": "note", "rule": "host-memory", "text": "; that is memory of the host", "address": 0x7fff00001000})
	r := c.ok(msg{"do": "finish"})
	lines := r["lines"].([]any)
	if r["failed"] != true || len(lines) != 2 || !strings.HasPrefix(lines[0].(string), "leak: 64 bytes of cudaMalloc #1 are not freed") || !strings.HasPrefix(lines[1].(string), "leak: cudaStreamCreate #1 is not destroyed") {
		t.Errorf("finish: %v", r)
	}
	w := read()
	var names []string
	for _, f := range w.Findings {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	if want := []string{"call-failed", "host-memory", "leak", "leak", "out-of-bounds"}; !w.Complete || !slices.Equal(names, want) {
		t.Errorf("at the end: %v, %q", w.Complete, names)
	}
}

// TestReportReset: what is not freed when a device is closed is reported, and what it had found stays.
func TestReportReset(t *testing.T) {
	c, read := reporting(t)
	c.ok(msg{"do": "alloc", "device": 1, "name": "cudaMalloc #1", "size": 64})
	c.ok(msg{"do": "close", "handle": 1})
	c.ok(msg{"do": "open", "as": 1, "kind": "simt", "leaks": 1})
	if r := c.ok(msg{"do": "finish"}); r["failed"] != true {
		t.Errorf("finish: %v", r)
	}
	if w := read(); len(w.Findings) != 1 || w.Findings[0].Name != "leak" {
		t.Errorf("%+v", w)
	}
}

// TestReportOfCrash: a client that ends without finish has its report.
func TestReportOfCrash(t *testing.T) {
	c, read := reporting(t)
	c.alloc("cudaMalloc #1", 64)
	c.ok(msg{"do": "note", "rule": "call-failed", "text": "why"})
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.wait(); err != nil {
		t.Error(err)
	}
	if w := read(); w.Complete || len(w.Findings) != 1 || w.Findings[0].Name != "call-failed" {
		t.Errorf("%+v", w)
	}
}

// TestReportNowhere: a file that cannot be made is an error of the first device.
func TestReportNowhere(t *testing.T) {
	c := start(t, func(o *Options) { o.Report = "json:/nowhere/at/all" })
	c.ok(msg{"do": "hello", "protocol": []int{1, 2}, "client": "test", "arena": 1 << 24, "base": uint64(base)})
	if e := c.refused(msg{"do": "open", "as": 1, "kind": "simt"}); e["kind"] != "input" || !strings.Contains(e["message"].(string), "/nowhere/at/all") {
		t.Errorf("open: %v", e)
	}
}
