package findings

import (
	"debug/elf"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/device"
)

func TestParseTargets(t *testing.T) {
	list, err := ParseTargets("text,sarif:a:b.sarif,,junit:%n-%p.xml")
	if err != nil || len(list) != 3 || list[1].Pattern != "a:b.sarif" || list[0].Pattern != "" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, bad := range []string{"xml", "json:", "text,yaml:x"} {
		if _, err := ParseTargets(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	if got := expand("a%%p/%n.%p", "dir/prog", 7); got != "a%p/prog.7" {
		t.Error(got)
	}
}

// TestClaim checks that processes do not take the files of others.
func TestClaim(t *testing.T) {
	dir := t.TempDir()
	claim := func(pattern string, process int) (path, note string) {
		t.Helper()
		list, err := ParseTargets("sarif:" + filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		note, err = list[0].Claim("/bin/prog", process)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(list[0].path, dir+"/"), note
	}
	if path, note := claim("out.sarif", 5); path != "out.sarif" || note != "" {
		t.Error(path, note)
	}
	if path, note := claim("out.sarif", 6); path != "out.6.sarif" || !strings.Contains(note, "%p") {
		t.Error(path, note)
	}
	if path, _ := claim("out.sarif", 6); path != "out.6-2.sarif" { // the number of a process of another container
		t.Error(path)
	}
	if path, note := claim("%n-%p.sarif", 6); path != "prog-6.sarif" || note != "" {
		t.Error(path, note)
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	if path, note := claim("d", 6); path != "d/prog.6.sarif" || note != "" {
		t.Error(path, note)
	}
	missing, err := ParseTargets("json:" + filepath.Join(dir, "none", "x.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := missing[0].Claim("p", 1); err == nil {
		t.Error("a folder that is not there: no error")
	}
	if err := os.WriteFile(filepath.Join(dir, "old.json"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	old, err := ParseTargets("json:" + filepath.Join(dir, "old.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := old[0].Replace(); err != nil {
		t.Fatal(err)
	}
	if note, err := old[0].Claim("p", 1); note != "" || err != nil {
		t.Error(note, err)
	}
}

// TestRecorder checks when files are written, and what is said.
func TestRecorder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.json")
	l := NewLog(About{Program: "p", Leaks: true})
	r, notes, err := NewRecorder(l, "text,json:"+file, 1)
	if err != nil || len(notes) != 0 {
		t.Fatal(notes, err)
	}
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if !strings.Contains(read(), `"findings": []`) {
		t.Error(read())
	}
	r.Call(CallFailed, "cudaErrorInvalidValue: why", []device.Frame{{Position: device.Position{File: "p.cu", Line: 4}}})
	r.Call(CallFailed, "cudaErrorInvalidValue: why", nil) // again
	if err := r.Update(); err != nil || strings.Count(read(), `"F0702"`) != 1 || !strings.Contains(read(), `"complete": false`) {
		t.Error(err, read())
	}
	r.Ended()
	lines, err := r.Finish()
	if err != nil || len(lines) != 2 || !strings.HasPrefix(lines[0], "call-failed: cudaErrorInvalidValue: why [F0702]") || !strings.HasPrefix(lines[1], "emulated: 0 kernels in 0 launches on 1 device; found: 1 fault;") {
		t.Errorf("%q, %v", lines, err)
	}
	if !strings.Contains(read(), `"complete": true`) {
		t.Error(read())
	}
}

// TestStable checks that addresses of the host, which are others in each run, are not in reports.
func TestStable(t *testing.T) {
	for _, text := range []string{"address 0x7f000000007c", "mask 0xffffffff", "at 0x200000001000 of page-locked memory"} {
		if got := stable(text, 1); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := stable("0x7ffd12345678 is no stream, 0x55d0aabbccdd", 1); got != "0x... (of the host) is no stream, 0x... (of the host)" {
		t.Error(got)
	}
}

// TestResolve checks how the frames of host code are resolved.
func TestResolve(t *testing.T) {
	l := NewLog(About{Program: "p"})
	l.Resolve(func(stack []device.Frame) []device.Frame {
		var out []device.Frame
		for _, f := range stack {
			out = append(out, device.Frame{Function: strings.TrimSuffix(f.Function, "+1"), Position: device.Position{File: "p.cu", Line: 9}})
		}
		return out
	})
	l.Allocated("cudaMalloc #1", []device.Frame{{Function: "main+1"}})
	l.Add(OfReport(device.Report{Kind: device.OutOfBounds, Kernel: "k()", Buffer: "cudaMalloc #1", Message: "m", Sites: []device.Site{
		{What: "thread 0 of block 0 reads", At: device.Frame{Function: "k()", Position: device.Position{File: "p.cu", Line: 3}}},
		{Role: roleLaunched, What: "k()", At: device.Frame{Function: "k()+1"}, Calls: []device.Frame{{Function: "main+1"}}},
	}}, 0))
	sites := l.Run().Findings[0].Sites
	if len(sites) != 3 || len(sites[1].Stack) != 1 || sites[1].Stack[0].Function != "main" || sites[2].Role != roleAllocated || sites[2].Stack[0].Position.Line != 9 {
		t.Errorf("%+v", sites)
	}
	s := NewSymbols(func(string) (*elf.File, error) { return nil, fs.ErrNotExist })
	if got := s.Resolve([]device.Frame{{Function: "/none/file+1f"}}); got != nil {
		t.Errorf("a file that is not there: %v", got)
	}
	if got := s.Resolve([]device.Frame{{Function: "f(int)", Position: device.Position{File: "x", Line: 1}}}); len(got) != 1 {
		t.Errorf("a frame with its place: %v", got)
	}
}
