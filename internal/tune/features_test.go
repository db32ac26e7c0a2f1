package tune

import (
	"context"
	"strings"
	"testing"

	"irgl/graph"
)

func generated(t testing.TB, spec string) *graph.Graph {
	t.Helper()
	g, err := graph.Generate(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestFeatures checks the features of graphs whose shape is known.
func TestFeatures(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{"empty:1", "1 nodes, 0 edges, degree 0.00 to 0, 0.0 % of the edges at the 1 % largest nodes, 1 levels, symmetric"},
		{"path:100", "100 nodes, 198 edges, degree 1.98 to 2, 1.0 % of the edges at the 1 % largest nodes, 100 levels, symmetric"},
		{"clique:20", "20 nodes, 380 edges, degree 19.00 to 19, 5.0 % of the edges at the 1 % largest nodes, 2 levels, symmetric"},
		{"star:200", ""},
		{"grid:300:300", ""},
		{"rmat:13:8", ""},
		{"uniform:9000:4", ""},
	} {
		f := FeaturesOf(generated(t, tt.spec))
		if tt.want != "" && f.String() != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.spec, f, tt.want)
		}
		t.Logf("%s: %s, skew %.1f", tt.spec, f, f.Skew())
	}
	if f := FeaturesOf(nil); f != (Features{}) || f.Skew() != 0 {
		t.Errorf("no graph: %+v", f)
	}
	// What tells the classes apart.
	star, grid, rmat := FeaturesOf(generated(t, "star:200")), FeaturesOf(generated(t, "grid:300:300")), FeaturesOf(generated(t, "rmat:13:8"))
	if star.HubShare < 0.49 || star.Skew() < 90 {
		t.Errorf("star: %+v", star)
	}
	if grid.Levels < 40 || grid.Levels > 100 || !grid.Symmetric || grid.HubShare > 0.02 {
		t.Errorf("grid: %+v", grid)
	}
	if rmat.Levels > 6 || rmat.Symmetric || rmat.HubShare < 0.1 {
		t.Errorf("rmat: %+v", rmat)
	}
}

// TestDegreeRanges checks that the ranges of degrees ascend without a gap, and
// that no degree is outside.
func TestDegreeRanges(t *testing.T) {
	last := -1
	for d := range uint64(1 << 14) {
		k := degreeRange(d)
		if k < last || k > last+1 {
			t.Fatalf("degree %d is in range %d, the one before in %d", d, k, last)
		}
		last = k
	}
	var d degrees
	if k := degreeRange(1<<63 + 1<<62); k >= len(d.nodes) {
		t.Errorf("range %d of %d", k, len(d.nodes))
	}
}

// TestIdentity checks that an identity is one of the content alone.
func TestIdentity(t *testing.T) {
	seen := map[string]string{}
	for _, spec := range []string{"rmat:8:4", "rmat:8:4:seed=7", "rmat:8:4:wmax=9", "grid:16:16", "path:256", "empty:3"} {
		id := Identity(generated(t, spec))
		if other, ok := seen[id]; ok || len(id) != 24 {
			t.Errorf("%s and %s: %s", spec, other, id)
		}
		seen[id] = spec
		if again := Identity(generated(t, spec)); again != id {
			t.Errorf("%s: %s and %s", spec, id, again)
		}
	}
	if ProgramHash([]byte("a")) == ProgramHash([]byte("b")) || strings.Contains(ProgramHash(nil), " ") {
		t.Error("hashes of programs")
	}
}

func BenchmarkFeatures(b *testing.B) {
	g := generated(b, "rmat:18:8")
	for b.Loop() {
		FeaturesOf(g)
	}
}
