package tune

import (
	"context"
	"slices"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/opt"
)

// partFormula has two kernels that want different policies: what is fast for all is between.
func partFormula(o lower.Options) float64 {
	value := func(part string) string {
		v := o.NP.String()
		for _, p := range o.Parts {
			if p.Part.String() == part && p.Name == "np" {
				v = p.Value
			}
		}
		return v
	}
	t := 20.0
	if value("push") == "wp,fg" {
		t -= 6
	}
	if v := value("sweep"); v != "" && v != "none" {
		t += 3
	}
	if o.Outline.Auto {
		t /= 2
	}
	return t
}

// TestRefine checks that a search finds a choice that differs between the kernels of a
// bundled program, each time the same, within its bounds, and goes on from its trials.
func TestRefine(t *testing.T) {
	space, err := SpaceOf(bundled(t, "bfs_do"), false)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range space.Parts {
		names = append(names, p.String())
	}
	if got := strings.Join(names, " "); got != "push sweep collect pull" {
		t.Errorf("the parts are %s", got)
	}
	const best = "outline=auto np=wp,fg np=sweep:none"
	search := func(o Options) (*Report, *model) {
		t.Helper()
		m := &model{metric: "cost", time: partFormula}
		rep, err := Search(context.Background(), m, space, o)
		if err != nil {
			t.Fatal(err)
		}
		return rep, m
	}
	rep, m := search(Options{})
	if rep.Best.Switches.String() != best || rep.Best.Value != 7 {
		t.Errorf("the best is %q, %v", rep.Best.Switches, rep.Best.Value)
	}
	gain := slices.IndexFunc(rep.Gains, func(g Gain) bool { return g.Switch == "np of sweep" })
	if gain < 0 || rep.Gains[gain].Gain < 1.2 || rep.Gains[gain].Without.Value != 8.5 {
		t.Errorf("gains: %+v", rep.Gains)
	}
	n := 0
	for _, trial := range rep.Trials {
		if trial.Stage == "part" {
			n++
		}
		if strings.Contains(trial.Switches.String(), "np=collect:") && strings.Contains(trial.Switches.String(), ":fg") {
			t.Errorf("collect has no loop to distribute: %s", trial.Switches)
		}
	}
	if n == 0 || n > 40 {
		t.Errorf("%d candidates with parts", n)
	}
	half := Options{Done: map[compile.Switches]Trial{}}
	for i, trial := range rep.Trials {
		if i%2 == 0 {
			half.Done[trial.Switches] = trial
		}
	}
	if again, m2 := search(half); again.Best.Switches != rep.Best.Switches || len(again.Trials) != len(rep.Trials) || m2.runs >= m.runs {
		t.Errorf("resumed: %q, %d trials of %d, %d runs of %d", again.Best.Switches, len(again.Trials), len(rep.Trials), m2.runs, m.runs)
	}
	if few, _ := search(Options{Candidates: 20}); len(few.Trials) > 20 || few.Stopped == "" {
		t.Errorf("%d trials, %q", len(few.Trials), few.Stopped)
	}
	if e := rep.Entry("hash", "1"); e.Switches != best {
		t.Errorf("the entry has %q", e.Switches)
	}
}

// TestNodeSets checks which sets of nodes are candidates: none of two of which one is in
// the other.
func TestNodeSets(t *testing.T) {
	const text = `Graph g { Node int a; }
Kernel K(g) { ForAll (n In g.nodes) { n.a = 1; } }
Host f(int k) {
  while (k > 9) { k--; Invoke K(g); while (k > 5) { k--; Invoke K(g); } }
  while (k > 3) { k--; Invoke K(g); }
}
`
	nodes, err := opt.Explain(checked(t, "sets", text), opt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := nodeSets(nodes)
	if want := "0 1 2 3 1,3 2,3"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, set := range got {
		o, err := lower.ParseOutline(set)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := loweredText(checked(t, "sets", text), lower.Options{Outline: o}); err != nil {
			t.Errorf("%s: %v", set, err)
		}
	}
	var many []opt.OutlineNode
	for i := range maxNodes {
		many = append(many, opt.OutlineNode{ID: i, Loops: true})
	}
	if n := len(nodeSets(many)); n != maxNodeSets {
		t.Errorf("%d sets of %d nodes", n, maxNodes)
	}
	if got := nodeSets(append(many, many[0])); got != nil {
		t.Errorf("%d nodes: %v", len(many)+1, got)
	}
}
