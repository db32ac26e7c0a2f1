package opt

import (
	"fmt"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// choices returns what is said of the kernels of a program.
func choices(t *testing.T, text string, o Options) []Choice {
	t.Helper()
	diags := new(source.List)
	info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, diags), diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	x, err := ExplainKernels(info, o)
	if err != nil {
		t.Fatal(err)
	}
	return x.Kernels
}

// TestExplainKernels checks what is said of inner loops, pushes and reductions:
// what was applied with the switches on, what could be with them off, and why
// not.
func TestExplainKernels(t *testing.T) {
	const text = `Graph g { Node int a; Node int b; Node int to[2]; }
Kernel K(g) {
	ForAll (i In WL) {
		n = WL.pop(i);
		int near = n.a;
		ForAll (e In n.edges) {
			if (near < atomicMin(&e.dst.a, near)) { WL.push(e.dst); ReduceAndReturn(true); }
		}
		n.b = n.a;
		int sum = 0;
		ForAll (e In n.edges) { atomicAdd(&sum, e.dst.b); }
		n.b = sum;
		while (near > 0) { ForAll (e In n.edges) { n.a += 1; } near--; }
		ForAll (e In n.edges) { WL.push(e.dst); }
		for (e In n.edges) { near += e.dst.a; }
	}
}
Kernel L(g) {
	ForAll (i In WL) { n = WL.pop(i); n = g.nodes(n.degree); }
	ForAll (e In g.nodes(0).edges) { WL.push(e.dst); }
}
Host main() { Pipe Once { bool x = Any(Invoke K(g)); Invoke L(g); } }
`
	for options, want := range map[string]string{
		"": `Kernel K at 2:1: each thread executes its own iterations
  inner ForAll K.1 at 6:3: in its thread, can be shared (--np); one by one, can be batched (--batch)
  push at 7:44: an atomic each, can be shared (--coop)
  reduction at 7:60: at once, can be gathered (--coop)
  inner ForAll K.2 at 11:3: in its thread, can be shared (--np); one by one, can be batched (--batch)
  inner ForAll K.3 at 13:22: in its thread; one by one
     at 13:3: it is in a serial loop that the threads of a block go through differently often
     at 13:46: two of its iterations may write the same place
     at 13:22: it loads nothing that can be issued early
  inner ForAll K.4 at 14:3: in its thread, can be shared (--np); one by one, can be batched (--batch)
  push at 14:27: an atomic each, can be shared (--coop)
  for K.5 at 15:3: one by one, can be batched (--batch)
Kernel L at 18:1: each thread executes its own iterations
  push at 20:35: an atomic each, can be shared (--coop)
`,
		"np=gr,fg coop=block batch=4 bounds=true": `Kernel K at 2:1: the threads of a block execute iterations together, 256 at most, and the grid shares long loops at the end
  inner ForAll K.1 at 6:3: shared, np=fg; 4 at once, first their e.dst, atomics in step
     at 6:3: what follows it in the outer iteration depends on it by a
  push at 7:44: queue of the block, together with its batch
  reduction at 7:60: gathered, once a block
  inner ForAll K.2 at 11:3: shared, np=fg, gathers sum; 4 at once, first their e.dst, e.dst.b
     at 11:3: what follows it in the outer iteration depends on it by b
     at 11:27: it gathers sum, which is the outer iteration's
  inner ForAll K.3 at 13:22: in its thread; one by one
     at 13:3: it is in a serial loop that the threads of a block go through differently often
     at 13:46: two of its iterations may write the same place
     at 13:22: it loads nothing that can be issued early
  inner ForAll K.4 at 14:3: shared, np=gr,fg; 4 at once, first their e.dst
  push at 14:27: room for the loop, reserved by the block
  for K.5 at 15:3: 4 at once, first their e.dst, e.dst.a
Kernel L at 18:1: each thread executes its own iterations
  push at 20:35: an atomic for the lanes that push together
     at 20:2: the outermost ForAll is over edges
`,
	} {
		o, err := lower.ParseOptions(options)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, c := range choices(t, text, Options{Lower: o}) {
			got.WriteString(c.String())
		}
		if got.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", options, got.String(), want)
		}
	}
}

