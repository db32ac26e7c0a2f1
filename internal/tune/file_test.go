package tune

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/device"
)

func entry(program, device, id, switches string, f Features) Entry {
	return Entry{
		Program: program, ProgramHash: ProgramHash([]byte(program)), Device: device, Compiler: "v1",
		Graph: Input{Name: "graph " + id, ID: id, Features: f}, Switches: switches, Metric: "ms", Time: 1, Default: 2, Plain: 3, Repeats: 5,
	}
}

var (
	rmat20 = Features{Nodes: 1 << 20, Edges: 8174741, MeanDegree: 7.8, MaxDegree: 23199, HubShare: 0.507, Levels: 2}
	rmat22 = Features{Nodes: 1 << 22, Edges: 33e6, MeanDegree: 7.85, MaxDegree: 58000, HubShare: 0.56, Levels: 1}
	road   = Features{Nodes: 24010000, Edges: 57412816, MeanDegree: 2.39, MaxDegree: 4, HubShare: 0.02, Levels: 90, Symmetric: true}
	grid   = Features{Nodes: 1 << 20, Edges: 4190208, MeanDegree: 4, MaxDegree: 4, HubShare: 0.01, Levels: 64, Symmetric: true}
)

// TestFile checks that a file reads back what was written, in an order of its
// own, and that writing leaves nothing else behind.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "tuning.json")
	f, err := ReadFile(path)
	if err != nil || len(f.Entries) != 0 {
		t.Fatalf("no file: %+v, %v", f, err)
	}
	a, b := entry("sssp", "H200", "b", "batch=4", road), entry("bfs", "H200", "a", "outline=auto np=wp,fg", rmat20)
	if err := Update(path, []Entry{a}); err != nil {
		t.Fatal(err)
	}
	if err := Update(path, []Entry{b}); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b.Time = 0.5
	if err := Update(path, []Entry{b}); err != nil {
		t.Fatal(err)
	}
	f, err = ReadFile(path)
	if err != nil || len(f.Entries) != 2 || f.Entries[0] != b || f.Entries[1] != a {
		t.Fatalf("%+v, %v", f, err)
	}
	other := filepath.Join(dir, "other.json")
	b.Time = 1
	if err := Update(other, []Entry{b, a}); err != nil {
		t.Fatal(err)
	}
	if second, _ := os.ReadFile(other); !bytes.Equal(first, second) {
		t.Errorf("the order of additions matters:\n%s\n%s", first, second)
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(path, link); err == nil {
		if err := Update(link, []Entry{entry("cc", "H200", "c", "", grid)}); err != nil {
			t.Fatal(err)
		}
		if st, _ := os.Lstat(link); st.Mode()&os.ModeSymlink == 0 {
			t.Error("the link was replaced")
		}
		if f, _ := ReadFile(path); len(f.Entries) != 3 {
			t.Errorf("%d entries by the link", len(f.Entries))
		}
	}
	if err := Update(filepath.Join(path, "x"), nil); err == nil {
		t.Error("a file is no folder")
	}
}

// TestDamagedFiles checks that a file that is no tuning file is refused with its
// name and the reason, by reading and by writing, and stays as it is.
func TestDamagedFiles(t *testing.T) {
	var good bytes.Buffer
	f := File{Version: 1, Entries: []Entry{entry("bfs", "H200", "a", "batch=4", grid)}}
	if err := f.Encode(&good); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ text, want string }{
		{"", "line 1: unexpected end of JSON input"},
		{"{\n \"version\": 1,\n \"entries\": [\n", "line 4: unexpected end of JSON input"},
		{good.String()[:200], "unexpected end of JSON input"},
		{good.String() + "{}", "invalid character '{' after top-level value"},
		{strings.Replace(good.String(), `"version": 1`, `"version": 2`, 1), "it is of version 2, and this irgl reads version 1"},
		{strings.Replace(good.String(), `"metric"`, `"watts"`, 1), `unknown field "watts"`},
		{strings.Replace(good.String(), `"ms"`, `"s"`, 1), `entry 1: metric "s" is neither ms nor cost`},
		{strings.Replace(good.String(), `"time": 1`, `"time": -1`, 1), "entry 1: a time is negative"},
		{strings.Replace(good.String(), `"time": 1`, `"time": "1"`, 1), "line 22: json: cannot unmarshal string"},
		{strings.Replace(good.String(), `"id": "a"`, `"id": ""`, 1), "graph.id is missing"},
	} {
		path := filepath.Join(t.TempDir(), "t.json")
		if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
		if err := Update(path, []Entry{entry("bfs", "H200", "b", "", grid)}); err == nil {
			t.Errorf("%q: written over", tt.text)
		}
		if now, _ := os.ReadFile(path); string(now) != tt.text {
			t.Errorf("%q became %q", tt.text, now)
		}
	}
	if _, err := ReadFile(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}

