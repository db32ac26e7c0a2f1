package programs_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/opt"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// throughputGraphs are small, with all that schedulers tell apart: no edges,
// few, a hub, and many of all sizes.
var throughputGraphs = []string{"empty:0", "empty:1", "path:5", "star:40", "clique:8", "rmat:6:8"}

// combinations returns options of the throughput passes: every set of
// schedulers with every level of cooperation and every size of batches, each
// with other values of all other switches. Any 32 in a row have all sets.
func combinations() []lower.Options {
	const sets, levels, batches = 32, 4, 4
	out := make([]lower.Options, sets*levels*batches)
	for i := range out {
		// 149 shares no factor with their number, nor with that of the sets.
		k := i * 149 % len(out)
		draw := rand.New(rand.NewPCG(uint64(i), 4))
		pick := func(values ...int) int { return values[draw.IntN(len(values))] }
		out[i] = lower.Options{
			NP: lower.Schedulers(k % sets), Coop: lower.CoopLevel(k / sets % levels), Batch: 1 << (k / sets / levels),
			Eager: pick(0, 1) == 0, Deal: pick(0, 1) == 0, Ticket: pick(0, 1) == 0,
			GridLoop: pick(4, 8, 16, 32), BlockLoop: pick(0, 0, 40), WarpLoop: pick(0, 0, 9), FineLoop: pick(0, 0, 2),
			BlockThreads: pick(32, 64, 64, 96, 256), Backoff: lower.Backoff{Order: lower.Order(pick(0, 1, 2, 3)), N: pick(1, 3, 8), Serial: pick(0, 0, 20)}, Bounds: pick(0, 1) == 0,
		}
		if pick(0, 1, 2) == 0 {
			out[i].Outline = lower.Outline{Auto: true}
			out[i].OutlineThreads, out[i].OutlineBlocks = pick(0, 32, 64, 96), pick(0, 1, 4)
			out[i].Scope, out[i].Unroll = pick(0, 1, 12, 100), pick(1, 2, 3)
			out[i].Ahead = pick(0, 1) == 0
		}
	}
	return out
}

// distinct returns at most most of the options, beginning with the one at first,
// for which a program is lowered to texts that differ from each other, and where
// each is among all. Most switches change nothing where a program has not what
// they are about.
func distinct(t *testing.T, name string, first, most int, all []lower.Options) (list []lower.Options, at []int) {
	t.Helper()
	text, _ := programs.Text(name)
	var diags source.List
	info := check.Check(syntax.Parse(source.NewFile(name+".irgl", text), syntax.IrGL, &diags), &diags)
	seen := map[string]bool{}
	for k := range all {
		if len(list) == most {
			break
		}
		i := (first + k) % len(all)
		tree, err := opt.Lower(info, &diags, all[i])
		if err != nil {
			t.Fatalf("%v: %v", all[i], err)
		}
		var cuda strings.Builder
		if err := syntax.Print(&cuda, tree); err != nil {
			t.Fatal(err)
		}
		if !seen[cuda.String()] {
			seen[cuda.String()] = true
			list, at = append(list, all[i]), append(at, i)
		}
	}
	return list, at
}

// TestThroughput runs every program with combinations of the throughput passes,
// most in small blocks, so that there are hubs, several warps and several rounds,
// and some in the usual ones; with loops on the host, and some outlined; each
// under another schedule. It takes 32 of the combinations that lower a program to
// different texts, others for each program, 1 of every third program with -short,
// and all of them with IRGL_ALL=1.
func TestThroughput(t *testing.T) {
	all := combinations()
	for k, name := range programs.Names() {
		if testing.Short() && k%3 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			most, least := 32, 32
			switch {
			case exhaustive():
				most, least = len(all), 64
			case testing.Short():
				most, least = 1, 1
			}
			list, at := distinct(t, name, k*37, most, all)
			t.Logf("%d combinations of switches give other texts", len(list))
			if len(list) < least {
				t.Errorf("only %d combinations differ", len(list))
			}
			var few, in []input
			for i, lo := range list {
				t.Run(strings.ReplaceAll(lo.String(), " ", ";"), func(t *testing.T) {
					u := compiled(t, name, compile.Options{Lower: lo})
					unused(t, u)
					if in == nil {
						in = inputs(t, u, throughputGraphs)
						few = slices.DeleteFunc(slices.Clone(in), func(in input) bool { return in.Mesh != nil && len(in.Mesh.X) > 10 })
					}
					m := machine{seed: uint64(at[i]), multiprocessors: 2, blocks: 4}
					if i%8 == 0 && !testing.Short() {
						// Large meshes take long, as do many blocks.
						verifiedOn(t, name, u, u.PTXText(), machine{seed: m.seed}, in, i/8%2)
						return
					}
					verifiedOn(t, name, u, u.PTXText(), m, few, i%2)
				})
			}
		})
	}
}

