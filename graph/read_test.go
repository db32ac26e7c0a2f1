package graph

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
)

// TestRead reads every NAME.in of testdata/read/*.txtar and compares the graph,
// or the error, with NAME.out. In an input, a line "\r" at the end of a line
// stands for a carriage return, and the last line end is left out when the
// text ends in "\c".
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a := golden.Archive(t, file)
			var out []txtar.File
			for _, f := range a.Files {
				name, ok := strings.CutSuffix(f.Name, ".in")
				if !ok {
					continue
				}
				text := strings.ReplaceAll(string(f.Data), `\r`+"\n", "\r\n")
				text = strings.TrimSuffix(text, `\c`+"\n")
				got := dump(Read(context.Background(), name, strings.NewReader(text)))
				for size := 1; size < 20; size += 3 {
					cut := dump(Read(context.Background(), name, strings.NewReader(text), inPieces(size)))
					if cut != got {
						t.Errorf("%s: in pieces of %d bytes:\n%swant:\n%s", name, size, cut, got)
					}
				}
				out = append(out, f, txtar.File{Name: name + ".out", Data: []byte(got)})
			}
			golden.Sections(t, a, out)
		})
	}
}

// inPieces has text cut into pieces of at least size bytes, which must not
// change anything.
func inPieces(size int) Option { return func(in *input) { in.minChunk = size } }

// dump prints a graph for comparison: format, sizes and names, then the arcs.
func dump(g *Graph, err error) string {
	var b strings.Builder
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	fmt.Fprintf(&b, "%s %d nodes %d arcs %d edges listed", g.Info.Format, g.NumNodes(), g.NumEdges(), g.Info.FileEdges)
	if g.Info.Undirected {
		b.WriteString(" undirected")
	}
	if g.IDs == nil {
		fmt.Fprintf(&b, " base %d\n", g.Base)
	} else {
		fmt.Fprintf(&b, " ids %d\n", g.IDs)
	}
	for _, text := range g.Info.Notes {
		fmt.Fprintf(&b, "note: %s\n", text)
	}
	for u := range g.NumNodes() {
		for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
			fmt.Fprintf(&b, "%d %d", g.ExternalID(uint32(u)), g.ExternalID(g.Dst[e]))
			if g.Weight != nil {
				fmt.Fprintf(&b, " %d", g.Weight[e])
			}
			if g.WeightF != nil {
				fmt.Fprintf(&b, " %g(real)", g.WeightF[e])
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// A line number in an error is right in any piece of a long text, whatever
// the number of processors, and the first error is the one reported.
func TestReadErrorLine(t *testing.T) {
	var text bytes.Buffer
	const lines = 200_000
	for i := range lines {
		switch i {
		case 150_000:
			text.WriteString("1 2 x\n")
		case 190_000:
			text.WriteString("oops\n")
		default:
			fmt.Fprintf(&text, "%d %d %d\n", i%1000, i%999, i%77)
		}
	}
	if text.Len() < 5*minChunk {
		t.Fatal("the text is one piece only")
	}
	for range 5 {
		_, err := Read(context.Background(), "big.el", bytes.NewReader(text.Bytes()))
		if want := `big.el:150001: weight "x" is not a finite number`; err == nil || err.Error() != want {
			t.Fatalf("%v, want %s", err, want)
		}
	}
}

// A long text in many pieces gives the same graph as its parts one by one: the
// arcs of a node keep the order of the file.
func TestReadOrder(t *testing.T) {
	var text bytes.Buffer
	const arcs = 150_000
	fmt.Fprintf(&text, "p sp 300 %d\n", arcs)
	want := make([][]string, 300)
	for i := range arcs {
		u, v, w := i%300, i*7%299, i
		fmt.Fprintf(&text, "a %d %d %d\n", u+1, v+1, w)
		want[u] = append(want[u], fmt.Sprint(v, w))
	}
	g, err := Read(context.Background(), "x", &text)
	if err != nil {
		t.Fatal(err)
	}
	for u := range want {
		first := g.RowStart[u]
		if g.Degree(uint32(u)) != int64(len(want[u])) {
			t.Fatalf("node %d has %d arcs, want %d", u, g.Degree(uint32(u)), len(want[u]))
		}
		for k, s := range want[u] {
			e := first + uint64(k)
			if got := fmt.Sprint(g.Dst[e], g.Weight[e]); got != s {
				t.Fatalf("arc %d of node %d is %s, want %s", k, u, got, s)
			}
		}
	}
}

func TestFloatAt(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "-0.5": -.5, "1.0": 1, "3.1415926535897932384626": 3.1415926535897932384626,
		"1e5": 1e5, "1E-300": 1e-300, "123456789012345678": 123456789012345678,
		".5": .5, "5.": 5, "+2.25": 2.25, "9007199254740993": 9007199254740993, "0.1": .1,
		"277281165.183": 277281165.183, "4.35": 4.35, "1.e3": 1000, "0.000000000000000000000001": 1e-24,
	} {
		if got, j := floatAt([]byte(text), 0); got != want || j != len(text) {
			t.Errorf("floatAt(%q) = %v after %d", text, got, j)
		}
	}
	for _, text := range []string{"", ".", "-", "x", "e5", "1e999", "nan", "inf"} {
		if _, j := floatAt([]byte(text), 0); j != 0 {
			t.Errorf("floatAt(%q) accepts %d bytes", text, j)
		}
	}
}
