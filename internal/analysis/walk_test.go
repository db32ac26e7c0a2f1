package analysis

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"irgl/syntax"
)

// This file tests what the package promises by walking the graphs: several
// threads, which decide uniform branches alike and the others each for itself.

// A walk is the edges that one thread takes from Start to Exit.
type walk []*Edge

// walkOf walks f as the given thread in the given world, or returns nil when
// that takes too long. The k-th decision at a uniform branch depends on the
// world alone.
func walkOf(f *Func, u *Uniform, world, thread int) walk {
	var w walk
	visits := make([]int, len(f.Graph.Nodes))
	for n := f.Graph.Start(); n != f.Graph.Exit(); {
		if len(w) > 2000 {
			return nil
		}
		var ways []*Edge
		for _, e := range n.Succs {
			if e.Kind != Wait {
				ways = append(ways, e)
			}
		}
		who := thread
		if u.Has(n) {
			who = -1
		}
		h := fnv.New32a()
		fmt.Fprint(h, world, n.ID, visits[n.ID], who)
		visits[n.ID]++
		e := ways[int(h.Sum32()>>8)%len(ways)]
		w = append(w, e)
		n = e.To
	}
	return w
}

// verifyWalks walks f and compares with what the analyses say. It returns the
// number of walks that came to an end.
func verifyWalks(t *testing.T, f *Func, worlds int) int {
	t.Helper()
	u := f.Uniform()
	u.moved = nil // that is the generator's promise, not the graph's
	p := f.FocalPoints(u)
	done := 0
	for world := range worlds {
		var first []int
		for thread := range 3 {
			w := walkOf(f, u, world, thread)
			if w == nil {
				first = nil
				break
			}
			done++
			counts := make([]int, len(f.Graph.Edges))
			for _, e := range w {
				counts[e.ID]++
			}
			if first == nil {
				first = counts
			}
			for i, e := range f.Graph.Edges {
				if p.Edge(e) && counts[i] != first[i] {
					t.Fatalf("a barrier on %s->%s: thread 0 comes %d times, thread %d %d times\n%s", e.From.Name(), e.To.Name(), first[i], thread, counts[i], f.Print())
				}
			}
			for _, s := range f.Sites() {
				verifySite(t, f, s, w)
			}
		}
	}
	return done
}

// verifySite compares one walk with what is said of a site.
func verifySite(t *testing.T, f *Func, s *Site, w walk) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s%s\n%s", s, fmt.Sprintf(format, args...), f.Print())
	}
	var head *Node
	if len(s.Loops) > 0 {
		head = f.Graph.Heads[s.Loops[len(s.Loops)-1]]
	}
	d, isDo := (*syntax.WhileStmt)(nil), false
	if head != nil {
		d, isDo = head.Stmt.(*syntax.WhileStmt)
		isDo = isDo && d.Do
	}
	inRound, visits := false, 0
	end := func() {
		if inRound && (s.Count == Once && visits != 1 && !s.Kind.maybe(f, s) || s.Count == AtMostOnce && visits > 1) {
			fail("happens %d times in a round", visits)
		}
		visits = 0
	}
	pending := 0 // operations that wait for the placement of After
	way := -1    // operations since Pred was taken
	for _, e := range w {
		if head != nil {
			if e.From == head && e.Kind == True && !isDo || isDo && e.From.Kind == Do && e.From.Stmt == head.Stmt {
				end()
				inRound = true
			} else if e.To == head && isDo || e.From == head || inRound && !e.To.Within(head.Stmt) {
				end()
				inRound = false
			}
		} else {
			inRound = true
		}
		if b := s.Block; b.OK {
			if e == b.Edge && b.Method == After {
				pending = 0
			}
			if b.Pred != nil && (e == b.Pred || e.From == b.Pred.From) {
				if way == 0 && len(b.Trips) == 0 {
					fail("nothing follows where %s is taken", e.To.Name())
				}
				way = -1
				if e == b.Pred {
					way = 0
				}
			}
			if b.Method == Before && e.To == s.Node && b.Pred != nil {
				if way < 0 || way > 0 && len(b.Trips) == 0 {
					fail("it happens without a reservation")
				}
				way++
			}
		}
		if e.To == s.Node {
			visits++
			if pending++; pending > 1 && s.Block.OK && s.Block.Method == After {
				fail("two operations wait at once")
			}
		}
	}
	if s.Block.OK && s.Block.Method == After && pending > 0 {
		fail("an operation is never done")
	}
	if s.Block.OK && s.Block.Method == Before && len(s.Block.Trips) > 0 && s.Block.Edge != nil && !f.Dom.Dominates(s.Block.Edge.From, s.Node) {
		fail("the reservation does not come before")
	}
	end()
}

