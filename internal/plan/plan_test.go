package plan

import (
	"strings"
	"testing"

	"irgl/internal/source"
	"irgl/syntax"
)

// parsed returns the tree of an IrGL text.
func parsed(t *testing.T, text string) *syntax.File {
	t.Helper()
	var diags source.List
	f := syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	return f
}

// program has every attribute.
const program = `[[threads(128)]] Kernel K(g) {
	[[deal]] [[queue]] ForAll (i In WL) {
		n = WL.pop(i);
		[[np(gr 4096, tb 256, wp 32, fg)]] [[batch(4)]] ForAll (e In n.edges) {
			[[reserve(block)]] WL.push(e.dst);
			[[gather(warp)]] atomicAdd(&lost, 1);
			[[each(1)]] [[lanes]] x = WL.push(e.dst) + atomicAdd(&a, 1);
			[[each]] WL.push(e.dst);
			if (e.weight > 3)
				[[lanes]] int at = atomicAdd(&waiting, 1);
		}
		[[np(tb 256, serial)]] [[batch(2, eager)]] ForAll (e In n.edges) {
			[[reserve(warp)]] [[lanes(2)]] x = WL.push(e.dst) + atomicAdd(&a, 1) + atomicAdd(&b, 1);
			[[reserve(warp)]] Respawn n;
		}
		[[np(gr 9, serial)]] ForAll (e In n.edges) {
			[[reserve(warp)]] for (WL.push(1); a < b; WL.push(2))
				WL.push(3);
		}
		[[batch(32)]] for (e In n.edges) {
			[[lanes]] if (atomicSub(&a, 1) > 0) {
				atomicSub(&b, 1);
			} else [[gather(block, 1)]] if (atomicMin(&c, 1) < atomicMax(&d, 2)) {}
		}
	}
}

[[outline]] [[scope(block, 512)]] Host main() {
	[[outline(threads 256, blocks 2)]] [[scope(cluster 8, 2048)]] Iterate K(g) Initial [src];
	[[outline(blocks 1)]] while (Any(Invoke K(g))) {}
}
`

