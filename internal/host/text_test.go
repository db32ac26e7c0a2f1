package host

import (
	"context"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// textProgram is a kernel with a text that goes from one property to another by pointer
// arithmetic: apart is the distance of their values in bytes.
const textProgram = `Graph graph { Output Node int a; Output Node int b; }
int count = 0;
Kernel K(graph, int times) {
  ForAll (n In graph.nodes) {
    int k = n.id;
    long apart = ((long)&n.b - (long)&n.a) * times;
    long other = (long)&count;
    int *p = &n.b;
    ForAll (e In n.edges) {
      int sum = e.dst.id;
      TEXT;
      if (e.id < 0) { count = (int)apart + (int)other + k + p[0]; }
      if (sum < -1) { n.a = 1; }
    }
  }
}
Host f(int times) { Invoke K(graph, times); }
`

// TestTextBeyondDeclared: a text is refused where it accesses what it does not declare, through
// an address that it computes, and the same text is not where it stays in what it declares.
func TestTextBeyondDeclared(t *testing.T) {
	const (
		store  = `CBlock "*(int *)((char *)(graph.a + k) + apart) = 1;" `
		load   = `CBlock "sum = *(int *)((char *)(graph.a + k) + apart);" `
		atomic = `CBlock "atomicMax((int *)((char *)(graph.a + k) + apart), sum);" `
	)
	variants := []lower.Options{
		{}, {Batch: 4}, {NP: lower.ByBlock | lower.ByWarp | lower.FineGrained, Batch: 2},
	}
	g, err := graph.Generate(context.Background(), "clique:9")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text string
		want       [2]string // of the error with the distance 0, and with that of b
	}{
		{"store", store + "Reads (k, apart, a) Writes (a)", [2]string{"", "writes property b, which its Writes"}},
		{"load", load + "Reads (k, apart, a) Writes (sum, a)", [2]string{"", "reads property b, which its Reads"}},
		{"atomic", atomic + "Reads (k, apart, sum, a) Writes (a)", [2]string{"", "writes property b, which its Writes"}},
		{"both declared", atomic + "Reads (k, apart, sum, a, b) Writes (a, b)", [2]string{}},
		{"pointer declared", atomic + "Reads (k, apart, sum, a, p) Writes (a, p)", [2]string{}},
		{"pointer read", atomic + "Reads (k, apart, sum, a, p) Writes (a)", [2]string{"", "writes property b, which its Writes"}},
		{"variable", `CBlock "atomicMax((int *)other, 3);" Reads (other)`, [2]string{"writes count, which its Writes", "writes count, which its Writes"}},
		{"variable declared", `CBlock "atomicMax((int *)other, 3);" Reads (other, count) Writes (count)`, [2]string{}},
		{"the graph", `CBlock "atomicMax((int *)(graph.dst + k), 0);" Reads (k)`, [2]string{"writes graph dst", "writes graph dst"}},
		{"the graph read", `CBlock "sum = graph.dst[k];" Reads (k) Writes (sum)`, [2]string{}},
	} {
		for i, v := range variants {
			u, err := compile.Compile(source.NewFile("text.irgl", []byte(strings.Replace(textProgram, "TEXT", test.text, 1))), syntax.IrGL, "", textOptions(v))
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			for times, want := range test.want {
				dev := simt.Open(simt.Options{CheckDeclared: true})
				e, err := New(dev, u.Info, u.CUDAInfo, u.PTXText(), Options{})
				if err != nil {
					t.Fatal(err)
				}
				_, err = e.Run(context.Background(), run.Input{Graph: g, Args: []run.Value{run.IntValue(int64(times))}})
				if (want == "") != (err == nil) || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "text.irgl:11:7")) {
					t.Errorf("%s, variant %d, times %d: %v, want %q", test.name, i, times, err, want)
				}
				if err := dev.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// textOptions has the PTX name lines.
func textOptions(l lower.Options) compile.Options {
	o := compile.Options{Check: true, Lower: l}
	o.PTX.Lines, o.PTX.Paths = true, map[string]string{}
	return o
}