// TestExplainCounters checks what is said of atomics on shared counters.
func TestExplainCounters(t *testing.T) {
	const text = `Graph g { Node int a; }
int count; int low; long sums[2];
Kernel K(g, int k) {
	ForAll (n In g.nodes) {
		atomicAdd(&sums[k], n.a);
		n.a = atomicAdd(&count, 1);
		if (n.a < low) { atomicMin(&low, n.a); }
		atomicAdd(&sums[n.a], 1);
	}
}
Kernel L(g) { if (count > 3) { return; } ForAll (n In g.nodes) { atomicAdd(&sums[0], 1); } }
Host main() { Invoke K(g, 0); Invoke L(g); }
`
	for options, want := range map[string]string{
		"": `atomicAdd of sums[k] at 5:3: an atomic each, can be gathered (--coop)
atomicAdd of count at 6:9: an atomic each, can be shared (--coop)
   at 6:9: its old value is used
atomicMin of low at 7:20: an atomic each
   at 7:13: the kernel uses low here, too
   at 7:20: only sums give each thread a place
atomicAdd of sums[n.a] at 8:3: an atomic each
   at 8:19: each thread may have another n.a
atomicAdd of sums[0] at 11:66: an atomic each, can be shared (--coop)
   at 11:66: a thread can leave the kernel early
`,
		"coop=warp": `atomicAdd of sums[k] at 5:3: gathered, once a warp
atomicAdd of count at 6:9: an atomic for the lanes that come together
   at 6:9: its old value is used
atomicMin of low at 7:20: an atomic each
   at 7:13: the kernel uses low here, too
   at 7:20: only sums give each thread a place
atomicAdd of sums[n.a] at 8:3: an atomic each
   at 8:19: each thread may have another n.a
atomicAdd of sums[0] at 11:66: an atomic for the lanes that come together
   at 11:66: a thread can leave the kernel early
`,
	} {
		o, err := lower.ParseOptions(options)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, c := range choices(t, text, Options{Lower: o}) {
			if c.Depth > 0 {
				c.Depth = 0
				got.WriteString(c.String())
			}
		}
		if got.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", options, got.String(), want)
		}
	}
	// Each block can have as many counters as there is shared memory for.
	var many, adds strings.Builder
	for k := range 100 {
		fmt.Fprintf(&many, "long c%d;\n", k)
		fmt.Fprintf(&adds, "atomicMax(&c%d, n); ", k)
	}
	program := "Graph g { }\n" + many.String() + "Kernel K(g) { ForAll (n In g.nodes) { " + adds.String() + "} }\n"
	gathered, refused := 0, 0
	for _, c := range choices(t, program, Options{Lower: lower.Options{Coop: lower.CoopBlock}}) {
		switch {
		case c.State == "gathered, once a block":
			gathered++
		case len(c.Why) == 2 && c.Why[0].Text == "the block's shared memory has no room for it":
			refused++
		}
	}
	if gathered != sharedLimit/4/256 || gathered+refused != 100 {
		t.Errorf("%d counters are gathered, %d find no room", gathered, refused)
	}
}