// unused reports static functions of the CUDA text that nobody names, which nvcc
// warns of: a library function comes along only where it is used, and no variable
// takes its name.
func unused(t *testing.T, u *compile.Unit) {
	t.Helper()
	used := map[*check.Object]bool{}
	for _, o := range u.CUDAInfo.Uses {
		used[o] = true
	}
	for _, d := range u.CUDA.Decls {
		f, ok := d.(*syntax.FuncDecl)
		if ok && f.Attrs&syntax.Static != 0 && f.Body != nil && !used[u.CUDAInfo.Defs[f.Name]] {
			t.Errorf("%s is not used", f.Name.Name)
		}
		if ok && f.Body != nil {
			onlySet(t, u, f)
		}
	}
}

// onlySet reports the variables of f that are given values which nobody reads, of
// which nvcc warns, too.
func onlySet(t *testing.T, u *compile.Unit, f *syntax.FuncDecl) {
	t.Helper()
	set, read := map[*check.Object]bool{}, map[*check.Object]bool{}
	var look func(syntax.Node) bool
	look = func(n syntax.Node) bool {
		if s, ok := n.(*syntax.ExprStmt); ok {
			if a, ok := s.X.(*syntax.AssignExpr); ok && a.Op == "=" {
				if id, ok := a.L.(*syntax.Ident); ok {
					set[u.CUDAInfo.Uses[id]] = true
					syntax.Inspect(a.R, look)
					return false
				}
			}
		}
		if id, ok := n.(*syntax.Ident); ok {
			read[u.CUDAInfo.Uses[id]] = true
		}
		return true
	}
	syntax.Inspect(f.Body, look)
	syntax.Inspect(f.Body, func(n syntax.Node) bool {
		if v, ok := n.(*syntax.VarDecl); ok && set[u.CUDAInfo.Defs[v.Name]] && !read[u.CUDAInfo.Defs[v.Name]] {
			t.Errorf("%s: %s is only set", f.Name.Name, v.Name.Name)
		}
		return true
	})
}

