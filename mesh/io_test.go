package mesh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
)

// TestRead opens every stem of each archive, and compares what it gets, or the
// error, with the archive's section "want".
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a := golden.Archive(t, file)
			dir := t.TempDir()
			var stems []string // the first file of each
			var want *txtar.File
			seen := map[string]bool{}
			for i := range a.Files {
				f := &a.Files[i]
				if f.Name == "want" {
					want = f
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
				if stem := strings.TrimSuffix(f.Name, filepath.Ext(f.Name)); !seen[stem] {
					seen[stem] = true
					stems = append(stems, f.Name)
				}
			}
			var got strings.Builder
			for _, name := range stems {
				m, err := Open(context.Background(), filepath.Join(dir, name))
				fmt.Fprintf(&got, "== %s\n", name)
				if err != nil {
					fmt.Fprintln(&got, strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
				} else {
					dump(&got, m)
				}
			}
			golden.Data(t, want, got.String())
		})
	}
}

// dump prints the fields of a mesh that are set.
func dump(w *strings.Builder, m *Mesh) {
	v := reflect.ValueOf(*m)
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			fmt.Fprintf(w, "%s %v\n", v.Type().Field(i).Name, f.Interface())
		}
	}
}

func text(m *Mesh) string {
	var w strings.Builder
	dump(&w, m)
	return w.String()
}

