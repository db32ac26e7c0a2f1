package mesh_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"irgl/mesh"
)

func ExampleGenerate() {
	ctx := context.Background()
	m, err := mesh.Generate(ctx, 1000, 1)
	if err != nil {
		log.Fatal(err)
	}
	report, err := mesh.Check(ctx, m, mesh.CheckOptions{Delaunay: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.NumNodes(), m.NumTriangles(), len(m.Segments), report.OK())
	q := m.Quality(30, m.Fixable(m.NumNodes()))
	fmt.Printf("%d of %d triangles are bad\n", q.Bad, q.Triangles)
	// Output:
	// 1000 1981 17 true
	// 1008 of 1981 triangles are bad
}

func ExampleRefine() {
	ctx := context.Background()
	m, err := mesh.Generate(ctx, 100, 1)
	if err != nil {
		log.Fatal(err)
	}
	fine, err := mesh.Refine(ctx, m, 30, 0)
	if err != nil {
		log.Fatal(err)
	}
	report, err := mesh.Check(ctx, fine, mesh.CheckOptions{Delaunay: true, MinAngle: 30, Input: m})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Quality(30, nil).Bad, report.Quality.Bad, report.OK())
	// Output:
	// 95 0 true
}

func ExampleCheck() {
	// A square of two triangles, the second of them clockwise.
	m := &mesh.Mesh{
		X: []float64{0, 1, 1, 0}, Y: []float64{0, 0, 1, 1},
		Triangles: [][3]int32{{0, 1, 2}, {0, 3, 2}},
	}
	report, err := mesh.Check(context.Background(), m, mesh.CheckOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range report.Problems {
		fmt.Println(p.Property, p.Count, p.Examples[0])
	}
	fmt.Println(m.Orient(), m.AddBoundary())
	report, err = mesh.Check(context.Background(), m, mesh.CheckOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.OK())
	// Output:
	// orientation 1 triangle 1 (nodes 0 3 2) is clockwise
	// conforming 1 triangles 0 and 1 lie on the same side of the edge from node 2 to 0
	// segments 6 the edge from node 0 to 1 is on the boundary and no segment
	// 1 4
	// true
}

func ExampleRead() {
	file := `A basin
1 3
1 0 0 1.5
2 4 0 2.5
3 0 3 3.5
1 3 1 2 3
`
	m, err := mesh.Read(context.Background(), "basin.gr3", strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Title, m.Triangles, m.NodeAttributes[0])
	_, err = mesh.Read(context.Background(), "basin.gr3", strings.NewReader(file[:30]))
	fmt.Println(err)
	// Output:
	// A basin [[0 1 2]] [1.5 2.5 3.5]
	// basin.gr3:5: the file ends where a node should be
}

func ExampleMesh_Elements() {
	m, err := mesh.Delaunay(context.Background(), []float64{0, 2, 2, 0}, []float64{0, 0, 1, 1.5})
	if err != nil {
		log.Fatal(err)
	}
	e, err := m.Elements()
	if err != nil {
		log.Fatal(err)
	}
	for i, n := range e.Nodes {
		fmt.Println(i, n, e.Neighbors[i])
	}
	// Output:
	// 0 [0 1 2] [2 3 1]
	// 1 [0 2 3] [0 4 5]
	// 2 [0 1 -1] [0 -1 -1]
	// 3 [1 2 -1] [0 -1 -1]
	// 4 [2 3 -1] [1 -1 -1]
	// 5 [3 0 -1] [1 -1 -1]
}

func ExampleWriteSVG() {
	m := &mesh.Mesh{X: []float64{0, 1, 0}, Y: []float64{0, 0, 1}, Triangles: [][3]int32{{0, 1, 2}}, Segments: [][2]int32{{0, 1}}}
	if err := mesh.WriteSVG(os.Stdout, m, mesh.SVGOptions{Width: 120, Plain: true}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// <svg xmlns="http://www.w3.org/2000/svg" width="120" height="120" viewBox="0 0 120 120">
	// <title>3 nodes, 1 triangles, 1 segments</title>
	// <rect width="100%" height="100%" fill="white"/>
	// <path fill="white" stroke="#444" stroke-width="0.500" stroke-linejoin="round" d="M10.00 110.00L110.00 110.00L10.00 10.00Z"/>
	// <path fill="none" stroke="#003" stroke-width="1.5" stroke-linecap="round" d="M10.00 110.00L110.00 110.00"/>
	// </svg>
}

func ExampleInCircle() {
	// Is the point (0.1, 0.1) inside the circle through (0,0), (0.2,0), (0,0.2)?
	// And what of (0.2, 0.2), which lies on it?
	fmt.Println(mesh.InCircle(0, 0, 0.2, 0, 0, 0.2, 0.1, 0.1))
	fmt.Println(mesh.InCircle(0, 0, 0.2, 0, 0, 0.2, 0.2, 0.2))
	// Output:
	// 1
	// 0
}