// TestNarrowBlocks runs a kernel that retries its items until the launches have
// one thread, with every set of schedulers: they work in smaller blocks than
// they are made for.
func TestNarrowBlocks(t *testing.T) {
	long(t)
	const text = `Graph graph { Node int tries; Output Node int seen; Output Node int done; }
Kernel start(graph) { ForAll (n In graph.nodes) { WL.push(n); } }
Kernel work(graph) {
	ForAll (i In WL) {
		n = WL.pop(i);
		int mine = n.degree;
		ForAll (e In n.edges) {
			atomicAdd(&e.dst.seen, mine);
		}
		if (atomicAdd(&n.tries, 1) < 3) { Retry n; } else { n.done = 1; }
	}
}
Host main() { Pipe Once { Invoke start(graph); Invoke work(graph); } }
`
	ctx := context.Background()
	for k := range lower.Schedulers(16) {
		np := k<<1 | k%2
		for coop := lower.CoopNone; coop <= lower.CoopBlock; coop++ {
			o := compile.Options{Check: true, Lower: lower.Options{NP: np, Coop: coop, Batch: 1 << (np % 4), BlockThreads: 64, GridLoop: 4, Outline: lower.Outline{Auto: np%2 != 0}}}
			u, err := compile.Compile(source.NewFile("narrow.irgl", []byte(text)), syntax.IrGL, "", o)
			if err != nil {
				t.Fatal(err)
			}
			so := simt.Checked()
			so.Seed = uint64(np)
			dev := simt.Open(so)
			e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{BlockThreads: 64})
			if err != nil {
				t.Fatal(err)
			}
			g := prepared(t, u, "rmat:7:6")
			res, err := e.Run(ctx, run.Input{Graph: g})
			if err != nil {
				t.Fatalf("%+v: %v", o.Lower, err)
			}
			want := make([]int64, g.NumNodes())
			for v := range want {
				edges := g.Dst[g.RowStart[v]:g.RowStart[v+1]]
				for _, d := range edges {
					want[d] += 4 * int64(len(edges))
				}
			}
			for v, w := range want {
				if seen, done := res.Props[0].Value(v).Int, res.Props[1].Value(v).Int; seen != w || done != 1 {
					t.Errorf("%+v: node %d: %d, want %d; done %d", o.Lower, v, seen, w, done)
					break
				}
			}
			for _, r := range dev.Reports() {
				t.Errorf("%+v: %v", o.Lower, r)
			}
			if err := errors.Join(e.Close(), dev.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}

// emulate runs a program in an emulator that checks it, in blocks as large as lo
// says, and returns its properties; races are reported.
func emulate(t *testing.T, text, spec string, lo lower.Options, seed uint64) *run.Result {
	t.Helper()
	u, err := compile.Compile(source.NewFile("small.irgl", []byte(text)), syntax.IrGL, "", compile.Options{Check: true, Lower: lo})
	if err != nil {
		t.Fatal(err)
	}
	so := simt.Checked()
	so.Seed = seed
	dev := simt.Open(so)
	e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{BlockThreads: lo.BlockThreads, Launches: u.Dynpar})
	if err != nil {
		t.Fatal(err)
	}
	res, err := e.Run(context.Background(), run.Input{Graph: prepared(t, u, spec)})
	if err != nil {
		t.Fatalf("%v: %v", lo, err)
	}
	for _, r := range dev.Reports() {
		t.Errorf("%v: %v", lo, r)
	}
	if err := errors.Join(e.Close(), dev.Close()); err != nil {
		t.Error(err)
	}
	return res
}

// same compares two results of a program.
func same(t *testing.T, lo lower.Options, want, got *run.Result) {
	t.Helper()
	for i, p := range want.Props {
		for v := range p.Len() {
			if w, g := p.Value(v), got.Props[i].Value(v); w != g {
				t.Errorf("%v: property %d of node %d: %v, want %v", lo, i, v, g, w)
				break
			}
		}
	}
	for i, g := range want.Globals {
		if !slices.Equal(g.Values, got.Globals[i].Values) {
			t.Errorf("%v: %s: %v, want %v", lo, g.Name, got.Globals[i].Values, g.Values)
		}
	}
}

// TestGathers runs inner loops with reductions of their own with every set of
// schedulers, under several schedules. The numbers are such that the order of
// additions does not matter.
func TestGathers(t *testing.T) {
	const text = `Graph graph {
	Output Node double sum; Output Node int least; Output Node unsigned most; Output Node long bits; Output Node float rest;
	Node int a = id * 7 + 3;
}
Kernel gather(graph) {
	ForAll (n In graph.nodes) {
		double sum = 0;
		int least = n.a;
		unsigned most = 0;
		long bits = -1;
		if (n.degree != 3) {
			ForAll (e In n.edges) {
				atomicAdd(&sum, 0.5 * e.dst.a);
				atomicMin(&least, e.dst.a);
				if (e.dst.a % 2 == 0) { atomicMax(&most, (unsigned)e.dst.a + 3000000000u); }
				atomicXor(&bits, (long)e.dst.a << 20);
			}
			n.sum = sum;
		}
		n.least = least;
		n.most = most;
		float rest = 100;
		ForAll (e In n.edges) { atomicAnd(&bits, e.dst.a | 0x700000000); atomicAdd(&rest, -0.25f); }
		n.bits = bits;
		n.rest = rest;
	}
}
Host main() { Invoke gather(graph); }
`
	for i, spec := range []string{"star:70", "rmat:7:12"} {
		want := emulate(t, text, spec, lower.Options{BlockThreads: 64}, 0)
		for np := lower.Schedulers(1); np < 32; np++ {
			if int(np)%2 != i || testing.Short() && np%5 != 0 {
				continue
			}
			lo := lower.Options{NP: np, Batch: int(np)%3 + 1, BlockThreads: []int{64, 32, 128}[np%3], Deal: np%4 < 2, WarpLoop: int(np)%5*8 + 1, BlockLoop: 40}
			same(t, lo, want, emulate(t, text, spec, lo, uint64(np)))
		}
	}
}

// TestHubs runs a kernel whose lists are put off: on both sides of the size from
// which on they are, twice in a row, and with more lists than there is room for,
// which then stay with their blocks.
func TestHubs(t *testing.T) {
	long(t)
	const text = `Graph graph { Output Node int seen; Output Node long by; }
Kernel look(graph, int ROUND) {
	ForAll (n In graph.nodes) {
		int mine = n.id + ROUND;
		ForAll (e In n.edges) { atomicAdd(&e.dst.seen, 1); atomicAdd(&e.dst.by, (long)mine); }
	}
}
Host main() {
	int ROUND = 0;
	while (ROUND < 3) { Invoke look(graph, ROUND); ROUND++; }
}
`
	t.Run("sizes", func(t *testing.T) {
		want := emulate(t, text, "star:200", lower.Options{BlockThreads: 64}, 0)
		for i, size := range []int{1, 198, 199, 200} {
			for _, auto := range []bool{false, true} {
				lo := lower.Options{NP: lower.ByGrid | lower.ByWarp, GridLoop: size, BlockThreads: 64, Outline: lower.Outline{Auto: auto}}
				same(t, lo, want, emulate(t, text, "star:200", lo, uint64(i)))
			}
		}
	})
	t.Run("late", func(t *testing.T) {
		// Only every third call puts something off: a thread that
		// reads the flag of one call late must not see that of the next.
		text := strings.NewReplacer("ForAll (e", "if (n.id % 3 == ROUND % 3) ForAll (e", "ROUND < 3", "ROUND < 9").Replace(text)
		want := emulate(t, text, "star:40", lower.Options{BlockThreads: 64}, 0)
		for seed := range uint64(12) {
			lo := lower.Options{NP: lower.ByGrid | lower.ByWarp, GridLoop: 30, BlockThreads: 64, Outline: lower.Outline{Auto: true}, OutlineThreads: 32, OutlineBlocks: int(seed % 2)}
			same(t, lo, want, emulate(t, text, "star:40", lo, seed))
		}
	})
	t.Run("room", func(t *testing.T) {
		want := emulate(t, text, "cycle:4200", lower.Options{BlockThreads: 256}, 0)
		for _, auto := range []bool{false, true} {
			lo := lower.Options{NP: lower.ByGrid, GridLoop: 1, BlockThreads: 256, Outline: lower.Outline{Auto: auto}}
			same(t, lo, want, emulate(t, text, "cycle:4200", lo, 1))
		}
	})
}