// TestRoundTrip: what attributes say is written as the same attributes, without those
// of the text, and what is written says the same.
func TestRoundTrip(t *testing.T) {
	const text = program
	f := parsed(t, text)
	read := func(f *syntax.File) *Plan {
		t.Helper()
		var diags source.List
		p := Read(f, &diags)
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := read(f)
	bare := *f
	bare.Attributes = nil
	again := p.Write(&bare)
	if got := syntax.String(again); got != text {
		t.Errorf("written:\n%s", got)
	}
	if got := read(again); len(got.Loops) != len(p.Loops) || len(got.Shares) != len(p.Shares) || len(got.Nodes) != len(p.Nodes) {
		t.Error("the written plan differs")
	} else {
		for s, l := range p.Loops {
			if got.Loops[s] != l {
				t.Errorf("%v became %v", l, got.Loops[s])
			}
		}
		for n, s := range p.Shares {
			if got.Shares[n] != s {
				t.Errorf("%v became %v", s, got.Shares[n])
			}
		}
	}
	if got := syntax.String(p.Write(f)); got != text {
		t.Errorf("written over the attributes of the text:\n%s", got)
	}
}

// TestParts: what attributes of kernels, blocks and loops around others choose are switches,
// as the command line has them, and no decisions.
func TestParts(t *testing.T) {
	const text = `[[np(wp, fg)]] [[batch(4)]] [[coop(block)]] [[deal]] Kernel K(g) {
	[[np(tb 256, serial)]] [[batch(2, eager)]] ForAll (i In WL) {
		[[np(none)]] [[coop(none)]] {
			[[coop(warp)]] ForAll (e In i.edges) {}
		}
		[[np(gr 4096, wp 64)]] while (a < b) {
			ForAll (e In i.edges) {}
		}
		[[batch(8)]] for (;;) {
			[[batch(2)]] for (e In i.edges) {}
		}
	}
}

[[deal(none)]] [[backoff(blocked 8, tail 64)]] [[ldg]] Kernel L(g) {
	[[deal(none)]] ForAll (i In WL) {}
}

[[backoff(list)]] [[ldg(none)]] Kernel M(g) {}

[[backoff(4)]] Kernel N(g) {}

[[backoff(tail 9)]] Kernel O(g) {}
`
	f := parsed(t, text)
	var diags source.List
	p := Read(f, &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for n := range syntax.Preorder(f) {
		var of []string
		for _, s := range p.Parts[n] {
			of = append(of, s.Name+"="+s.Value)
		}
		if of != nil {
			got = append(got, strings.Join(of, " "))
		}
	}
	want := `np=wp,fg batch=4 eager=false coop=block deal=true
np=tb,serial np-tb=256 batch=2 eager=true
np=none coop=none
coop=warp
np=gr,wp,serial np-gr=4096 np-wp=64
batch=8 eager=false
deal=false backoff=blocked-8 backoff-tail=64 ldg=true
backoff=list ldg=false
backoff=4
backoff-tail=9`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if len(p.Loops) != 2 { // the for with batch(2), and the ForAll that is not dealt
		t.Errorf("%d loops are decided: %v", len(p.Loops), p.Loops)
	}
	if got := syntax.String(p.Write(f)); got != text {
		t.Errorf("written over the attributes of the text:\n%s", got)
	}
}

// TestGiven: attributes of a program that decide against something stay, and a size
// behind which the thread itself takes the rest.
func TestGiven(t *testing.T) {
	f := parsed(t, `Kernel K(g) { ForAll (i In WL) {
	[[np(none)]] [[batch(1)]] ForAll (e In i.edges) { [[each]] WL.push(e.dst); }
	[[np(tb 7)]] ForAll (e In i.edges) {}
	[[np(gr)]] ForAll (e In i.edges) {}
} }`)
	var diags source.List
	p := Read(f, &diags)
	var nps [][Policies]int
	for n := range syntax.Preorder(f) {
		if s, ok := n.(*syntax.ForAllStmt); ok && f.Attributes[s] != nil {
			l := p.Loops[s]
			l.Batch = 4
			p.Loops[s] = l
			nps = append(nps, l.NP)
		}
	}
	if len(nps) != 3 || nps[0] != [Policies]int{} || nps[1] != [Policies]int{ByBlock: 7, Serially: 1} || nps[2] != [Policies]int{ByGrid: 1, Serially: 1} {
		t.Errorf("policies: %v", nps)
	}
	got := syntax.String(p.Write(f))
	for _, want := range []string{"[[np(none)]] [[batch(1)]] ForAll", "[[each]] WL", "[[np(tb 7)]] [[batch(4)]] ForAll", "[[np(gr)]] [[batch(4)]] ForAll"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

// TestAdd: a policy takes its share, and the last one what is left.
func TestAdd(t *testing.T) {
	sizes := func(p int) int { return []int{4096, 256, 32, 4, 1}[p] }
	for _, tt := range []struct {
		add  []int
		want [Policies]int
	}{
		{[]int{ByGrid}, [Policies]int{4096, 0, 0, 0, 1}},
		{[]int{ByGrid, ByWarp}, [Policies]int{4096, 0, 1, 0, 0}},
		{[]int{ByBlock, ByWarp}, [Policies]int{0, 256, 1, 0, 0}},
		{[]int{ByBlock, ByWarp, FineGrained, Serially}, [Policies]int{0, 256, 32, 4, 1}},
		{[]int{FineGrained}, [Policies]int{0, 0, 0, 1, 0}},
		{[]int{Serially}, [Policies]int{0, 0, 0, 0, 1}},
	} {
		var l Loop
		for _, p := range tt.add {
			l.Add(p, sizes)
		}
		if l.NP != tt.want {
			t.Errorf("%v: got %v, want %v", tt.add, l.NP, tt.want)
		}
	}
}

// TestErrors checks what is said of attributes that say nothing.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[[bach(4)]] ForAll (e In n.edges) {}":                     `2:9 A0001 there is no attribute bach, did you mean "batch"?`,
		"[[batch]] ForAll (e In n.edges) {}":                       "2:9 A0002 batch needs how many iterations are begun at once",
		"[[batch(33)]] ForAll (e In n.edges) {}":                   "2:9 A0002 1 to 32 iterations can be begun at once",
		"[[batch(2, early)]] ForAll (e In n.edges) {}":             "2:9 A0002 early is no argument of batch",
		"[[batch(2)]] [[batch(3)]] for (e In n.edges) {}":          "2:22 A0002 the statement has batch twice",
		"[[np]] ForAll (e In n.edges) {}":                          "2:9 A0002 np needs the policies that execute the loop",
		"[[np(wq)]] ForAll (e In n.edges) {}":                      `2:9 A0002 wq is no policy, did you mean "wp"?`,
		"[[np(wp 3, tb)]] ForAll (e In n.edges) {}":                "2:9 A0002 the policies take their shares in the order gr, tb, wp, fg, serial",
		"[[np(tb, wp)]] ForAll (e In n.edges) {}":                  "2:9 A0002 tb takes all, so that wp gets nothing",
		"[[np(tb 0)]] ForAll (e In n.edges) {}":                    "2:9 A0002 tb 0 is no size of a policy",
		"[[np(wp)]] for (e In n.edges) {}":                         "2:9 A0003 np does not suit this statement",
		"[[queue]] ForAll (e In n.edges) {}":                       "2:9 A0003 queue does not suit this statement",
		"[[reserve(warp)]] atomicAdd(&a, 1);":                      "2:9 A0003 reserve does not suit this statement",
		"[[reserve]] WL.push(1);":                                  "2:9 A0002 reserve needs a level, thread, warp or block",
		"[[reserve(warp, 2)]] WL.push(1);":                         "2:9 A0002 2 is no number of a call: the statement has 1",
		"[[gather(warp, 2)]] a = atomicAdd(&a, 1) + WL.push(1);":   "2:9 A0002 gather does not suit WL.push(1)",
		"[[lanes]] WL.push(1);":                                    "2:9 A0003 lanes does not suit this statement",
		"[[lanes]] [[gather(warp)]] atomicAdd(&a, 1);":             "2:19 A0002 atomicAdd(&a, 1) has two attributes that say how it shares its atomic",
		"[[gather(warp)]] a = atomicity(1);":                       "2:9 A0003 gather does not suit this statement",
		"[[gather(warp, 2)]] a = atomicity(1) + atomicAdd(&b, 1);": "2:9 A0002 2 is no number of a call: the statement has 1",
		"[[np(wp)]] { n = 1; }":                                    "2:9 A0003 np does not suit this statement",
		"[[np(fg, wp)]] { ForAll (e In n.edges) {} }":              "2:9 A0002 the policies take their shares in the order gr, tb, wp, fg, serial",
		"[[np]] { ForAll (e In n.edges) {} }":                      "2:9 A0002 np needs the policies that execute the loops",
		"[[np(wo)]] { ForAll (e In n.edges) {} }":                  "2:9 A0002 wo is no policy, did you mean \"wp\"?",
		"[[np(wp 0)]] { ForAll (e In n.edges) {} }":                "2:9 A0002 wp 0 is no size of a policy",
		"[[batch(33)]] { for (e In n.edges) {} }":                  "2:9 A0002 1 to 32 iterations can be begun at once",
		"[[batch(3)]] { while (n < 3) {} }":                        "2:9 A0003 batch does not suit this statement",
		"[[coop(grid)]] {}":                                        "2:9 A0002 there is no level grid",
		"[[coop]] {}":                                              "2:9 A0002 coop needs one level",
		"[[coop(warp)]] n = 1;":                                    "2:9 A0003 coop does not suit this statement",
		"[[deal]] {}":                                              "2:9 A0003 deal does not suit this statement",
		"[[lanes]] if (x) { atomicAdd(&a, 1); }":                   "2:9 A0003 lanes does not suit this statement",
		"[[outline]] ForAll (e In n.edges) {}":                     "2:9 A0003 outline does not suit this statement",
		"[[deal(1)]] n = 1;":                                       "2:9 A0003 deal does not suit this statement",
	} {
		f := parsed(t, "Kernel K(g) { ForAll (n In g.nodes) {\n      "+text+"\n} }")
		var diags source.List
		Read(f, &diags)
		got := ""
		for _, d := range diags.Diags {
			got += strings.Join([]string{place(d.Pos), string(d.Code), d.Message}, " ")
			if d.Hint == "" {
				t.Errorf("%s: no hint", text)
			}
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"[[scope(block)]]":                        "scope needs block or a cluster, and the length of the worklist up to which it executes the rounds",
		"[[scope(grid, 4)]]":                      "grid is neither block nor a cluster",
		"[[scope(block, 0)]]":                     "the length of a list is from 1 to 2147483647",
		"[[scope(cluster 3, 4)]]":                 "a cluster has 2, 4, 8 or, on some devices, 16 blocks",
		"[[outline(threads 100)]]":                "a block has 32 to 1024 threads, a multiple of 32",
		"[[outline(blocks 64)]]":                  "a multiprocessor holds 1 to 32 blocks",
		"[[outline(blacks 1)]]":                   "blacks 1 is no argument of outline",
		"[[np(wp)]]":                              "np does not suit this statement",
		"[[coop(warp)]]":                          "coop does not suit this statement",
		"[[backoff]] Kernel K() {}":               "backoff needs a distribution",
		"[[backoff(blocked 0)]] Kernel K() {}":    "a backoff is by 1 to 1024",
		"[[backoff(blocks 4)]] Kernel K() {}":     "blocks 4 is no distribution, did you mean \"blocked\"?",
		"[[backoff(tail 4, list)]] Kernel K() {}": "tail 4 is no distribution",
		"[[backoff(list, 4)]] Kernel K() {}":      "4 is no argument of backoff behind another",
		"[[backoff(list 4)]] Kernel K() {}":       "list 4 is no distribution",
		"[[backoff(tail 0)]] Kernel K() {}":       "the length of a list is from 1 to 2147483647",
		"[[ldg(1)]] Kernel K() {}":                "ldg has no arguments",
		"[[queue]] Kernel K() {}":                 "queue does not suit this statement",
	} {
		var diags source.List
		Read(parsed(t, text+" Host main() {}"), &diags)
		if len(diags.Diags) != 1 || diags.Diags[0].Message != want {
			t.Errorf("%s: %v, want %s", text, diags.Err(), want)
		}
	}
}

func place(p source.Pos) string { return strings.TrimPrefix(p.String(), "a.irgl:") }
