package graph

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// mustGenerate makes a graph for a test.
func mustGenerate(tb testing.TB, spec string) *Graph {
	tb.Helper()
	g, err := Generate(context.Background(), spec)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// galoisSum returns the SHA-256 of g's Galois file.
func galoisSum(tb testing.TB, g *Graph) string {
	tb.Helper()
	h := sha256.New()
	if err := WriteTo(context.Background(), h, g, Galois1); err != nil {
		tb.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Generated graphs are those of the reference generator, byte for byte of
// their Galois files.
func TestGenerateReference(t *testing.T) {
	f, err := os.Open("testdata/generators.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		want, rest, _ := strings.Cut(s.Text(), " ")
		spec, _, _ := strings.Cut(rest, " ")
		if got := galoisSum(t, mustGenerate(t, spec)); got != want {
			t.Errorf("%s: sum %s, want %s", spec, got, want)
		}
		lines++
	}
	if lines < 90 {
		t.Errorf("only %d reference sums", lines)
	}
}

// The defaults of a, b and c may be written out.
func TestGenerateQuadrants(t *testing.T) {
	usual := galoisSum(t, mustGenerate(t, "rmat:12:8"))
	if got := galoisSum(t, mustGenerate(t, "rmat:12:8:a=.57:b=.19:c=.19")); got != usual {
		t.Errorf("a=.57:b=.19:c=.19 is not the default")
	}
	even := mustGenerate(t, "rmat:12:8:a=.25:b=.25:c=.25")
	s, err := even.Stats(context.Background())
	if err != nil || s.MaxDegree > 40 {
		t.Errorf("even quadrants: largest degree %d, %v", s.MaxDegree, err)
	}
	all := mustGenerate(t, "rmat:6:4:a=1:b=0:c=0:raw")
	if d := all.Degree(0); d != 256 {
		t.Errorf("a=1: node 0 has %d arcs, want all 256", d)
	}
}

// A graph does not depend on the number of processors.
func TestGenerateDeterministic(t *testing.T) {
	for _, spec := range []string{"rmat:14:8:sym", "uniform:50000:4:raw:perm", "road:400:200"} {
		procs := runtime.GOMAXPROCS(1)
		one := galoisSum(t, mustGenerate(t, spec))
		runtime.GOMAXPROCS(7)
		many := galoisSum(t, mustGenerate(t, spec))
		runtime.GOMAXPROCS(procs)
		if one != many {
			t.Errorf("%s: one processor and seven give different graphs", spec)
		}
	}
}

func TestGenerateShapes(t *testing.T) {
	for _, c := range []struct {
		spec       string
		nodes      int
		arcs       int64
		components int
		maxDegree  int64
	}{
		{"path:5", 5, 8, 1, 2},
		{"path:1", 1, 0, 1, 0},
		{"path:0", 0, 0, 0, 0},
		{"cycle:5", 5, 10, 1, 2},
		{"cycle:2", 2, 2, 1, 1},
		{"cycle:1", 1, 0, 1, 0},
		{"star:5", 5, 8, 1, 4},
		{"clique:5", 5, 20, 1, 4},
		{"clique:0", 0, 0, 0, 0},
		{"empty:5", 5, 0, 5, 0},
		{"empty:0", 0, 0, 0, 0},
		{"grid:3:4", 12, 34, 1, 4},
		{"grid:0:4", 0, 0, 0, 0},
		{"road:0:0", 0, 0, 0, 0},
		{"uniform:0:3", 0, 0, 0, 0},
		{"uniform:3:0", 3, 0, 3, 0},
		{"rmat:3:0", 8, 0, 8, 0},
	} {
		g := mustGenerate(t, c.spec)
		s, err := g.Stats(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := g.validate(context.Background()); err != nil {
			t.Errorf("%s: %v", c.spec, err)
		}
		if s.Nodes != c.nodes || s.Edges != c.arcs || s.Components != c.components || s.MaxDegree != c.maxDegree {
			t.Errorf("%s: %+v", c.spec, s)
		}
	}
	if g := mustGenerate(t, "path:4:wmax=0"); g.HasWeights() {
		t.Error("wmax=0 gives weights")
	}
}

// A graph that takes more memory than the process may use is refused before any is taken.
func TestGenerateMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	for _, spec := range []string{"uniform:3:9999999999", "rmat:24:8", "grid:10000:10000", "road:10000:10000", "path:100000000",
		"cycle:100000000", "star:100000000", "clique:60000", "empty:100000000"} {
		if _, err := Generate(context.Background(), spec); err == nil || !strings.Contains(err.Error(), "this process may use 1 GiB") {
			t.Errorf("%s: %v", spec, err)
		}
	}
	if s, err := ParseSpec("empty:1000"); err != nil || s.memory() != 24000 {
		t.Errorf("an empty graph takes %d bytes, %v", s.memory(), err)
	}
}

func TestParseSpecErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"":                            `unknown kind ""`,
		"tree:5":                      `unknown kind "tree"`,
		"points:9":                    `generator "points:9" is of a mesh, not of a graph`,
		"rmat":                        "rmat takes 2 numbers, such as rmat:4:4",
		"rmat:5":                      "rmat takes 2 numbers",
		"rmat:x:8":                    `"x" is not a whole number`,
		"rmat:-1:8":                   `"-1" is not a whole number`,
		"rmat:31:8":                   "scale 31; at most 30",
		"rmat:30:99999999999":         "more than 2^36 arcs",
		"rmat:5:8:seed=x":             `option seed: "x"`,
		"rmat:5:8:wmax=2147483648":    `option wmax`,
		"rmat:5:8:a=.9":               "not three parts of 1",
		"rmat:5:8:a=NaN":              "not three parts of 1",
		"rmat:5:8:raw:sym":            "exclude each other",
		"rmat:5:8:raw=1":              "takes no value",
		"rmat:5:8:fast":               `unknown option "fast"`,
		"grid:5:5:sym":                "a grid is symmetric and clean",
		"grid:5:5:a=.5":               "option a is for rmat",
		"grid:4294967296:4294967296":  "more than 2147483647 nodes",
		"uniform:2147483648:1":        "more than 2147483647 nodes",
		"clique:4000000":              "more than 2^36 arcs",
		"path:9223372036854775807":    "more than 2147483647 nodes",
		"path:18446744073709551615":   "is not a whole number",
		"uniform:9:1:wmax=1:wmax=two": `option wmax: "two"`,
	} {
		if _, err := ParseSpec(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseSpec(%q) = %v, want %q", spec, err, want)
		}
	}
}

// String gives a text that means the same.
func TestSpecString(t *testing.T) {
	for in, want := range map[string]string{
		"rand:7:2":                             "uniform:7:2",
		"rmat:3:4:perm:seed=20160101:wmax=100": "rmat:3:4:perm",
		"rmat:3:4:sym:a=.5:b=.2:c=.2:wmax=0":   "rmat:3:4:wmax=0:a=0.5:b=0.2:c=0.2:sym",
		"star:9:seed=4":                        "star:9:seed=4",
	} {
		s, err := ParseSpec(in)
		if err != nil {
			t.Fatal(err)
		}
		if s.String() != want {
			t.Errorf("%s prints as %s, want %s", in, s, want)
		}
		if again, err := ParseSpec(s.String()); err != nil || *again != *s {
			t.Errorf("%s reads back as %+v, %v", s, again, err)
		}
	}
}

// A cancelled context stops everything that may take long.
func TestCancel(t *testing.T) {
	g := mustGenerate(t, "rmat:10:8")
	var text bytes.Buffer
	if err := WriteTo(context.Background(), &text, g, DIMACS); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, f := range map[string]func() error{
		"generate":   func() error { _, err := Generate(ctx, "road:100:100:perm"); return err },
		"read":       func() error { _, err := Read(ctx, "x", bytes.NewReader(text.Bytes())); return err },
		"write":      func() error { return WriteTo(ctx, &text, g, Galois1) },
		"write text": func() error { return WriteTo(ctx, &text, g, SNAP) },
		"symmetrize": func() error { _, err := g.Symmetrize(ctx); return err },
		"weights":    func() error { _, err := g.RandomWeights(ctx, 9, 1); return err },
		"stats":      func() error { _, err := g.Stats(ctx); return err },
		"components": func() error { _, err := g.Components(ctx); return err },
		"validate":   func() error { return g.validate(ctx) },
	} {
		if err := f(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
	}
}

// TestSpecHelp: the comment of Spec says what SpecHelp does, each form is one that is
// read, and each option too.
func TestSpecHelp(t *testing.T) {
	text, err := os.ReadFile("spec.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(SpecHelp()) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.Contains(string(text), "//\t"+line+"\n") {
			t.Errorf("the comment of Spec has no line %q", line)
		}
	}
	for _, g := range generators {
		spec := regexp.MustCompile("[A-Z]+").ReplaceAllString(g.form, "4")
		s, err := ParseSpec(spec)
		if err != nil {
			t.Errorf("%s: %v", g.form, err)
			continue
		}
		made, err := s.Generate(t.Context())
		if err != nil || made.NumNodes() == 0 {
			t.Errorf("%s: %v, %v", spec, made, err)
		}
	}
	for _, o := range specOptions {
		if _, err := ParseSpec("rmat:4:4:" + regexp.MustCompile("=[A-Z]").ReplaceAllString(o[0], "=0.1")); err != nil && !strings.Contains(err.Error(), "is not a number that it can have") {
			t.Errorf("%s: %v", o[0], err)
		}
	}
}
