package interp

import (
	"context"
	"reflect"
	"testing"

	"irgl/internal/run"
)

// TestRecord checks what is recorded of a kernel that pops, pushes and retries.
func TestRecord(t *testing.T) {
	info := mustLoad(t, "a.irgl", `Graph g { Node int tries = 0; }
Kernel seed(g) { ForAll (n In g.nodes) { WL.push(n); } }
Kernel work(g) { ForAll (i In WL) { n = WL.pop(i); n.tries += 1; if (n.tries == 1 && n.id < 3) { Respawn n; } else if (n.tries < 4) { WL.push(n); } } }
Host f() { Pipe { if (g.nodes(0).tries == 0) { Invoke seed(g); } Invoke work(g); } }
`)
	e, err := New(info, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []run.Collect{run.CollectNothing, run.CollectKernels, run.CollectEvents} {
		res, err := e.Run(context.Background(), run.Input{Graph: smallGraph(t), Collect: c})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]run.KernelStats{}
		for _, k := range res.Kernels {
			k.Time = 0
			got[k.Name] = k
		}
		// Three of four nodes are retried in the first round, so that node 3 takes
		// one round more.
		want := map[string]run.KernelStats{
			"seed": {Name: "seed", Launches: 1, Pushes: 4},
			"work": {Name: "work", Launches: 5, Items: 4 + 3 + 4 + 4 + 1, Pushes: 1 + 3 + 4 + 1, Retries: 3},
		}
		if c == run.CollectNothing {
			want = map[string]run.KernelStats{}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %+v", c, got)
		}
		if c < run.CollectEvents {
			if res.Events != nil {
				t.Errorf("events %+v", res.Events)
			}
			continue
		}
		end := 0.0
		for _, e := range res.Events[:len(res.Events)-1] {
			if e.Kind != run.KernelEvent || e.Start < end || e.Time < 0 {
				t.Errorf("%+v begins before %v", e, end)
			}
			end = e.Start + e.Time
		}
		if last := res.Events[len(res.Events)-1]; len(res.Events) != 7 || last.Kind != run.HostEvent || last.Time < end || res.Events[3].Items != 4 || res.Events[3].Pushes != 4 || res.Events[3].Iteration != 2 {
			t.Errorf("events %+v", res.Events)
		}
	}
}