// maybe reports whether the site's expression may leave it out, which a walk
// does not show.
func (SiteKind) maybe(f *Func, s *Site) bool { return f.maybe(s) }

// A kernelMaker writes random kernels: conditions on n.a are each thread's own,
// those on p are uniform.
type kernelMaker struct {
	r     *rand.Rand
	b     strings.Builder
	names int
	label bool
}

func (k *kernelMaker) cond() string {
	return []string{"n.a", "n.a > 3", "p", "p > 2", "p && n.a", "WL.size > p"}[k.r.IntN(6)]
}

func (k *kernelMaker) block(depth int, in string) {
	k.b.WriteString("{ ")
	for range 1 + k.r.IntN(3) {
		k.stmt(depth, in)
	}
	k.b.WriteString("} ")
}

// stmt writes a statement; in is the innermost loop: "", loop or forall.
func (k *kernelMaker) stmt(depth int, in string) {
	kind := k.r.IntN(14)
	if depth <= 0 {
		kind %= 4
	}
	put := func(format string, args ...any) { fmt.Fprintf(&k.b, format, args...) }
	k.names++
	id := k.names
	switch kind {
	case 0, 1:
		put("WL.push(n); ")
	case 2:
		put("n.a = %d; ", id)
	case 3:
		switch {
		case in == "loop" && k.r.IntN(2) == 0:
			put("if (%s) break; ", k.cond())
		case in != "" && k.r.IntN(2) == 0:
			put("if (%s) continue; ", k.cond())
		case k.label && k.r.IntN(2) == 0:
			put("if (%s) goto out; ", k.cond())
		default:
			put("ReduceAndReturn(n.a); ")
		}
	case 4, 5, 6:
		put("if (%s) ", k.cond())
		k.block(depth-1, in)
		if k.r.IntN(2) == 0 {
			put("else ")
			k.block(depth-1, in)
		}
	case 7:
		put("while (%s) ", k.cond())
		k.block(depth-1, "loop")
	case 8:
		put("do ")
		k.block(depth-1, "loop")
		put("while (%s); ", k.cond())
	case 9, 10:
		put("for (int k%d = 0; k%d < %s; k%d++) ", id, id, []string{"3", "p", "n.a", "n.degree"}[k.r.IntN(4)], id)
		k.block(depth-1, "loop")
	case 11:
		put("switch (%s) { case 1: ", k.cond())
		k.stmt(depth-1, in)
		put("case 2: ")
		k.stmt(depth-1, in)
		put("break; default: ")
		k.stmt(depth-1, in)
		put("} ")
	case 12:
		put("for (e%d In n.edges) ", id)
		k.block(depth-1, "loop")
	case 13:
		label := k.label
		k.label = false // gotos do not leave a ForAll
		put("ForAll (e%d In n.edges) ", id)
		k.block(depth-1, "forall")
		k.label = label
	}
}

// TestWalks verifies random kernels: dominance and focal points against their
// definitions, and barriers and sites by walking.
func TestWalks(t *testing.T) {
	programs := 60
	if testing.Short() {
		programs = 15
	}
	done, ok := 0, 0
	for seed := range programs {
		k := &kernelMaker{r: rand.New(rand.NewPCG(uint64(seed), 1))}
		k.label = k.r.IntN(4) == 0
		k.b.WriteString("Graph graph { Node int a; }\nKernel K(graph, int p) { ForAll (n In graph.nodes) ")
		label := k.label
		k.block(4, "forall")
		text := k.b.String()
		if label {
			text = strings.TrimSuffix(text, "} ") + "out: ; } "
		}
		text += "}\nHost main() { Pipe Initial [1] { Invoke K(graph, 3); } }\n"
		if !verifyProgram(t, "x.irgl", text) {
			continue
		}
		ok++
		info, _ := checkText("x.irgl", []byte(text))
		done += verifyWalks(t, New(info, info.FuncOf("K")), 10)
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, text)
		}
	}
	if ok < programs/2 || done < programs {
		t.Errorf("only %d programs check and %d walks end", ok, done)
	}
	for _, s := range seeds(t) {
		info, diags := checkText(s.Name, s.Data)
		if diags.Errors() > 0 {
			continue
		}
		for _, fn := range info.Funcs {
			if fn.Decl.Body != nil && fn.Decl.Kind == syntax.KernelFunc {
				verifyWalks(t, New(info, fn), 5)
			}
		}
	}
}