// What is written comes back the same, whichever way it is compressed.
func TestWriteAndOpen(t *testing.T) {
	ctx := context.Background()
	m, err := Generate(ctx, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	full := square()
	full.NodeMarks, full.SegmentMarks = []int32{1, 2, -3, 4}, []int32{5, 6, 7, 8}
	full.NodeAttributes = [][]float64{{1, 2, 3, 4}, {0.1, 1e-300, 3e300, -0.25}}
	full.TriangleAttributes = [][]float64{{7, 8}}
	full.Holes, full.Regions = [][2]float64{{0.5, 0.25}}, [][4]float64{{0.1, 0.2, 3, -1}}
	full.Base = 1
	full.AddBoundary() // the attributes name two regions
	for _, name := range []string{"e.x", "e.node.txt", "e.xyz.gz"} {
		if err := Write(ctx, filepath.Join(t.TempDir(), name), m); err == nil || !strings.Contains(err.Error(), "there is no format for meshes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, want := range []*Mesh{m, full, ring()} {
		for _, name := range []string{"a.node", "b.ele.gz", "c.poly.zst", "d", "e.1", "f.gz"} {
			path := filepath.Join(t.TempDir(), name)
			if err := Write(ctx, path, want); err != nil {
				t.Fatal(err)
			}
			got, err := Open(ctx, path)
			if name == "f.gz" { // the stem alone
				got, err = Open(ctx, strings.TrimSuffix(path, ".gz"))
			}
			if err != nil {
				t.Fatal(err)
			}
			if text(got) != text(want) {
				t.Errorf("%s: got\n%swant\n%s", name, text(got), text(want))
			}
		}
	}
	grid := square()
	grid.AddBoundary()
	grid.Title, grid.Base = "a title", 1
	grid.NodeAttributes = [][]float64{{1, 2, 3, 4}}
	grid.Boundaries = []Boundary{{Open: true, Nodes: []int32{0, 1}}, {Kind: 20, Nodes: []int32{1, 2, 3, 0}}}
	for _, name := range []string{"a.gr3", "b.grd.gz", "c.14.zst"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Write(ctx, path, grid); err != nil {
			t.Fatal(err)
		}
		got, err := Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if text(got) != text(grid) {
			t.Errorf("%s: got\n%swant\n%s", name, text(got), text(grid))
		}
	}
}

func TestWriteLeavesNothingHalf(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Write(ctx, filepath.Join(dir, "m.gr3"), square()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	bad := square()
	bad.Triangles[0][0] = 9
	if err := Write(context.Background(), filepath.Join(dir, "m"), bad); err == nil || !strings.Contains(err.Error(), "triangle 0 has nodes [9 1 2]") {
		t.Errorf("a mesh out of range: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("files were left: %v", left)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "cut.gr3.gz"), []byte{0x1f, 0x8b, 8, 0, 0}, 0o666)
	for name, want := range map[string]string{
		"absent.gr3":  "open mesh: ", // the rest is the system's text
		"absent.node": "open mesh: no file",
		"absent":      "open mesh: ",
		"cut.gr3.gz":  "gzip",
		".":           "open mesh: ",
	} {
		_, err := Open(context.Background(), filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, "x.gr3", strings.NewReader("t\n0 0\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Read(context.Background(), "x.ele", strings.NewReader("0 3\n")); err == nil {
		t.Error("triangles without nodes were read")
	}
}

func TestReadTellsTheFormat(t *testing.T) {
	for name, content := range map[string]string{
		"mesh":     "# c\n3 2 0 0\n0 0 0\n1 1 0\n2 0 1\n",
		"grid":     "1 title 2\n1 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n1 3 1 2 3\n",
		"x.node":   "3 2\n0 0 0\n1 1 0\n2 0 1\n",
		"x.GR3":    "3 2\n1 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n1 3 1 2 3\n",
		"x.gr3.gz": "3 2\n1 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n1 3 1 2 3\n", // a wrong name does no harm
	} {
		m, err := Read(context.Background(), name, strings.NewReader(content))
		if err != nil || len(m.X) != 3 {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

// fuzzFormats are the ways in which fuzzed bytes are read.
var fuzzFormats = []string{"x", "x.gr3", "x.poly"}

// FuzzParse reads any bytes as a file of each format, and as triangles and marked
// edges over a few nodes. What is accepted is in range, and comes back the same after it is
// written.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/read/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range a.Files {
			f.Add(part.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx := context.Background()
		for _, name := range fuzzFormats {
			m, err := Read(ctx, name, bytes.NewReader(data))
			var where *ReadError
			if errors.As(err, &where) && (where.Line < 1 || where.Line > 2+bytes.Count(data, []byte("\n"))) && !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) && !bytes.HasPrefix(data, []byte{0x28, 0xb5}) {
				t.Fatalf("%v: there is no such line", err)
			}
			if err == nil {
				roundTrip(t, m, name == "x.gr3")
			}
		}
		m := square()
		s := &scanner{ctx: ctx, file: "x.ele", data: data}
		if s.readEle(m); s.err == nil {
			m.AddBoundary()
			roundTrip(t, m, false)
		}
		m = square()
		s = &scanner{ctx: ctx, file: "x.edge", data: data}
		if s.readEdges(m); s.err == nil {
			roundTrip(t, m, false)
			split := splitAll(t, m)
			split.Inherit(m)
			if err := split.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// roundTrip writes m and reads it back, and asks every function about it.
func roundTrip(t *testing.T, m *Mesh, grid bool) {
	t.Helper()
	ctx := context.Background()
	m.Notes = nil // they are about the file
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	h := &Mesh{}
	var b bytes.Buffer
	if grid {
		if err := WriteGR3(&b, m); err != nil {
			t.Fatal(err)
		}
		s := &scanner{ctx: ctx, file: "again", data: b.Bytes()}
		if s.readGR3(h); s.err != nil {
			t.Fatalf("%v\n%s", s.err, b.Bytes())
		}
		h.AddBoundary()
	} else {
		for _, part := range []struct {
			write func(*bytes.Buffer) error
			read  func(*scanner, *Mesh)
		}{
			{func(b *bytes.Buffer) error { return WriteNode(b, m) }, (*scanner).readNodesOnly},
			{func(b *bytes.Buffer) error { return WritePoly(b, m) }, (*scanner).readPoly},
			{func(b *bytes.Buffer) error { return WriteEle(b, m) }, (*scanner).readEle},
		} {
			b.Reset()
			if err := part.write(&b); err != nil {
				t.Fatal(err)
			}
			s := &scanner{ctx: ctx, file: "again", data: b.Bytes()}
			if part.read(s, h); s.err != nil {
				t.Fatalf("%v\n%s", s.err, b.Bytes())
			}
		}
		h.AddBoundary()
		h.Title = m.Title // of a grid that was read by its content
		h.Boundaries = m.Boundaries
		if len(m.X) == 0 {
			h.Base = m.Base // nodes that are not there have no number
		}
	}
	if x, y := shape(m), shape(h); x != y {
		t.Fatalf("wrote:\n%s\nread:\n%s", x, y)
	}
	if _, err := Check(ctx, m, CheckOptions{Delaunay: true, MinAngle: 20, Input: h}); err != nil {
		t.Fatal(err)
	}
	if len(m.X) < 50 {
		out, err := Refine(ctx, m, 25, 300)
		if before, _ := Check(ctx, m, CheckOptions{}); err == nil && before.OK() {
			if r, err := Check(ctx, out, CheckOptions{}); err != nil || !r.OK() {
				t.Fatalf("%v\n%s\nrefined: %s", err, before, r)
			}
		}
	}
	b.Reset()
	if err := WriteSVG(&b, m, SVGOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(m.X) > 0 {
		m.Elements()
		m.Reorder()
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
	}
}

// shape is text without what an empty mesh and a nil slice differ in.
func shape(m *Mesh) string {
	return strings.NewReplacer("X []\n", "", "Y []\n", "", "Triangles []\n", "", "Segments []\n", "", "SegmentMarks []\n", "",
		"NodeAttributes [[]]\n", "", "-0 ", "0 ").Replace(text(m))
}