// TestLookup checks which entry a graph gets.
func TestLookup(t *testing.T) {
	f := &File{Version: 1}
	f.Add(entry("bfs", "H200", "r20", "np=fg", rmat20))
	f.Add(entry("bfs", "H200", "grid", "outline=auto", grid))
	f.Add(entry("bfs", "A100", "road", "batch=8", road))
	f.Add(entry("cc", "H200", "road", "batch=2", road))
	unknown := entry("bfs", "H200", "road", "warp-drive=9", road)
	f.Add(unknown)
	newer := entry("bfs", "H200", "r20", "np=wp", rmat20)
	newer.Compiler = "v2"
	f.Add(newer)
	for _, tt := range []struct {
		program, device, compiler, id string
		f                             Features
		want                          string // "" for none
	}{
		{"bfs", "H200", "v1", "r20", rmat20, "np=fg"},
		{"bfs", "H200", "v2", "r20", rmat20, "np=wp"},
		{"bfs", "H200", "v3", "r20", rmat20, "np=fg"},
		{"bfs", "H200", "v1", "another", rmat20, "np=fg"},
		{"bfs", "H200", "v1", "r22", rmat22, "np=fg"},
		{"bfs", "H200", "v1", "grid", rmat20, "outline=auto"}, // the very graph goes before likeness
		{"bfs", "H200", "v1", "road", road, ""},               // the grid is too unlike, the road's switches are not known
		{"bfs", "A100", "v1", "x", road, "batch=8"},
		{"bfs", "A100", "v1", "x", rmat20, ""},
		{"cc", "H200", "v1", "x", rmat20, ""},
		{"pr", "H200", "v1", "r20", rmat20, ""},
	} {
		e, d, ok := f.Lookup(ProgramHash([]byte(tt.program)), tt.device, tt.compiler, Input{ID: tt.id, Features: tt.f})
		if ok != (tt.want != "") || e.Switches != tt.want {
			t.Errorf("%s on %s, %s: %q at %.2f, %v; want %q", tt.program, tt.device, tt.id, e.Switches, d, ok, tt.want)
		}
	}
}

// TestDistance checks the distances that the documentation states.
func TestDistance(t *testing.T) {
	base := Input{Features: rmat20}
	for _, tt := range []struct {
		change func(in *Input)
		want   float64
	}{
		{func(in *Input) {}, 0},
		{func(in *Input) { in.Nodes *= 2 }, 0.5},
		{func(in *Input) { in.MeanDegree *= 2 }, 1},
		{func(in *Input) { in.MaxDegree *= 2 }, 0.25},
		{func(in *Input) { in.Levels = 8 }, 1},
		{func(in *Input) { in.Levels = 1 }, 0},
		{func(in *Input) { in.HubShare += 0.1 }, 0.5},
		{func(in *Input) { in.Nodes = 0 }, math.Inf(1)},
		{func(in *Input) { in.Points = 9 }, math.Inf(1)},
	} {
		in := base
		tt.change(&in)
		if d := base.Distance(in); d != tt.want && math.Abs(d-tt.want) > 1e-3 || math.Abs(d-in.Distance(base)) > 1e-9 {
			t.Errorf("%+v: %v and %v, want %v", in, d, in.Distance(base), tt.want)
		}
	}
	if d := base.Distance(Input{Features: rmat22}); d > MaxDistance {
		t.Errorf("rmat20 and rmat22 are %.2f apart", d)
	}
	if d := (Input{Features: grid}).Distance(Input{Features: road}); d < MaxDistance {
		t.Errorf("a grid and a road network are %.2f apart", d)
	}
}

// TestCost checks that each thing counted makes a program dearer.
func TestCost(t *testing.T) {
	last := 0.0
	for _, c := range []device.Counters{
		{Instructions: 10}, {Instructions: 10, AtomicsShared: 1}, {Instructions: 10, AtomicsGlobal: 1},
		{Instructions: 10, AtomicsGlobal: 1, Transactions: 1}, {Instructions: 10, Barriers: 1}, {Launches: 1},
	} {
		if cost := Cost(c); cost <= last {
			t.Errorf("%+v costs %v, what is before it %v", c, cost, last)
		} else {
			last = cost
		}
	}
}

// FuzzParse checks that no text makes the reader fail otherwise than with an
// error, and that what it reads is written and read the same.
func FuzzParse(f *testing.F) {
	var b bytes.Buffer
	file := File{Version: 1, Entries: []Entry{entry("bfs", "H200", "a", "batch=4", grid)}}
	if err := file.Encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"version":1,"entries":null}`))
	f.Add([]byte(`{"version":1,"entries":[{}]}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Parse(text)
		if err != nil {
			return
		}
		var one, two bytes.Buffer
		if err := got.Encode(&one); err != nil {
			t.Fatal(err)
		}
		again, err := Parse(one.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, one.Bytes())
		}
		if err := again.Encode(&two); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%v\n%s\n%s", err, one.Bytes(), two.Bytes())
		}
	})
}
