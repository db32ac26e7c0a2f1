package programs_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
)

// clustered returns a program that one cluster goes through while there are few
// items, in blocks of 32 threads.
func clustered(t *testing.T, name string, items, blocks int) *compile.Unit {
	t.Helper()
	o := compile.Options{Check: true, Lower: lower.Options{
		Outline: lower.Outline{Auto: true}, OutlineThreads: 32, OutlineBlocks: 4, Scope: items, Cluster: blocks,
	}}
	o.PTX.Target = "sm_90"
	return compiled(t, name, o)
}

// TestScopeClusterPrograms runs programs whose lists become longer than a cluster
// takes and short again: at once, often, and never; in clusters of each size, of
// which the grid has one or several.
func TestScopeClusterPrograms(t *testing.T) {
	long(t)
	for i, name := range []string{"bfs", "sssp", "sssp_ds", "sssp_nf"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for k, items := range []int{1, 7, 16, 40, 5000} {
				blocks := []int{2, 4, 8}[(k+i)%3]
				u := clustered(t, name, items, blocks)
				// The rounds of sssp_ds are those of a while, which all blocks go through.
				text, whole := u.PTXText(), name == "sssp_ds"
				if strings.Contains(text, "barrier.cluster.wait;") == whole || strings.Contains(text, fmt.Sprintf(".reqnctapercluster %d, 1, 1", blocks)) == whole {
					t.Fatalf("clusters: %v", !whole)
				}
				in := inputs(t, u, []string{"rmat:9:6", "grid:17:17", "path:70", "star:300"})
				for seed := range uint64(3) {
					m := machine{seed: uint64(3*k+i)*7 + seed, multiprocessors: 4}
					verifiedOn(t, name, u, u.PTXText(), m, in, 0)
				}
			}
		})
	}
}

// racesOf counts the races of a search with the PTX that is given, and returns the
// error of the run.
func racesOf(t *testing.T, u *compile.Unit, ptx string, seed uint64) (races int, err error) {
	t.Helper()
	o := simt.Checked()
	o.Seed, o.Schedule, o.SpinLimit = seed, simt.Schedule(seed%3), 1e5
	dev := simt.Open(o)
	defer dev.Close()
	e, err := host.New(dev, u.Info, u.CUDAInfo, ptx, host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	in := inputs(t, u, []string{"grid:16:16"})[0].Input
	in.Args = args["bfs"]
	_, err = e.Run(context.Background(), in)
	for _, r := range dev.Reports() {
		if r.Kind == "race" && u.Info.Racy[strings.TrimPrefix(r.Buffer, "property ")] == "" {
			races++
		}
	}
	return races, err
}

// TestScopeClusterOrder takes from the cluster's barrier what orders memory: with
// arrivals that do not release, or without the wait that acquires (a block that
// waits for its own threads instead), the search for races finds them.
func TestScopeClusterOrder(t *testing.T) {
	long(t)
	u := clustered(t, "bfs", 1000, 4)
	text := strings.Replace(u.PTXText(), ".version 7.8", ".version 8.0", 1)
	const arrive, wait = "barrier.cluster.arrive;", "barrier.cluster.wait;"
	for _, c := range []struct {
		name          string
		arrive, wait  string
		races, faults bool
	}{
		{"as it is", arrive, wait, false, false},
		{"in words", "barrier.cluster.arrive.release;", "barrier.cluster.wait.acquire;", false, false},
		{"no release", "barrier.cluster.arrive.relaxed;", wait, true, false},
		{"release by a fence", "bar.sync 0;\n\tfence.acq_rel.cluster;\n\tbarrier.cluster.arrive.relaxed;", wait, false, false},
		{"no acquire", "bar.sync 0;", "", true, false},
		{"no wait", arrive, "", true, true}, // and the next arrival is no arrival
	} {
		races, faults := 0, 0
		for seed := range uint64(4) {
			n, err := racesOf(t, u, strings.NewReplacer(arrive, c.arrive, wait, c.wait).Replace(text), seed)
			races += n
			if err != nil && (!c.races || c.faults && strings.Contains(err.Error(), "arrives at the cluster's barrier again")) {
				faults++
			}
		}
		if (races > 0) != c.races && faults == 0 || (faults > 0) != c.faults {
			t.Errorf("%s: %d races, %d faults", c.name, races, faults)
		}
	}
}

// TestScopeClusterBarriers counts the atomics of a search on a square: one for each
// edge and each node but the first, and those of the barriers of the grid, whose
// number a cluster lowers as a block does.
func TestScopeClusterBarriers(t *testing.T) {
	const text = `Graph graph { Output Node int level = INF; }
Kernel BFS(graph, int LEVEL) {
	ForAll (i In WL) {
		n = WL.pop(i);
		ForAll (e In n.edges) { if (atomicCAS(&e.dst.level, INF, LEVEL) == INF) { WL.push(e.dst); } }
	}
}
Host main() {
	node src = graph.nodes(0); src.level = 0; int LEVEL = 1; Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; } }
`
	const side = 64
	// meets is the number of grid barriers: in the common rounds, and on each path.
	meets := func(items int) (n uint64) {
		few := false
		for round := range 2*side - 1 {
			size := min(round+1, 2*side-1-round)
			switch {
			case items == 0:
			case !few && size <= (items+1)/2, few && size > items:
				few = !few
				n++
			}
			if !few {
				n++
			}
		}
		if few {
			n++
		}
		return n
	}
	for _, items := range []int{0, 10, 40, 100} {
		for _, cluster := range []int{0, 2} {
			res, c := scoped(t, text, "grid:64:64", lower.Options{Scope: items, Cluster: cluster}, uint64(items), 0)
			blocks := uint64(6)
			if cluster > 0 {
				blocks = 8
			}
			const edges, nodes = 4 * side * (side - 1), side * side
			if want := edges + nodes - 1 + meets(items)*blocks; c.AtomicsGlobal != want || res.Launches != 2 {
				t.Errorf("scope %d, cluster %d: %d atomics in %d launches, want %d", items, cluster, c.AtomicsGlobal, res.Launches, want)
			}
		}
	}
}

// TestScopeClusterNVCC runs what nvcc makes of a program with clusters.
func TestScopeClusterNVCC(t *testing.T) {
	tool := os.Getenv("NVCC")
	if tool == "" {
		var err error
		if tool, err = exec.LookPath("nvcc"); err != nil {
			t.Skip("$NVCC is not set, and there is no nvcc in PATH")
		}
	}
	for _, name := range []string{"bfs", "sssp_nf"} {
		u := clustered(t, name, 12, 4)
		text := nvccPTX(t, tool, u)
		if !strings.Contains(text, "barrier.cluster.wait") {
			t.Error("nvcc leaves the barrier out")
		}
		verified(t, name, u, text, 2, []string{"star:70", "grid:12:12", "rmat:8:8"}, 0, 1)
	}
}
