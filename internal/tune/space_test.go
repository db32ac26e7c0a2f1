package tune

import (
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/source"
	"irgl/syntax"
)

func checked(t testing.TB, name, text string) *check.Info {
	t.Helper()
	u, err := compile.Compile(source.NewFile(name+".irgl", []byte(text)), syntax.IrGL, "check", compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return u.Info
}

func bundled(t testing.TB, name string) *check.Info {
	t.Helper()
	text, ok := programs.Text(name)
	if !ok {
		t.Fatalf("no program %s", name)
	}
	return checked(t, name, string(text))
}

// TestSpace checks which switches are found to matter.
func TestSpace(t *testing.T) {
	const plain = "Graph g { Node int a = 1; }\nKernel K(g) { ForAll (n In g.nodes) { n.a = 2; } }\nHost f() { Invoke K(g); }\n"
	s, err := SpaceOf(checked(t, "plain", plain), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range s.Axes {
		if a.Name != "block" {
			t.Errorf("no loop, no push, no edges, and yet %s matters: %v", a.Name, a.Values)
		}
	}
	const counted = "Graph g {}\nKernel K(g) { ForAll (n In g.nodes) { for (int k = 0; k < 4; k++) { WL.push(n); } } }\nHost f() { Pipe Once { Invoke K(g); } }\n"
	if s, err = SpaceOf(checked(t, "counted", counted), true); err != nil || !strings.Contains(s.String(), "coop: none warp block thread\n") {
		t.Errorf("%v:\n%s", err, s)
	}
	const retried = "Graph g { Node int l; Node int a; }\nKernel K(g) { ForAll (i In WL) { n = WL.pop(i); Atomic (n.l) { n.a += 1; } Else { Retry n; } } }\nHost f() { Pipe Once Initial [0] { Invoke K(g); } }\n"
	s, err = SpaceOf(checked(t, "retried", retried), true)
	for _, axis := range []string{"backoff: auto 1 4 16 blocked-4 blocked-16\n", "backoff-tail: 0 32 256\n"} {
		if err != nil || !strings.Contains(s.String(), axis) {
			t.Errorf("%v: no %q in\n%s", err, axis, s)
		}
	}
	s = spaceOfBFS(t)
	for _, name := range []string{"outline: none auto\n", "batch: 1 2 4 8\n", "coop: none warp block\n", "np: none fg wp tb wp,fg ", "np-wp: 0 16 64 128\n", "block: 256 128 512 1024\n"} {
		if !strings.Contains(s.String(), name) {
			t.Errorf("%q is not in the space of bfs:\n%s", name, s)
		}
	}
	if strings.Contains(s.String(), "cluster") {
		t.Errorf("clusters are tried where there are none:\n%s", s)
	}
	if s, err = SpaceOf(bundled(t, "bfs"), true); err != nil || !strings.Contains(s.String(), "scope: grid block:512 block:2048 cluster:2048 cluster:8192\n") {
		t.Errorf("%v:\n%s", err, s)
	}
	if n := len(s.All()); n != s.Size() || n < 2*4*3*8 {
		t.Errorf("%d choices, size %d", n, s.Size())
	}
	// tri has no rounds; the inner loops of mst and dmr stay with their threads.
	for name, absent := range map[string]string{"tri": "outline", "mst": "np", "dmr": "batch"} {
		if name != "tri" && testing.Short() {
			continue
		}
		s, err := SpaceOf(bundled(t, name), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range s.Axes {
			if a.Name == absent {
				t.Errorf("%s matters for %s:\n%s", absent, name, s)
			}
		}
	}
}

// TestDefault checks that every row of the table can be read, that each class
// and program gets switches it has a use for, and that other devices get none.
func TestDefault(t *testing.T) {
	for _, r := range defaults {
		o, err := lower.ParseOptions(r.switches)
		if err != nil || o.String() != r.switches {
			t.Errorf("%v %s: %q is %q: %v", r.class, r.programs, r.switches, o, err)
		}
	}
	of := map[string]Features{}
	for _, spec := range []string{"rmat:10:8", "grid:100:100", "uniform:3000:4", "star:5", "star:400"} {
		of[spec] = FeaturesOf(generated(t, spec))
	}
	of["road"] = Features{Nodes: 24010000, Edges: 57412816, MeanDegree: 2.39, MaxDegree: 4, HubShare: 0.02, Levels: 90, Symmetric: true}
	for _, tt := range []struct{ program, graph, want, from string }{
		{"bfs", "rmat:10:8", "outline=auto batch=4 coop=block np=gr,fg np-gr=1024 deal=true", "default for a graph with hubs"},
		{"mis", "rmat:10:8", "outline=auto np=gr,wp,serial", "default for a graph with hubs"},
		{"bfs", "star:400", "outline=auto batch=4 coop=block np=gr,fg np-gr=1024 deal=true", "default for a graph with hubs"},
		{"bfs", "star:5", "outline=auto batch=4 coop=block", "default for a graph of even degrees"},
		{"bfs", "grid:100:100", "outline=auto outline-threads=256 outline-blocks=1 batch=4 bounds=true ahead=true", "default for a graph of high diameter"},
		{"pr", "grid:100:100", "outline=auto batch=4", "default for a graph of high diameter"},
		{"sssp", "road", "outline=auto batch=4 coop=warp", "default for a graph of high diameter and large"},
		{"sssp", "uniform:3000:4", "outline=auto batch=4 coop=block", "default for a graph of even degrees"},
		{"dmr", "", "outline=auto coop=warp", "default for a program without a graph"},
	} {
		c := Default(tt.program, of[tt.graph], "cuda")
		if c.Options.String() != tt.want || c.From != tt.from {
			t.Errorf("%s on %s: %q, %s; want %q", tt.program, tt.graph, c.Options, c.From, tt.want)
		}
	}
	if c := Default("bfs", of["rmat:10:8"], "simt"); c.Options.String() != "outline=auto batch=4 coop=block np=gr,fg np-gr=1024 deal=true" {
		t.Errorf("simt: %+v", c)
	}
	if c := Default("bfs", of["rmat:10:8"], "cpu"); c.Options.String() != "" || c.From != "no switches on cpu" {
		t.Errorf("cpu: %+v", c)
	}
}

// TestPrune checks that switches without an effect on a program go, and no others.
func TestPrune(t *testing.T) {
	const plain = "Graph g { Node int a = 1; }\nKernel K(g) { ForAll (n In g.nodes) { n.a = 2; } }\nHost f() { Invoke K(g); }\n"
	for _, tt := range []struct {
		info       *check.Info
		text, want string
	}{
		{checked(t, "plain", plain), "outline=auto batch=4 coop=block np=tb,wp,fg np-wp=64", ""},
		{checked(t, "plain", plain), "outline=auto block=128", "block=128"},
		{bundled(t, "bfs"), "outline=auto coop=block np=tb,wp,fg", "outline=auto coop=block np=tb,wp,fg"},
		{bundled(t, "bfs"), "batch=4 outline-threads=128 np-wp=64", "batch=4"},
	} {
		o, err := lower.ParseOptions(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if o, err = Prune(tt.info, o); err != nil || o.String() != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.text, o, err, tt.want)
		}
	}
}