// TestExplainRows checks that what is said of a place follows the rows that ran, and the
// attributes of the program, and not the switches alone.
func TestExplainRows(t *testing.T) {
	const text = `Graph g { Requires weights; Node int a; Racy a "the atomic function decides"; }
int count;
Kernel K(g) {
	ForAll (i In WL) {
		n = WL.pop(i);
		ForAll (e In n.edges) { if (e.weight < atomicMin(&e.dst.a, e.weight)) { WL.push(e.dst); ReduceAndReturn(true); } }
		atomicAdd(&count, 1);
	}
}
Kernel P(g) {
	ForAll (i In WL) {
		n = WL.pop(i);
		[[np(wp)]] [[batch(8)]] ForAll (e In n.edges) { [[reserve(block)]] WL.push(e.dst); }
		[[np(none)]] [[batch(1)]] ForAll (e In n.edges) { [[each]] WL.push(e.dst); }
		[[each]] atomicAdd(&count, 1);
	}
}
Host main(node v) { Iterate While Any K(g) Initial [v]; Pipe Initial [v] { Invoke P(g); } }
`
	const switches = "np=gr,wp coop=block batch=4"
	for off, want := range map[string]string{
		"": `inner ForAll K.1 at 6:3: shared, np=gr,wp; 4 at once, first their e.weight, e.dst, atomics in step
push at 6:75: queue of the block, together with its batch
reduction at 6:91: gathered, once a block, but for what comes late
   at 6:91: a barrier of the grid comes before it
`,
		"gather": "reduction at 6:91: at once\n",
		"np-gr": `inner ForAll K.1 at 6:3: shared, np=wp; 4 at once
reduction at 6:91: gathered, once a block
`,
		"np-gr,np-wp":     "inner ForAll K.1 at 6:3: in its thread; 4 at once\n",
		"batch":           "inner ForAll K.1 at 6:3: shared, np=gr,wp; one by one\npush at 6:75: queue of the block\n",
		"queue":           "push at 6:75: an atomic for the lanes that push together, together with its batch\n",
		"queue,warp-push": "push at 6:75: an atomic each, together with its batch\n",
		"tally":           "atomicAdd of count at 7:3: an atomic for the lanes that come together\n",
		"tally,lanes":     "atomicAdd of count at 7:3: an atomic each\n",
		"np-tb": `inner ForAll P.1 at 13:27: shared, np=wp; 8 at once, first their e.dst
push at 13:70: room for the loop, reserved by the block
inner ForAll P.2 at 14:29: in its thread, as the program says; one by one, as the program says
atomicAdd of count at 15:12: an atomic each, as the program says
`,
	} {
		o, err := lower.ParseOptions(switches)
		if err != nil {
			t.Fatal(err)
		}
		run := Options{Lower: o, Tree: tree.Options{Switch: map[string]bool{}}}
		for name := range strings.SplitSeq(off, ",") {
			if name != "" {
				run.Tree.Switch[name] = false
			}
		}
		var got strings.Builder
		for _, c := range choices(t, text, run) {
			c.Depth = 0
			got.WriteString(c.String())
		}
		for line := range strings.Lines(want) {
			if !strings.Contains(got.String(), strings.TrimSuffix(line, "\n")) {
				t.Errorf("without %q: no line %q in\n%s", off, line, got.String())
			}
		}
	}
}

// TestExplainEach checks that what the program keeps apart is said to be so.
func TestExplainEach(t *testing.T) {
	const text = `Graph g { Node int a; }
int count;
Kernel K(g) {
	ForAll (i In WL) { n = WL.pop(i); [[each]] WL.push(n); WL.push(n.a); [[each(1)]] n.a = atomicAdd(&count, 1) + atomicAdd(&count, 2); }
}
Host main(node v) { Iterate K(g) Initial [v]; }
`
	const want = `push at 4:45: an atomic each, as the program says
push at 4:57: queue of the block
atomicAdd of count at 4:89: an atomic each, as the program says
atomicAdd of count at 4:112: an atomic each, as the program says
`
	got := ""
	for _, c := range choices(t, text, Options{Lower: lower.Options{Coop: lower.CoopBlock}})[1:] {
		c.Depth, c.Why = 0, nil
		got += c.String()
	}
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestExplainEarly: what a loop loads early is named once.
func TestExplainEarly(t *testing.T) {
	const text = `Graph g { Node int a; Node int b; }
Kernel K(g) {
	ForAll (i In WL) {
		n = WL.pop(i);
		int wins = 1;
		[[batch(4, eager)]] for (e In n.edges) {
			if (e.dst.b < 0 && (e.dst.a > n.a || e.dst.a == n.a && e.dst > n)) {
				wins = 0;
				break;
			}
		}
		n.b = wins;
	}
}
Host main(node v) { Pipe Initial [v] { Invoke K(g); } }
`
	var all strings.Builder
	for _, c := range choices(t, text, Options{}) {
		fmt.Fprintln(&all, c)
	}
	if want := "first their e.dst, e.dst.b, e.dst.a, n.a"; strings.Count(all.String(), "n.a") != 1 || !strings.Contains(all.String(), want) {
		t.Errorf("got %s, want %s", &all, want)
	}
}
